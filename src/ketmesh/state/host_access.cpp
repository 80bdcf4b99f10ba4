// Amplitudes between shards and the host, in logical order; each goes from the rank that owns it to all others, bit by bit as it is.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/state/part_buffer.hpp"

namespace ketmesh {
namespace {

constexpr int kBlockQubits = 15;  // staging of at most 512 KiB: it stays in the cache

void check_range(const char* what, Index begin, Index count, Index room, int num_qubits) {
  const Index size = Index{1} << num_qubits;
  if (begin > size || count > size - begin)
    throw OptionError(std::string(what) + ": amplitudes " + std::to_string(begin) + " to " + std::to_string(begin + count) +
                      ": must lie in 0 to " + std::to_string(size));
  if (room != count)
    throw OptionError(std::string(what) + ": " + std::to_string(room) + " elements for " + std::to_string(count) +
                      " amplitudes: must be as many");
}

/// f(block map, begin of the block) over aligned blocks of [begin, end); end_of_map() when a map goes.
template <typename F, typename G>
void each_block(const ShardedState& state, Index begin, Index end, F&& f, G&& end_of_map) {
  std::unique_ptr<state::BlockMap> map;
  while (begin < end) {
    const int size = state::aligned_block(begin, end, kBlockQubits);
    if (map == nullptr || map->size() != size) {
      end_of_map();
      map = std::make_unique<state::BlockMap>(state.layout(), state.placement(), size);
    }
    f(*map, begin);
    begin += Index{1} << size;
  }
  end_of_map();
}

/// Blocks of up to this many amplitudes together are handed on between ranks at once.
constexpr Index kSharedElements = Index{1} << 17;

template <typename Held, typename T>
void read_range(const ShardedState& state, Index begin, Index end, std::span<T> out) {
  state::PartBuffer<Held> buffer(state);
  const Index at_once = state.context().world() == 1 ? 1 : kSharedElements;
  const auto flush = [&] {
    CollectiveCommunicator& ranks = state.context().collective();
    for (int r = 0; r < ranks.world() && ranks.world() > 1; ++r)
      if (!buffer.of_rank(r).empty()) ranks.broadcast(std::as_writable_bytes(std::span(buffer.of_rank(r))), r);
    buffer.place(out);
    buffer.clear();
  };
  const auto read_block = [&](const state::BlockMap& map, Index at) {
    buffer.add(map, at, at - begin);
    if (buffer.elements() >= at_once) flush();
  };
  each_block(state, begin, end, read_block, flush);
}

template <typename Held, typename T>
void write_range(const ShardedState& state, Index begin, std::span<const T> values) {
  const T phase = static_cast<T>(std::polar(1.0, -state.global_phase()));
  const bool has_phase = state.global_phase() != 0;
  std::vector<Held> held;
  const auto write_block = [&](const state::BlockMap& map, Index at) {
    for (const auto& part : map.parts(at)) {
      const auto* own = state::own_shard(state, part.shard);
      if (own == nullptr) continue;
      held.resize(part.places->size());
      const T* const block = values.data() + (at - begin) + part.offset;
      for (std::size_t j = 0; j < held.size(); ++j)
        held[j] = static_cast<Held>(has_phase ? block[(*part.places)[j]] * phase : block[(*part.places)[j]]);
      state::Staging(*own, map.elements_per_part()).write(part, held.data());
    }
  };
  each_block(state, begin, begin + static_cast<Index>(values.size()), write_block, [] {});
}

}  // namespace

template <typename T>
void ShardedState::to_host(Index begin, Index end, std::span<T> out) const {
  check_range("to_host", begin, end < begin ? 0 : end - begin, static_cast<Index>(out.size()), num_qubits());
  if (precision_ == Precision::single)
    read_range<cfloat>(*this, begin, end, out);
  else
    read_range<cdouble>(*this, begin, end, out);
}

template <typename T>
void ShardedState::from_host(Index begin, std::span<const T> values) {
  check_range("from_host", begin, static_cast<Index>(values.size()), static_cast<Index>(values.size()), num_qubits());
  if (precision_ == Precision::single)
    write_range<cfloat>(*this, begin, values);
  else
    write_range<cdouble>(*this, begin, values);
}

std::vector<cdouble> ShardedState::amplitudes(std::span<const Index> logical) const {
  std::vector<Index> physical(logical.size());
  for (std::size_t i = 0; i < logical.size(); ++i) {
    if ((logical[i] >> num_qubits()) != 0)
      throw OptionError("amplitude " + std::to_string(logical[i]) + ": must be below 2^" + std::to_string(num_qubits()) + " = " +
                        std::to_string(Index{1} << num_qubits()));
    physical[i] = layout_.to_physical(logical[i]);
  }
  std::vector<cdouble> out(logical.size());
  for (const auto& own : own_) own.kernels->read(own.context, own.shard, physical, out.data());
  if (context_->world() > 1) {
    std::vector<std::vector<cdouble>> of_rank(static_cast<std::size_t>(context_->world()));
    const auto owner = [&](std::size_t i) {
      return static_cast<std::size_t>(placement_.owners[static_cast<std::size_t>(physical[i] >> placement_.local_bits())].rank);
    };
    for (std::size_t i = 0; i < out.size(); ++i) of_rank[owner(i)].push_back(out[i]);
    for (std::size_t r = 0; r < of_rank.size(); ++r)
      if (!of_rank[r].empty()) context_->collective().broadcast(std::as_writable_bytes(std::span(of_rank[r])), static_cast<int>(r));
    std::vector<std::size_t> next(of_rank.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = of_rank[owner(i)][next[owner(i)]++];
  }
  if (global_phase_ != 0)
    for (auto& a : out) a *= std::polar(1.0, global_phase_);
  return out;
}

template void ShardedState::to_host(Index, Index, std::span<cfloat>) const;
template void ShardedState::to_host(Index, Index, std::span<cdouble>) const;
template void ShardedState::from_host(Index, std::span<const cfloat>);
template void ShardedState::from_host(Index, std::span<const cdouble>);

}  // namespace ketmesh
