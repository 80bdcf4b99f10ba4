#include "ketmesh/transport/nccl_exchanger.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "ketmesh/base/error.hpp"

namespace ketmesh::transport {

NcclExchanger::NcclExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link) : ranks_(ranks), link_(link) {}

NcclExchanger::~NcclExchanger() {
  for (auto& [number, member] : members_)
    if (member.communicator != nullptr) link_.nccl_close(member.communicator, failed_ || ranks_.broken());
}

int NcclExchanger::number_of(const Placement::Owner& owner) const {
  const auto found = std::find(numbers_.begin(), numbers_.end(), std::pair(owner.rank, owner.device));
  if (found == numbers_.end()) throw Internal("a device that is no member of the NCCL communicator");
  return static_cast<int>(found - numbers_.begin());
}

NcclExchanger::Member& NcclExchanger::member_of(const Placement& placement, const OwnedShard& own) {
  return members_.at(owner_in(placement, own).device);
}

/// NCCL's calls return before they are through; what is recorded on a stream must come after.
void NcclExchanger::wait_until_ready() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(ranks_.timeout_seconds());
  for (auto& [number, member] : members_)
    for (int looks = 0; !link_.nccl_ready(member.communicator); ++looks) {
      if (looks % 64 == 63) ranks_.check();
      if (looks > 1000) std::this_thread::yield();
      if (std::chrono::steady_clock::now() >= end)
        throw TransportError("NCCL did not become ready within " + std::to_string(ranks_.timeout_seconds()) + " s in " + ranks_.step());
    }
}

void NcclExchanger::meet(const Placement& placement, std::span<const OwnedShard> own) {
  if (met_) return;
  for (const auto& owner : placement.owners) numbers_.emplace_back(owner.rank, owner.device);
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  kernels::NcclId id{};
  const int root = numbers_.front().first;
  if (ranks_.rank() == root) id = link_.nccl_id();
  ranks_.broadcast(id, root);
  std::vector<std::int32_t> numbers, devices;
  for (const OwnedShard& shard : own) {
    const auto& owner = owner_in(placement, shard);
    if (members_.contains(owner.device)) continue;
    members_[owner.device].room = std::make_unique<DeviceRoom>(link_, shard.context.ordinal, kernels::Reach::here);
    numbers.push_back(number_of(owner));
    devices.push_back(shard.context.ordinal);
  }
  if (!numbers.empty()) {
    std::vector<void*> communicators(numbers.size());
    link_.nccl_open(id, static_cast<int>(numbers_.size()), numbers, devices, communicators);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      members_.at(numbers_[static_cast<std::size_t>(numbers[k])].second).communicator = communicators[k];
    wait_until_ready();
  }
  met_ = true;
}

ExchangeCount NcclExchanger::exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                      std::uint64_t workspace_bytes) {
  if (step.pairs.empty()) return {};
  try {
    meet(placement, own);
    if (own.empty()) return {};
    const ExchangeBlocks blocks = exchange_blocks(step, placement);
    const std::size_t one = bytes_per_amplitude(own.front().kernels->precision);
    const ChunkShape shape = chunk_shape(step, blocks, placement, one, workspace_bytes);
    for (const OwnedShard& shard : own) member_of(placement, shard).room->reserve(shape.room_bytes());
    for (auto& [number, member] : members_) member.room->begin(own.front().context.stream);
    ExchangeBlocks within = blocks;
    within.swaps.clear();
    ExchangeCount count;
    for (const BlockSwap& swap : blocks.swaps) {
      const OwnedShard *const a = find_shard(own, swap.first), *const b = find_shard(own, swap.second);
      const auto &of_a = placement.owners[static_cast<std::size_t>(swap.first)],
                 &of_b = placement.owners[static_cast<std::size_t>(swap.second)];
      if (a == nullptr && b == nullptr) continue;
      if (a != nullptr && b != nullptr && of_a.device == of_b.device) {
        within.swaps.push_back(swap);
        continue;
      }
      struct End {
        DeviceBlock block;
        int peer;
      };
      std::vector<End> ends;
      if (a != nullptr) ends.push_back({{a, swap.value_first}, number_of(of_b)});
      if (b != nullptr) ends.push_back({{b, swap.value_second}, number_of(of_a)});
      for (Index i = 0; i < shape.chunks(); ++i) {
        std::vector<kernels::NcclSwap> group;
        for (const End& end : ends) {
          Member& member = member_of(placement, *end.block.own);
          DeviceRoom& room = *member.room;
          room.wait_out(room.view().freed[i % kDeviceSlots]);
          const std::byte* const out = room.outgoing(end.block, shape, i, i % kDeviceSlots);
          group.push_back({member.communicator, room.out(), room.device(), end.peer, out, room.slot(i % kDeviceSlots, shape),
                           static_cast<std::size_t>(shape.count(i)) * one});
        }
        link_.nccl_swap(group);
        wait_until_ready();
        for (const End& end : ends) {
          DeviceRoom& room = *member_of(placement, *end.block.own).room;
          room.note_sent(i % kDeviceSlots);
          room.arrive(end.block, shape, i, room.view().sent[i % kDeviceSlots], i % kDeviceSlots);
        }
      }
      count.bytes += ends.size() * shape.elements * one;
      if (ends.size() == 1) count.bytes_between_ranks += shape.elements * one;
    }
    if (count.bytes > 0) count.workspace_bytes = shape.room_bytes() * members_.size();
    for (auto& [number, member] : members_) member.room->end(own.front().context.stream);
    const ExchangeCount inside = swap_within_devices(within, own, shape.room_bytes());
    count.bytes += inside.bytes;
    count.workspace_bytes += inside.workspace_bytes;
    return count;
  } catch (...) {
    failed_ = true;
    throw;
  }
}

}  // namespace ketmesh::transport
