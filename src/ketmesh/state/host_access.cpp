// Amplitudes between shards and the host, in logical order.
#include <cmath>
#include <string>
#include <type_traits>

#include "ketmesh/base/error.hpp"
#include "ketmesh/state/blocks.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh {
namespace {

constexpr int kBlockQubits = 15;  // staging of at most 512 KiB: it stays in the cache

const transport::OwnedShard* owned(std::span<const transport::OwnedShard> own, int number) {
  for (const auto& o : own)
    if (static_cast<int>(o.shard.base >> o.shard.local_bits) == number) return &o;
  return nullptr;
}

/// Staging on the device and on the host for one part of a block.
class Staging {
 public:
  Staging(const transport::OwnedShard& own, Index elements)
      : own_(own),
        bytes_(static_cast<std::size_t>(elements * bytes_per_amplitude(own.kernels->precision))),
        host_(bytes_),
        device_(own.kernels->allocate(own.context, bytes_)) {}
  ~Staging() { own_.kernels->release(own_.context, device_, bytes_); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void read(const state::BlockPart& part, const transport::OwnedShard& from) {
    from.kernels->pack(from.context, from.shard, part.mask, part.value, 0, static_cast<Index>(part.places->size()), device_);
    from.kernels->copy_to_host(from.context, host_.data(), device_, bytes_);
  }
  void write(const state::BlockPart& part, const transport::OwnedShard& to) {
    to.kernels->copy_from_host(to.context, device_, host_.data(), bytes_);
    to.kernels->unpack(to.context, to.shard, part.mask, part.value, 0, static_cast<Index>(part.places->size()), device_);
    to.kernels->synchronize(to.context);  // the staging is used again
  }
  template <typename T>
  std::span<T> host() {
    return {reinterpret_cast<T*>(host_.data()), bytes_ / sizeof(T)};
  }

 private:
  const transport::OwnedShard& own_;
  std::size_t bytes_;
  std::vector<std::byte> host_;
  void* device_;
};

void check_range(const char* what, Index begin, Index count, Index room, int num_qubits) {
  const Index size = Index{1} << num_qubits;
  if (begin > size || count > size - begin)
    throw OptionError(std::string(what) + ": amplitudes " + std::to_string(begin) + " to " + std::to_string(begin + count) +
                      ": must lie in 0 to " + std::to_string(size));
  if (room != count)
    throw OptionError(std::string(what) + ": " + std::to_string(room) + " elements for " + std::to_string(count) +
                      " amplitudes: must be as many");
}

/// f(block map, begin of the block) over aligned blocks of [begin, end).
template <typename F>
void each_block(const ShardedState& state, Index begin, Index end, F&& f) {
  std::unique_ptr<state::BlockMap> map;
  while (begin < end) {
    const int size = state::aligned_block(begin, end, kBlockQubits);
    if (map == nullptr || map->size() != size) map = std::make_unique<state::BlockMap>(state.layout(), state.placement(), size);
    f(*map, begin);
    begin += Index{1} << size;
  }
}

template <typename Held, typename T>
void read_range(const ShardedState& state, Index begin, Index end, std::span<T> out) {
  const T phase = static_cast<T>(std::polar(1.0, state.global_phase()));
  const bool has_phase = state.global_phase() != 0;
  each_block(state, begin, end, [&](const state::BlockMap& map, Index at) {
    for (const auto& part : map.parts(at)) {
      const auto* own = owned(state.own_shards(), part.shard);
      if (own == nullptr) continue;
      Staging staging(*own, map.elements_per_part());
      staging.read(part, *own);
      const auto held = staging.host<Held>();
      T* const block = out.data() + (at - begin) + part.offset;
      for (std::size_t j = 0; j < held.size(); ++j)
        block[(*part.places)[j]] = has_phase ? static_cast<T>(held[j]) * phase : static_cast<T>(held[j]);
    }
  });
}

template <typename Held, typename T>
void write_range(const ShardedState& state, Index begin, std::span<const T> values) {
  const T phase = static_cast<T>(std::polar(1.0, -state.global_phase()));
  const bool has_phase = state.global_phase() != 0;
  each_block(state, begin, begin + static_cast<Index>(values.size()), [&](const state::BlockMap& map, Index at) {
    for (const auto& part : map.parts(at)) {
      const auto* own = owned(state.own_shards(), part.shard);
      if (own == nullptr) continue;
      Staging staging(*own, map.elements_per_part());
      const auto held = staging.host<Held>();
      const T* const block = values.data() + (at - begin) + part.offset;
      for (std::size_t j = 0; j < held.size(); ++j)
        held[j] = static_cast<Held>(has_phase ? block[(*part.places)[j]] * phase : block[(*part.places)[j]]);
      staging.write(part, *own);
    }
  });
}

/// What other ranks hold is 0 here, so a sum over ranks brings every amplitude to every rank without rounding.
template <typename T>
void share(CollectiveCommunicator& collective, std::span<T> values) {
  if (collective.world() == 1) return;
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  std::vector<double> parts;
  for (std::size_t first = 0; first < values.size(); first += kChunk) {
    const std::size_t count = std::min(kChunk, values.size() - first);
    parts.resize(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      parts[2 * i] = static_cast<double>(values[first + i].real());
      parts[2 * i + 1] = static_cast<double>(values[first + i].imag());
    }
    collective.sum(parts);
    for (std::size_t i = 0; i < count; ++i)
      values[first + i] = {static_cast<typename T::value_type>(parts[2 * i]), static_cast<typename T::value_type>(parts[2 * i + 1])};
  }
}

}  // namespace

template <typename T>
void ShardedState::to_host(Index begin, Index end, std::span<T> out) const {
  check_range("to_host", begin, end < begin ? 0 : end - begin, static_cast<Index>(out.size()), num_qubits());
  if (context_->world() > 1) std::fill(out.begin(), out.end(), T{});
  if (precision_ == Precision::single)
    read_range<cfloat>(*this, begin, end, out);
  else
    read_range<cdouble>(*this, begin, end, out);
  share(context_->collective(), out);
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
  share(context_->collective(), std::span<cdouble>(out));
  if (global_phase_ != 0)
    for (auto& a : out) a *= std::polar(1.0, global_phase_);
  return out;
}

template void ShardedState::to_host(Index, Index, std::span<cfloat>) const;
template void ShardedState::to_host(Index, Index, std::span<cdouble>) const;
template void ShardedState::from_host(Index, std::span<const cfloat>);
template void ShardedState::from_host(Index, std::span<const cdouble>);

}  // namespace ketmesh
