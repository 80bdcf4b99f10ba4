// What one device of this rank moves chunks with: slots that others send into, a stream for what leaves and one for what arrives.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "ketmesh/kernels/gpu/device_link.hpp"
#include "ketmesh/transport/swaps.hpp"

namespace ketmesh::transport {

/// Chunks on their way at once.
inline constexpr std::size_t kDeviceSlots = 4;

/// How the blocks of one exchange are cut; the same on every rank.
struct ChunkShape {
  bool packs = false;    ///< a block's amplitudes do not lie side by side
  bool gathers = false;  ///< a chunk goes through a slot of its own before it leaves
  Index mask = 0;        ///< ExchangeBlocks::mask
  Index elements = 0;    ///< of a block
  Index chunk = 0;       ///< elements of a chunk
  std::size_t one = 0;

  Index chunks() const { return (elements + chunk - 1) / chunk; }
  Index count(Index number) const { return std::min(chunk, elements - number * chunk); }
  std::size_t slot_bytes() const { return static_cast<std::size_t>(chunk) * one; }
  std::size_t room_bytes() const { return kDeviceSlots * slot_bytes() * (gathers ? 2 : 1); }
};
/// For the exchange of a step: at most plan::exchange_room, but an amplitude a slot.
ChunkShape chunk_shape(const Exchange& step, const ExchangeBlocks& blocks, const Placement& placement, std::size_t one,
                       std::uint64_t workspace_bytes, bool gathers = false);

/// Slots that are sent into, here or in another process, with their events: `sent` when a chunk of this side has left, `freed` when a slot may be sent into.
struct SlotView {
  std::byte* memory = nullptr;
  std::array<void*, kDeviceSlots> sent{}, freed{};
};

/// The owner of a shard.
inline const Placement::Owner& owner_in(const Placement& placement, const OwnedShard& own) {
  return placement.owners[static_cast<std::size_t>(own.shard.base >> own.shard.local_bits)];
}

/// A block of an own shard that changes places.
struct DeviceBlock {
  const OwnedShard* own = nullptr;
  Index value = 0;
};

class DeviceRoom {
 public:
  DeviceRoom(kernels::DeviceLink& link, int device, kernels::Reach reach);
  ~DeviceRoom();
  DeviceRoom(const DeviceRoom&) = delete;
  DeviceRoom& operator=(const DeviceRoom&) = delete;

  int device() const noexcept { return device_; }
  void* out() const noexcept { return out_; }
  const SlotView& view() const noexcept { return view_; }
  const kernels::Landing& landing() const noexcept { return landing_; }
  std::byte* slot(std::size_t k, const ChunkShape& shape) const { return view_.memory + k * shape.slot_bytes(); }

  /// True when the memory is another one than before.
  bool reserve(std::size_t bytes);
  /// Between them work on the shards' stream waits for what this room does, and the other way round.
  void begin(void* stream);
  void end(void* stream);

  /// Where chunk `number` of the block can be copied from, in order with out(). k: the slot that it uses.
  const std::byte* outgoing(const DeviceBlock& block, const ChunkShape& shape, Index number, std::size_t k);
  /// Sends the chunk into the slot of `to` once that is free.
  void push(const DeviceBlock& block, const ChunkShape& shape, Index number, const SlotView& to);
  /// Notes that the chunk of a slot has left.
  void note_sent(std::size_t slot);
  /// Copies what came into the slot to its place, once `from` has sent it and the own chunk has left.
  void arrive(const DeviceBlock& block, const ChunkShape& shape, Index number, void* from_sent, std::size_t k);
  void wait_out(void* event) { link_.wait(device_, out_, event); }
  bool done(void* event) { return link_.done(device_, event); }

 private:
  static std::byte* place(const DeviceBlock& block, const ChunkShape& shape, Index number);
  void gather(const DeviceBlock& block, const ChunkShape& shape, Index number, std::byte* to);
  kernels::DeviceContext on(const DeviceBlock& block, void* stream) const;

  kernels::DeviceLink& link_;
  int device_;
  kernels::Reach reach_;
  void *out_ = nullptr, *in_ = nullptr, *mark_ = nullptr;
  kernels::Landing landing_;
  SlotView view_;
};

/// Two blocks of devices of this process change places, between begin() and end() of both rooms.
void swap_between(DeviceRoom& at_a, const DeviceBlock& a, DeviceRoom& at_b, const DeviceBlock& b, const ChunkShape& shape);

}  // namespace ketmesh::transport
