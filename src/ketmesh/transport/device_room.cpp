#include "ketmesh/transport/device_room.hpp"

#include <algorithm>

#include "ketmesh/plan/memory.hpp"

namespace ketmesh::transport {

ChunkShape chunk_shape(const Exchange& step, const ExchangeBlocks& blocks, const Placement& placement, std::size_t one,
                       std::uint64_t workspace_bytes, bool gathers) {
  ChunkShape shape;
  shape.packs = !blocks.contiguous;
  shape.gathers = shape.packs || gathers;
  shape.mask = blocks.mask;
  shape.elements = blocks.elements;
  shape.one = one;
  const std::uint64_t room = plan::exchange_room(one << placement.local_bits(), static_cast<int>(step.pairs.size()), workspace_bytes);
  const std::uint64_t slots = kDeviceSlots * (shape.gathers ? 2 : 1);
  shape.chunk = std::clamp<Index>(room / slots / one, 1, blocks.elements);
  return shape;
}

DeviceRoom::DeviceRoom(kernels::DeviceLink& link, int device, kernels::Reach reach) : link_(link), device_(device), reach_(reach) {
  out_ = link_.make_stream(device_);
  in_ = link_.make_stream(device_);
  mark_ = link_.make_event(device_, false);
}

DeviceRoom::~DeviceRoom() {
  link_.end_stream(device_, out_);  // after what is on them
  link_.end_stream(device_, in_);
  link_.end_event(device_, mark_);
  link_.give_back(device_, landing_);
}

bool DeviceRoom::reserve(std::size_t bytes) {
  if (landing_.memory != nullptr && landing_.bytes >= bytes) return false;
  link_.give_back(device_, landing_);
  landing_ = {};
  landing_ = link_.take(device_, bytes, reach_);
  view_.memory = static_cast<std::byte*>(landing_.memory);
  for (std::size_t k = 0; k < kDeviceSlots; ++k) {
    view_.sent[k] = landing_.events[k];
    view_.freed[k] = landing_.events[kDeviceSlots + k];
  }
  return true;
}

void DeviceRoom::begin(void* stream) {
  link_.record(device_, mark_, stream);
  link_.wait(device_, out_, mark_);
  link_.wait(device_, in_, mark_);
}

void DeviceRoom::end(void* stream) {
  for (void* const own : {out_, in_}) {
    link_.record(device_, mark_, own);
    link_.wait(device_, stream, mark_);
  }
}

kernels::DeviceContext DeviceRoom::on(const DeviceBlock& block, void* stream) const {
  kernels::DeviceContext context = block.own->context;
  context.stream = stream;
  return context;
}

std::byte* DeviceRoom::place(const DeviceBlock& block, const ChunkShape& shape, Index number) {
  return static_cast<std::byte*>(block.own->shard.data) + (block.value + number * shape.chunk) * shape.one;
}

void DeviceRoom::gather(const DeviceBlock& block, const ChunkShape& shape, Index number, std::byte* to) {
  const Index first = number * shape.chunk, count = shape.count(number);
  if (shape.packs)
    block.own->kernels->pack(on(block, out_), block.own->shard, shape.mask, block.value, first, count, to);
  else
    block.own->kernels->copy(on(block, out_), to, place(block, shape, number), static_cast<std::size_t>(count) * shape.one);
}

const std::byte* DeviceRoom::outgoing(const DeviceBlock& block, const ChunkShape& shape, Index number, std::size_t k) {
  if (!shape.gathers) return place(block, shape, number);
  std::byte* const gathered = slot(kDeviceSlots + k, shape);
  gather(block, shape, number, gathered);
  return gathered;
}

void DeviceRoom::push(const DeviceBlock& block, const ChunkShape& shape, Index number, const SlotView& to) {
  const std::size_t k = number % kDeviceSlots;
  link_.wait(device_, out_, to.freed[k]);
  std::byte* const there = to.memory + k * shape.slot_bytes();
  if (!shape.packs || reach_ == kernels::Reach::host) {
    gather(block, shape, number, there);
  } else {
    const std::byte* const from = outgoing(block, shape, number, k);
    block.own->kernels->copy(on(block, out_), there, from, static_cast<std::size_t>(shape.count(number)) * shape.one);
  }
  note_sent(k);
}

void DeviceRoom::note_sent(std::size_t k) { link_.record(device_, view_.sent[k], out_); }

void DeviceRoom::arrive(const DeviceBlock& block, const ChunkShape& shape, Index number, void* from_sent, std::size_t k) {
  link_.wait(device_, in_, from_sent);
  link_.wait(device_, in_, view_.sent[k]);  // what lies at the place has left
  const Index first = number * shape.chunk, count = shape.count(number);
  if (shape.packs)
    block.own->kernels->unpack(on(block, in_), block.own->shard, shape.mask, block.value, first, count, slot(k, shape));
  else
    block.own->kernels->copy(on(block, in_), place(block, shape, number), slot(k, shape), static_cast<std::size_t>(count) * shape.one);
  link_.record(device_, view_.freed[k], in_);
}

void swap_between(DeviceRoom& at_a, const DeviceBlock& a, DeviceRoom& at_b, const DeviceBlock& b, const ChunkShape& shape) {
  for (Index i = 0; i < shape.chunks(); ++i) {
    const std::size_t k = i % kDeviceSlots;
    at_a.push(a, shape, i, at_b.view());
    at_b.push(b, shape, i, at_a.view());
    at_a.arrive(a, shape, i, at_b.view().sent[k], k);
    at_b.arrive(b, shape, i, at_a.view().sent[k], k);
  }
}

}  // namespace ketmesh::transport
