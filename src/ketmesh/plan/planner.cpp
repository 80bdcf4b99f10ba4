#include "ketmesh/plan/planner.hpp"

#include <algorithm>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/plan/canonical.hpp"
#include "ketmesh/plan/cost.hpp"
#include "ketmesh/plan/hash.hpp"
#include "ketmesh/plan/lowering.hpp"
#include "ketmesh/plan/memory.hpp"
#include "ketmesh/plan/schedule.hpp"

namespace ketmesh {
namespace {

using namespace plan;

struct Defaults {
  int tile, row, registers;
};

Defaults defaults_of(const PlanOptions& o) {
  if (o.target == DeviceKind::cuda) return {12, 4, 4};
  return {o.precision == Precision::single ? 15 : 14, 6, 3};
}

void check_range(const char* name, int value, int low, int high) {
  if (value < low || value > high)
    throw OptionError(std::string(name) + " = " + std::to_string(value) + ": " + std::to_string(low) + " to " + std::to_string(high) +
                      " are possible (0: the default)");
}

void check_options(int num_qubits, const PlanOptions& o) {
  check_range("tile_bits", o.tile_bits, 0, 30);
  check_range("row_bits", o.row_bits, 0, 30);
  check_range("register_bits", o.register_bits, 0, 30);
  if (o.start_given && !o.start_layout) throw OptionError("start_given needs start_layout: the layout of the amplitudes");
  if (o.start_layout && o.start_layout->num_qubits() != num_qubits)
    throw OptionError("start_layout is of " + std::to_string(o.start_layout->num_qubits()) + " qubits, the circuit of " +
                      std::to_string(num_qubits));
  Index seen = 0;
  for (const int q : o.global_qubits) {
    if (q < 0 || q >= num_qubits || bits::test(seen, q))
      throw OptionError("global_qubits: " + std::to_string(q) + " is out of range 0.." + std::to_string(num_qubits - 1) +
                        " or listed twice");
    seen |= bits::one(q);
  }
}

Levels levels_of(const PlanOptions& options, const Placement& placement, int widest) {
  const auto defaults = defaults_of(options);
  Levels out;
  out.local = placement.local_bits();
  out.tile = std::min(std::max(options.tile_bits != 0 ? options.tile_bits : defaults.tile, widest), out.local);
  out.row = options.row_bits != 0 ? options.row_bits : defaults.row;
  // Between tiles that differ, a gate's targets and the wires that an exchange takes must fit beside the row bits.
  if (out.tile < out.local) out.row = std::min({out.row, out.tile - widest, out.tile - placement.shard_bits});
  out.row = std::clamp(out.row, 0, out.tile);
  out.registers = std::min(options.register_bits != 0 ? options.register_bits : defaults.registers, out.tile);
  return out;
}

// The shards that the caller names must leave room for every gate; the message names the gate that does not.
void check_widest(const Circuit& circuit, const CanonicalCircuit& c, const PlanOptions& options) {
  const int n = c.num_qubits;
  int shard_bits = 0;
  while ((1 << shard_bits) < options.shards) ++shard_bits;
  if (!options.global_qubits.empty()) shard_bits = std::max(shard_bits, static_cast<int>(options.global_qubits.size()));
  if (n - shard_bits >= c.widest || c.gates.empty()) return;
  const auto op = circuit[c.widest_operation];
  throw OptionError(std::to_string(1 << shard_bits) + " shards leave " + std::to_string(n - shard_bits) + " local qubits, but " +
                    std::string(to_string(op.gate)) + " (operation " + std::to_string(c.widest_operation) + ", line " +
                    std::to_string(op.line) + ") acts on " + std::to_string(c.widest) + ": at most " +
                    std::to_string(1 << std::max(0, n - c.widest)) + " shards are possible");
}

// A layout with the named qubits at the shard-index bits; the rest in order.
Layout layout_with_globals(int num_qubits, const std::vector<int>& globals) {
  std::vector<int> bit(static_cast<std::size_t>(num_qubits), -1);
  const int local = num_qubits - static_cast<int>(globals.size());
  for (std::size_t i = 0; i < globals.size(); ++i) bit[static_cast<std::size_t>(globals[i])] = local + static_cast<int>(i);
  int next = 0;
  for (auto& b : bit)
    if (b < 0) b = next++;
  return Layout(bit);
}

Plan begin_plan(int num_qubits, int widest, const Machine& machine, const PlanOptions& options) {
  if (num_qubits > kMaxQubits)
    throw OptionError("a state of " + std::to_string(num_qubits) + " qubits was asked for; a state has 1 to " + std::to_string(kMaxQubits));
  check_options(num_qubits, options);
  machine.check();
  Plan plan;
  plan.num_qubits = num_qubits;
  plan.precision = options.precision;
  plan.placement = PlacementPlanner().place(num_qubits, widest, machine, options);
  if (!options.global_qubits.empty() && static_cast<int>(options.global_qubits.size()) != plan.placement.shard_bits)
    throw OptionError("global_qubits names " + std::to_string(options.global_qubits.size()) + " qubits; " +
                      std::to_string(plan.placement.num_shards()) + " shards need " + std::to_string(plan.placement.shard_bits));
  plan.largest_share = plan.placement.largest_share;
  judge_memory(plan, machine, options, false);
  if (options.check_memory) check_memory(plan, machine, options);
  return plan;
}

}  // namespace

Plan make_plan(const Circuit& circuit, std::size_t first, std::size_t last, const Machine& machine, const PlanOptions& options) {
  const auto canonical = canonicalise(circuit, first, std::min(last, circuit.size()), !options.start_given);
  check_widest(circuit, canonical, options);
  Plan plan = begin_plan(canonical.num_qubits, canonical.widest, machine, options);
  const auto levels = levels_of(options, plan.placement, canonical.widest);
  plan.tile_bits = levels.tile;
  plan.gates_input = canonical.operations;
  plan.gates_planned = canonical.gates.size();

  std::optional<Layout> fixed = options.start_layout;
  if (!fixed && !options.global_qubits.empty()) fixed = layout_with_globals(plan.num_qubits, options.global_qubits);
  FixedStart start;
  if (fixed) {
    start.local = fixed->to_logical(bits::low_mask(levels.local));
    if (levels.tile < levels.local) start.row = fixed->to_logical(bits::low_mask(levels.row));
  }
  const auto stages = schedule(canonical, levels, start);
  const auto fast_first = options.full_mesh ? std::vector<int>() : bits_by_link(plan.placement, plan.precision, machine);
  lower(circuit, canonical, stages, levels, fixed ? &*fixed : nullptr, fast_first, plan);
  count(plan);
  predict_seconds(plan, machine);
  judge_memory(plan, machine, options, true);
  plan.hash = hash_plan(plan, circuit, first, last);
  return plan;
}

Plan make_plan(const Circuit& circuit, const Machine& machine, const PlanOptions& options) {
  return make_plan(circuit, 0, circuit.size(), machine, options);
}

Plan plan_state(int num_qubits, const Machine& machine, const PlanOptions& options) {
  Plan plan = begin_plan(num_qubits, 1, machine, options);
  plan.tile_bits = levels_of(options, plan.placement, 1).tile;
  plan.start.kind = options.start_given ? Start::Kind::given : Start::Kind::basis_zero;
  plan.final_layout = options.start_layout ? *options.start_layout : layout_with_globals(num_qubits, options.global_qubits);
  plan.stages.push_back({plan.final_layout, {}, {}});
  judge_memory(plan, machine, options, true);
  plan.hash = hash_plan(plan, Circuit(static_cast<std::size_t>(num_qubits)), 0, 0);
  return plan;
}

}  // namespace ketmesh
