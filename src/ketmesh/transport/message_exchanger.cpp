#include "ketmesh/transport/message_exchanger.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include "ketmesh/base/error.hpp"

namespace ketmesh::transport {

namespace {

struct Chunk {
  DeviceRoom* room = nullptr;
  DeviceBlock block;
  int peer = 0;
  Index number = 0;
  std::size_t slot = 0, bytes = 0;
  const std::byte* out = nullptr;
  CollectiveCommunicator::Request receiving = 0, sending = 0;
  bool receives = false, sends = false;
};

}  // namespace

/// Chunks in turn through the slots of a room: while one travels the next one leaves the device and the one before is copied into place. A chunk is sent
/// one turn after it was put on the stream, so that nobody waits for the copy.
class MessageExchanger::Pipeline {
 public:
  Pipeline(CollectiveCommunicator& ranks, const ChunkShape& shape) : ranks_(ranks), shape_(shape) {}
  ~Pipeline() {
    for (auto& chunk : chunks_) {
      if (!chunk) continue;
      if (chunk->receives) ranks_.cancel(chunk->receiving);
      if (chunk->sends) ranks_.cancel(chunk->sending);
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void add(DeviceRoom& room, const DeviceBlock& block, int peer, Index number) {
    finish(next_);
    auto& chunk = chunks_[next_].emplace();
    chunk.room = &room;
    chunk.block = block;
    chunk.peer = peer;
    chunk.number = number;
    chunk.slot = next_;
    chunk.bytes = static_cast<std::size_t>(shape_.count(number)) * shape_.one;
    // The slot of this turn is that of the turn, whatever the chunk's own number.
    wait_for(room, room.view().freed[next_]);
    chunk.out = room.outgoing(block, shape_, number, next_);
    room.note_sent(next_);
    chunk.receiving = ranks_.receive(peer, {room.slot(next_, shape_), chunk.bytes});
    chunk.receives = true;
    if (started_) send(*started_);
    started_ = next_;
    next_ = (next_ + 1) % kDeviceSlots;
  }
  void drain() {
    if (started_) send(*started_);
    started_.reset();
    for (std::size_t k = 0; k < kDeviceSlots; ++k) finish((next_ + k) % kDeviceSlots);
  }

 private:
  void wait_for(DeviceRoom& room, void* event) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(ranks_.timeout_seconds());
    for (int looks = 0; !room.done(event); ++looks) {
      if (looks % 64 == 63) ranks_.check();
      if (looks > 1000) std::this_thread::yield();
      if (std::chrono::steady_clock::now() >= end)
        throw TransportError("a copy on GPU " + std::to_string(room.device()) + " did not end within " +
                             std::to_string(ranks_.timeout_seconds()) + " s in " + ranks_.step());
    }
  }
  void send(std::size_t k) {
    Chunk& chunk = *chunks_[k];
    wait_for(*chunk.room, chunk.room->view().sent[k]);
    chunk.sending = ranks_.send(chunk.peer, {chunk.out, chunk.bytes});
    chunk.sends = true;
  }
  void finish(std::size_t k) {
    if (!chunks_[k]) return;
    Chunk& chunk = *chunks_[k];
    chunk.receives = false;  // a wait that throws gives its request up
    ranks_.wait(chunk.receiving, chunk.peer);
    chunk.sends = false;
    ranks_.wait(chunk.sending, chunk.peer);
    chunk.room->arrive(chunk.block, shape_, chunk.number, chunk.room->view().sent[k], k);
    chunks_[k].reset();
  }

  CollectiveCommunicator& ranks_;
  ChunkShape shape_;
  std::array<std::optional<Chunk>, kDeviceSlots> chunks_;
  std::optional<std::size_t> started_;
  std::size_t next_ = 0;
};

MessageExchanger::MessageExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link, bool staged)
    : ranks_(ranks), link_(link), staged_(staged) {}
MessageExchanger::~MessageExchanger() = default;

ExchangeCount MessageExchanger::exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                         std::uint64_t workspace_bytes) {
  if (step.pairs.empty() || own.empty()) return {};
  const ExchangeBlocks blocks = exchange_blocks(step, placement);
  const std::size_t one = bytes_per_amplitude(own.front().kernels->precision);
  const ChunkShape shape = chunk_shape(step, blocks, placement, one, workspace_bytes, staged_);
  for (const OwnedShard& shard : own) {
    auto& room = rooms_[owner_in(placement, shard).device];
    if (!room) room = std::make_unique<DeviceRoom>(link_, shard.context.ordinal, staged_ ? kernels::Reach::host : kernels::Reach::here);
    room->reserve(shape.room_bytes());
  }
  for (auto& [number, room] : rooms_) room->begin(own.front().context.stream);
  ExchangeBlocks within = blocks;
  within.swaps.clear();
  ExchangeBlocks across = within;  // between GPUs of this rank
  ExchangeCount count;
  {
    Pipeline pipeline(ranks_, shape);
    for (const BlockSwap& swap : blocks.swaps) {
      const OwnedShard *const a = find_shard(own, swap.first), *const b = find_shard(own, swap.second);
      if (a != nullptr && b != nullptr)
        (owner_in(placement, *a).device == owner_in(placement, *b).device ? within : across).swaps.push_back(swap);
      if ((a == nullptr) == (b == nullptr)) continue;
      const DeviceBlock mine{a != nullptr ? a : b, a != nullptr ? swap.value_first : swap.value_second};
      const int peer = placement.owners[static_cast<std::size_t>(a != nullptr ? swap.second : swap.first)].rank;
      for (Index i = 0; i < shape.chunks(); ++i) pipeline.add(*rooms_.at(owner_in(placement, *mine.own).device), mine, peer, i);
      count.bytes_between_ranks += shape.elements * one;
    }
    pipeline.drain();
  }
  count.bytes = count.bytes_between_ranks;
  for (const BlockSwap& swap : across.swaps) {
    const OwnedShard &a = owner_of(own, swap.first), &b = owner_of(own, swap.second);
    swap_between(*rooms_.at(owner_in(placement, a).device), {&a, swap.value_first}, *rooms_.at(owner_in(placement, b).device),
                 {&b, swap.value_second}, shape);
    count.bytes += 2 * shape.elements * one;
  }
  if (count.bytes > 0) count.workspace_bytes = shape.room_bytes() * rooms_.size();
  for (auto& [number, room] : rooms_) room->end(own.front().context.stream);
  const ExchangeCount inside = swap_within_devices(within, own, shape.room_bytes());
  count.bytes += inside.bytes;
  count.workspace_bytes += inside.workspace_bytes;
  return count;
}

}  // namespace ketmesh::transport
