#include "ketmesh/plan/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ketmesh/base/error.hpp"

namespace ketmesh::plan {
namespace {

constexpr std::uint64_t kTooMuch = std::numeric_limits<std::uint64_t>::max() / 4;

std::string human(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.4g} {}", value, kUnits[unit]);
}

bool would_fit(int num_qubits, const Machine& machine, const PlanOptions& options, int widest) {
  auto trial = options;
  trial.check_memory = false;
  trial.global_qubits.clear();
  trial.start_layout.reset();
  trial.shards = 0;
  if (options.policy != PlacementPolicy::automatic) trial.policy = PlacementPolicy::automatic;
  trial.shards_per_rank.clear();
  Plan plan;
  plan.num_qubits = num_qubits;
  plan.precision = trial.precision;
  plan.placement = PlacementPlanner().place(num_qubits, std::min(widest, num_qubits), machine, trial);
  judge_memory(plan, machine, trial, false);
  return plan.memory.fits;
}

// In the order of how little it changes for the user.
std::string smallest_change(const Plan& plan, const Machine& machine, const PlanOptions& options) {
  if (options.shards != 0 || !options.shards_per_rank.empty() || options.policy != PlacementPolicy::automatic ||
      !options.global_qubits.empty())
    if (would_fit(plan.num_qubits, machine, options, 1)) return "the automatic placement would fit";
  if (options.precision == Precision::double_) {
    auto single = options;
    single.precision = Precision::single;
    if (would_fit(plan.num_qubits, machine, single, 1)) return "single precision would fit";
  }
  const std::size_t have = machine.num_devices();
  std::string more;
  for (std::size_t factor = 2; factor <= 1024; factor *= 2) {
    Machine larger = machine;
    larger.links.clear();
    for (std::size_t k = 1; k < factor; ++k) larger.ranks.insert(larger.ranks.end(), machine.ranks.begin(), machine.ranks.end());
    if (!would_fit(plan.num_qubits, larger, options, 1)) continue;
    more = fmt::format("{} devices like these would fit (there {} {})", have * factor, have == 1 ? "is" : "are", have);
    break;
  }
  int fits = 0;
  for (int n = plan.num_qubits - 1; n >= 1; --n)
    if (would_fit(n, machine, options, 1)) {
      fits = n;
      break;
    }
  if (fits == 0) return more.empty() ? "no state fits" : more;
  const auto fewer = fmt::format("{} qubits would fit here", fits);
  return more.empty() ? fewer : fewer + ", or " + more;
}

}  // namespace

std::uint64_t shard_bytes(int num_qubits, int shard_bits, Precision precision) {
  return bytes_per_amplitude(precision) << (num_qubits - shard_bits);  // 16 * 2^61 does not overflow before 2^60 amplitudes
}

std::uint64_t exchange_room(std::uint64_t shard_bytes, int pairs, std::uint64_t limit) {
  constexpr std::uint64_t kSmallest = 16_KiB;
  return std::min({limit, std::max(kSmallest, shard_bytes / 32), shard_bytes / 2, (shard_bytes >> pairs) * 2});
}

std::uint64_t workspace_bytes(int num_qubits, int shard_bits, const PlanOptions& options) {
  if (shard_bits == 0) return 0;
  return num_qubits - shard_bits >= 58 ? options.workspace_bytes
                                       : exchange_room(shard_bytes(num_qubits, shard_bits, options.precision), 1, options.workspace_bytes);
}

std::uint64_t device_bytes(int num_qubits, int shard_bits, std::uint64_t shards, const PlanOptions& options) {
  const auto fixed = workspace_bytes(num_qubits, shard_bits, options) + options.extra_bytes;
  if (num_qubits - shard_bits >= 58) return kTooMuch;
  const auto shard = shard_bytes(num_qubits, shard_bits, options.precision);
  if (shards != 0 && shard > (kTooMuch - fixed) / shards) return kTooMuch;
  return shard * shards + fixed;
}

void judge_memory(Plan& plan, const Machine& machine, const PlanOptions& options, bool planned) {
  const auto& p = plan.placement;
  auto& memory = plan.memory;
  memory = {};
  memory.state_bytes = plan.num_qubits >= 58 ? kTooMuch : shard_bytes(plan.num_qubits, 0, plan.precision);
  const auto reserved = workspace_bytes(plan.num_qubits, p.shard_bits, options);
  std::uint64_t room = reserved;
  if (planned) {
    room = 0;
    for (const auto& stage : plan.stages)
      if (const auto pairs = static_cast<int>(stage.exchange.pairs.size()); pairs > 0)
        room = std::max(room, exchange_room(shard_bytes(plan.num_qubits, p.shard_bits, plan.precision), pairs, options.workspace_bytes));
  }
  for (std::size_t r = 0; r < machine.ranks.size(); ++r) {
    // The workspace of a rank lies on the device of its first shard.
    const auto first = std::find_if(p.owners.begin(), p.owners.end(), [r](const auto& o) { return o.rank == static_cast<int>(r); });
    for (std::size_t d = 0; d < machine.ranks[r].devices.size(); ++d) {
      const Placement::Owner owner{static_cast<int>(r), static_cast<int>(d)};
      const auto held = static_cast<std::uint64_t>(std::count(p.owners.begin(), p.owners.end(), owner));
      if (held == 0) continue;
      const auto& device = machine.ranks[r].devices[d];
      const auto work = !planned || first->device == owner.device ? room : 0;
      const auto all = device_bytes(plan.num_qubits, p.shard_bits, held, options);
      DeviceMemory entry{owner.rank, device.id(), all - (reserved - work), device.memory_bytes, true};
      entry.fits = entry.bytes <= entry.capacity;
      memory.fits = memory.fits && entry.fits;
      memory.workspace_bytes += work;
      memory.per_device.push_back(std::move(entry));
    }
  }
}

void check_memory(const Plan& plan, const Machine& machine, const PlanOptions& options) {
  if (plan.memory.fits) return;
  const DeviceMemory* worst = nullptr;
  for (const auto& d : plan.memory.per_device)
    if (!d.fits && (worst == nullptr || d.bytes - d.capacity > worst->bytes - worst->capacity)) worst = &d;
  const bool huge = plan.memory.state_bytes >= kTooMuch;
  const auto state =
      huge ? fmt::format("2^{} bytes", plan.num_qubits + (plan.precision == Precision::single ? 3 : 4)) : human(plan.memory.state_bytes);
  std::string message = fmt::format("a state of {} qubits in {} precision needs {} ({} bytes)", plan.num_qubits, to_string(plan.precision),
                                    state, huge ? "more" : fmt::format("{}", plan.memory.state_bytes));
  for (const auto& d : plan.memory.per_device) {
    if (&d - plan.memory.per_device.data() == 4) {
      message += fmt::format("; {} more devices", plan.memory.per_device.size() - 4);
      break;
    }
    message +=
        fmt::format("; rank {} {}: needs {}, has {}", d.rank, d.device, d.bytes >= kTooMuch ? "more" : human(d.bytes), human(d.capacity));
  }
  throw DoesNotFit(message, worst->bytes, worst->capacity, smallest_change(plan, machine, options));
}

}  // namespace ketmesh::plan
