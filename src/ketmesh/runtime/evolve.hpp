// Runs unitary operations on a state by either engine: plans (or finds plans), makes the state when there is none, goes window by window.
#pragma once

#include <memory>
#include <optional>

#include "ketmesh/runtime/executor.hpp"
#include "ketmesh/runtime/plan_cache.hpp"

namespace ketmesh::runtime {

enum class EngineKind : std::uint8_t { ex, conventional };

/// Longer circuits are planned in windows of this many operations.
inline constexpr std::size_t kWindow = 65'536;

/// What a run stands on. `cache` may be nullptr: every run then plans anew.
struct RunSetup {
  std::shared_ptr<const DistributedExecutionContext> context;
  PlanOptions plan;  ///< precision, tile, shards, policy ...; start_layout and start_given are set by the run
  StateOptions state;
  EngineKind engine = EngineKind::ex;
  PlanCache* cache = nullptr;
  Progress progress;
  std::size_t window = kWindow;
  Timeline* timeline = nullptr;
};

/// Largest number of targets of a gate that must be local, blocks of if_else included; at least 1.
int widest_gate(const Circuit& circuit);

/// The state of n qubits in |0..0>, in the layout that the options ask for, with memory judged before it is taken. Throws DoesNotFit, OptionError.
ShardedState make_state(const RunSetup& setup, int num_qubits, int widest, RunRecord& record);

/// Applies the unitary operations [first, last) to `state`; nullopt means |0..0>, made here with the placement of the plan (unless it was fixed by
/// setup.plan.shards). Operations without effect may be among them, others not. Returns block sums of the final state when wanted and left.
measure::BlockSums evolve(const RunSetup& setup, const Circuit& circuit, std::size_t first, std::size_t last, const ParameterValues& values,
                          std::optional<ShardedState>& state, RunRecord& record, bool want_block_sums = false);

}  // namespace ketmesh::runtime
