#include "ketmesh/runtime/sweep.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ketmesh::runtime {
namespace {

/// What was loaded at tile_bits[j] was stored at store_bits[j].
void follow_store(const Pass& pass, ShardedState& state) {
  if (pass.store_bits.empty() || pass.store_bits == pass.tile_bits) return;
  const Layout& before = state.layout();
  std::vector<int> bit = before.bits();
  for (std::size_t j = 0; j < pass.tile_bits.size(); ++j)
    bit[static_cast<std::size_t>(before.qubit_at(pass.tile_bits[j]))] = pass.store_bits[j];
  state.set_layout(Layout(std::span<const int>(bit)));
}

}  // namespace

void run_pass(const Pass& pass, const Binding& binding, ShardedState& state, RunRecord& record, const kernels::NormBins* bins,
              kernels::PreparedPass* kept) {
  const Stopwatch watch(record.seconds_evolve);
  const std::uint64_t shard_bytes = bytes_per_amplitude(state.precision()) << state.placement().local_bits();
  kernels::PreparedPass prepared;
  const kernels::Kernels* prepared_by = nullptr;
  int prepared_for = -1;
  if (kept != nullptr && *kept != nullptr) {
    prepared = *kept;
    prepared_by = state.own_shards().front().kernels;
    prepared_for = state.own_shards().front().context.ordinal;
  }
  for (const auto& own : state.own_shards()) {
    // Prepared once a backend and device; shards of one device follow each other.
    if (prepared_by != own.kernels || (prepared_for != own.context.ordinal && own.kernels->backend == "cuda")) {
      prepared = own.kernels->prepare_pass(own.context, pass, binding, state.placement().local_bits());
      prepared_by = own.kernels;
      prepared_for = own.context.ordinal;
    }
    own.kernels->run_pass(own.context, prepared, own.shard, bins);
    record.bytes_local += 2 * shard_bytes;
  }
  if (kept != nullptr) *kept = prepared;
  ++record.passes;
  follow_store(pass, state);
}

bool has_adjoint_passes(const ShardedState& state) {
  return std::all_of(state.own_shards().begin(), state.own_shards().end(),
                     [](const auto& own) { return own.kernels->prepare_adjoint != nullptr && own.kernels->run_adjoint != nullptr; });
}

void run_adjoint_pass(std::span<const kernels::AdjointLevel> levels, bool stores, const Binding& binding, ShardedState& bra,
                      ShardedState& ket, RunRecord& record, std::span<double> sums) {
  const Stopwatch watch(record.seconds_evolve);
  const int local_bits = ket.placement().local_bits();
  const std::uint64_t shard_bytes = bytes_per_amplitude(ket.precision()) << local_bits;
  kernels::PreparedPass prepared;
  const kernels::Kernels* prepared_by = nullptr;
  std::size_t number = 0;
  for (const auto& own : ket.own_shards()) {
    if (prepared_by != own.kernels) {
      prepared = own.kernels->prepare_adjoint(own.context, levels, binding, local_bits, stores);
      prepared_by = own.kernels;
    }
    own.kernels->run_adjoint(own.context, prepared, bra.own_shards()[number++].shard, own.shard, sums.data());
    record.bytes_local += (stores ? 4 : 2) * shard_bytes;
  }
  record.passes += 2;
  if (!stores) return;
  follow_store(*levels.back().pass, ket);
  follow_store(*levels.back().pass, bra);
}

void run_exchange(const Exchange& step, ShardedState& state, RunRecord& record, std::uint64_t states) {
  // Devices work later than they are told: each phase waits for its own work, so that its seconds are its own.
  const auto wait = [&state] {
    for (const auto& own : state.own_shards()) own.kernels->synchronize(own.context);
  };
  {
    const Stopwatch watch(record.seconds_evolve);
    wait();
  }
  const Stopwatch watch(record.seconds_exchange);
  const auto count = state.exchange(step);
  wait();
  ++record.exchanges;
  record.bytes_exchanged += count.bytes;
  record.bytes_between_ranks += count.bytes_between_ranks;
  if (record.transport == "none") {
    record.transport = state.transport_name();
    record.notes = state.transport_notes();
  }
  note_memory(state, states, count.workspace_bytes, record);
}

void note_memory(const ShardedState& state, std::uint64_t states, std::uint64_t workspace, RunRecord& record) {
  record.memory_bytes = std::max(record.memory_bytes, states * state.bytes() + workspace);
}

}  // namespace ketmesh::runtime
