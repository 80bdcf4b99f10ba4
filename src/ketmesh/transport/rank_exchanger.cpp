// Exchange between shards of several ranks, chunk by chunk, in place.
#include <memory>
#include <string>
#include <vector>

#include "ketmesh/plan/memory.hpp"
#include "ketmesh/transport/swaps.hpp"

namespace ketmesh::transport {
namespace {

// Chunks on their way at once, at most: while one is copied into its place the others travel.
constexpr std::size_t kSlots = 4;
// A message below this costs its latency, so a small workspace is shared by fewer chunks.
constexpr std::uint64_t kSmallChunk = 64_KiB;
// A chunk that was received is still in the cache when it is copied into its place.
constexpr std::uint64_t kChunkBytes = 512_KiB;

/// A chunk of a block of one own shard that changes places with the same chunk of another rank's.
struct Item {
  const OwnedShard* own = nullptr;
  int peer = 0;     ///< rank
  Index value = 0;  ///< of the own block under ExchangeBlocks::mask
  Index first = 0, count = 0;
};

/// Room for one chunk on its way: a communicator reads and writes host memory.
class Slot {
 public:
  Slot(const OwnedShard& owner, std::size_t bytes, bool packs)
      : packed_(packs ? std::make_unique<DeviceBuffer>(owner, bytes) : nullptr), received_(std::make_unique<DeviceBuffer>(owner, bytes)) {}

  void start(CollectiveCommunicator& ranks, const ExchangeBlocks& blocks, const Item& item) {
    item_ = item;
    const auto& kernels = *item.own->kernels;
    const std::size_t one = bytes_per_amplitude(kernels.precision);
    bytes_ = static_cast<std::size_t>(item.count) * one;
    const std::byte* out = place(one);
    if (packed_ != nullptr) {
      kernels.pack(item.own->context, item.own->shard, blocks.mask, item.value, item.first, item.count, packed_->data());
      out = packed_->data();
    }
    receiving_ = ranks.receive(item.peer, {received_->data(), bytes_});
    sending_ = ranks.send(item.peer, {out, bytes_});
    busy_ = true;
  }

  void finish(CollectiveCommunicator& ranks, const ExchangeBlocks& blocks) {
    if (!busy_) return;
    busy_ = false;  // a wait that throws gives its request up
    try {
      ranks.wait(receiving_, item_.peer);
    } catch (...) {
      ranks.cancel(sending_);
      throw;
    }
    ranks.wait(sending_, item_.peer);
    const auto& kernels = *item_.own->kernels;
    if (packed_ != nullptr)
      kernels.unpack(item_.own->context, item_.own->shard, blocks.mask, item_.value, item_.first, item_.count, received_->data());
    else
      kernels.copy(item_.own->context, place(bytes_per_amplitude(kernels.precision)), received_->data(), bytes_);
    kernels.synchronize(item_.own->context);  // the slot is used again
  }

  void give_up(CollectiveCommunicator& ranks) noexcept {
    if (!busy_) return;
    ranks.cancel(receiving_);
    ranks.cancel(sending_);
    busy_ = false;
  }

  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* place(std::size_t one) const { return static_cast<std::byte*>(item_.own->shard.data) + (item_.value + item_.first) * one; }

  bool busy_ = false;
  std::unique_ptr<DeviceBuffer> packed_, received_;
  Item item_;
  std::size_t bytes_ = 0;
  CollectiveCommunicator::Request receiving_ = 0, sending_ = 0;
};

/// Slots in turn. When it ends by an exception nothing is on its way any more.
class Pipeline {
 public:
  Pipeline(CollectiveCommunicator& ranks, const ExchangeBlocks& blocks, std::size_t slots)
      : ranks_(ranks), blocks_(blocks), slots_(slots) {}
  ~Pipeline() {
    for (const auto& slot : slots_)
      if (slot) slot->give_up(ranks_);
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void make(const OwnedShard& owner, std::size_t bytes) {
    for (auto& slot : slots_) slot = std::make_unique<Slot>(owner, bytes, !blocks_.contiguous);
  }
  void add(const Item& item) {
    Slot& slot = *slots_[next_];
    next_ = (next_ + 1) % slots_.size();
    slot.finish(ranks_, blocks_);
    slot.start(ranks_, blocks_, item);
    sent_ += slot.bytes();
  }
  std::uint64_t drain() {
    for (std::size_t k = 0; k < slots_.size(); ++k) slots_[(next_ + k) % slots_.size()]->finish(ranks_, blocks_);
    return sent_;
  }

 private:
  CollectiveCommunicator& ranks_;
  const ExchangeBlocks& blocks_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t next_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace

RankExchanger::RankExchanger(CollectiveCommunicator& ranks) : ranks_(ranks), name_(ranks.name()) {}

ExchangeCount RankExchanger::exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                      std::uint64_t workspace_bytes) {
  if (step.pairs.empty() || own.empty()) return {};
  if (is_on_device(own.front())) throw Internal("memory of a GPU given to an exchange of host memory");
  const ExchangeBlocks blocks = exchange_blocks(step, placement);
  ExchangeBlocks within = blocks;
  within.swaps.clear();
  const std::uint64_t one = bytes_per_amplitude(own.front().kernels->precision);
  // The same number on every rank: chunks of both ends must be alike.
  const std::uint64_t room = plan::exchange_room(one << placement.local_bits(), static_cast<int>(step.pairs.size()), workspace_bytes);
  const std::size_t slots = std::clamp<std::size_t>(room / kSmallChunk, 1, kSlots);
  const std::uint64_t rooms = slots * (blocks.contiguous ? 1 : 2);
  const Index chunk = std::clamp<Index>(std::min(room / rooms, kChunkBytes) / one, 1, blocks.elements);

  Pipeline pipeline(ranks_, blocks, slots);
  bool made = false;
  for (const BlockSwap& swap : blocks.swaps) {
    const OwnedShard *const a = find_shard(own, swap.first), *const b = find_shard(own, swap.second);
    if (a != nullptr && b != nullptr) within.swaps.push_back(swap);
    if ((a == nullptr) == (b == nullptr)) continue;
    const OwnedShard& mine = a != nullptr ? *a : *b;
    if (!made) pipeline.make(mine, static_cast<std::size_t>(chunk * one));
    made = true;
    const int peer = placement.owners[static_cast<std::size_t>(a != nullptr ? swap.second : swap.first)].rank;
    for (Index first = 0; first < blocks.elements; first += chunk)
      pipeline.add({&mine, peer, a != nullptr ? swap.value_first : swap.value_second, first, std::min(chunk, blocks.elements - first)});
  }
  // What is on its way stays in its slots meanwhile, so both workspaces are held at once.
  ExchangeCount count = swap_within(within, own, room);
  if (made) {
    count.bytes_between_ranks = pipeline.drain();
    count.bytes += count.bytes_between_ranks;
    count.workspace_bytes += rooms * chunk * one;
  }
  return count;
}

}  // namespace ketmesh::transport
