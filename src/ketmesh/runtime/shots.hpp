// Circuits with measurements, resets, preparations and conditions: many shots, or one branch.
//
// Shots that share all outcomes so far share one state. At a measurement that is not final they split by their own draws; branches are walked
// depth-first, the one with most shots last, so that at most log2(shots) snapshots live at once. A branch costs one snapshot when memory allows,
// else it is run again from the last one. Measurements that nothing follows are put off to the end of their branch and sampled there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "ketmesh/base/random.hpp"
#include "ketmesh/circuit/classical.hpp"
#include "ketmesh/runtime/evolve.hpp"

namespace ketmesh::runtime {

struct ShotOptions {
  std::uint64_t shots = 1024;
  std::uint64_t seed = 0;
  std::optional<std::size_t> max_snapshots;  ///< at once; none: as many as the devices' memory holds
  bool keep_state = false;                   ///< hand back the state (and its block sums) of a circuit without draws before its end
};

struct ShotResult {
  std::map<ClassicalBits, std::uint64_t> counts;  ///< bits have the circuit's num_clbits
  std::optional<ShardedState> state;
  measure::BlockSums sums;
};

/// Counts of classical bits. Shot k draws with (seed, measurement, k, ordinal), ordinal = measurements and resets executed so far in it, a joint
/// measurement being one; final measurements with (seed, terminal_sampling, k, 0). Throws CircuitError, OptionError, DoesNotFit.
ShotResult run_shots(const RunSetup& setup, const Circuit& circuit, const ParameterValues& values, const ShotOptions& options,
                     RunRecord& record);

/// A state on its way through circuits.
struct Branch {
  std::optional<ShardedState> state;  ///< nullopt: |0..0>, not made yet
  ClassicalBits bits;
  std::uint64_t ordinal = 0;  ///< measurements and resets executed so far
  measure::BlockSums sums;    ///< of the state, when left by the last pass
};

struct BranchOptions {
  std::uint64_t seed = 0;
  bool final_measurements = false;  ///< execute them too (they are ignored else)
  bool want_block_sums = false;
};

/// Follows one branch, draws (seed, branch, 0, ordinal): what state vectors and estimates of dynamic circuits read. A branch that holds a state goes on
/// from it. The state exists afterwards. bits grow to the circuit's num_clbits.
void follow_one_branch(const RunSetup& setup, const Circuit& circuit, const ParameterValues& values, const BranchOptions& options,
                       Branch& branch, RunRecord& record);

}  // namespace ketmesh::runtime
