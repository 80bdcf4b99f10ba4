#include "ketmesh/transport/peer_exchanger.hpp"

#include <algorithm>
#include <cstring>

#include "ketmesh/base/error.hpp"

namespace ketmesh::transport {
namespace {

/// What a rank hands out of one of its devices.
struct Offer {
  std::int32_t present = 0, device = 0;
  kernels::LinkHandle memory{};
  std::array<kernels::LinkHandle, kDeviceSlots> sent{}, freed{};
};

int devices_of_any_rank(const Placement& placement) {
  int most = 0;
  for (const auto& owner : placement.owners) most = std::max(most, owner.device + 1);
  return most;
}

/// The first text that is not empty, on every rank.
std::string first_of_all(CollectiveCommunicator& ranks, const std::string& mine) {
  constexpr std::size_t kLength = 240;
  std::array<char, kLength> text{};
  mine.copy(text.data(), kLength - 1);
  std::vector<char> all(kLength * static_cast<std::size_t>(ranks.world()));
  ranks.all_gather(std::as_bytes(std::span(text)), std::as_writable_bytes(std::span(all)));
  for (int r = 0; r < ranks.world(); ++r)
    if (const char* const said = all.data() + kLength * static_cast<std::size_t>(r); *said != '\0')
      return "rank " + std::to_string(r) + ": " + said;
  return {};
}

}  // namespace

PeerExchanger::PeerExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link, bool staged)
    : ranks_(ranks), link_(link), staged_(staged) {
  if (staged && ranks.world() > 1) throw Internal("slots in host memory for the ranks of several processes");
}
PeerExchanger::~PeerExchanger() = default;

DeviceRoom& PeerExchanger::room_of(const Placement& placement, const OwnedShard& own) {
  auto& room = rooms_[owner_in(placement, own).device];
  const kernels::Reach reach = staged_ ? kernels::Reach::host : ranks_.world() > 1 ? kernels::Reach::others : kernels::Reach::here;
  if (!room) room = std::make_unique<DeviceRoom>(link_, own.context.ordinal, reach);
  return *room;
}

std::string PeerExchanger::prepare(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                   std::uint64_t workspace_bytes) {
  std::int64_t changed[] = {met_ ? 0 : 1};
  std::string wrong;
  try {
    const ExchangeBlocks blocks = exchange_blocks(step, placement);
    for (const OwnedShard& shard : own) {
      const std::size_t one = bytes_per_amplitude(shard.kernels->precision);
      if (room_of(placement, shard).reserve(chunk_shape(step, blocks, placement, one, workspace_bytes).room_bytes())) changed[0] = 1;
    }
    for (const auto& [number, room] : rooms_)
      for (const auto& [other_number, other] : rooms_)
        if (!staged_ && !link_.reach(room->device(), other->device()))
          wrong = "GPU " + std::to_string(room->device()) + " cannot reach the memory of GPU " + std::to_string(other->device());
  } catch (const TransportError& error) {
    wrong = error.what();
  }
  if (ranks_.world() == 1) return wrong;
  ranks_.max(changed);
  if (changed[0] == 0) return first_of_all(ranks_, wrong);
  const std::string met = meet(placement);
  return first_of_all(ranks_, wrong.empty() ? met : wrong);
}

std::string PeerExchanger::meet(const Placement& placement) {
  const auto devices = static_cast<std::size_t>(devices_of_any_rank(placement)), world = static_cast<std::size_t>(ranks_.world());
  std::vector<Offer> mine(devices), all(devices * world);
  std::string wrong;
  try {
    for (const auto& [number, room] : rooms_) {
      Offer& offer = mine[static_cast<std::size_t>(number)];
      if (room->landing().memory == nullptr) continue;
      offer.memory = link_.export_memory(room->device(), room->landing().memory);
      for (std::size_t k = 0; k < kDeviceSlots; ++k) {
        offer.sent[k] = link_.export_event(room->device(), room->view().sent[k]);
        offer.freed[k] = link_.export_event(room->device(), room->view().freed[k]);
      }
      offer.present = 1;
    }
  } catch (const TransportError& error) {
    wrong = error.what();
  }
  ranks_.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  others_.clear();
  met_ = true;
  if (!wrong.empty()) return wrong;
  try {
    for (std::size_t r = 0; r < world; ++r)
      for (std::size_t d = 0; d < devices; ++d) {
        const Offer& offer = all[r * devices + d];
        if (static_cast<int>(r) == ranks_.rank() || offer.present == 0) continue;
        for (const auto& [number, room] : rooms_) {
          SlotView& view = others_[{static_cast<int>(r), static_cast<int>(d)}][number];
          view.memory = static_cast<std::byte*>(link_.open_memory(room->device(), offer.memory));
          for (std::size_t k = 0; k < kDeviceSlots; ++k) {
            view.sent[k] = link_.open_event(room->device(), offer.sent[k]);
            view.freed[k] = link_.open_event(room->device(), offer.freed[k]);
          }
        }
      }
  } catch (const TransportError& error) {
    wrong = error.what();
  }
  return wrong;
}

