// Walks a plan over a state.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ketmesh/base/trace.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/measure/measure.hpp"
#include "ketmesh/plan/planner.hpp"
#include "ketmesh/runtime/record.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::runtime {

/// Called between passes; throw from it to stop (the state is then unspecified but alive). done and total are passes.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total, const char* what)>;

/// Rows of a timeline.
enum TraceRow : std::uint32_t { kPhaseTrack = 0, kPassTrack = 1 };

struct ExecuteOptions {
  Progress progress;             ///< may be empty
  bool want_block_sums = false;  ///< let the last pass leave |a|^2 sums
  /// Passes of this plan, binding and state's kernels, by number; those that are empty are made and kept here. nullptr: none are. One shard only.
  std::vector<kernels::PreparedPass>* passes = nullptr;
  Timeline* timeline = nullptr;  ///< an event for each pass, exchange or gate; on a GPU the time in which it was queued
};

/// Runs `plan` on `state`, which must have its placement and (when the start is given) its first layout. Returns the block sums when asked and left.
measure::BlockSums execute(const Plan& plan, const Binding& binding, ShardedState& state, RunRecord& record,
                           const ExecuteOptions& options = {});

/// The conventional engine: the unitary operations [first, last) one at a time with the kernels of the state, pairwise exchange where a target is global, no tiles; layout stays.
void execute_conventional(const Circuit& circuit, std::size_t first, std::size_t last, const ParameterValues& values, ShardedState& state,
                          RunRecord& record, const ExecuteOptions& options = {});

}  // namespace ketmesh::runtime
