// One pass over the shards of this rank and one exchange, counted: what both engines stand on.
#pragma once

#include <chrono>
#include <span>

#include "ketmesh/runtime/record.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::runtime {

/// Adds the seconds of its life to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

/// Prepares and runs one pass on every own shard. The layout follows the store. Adds to passes, bytes_local and seconds_evolve.
/// `kept`, of a state of one shard: used when made already, else the place to keep it.
void run_pass(const Pass& pass, const Binding& binding, ShardedState& state, RunRecord& record, const kernels::NormBins* bins = nullptr,
              kernels::PreparedPass* kept = nullptr);

/// Whether all own shards have a kernel for passes over two states.
bool has_adjoint_passes(const ShardedState& state);

/// One pass over two states with matrix elements read between its levels, counted as two passes; sums[t] += Im <bra|P_t|ket> over own shards, t counting
/// the terms of all levels. Both layouts follow the store of the last level, when it stores.
void run_adjoint_pass(std::span<const kernels::AdjointLevel> levels, bool stores, const Binding& binding, ShardedState& bra,
                      ShardedState& ket, RunRecord& record, std::span<double> sums);

/// Exchanges and counts: exchanges, bytes, workspace, seconds_exchange. `states`: of this size that are in memory meanwhile.
void run_exchange(const Exchange& step, ShardedState& state, RunRecord& record, std::uint64_t states = 1);

/// Raises the peak of memory to that of `states` states of this size on all own devices and `workspace` bytes beside them.
void note_memory(const ShardedState& state, std::uint64_t states, std::uint64_t workspace, RunRecord& record);

}  // namespace ketmesh::runtime
