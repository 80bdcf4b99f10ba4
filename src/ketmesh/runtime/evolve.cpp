#include "ketmesh/runtime/evolve.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/sweep.hpp"

namespace ketmesh::runtime {
namespace {

int targets_that_move(const Operation& op) {
  switch (op.gate) {
    case Gate::diagonal:
    case Gate::gphase:
    case Gate::barrier:
    case Gate::delay:
    case Gate::measure:
    case Gate::reset:
    case Gate::initialize:
    case Gate::swap:
      return 0;  // diagonal, or not by kernels of gates; a swap renames, and the conventional engine is asked below
    case Gate::pauli:
    case Gate::rotation:
      return 1;  // a letter at a time
    case Gate::if_else: {
      int widest = 0;
      for (const auto& block : op.payload().blocks) widest = std::max(widest, widest_gate(block));
      return widest;
    }
    default:
      return static_cast<int>(resolve(op).targets.size());
  }
}

/// Options of a plan that goes on with a state.
PlanOptions going_on(const PlanOptions& options, const ShardedState& state) {
  PlanOptions next = options;
  next.start_given = true;
  next.start_layout = state.layout();
  next.shards = state.placement().num_shards();
  return next;
}

PlanCache::Found plan_window(const RunSetup& setup, const Circuit& circuit, std::size_t first, std::size_t last, const PlanOptions& options,
                             RunRecord& record) {
  const Stopwatch watch(record.seconds_plan);
  const TraceSpan span(setup.timeline, "plan", kPhaseTrack);
  if (setup.cache == nullptr) return {std::make_shared<const Plan>(make_plan(circuit, first, last, setup.context->machine(), options))};
  auto found = setup.cache->find_or_make(circuit, first, last, setup.context->machine(), options);
  record.plan_cached = record.plan_cached || found.cached;
  return found;
}

/// Makes the numbers of this circuit the ones that are kept, unless they are already.
void bind_kept(const Plan& plan, const Circuit& circuit, const ParameterValues& values, Numbers& numbers) {
  if (numbers.bound && numbers.values == values && numbers.circuit == circuit) return;
  numbers.bound = false;
  numbers.passes.clear();
  bind(plan, circuit, values, numbers.binding);
  numbers.circuit = circuit;
  numbers.values = values;
  numbers.bound = true;
}

ShardedState allocate(const RunSetup& setup, const Placement& placement, RunRecord& record) {
  const Stopwatch watch(record.seconds_allocate);
  const TraceSpan span(setup.timeline, "allocate", kPhaseTrack);
  StateOptions options = setup.state;
  options.workspace_bytes = setup.plan.workspace_bytes;
  ShardedState state(setup.context, placement, setup.plan.precision, options);
  note_memory(state, 1, 0, record);
  return state;
}

}  // namespace

int widest_gate(const Circuit& circuit) {
  int widest = 1;
  for (const Operation op : circuit) widest = std::max(widest, targets_that_move(op));
  return widest;
}

ShardedState make_state(const RunSetup& setup, int num_qubits, int widest, RunRecord& record) {
  PlanOptions options = setup.plan;
  const Machine& machine = setup.context->machine();
  if (num_qubits >= 1 && num_qubits <= kMaxQubits && options.shards == 0 && options.shards_per_rank.empty())
    options.shards = PlacementPlanner().place(num_qubits, std::min(widest, num_qubits), machine, options).num_shards();
  const Plan plan = plan_state(num_qubits, machine, options);
  ShardedState state = allocate(setup, plan.placement, record);
  state.set_layout(plan.final_layout);
  state.set_basis(0);
  return state;
}

measure::BlockSums evolve(const RunSetup& setup, const Circuit& circuit, std::size_t first, std::size_t last, const ParameterValues& values,
                          std::optional<ShardedState>& state, RunRecord& record, bool want_block_sums) {
  const std::size_t window = std::max<std::size_t>(1, setup.window);
  ExecuteOptions execute_options;
  execute_options.progress = setup.progress;
  execute_options.timeline = setup.timeline;
  if (setup.engine == EngineKind::conventional) {
    if (!state) {
      int widest = widest_gate(circuit);
      for (std::size_t k = first; k < last; ++k)
        if (circuit[k].gate == Gate::swap) widest = std::max(widest, 2);  // a gate like others here
      state = make_state(setup, static_cast<int>(circuit.num_qubits()), widest, record);
    }
    execute_conventional(circuit, first, last, values, *state, record, execute_options);
    return {};
  }
  // Several windows share one placement, so it must suit the widest gate of all of them.
  if (!state && last - first > window) state = make_state(setup, static_cast<int>(circuit.num_qubits()), widest_gate(circuit), record);
  measure::BlockSums sums;
  do {
    const std::size_t end = last - first > window ? first + window : last;
    PlanOptions options = state ? going_on(setup.plan, *state) : setup.plan;
    const auto [plan, cached, numbers] = plan_window(setup, circuit, first, end, options, record);
    Binding fresh;
    {
      const Stopwatch watch(record.seconds_plan);
      const TraceSpan span(setup.timeline, "bind", kPhaseTrack);
      if (numbers != nullptr)
        bind_kept(*plan, circuit, values, *numbers);
      else
        fresh = bind(*plan, circuit, values);
    }
    if (!state) state = allocate(setup, plan->placement, record);
    execute_options.want_block_sums = want_block_sums && end == last;
    execute_options.passes = nullptr;
    if (numbers != nullptr && state->own_shards().size() == 1) {
      const kernels::Kernels* const table = state->own_shards().front().kernels;
      if (numbers->table != table) numbers->passes.clear();
      numbers->table = table;
      execute_options.passes = &numbers->passes;
    }
    sums = execute(*plan, numbers != nullptr ? numbers->binding : fresh, *state, record, execute_options);
    first = end;
  } while (first < last);
  return sums;
}

}  // namespace ketmesh::runtime