/// In round i each side sends chunk i and takes chunk i - (slots - 1) to its place. The message before round i says that the other side has put its round
/// i - 1 on its streams: its chunk i - 1 has been recorded as sent, and the slot of chunk i - slots as free, which is the one that chunk i goes to.
void PeerExchanger::swap_with(const DeviceBlock& mine, const Placement& placement, int other, const ChunkShape& shape) {
  const auto& owner = placement.owners[static_cast<std::size_t>(other)];
  const int number = owner_in(placement, *mine.own).device;
  const SlotView& there = others_.at({owner.rank, owner.device}).at(number);
  DeviceRoom& room = *rooms_.at(number);
  constexpr Index kLag = kDeviceSlots - 1;
  for (Index i = 0; i < shape.chunks() + kLag; ++i) {
    std::byte out{1}, in{};
    ranks_.swap(owner.rank, std::span(&out, 1), std::span(&in, 1));
    if (i >= kLag) room.arrive(mine, shape, i - kLag, there.sent[(i - kLag) % kDeviceSlots], (i - kLag) % kDeviceSlots);
    if (i < shape.chunks()) room.push(mine, shape, i, there);
  }
}

ExchangeCount PeerExchanger::exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                      std::uint64_t workspace_bytes) {
  if (step.pairs.empty()) return {};
  if (const std::string wrong = prepare(step, placement, own, workspace_bytes); !wrong.empty())
    throw BackendUnavailable("the peer transport cannot be used: " + wrong, "leave distributed_transport out, or use staged");
  if (own.empty()) return {};
  const ExchangeBlocks blocks = exchange_blocks(step, placement);
  const std::size_t one = bytes_per_amplitude(own.front().kernels->precision);
  const ChunkShape shape = chunk_shape(step, blocks, placement, one, workspace_bytes);
  ExchangeBlocks within = blocks;
  within.swaps.clear();
  ExchangeCount count;
  const auto each_room = [&](auto&& act) {
    for (const auto& [number, room] : rooms_)
      for (const OwnedShard& shard : own)
        if (owner_in(placement, shard).device == number) {
          act(*room, shard.context.stream);
          break;
        }
  };
  each_room([](DeviceRoom& room, void* stream) { room.begin(stream); });
  for (const BlockSwap& swap : blocks.swaps) {
    const OwnedShard *const a = find_shard(own, swap.first), *const b = find_shard(own, swap.second);
    if (a == nullptr && b == nullptr) continue;
    if (a != nullptr && b != nullptr) {
      if (owner_in(placement, *a).device == owner_in(placement, *b).device) {
        within.swaps.push_back(swap);
        continue;
      }
      swap_between(room_of(placement, *a), {a, swap.value_first}, room_of(placement, *b), {b, swap.value_second}, shape);
      count.bytes += 2 * shape.elements * one;
      continue;
    }
    const DeviceBlock mine{a != nullptr ? a : b, a != nullptr ? swap.value_first : swap.value_second};
    swap_with(mine, placement, a != nullptr ? swap.second : swap.first, shape);
    count.bytes += shape.elements * one;
    count.bytes_between_ranks += shape.elements * one;
  }
  if (count.bytes > 0) count.workspace_bytes = shape.room_bytes() * rooms_.size();
  each_room([](DeviceRoom& room, void* stream) { room.end(stream); });
  const ExchangeCount inside = swap_within_devices(within, own, shape.room_bytes());
  count.bytes += inside.bytes;
  count.workspace_bytes += inside.workspace_bytes;
  return count;
}

}  // namespace ketmesh::transport
