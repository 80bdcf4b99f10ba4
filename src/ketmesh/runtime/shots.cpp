#include "ketmesh/runtime/shots.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/branches.hpp"

namespace ketmesh::runtime {
namespace {

constexpr std::uint64_t kMaxShots = 0xffff'ffff;

void check_width(const Circuit& circuit) {
  if (circuit.num_qubits() < 1 || circuit.num_qubits() > static_cast<std::size_t>(kMaxQubits))
    throw CircuitError("a circuit of " + std::to_string(circuit.num_qubits()) + " qubits: a state has 1 to " + std::to_string(kMaxQubits));
}

/// Plans of one run follow each other on one state, so its placement must suit all of them before the first is made.
RunSetup with_fixed_placement(const RunSetup& setup, const Program& program) {
  RunSetup fixed = setup;
  const Circuit& circuit = program.circuit();
  const int n = static_cast<int>(circuit.num_qubits());
  if ((program.is_plain() && circuit.size() <= setup.window) || setup.plan.shards != 0 || !setup.plan.shards_per_rank.empty()) return fixed;
  fixed.plan.shards = PlacementPlanner().place(n, std::min(n, widest_gate(circuit)), setup.context->machine(), setup.plan).num_shards();
  return fixed;
}

}  // namespace

ShotResult run_shots(const RunSetup& setup, const Circuit& circuit, const ParameterValues& values, const ShotOptions& options,
                     RunRecord& record) {
  check_width(circuit);
  if (options.shots > kMaxShots)
    throw OptionError("shots = " + std::to_string(options.shots) + ": must be 0 to " + std::to_string(kMaxShots));
  const Program program(circuit);
  const RunSetup fixed = with_fixed_placement(setup, program);
  ShotResult result;
  const bool keep = options.keep_state && program.is_static();
  if (options.shots == 0 && !keep) return result;
  if (!program.has_measurements() && !keep) {
    // Nothing can be seen of the state: every bit of every shot is 0.
    result.counts.emplace(ClassicalBits(circuit.num_clbits()), options.shots);
    return result;
  }
  History history(fixed, static_cast<int>(circuit.num_qubits()), values, options.max_snapshots, record);
  BranchWalker walker(program, history, {.seed = options.seed, .purpose = DrawPurpose::measurement, .keep_state = keep}, record);
  walker.run(ShotRanges(0, options.shots), result.counts);
  if (keep) {
    result.state = history.take_state();
    result.sums = history.take_sums();
  }
  return result;
}

void follow_one_branch(const RunSetup& setup, const Circuit& circuit, const ParameterValues& values, const BranchOptions& options,
                       Branch& branch, RunRecord& record) {
  check_width(circuit);
  const Program program(circuit);
  RunSetup fixed = setup;
  if (!branch.state)
    fixed = with_fixed_placement(setup, program);
  else if (static_cast<std::size_t>(branch.state->num_qubits()) != circuit.num_qubits())
    throw CircuitError("a circuit of " + std::to_string(circuit.num_qubits()) + " qubits for a state of " +
                       std::to_string(branch.state->num_qubits()));
  const bool fresh = !branch.state;
  History history(fixed, static_cast<int>(circuit.num_qubits()), values, 0, record);
  history.start_from(std::move(branch.state));
  branch.state.reset();
  WalkOptions walk{.seed = options.seed, .purpose = DrawPurpose::branch, .keep_state = true};
  walk.final_measurements = options.final_measurements ? FinalMeasurements::at_once : FinalMeasurements::ignored;
  walk.want_block_sums = options.want_block_sums;
  walk.fresh = fresh;
  walk.first_bits = branch.bits;
  walk.first_ordinal = branch.ordinal;
  BranchWalker walker(program, history, walk, record);
  std::map<ClassicalBits, std::uint64_t> counts;
  walker.run(ShotRanges(0, 1), counts);
  branch.bits = counts.begin()->first;
  branch.ordinal = walker.last_ordinal();
  branch.sums = history.take_sums();
  branch.state = history.take_state();
}

}  // namespace ketmesh::runtime
