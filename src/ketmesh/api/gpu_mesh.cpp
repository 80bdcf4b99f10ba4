#include "ketmesh/api/gpu_mesh.hpp"

#include <algorithm>
#include <numeric>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"

namespace ketmesh::api {
namespace {

/// Each rank's list of texts, on every rank.
std::vector<std::vector<std::string>> gather_lists(CollectiveCommunicator& ranks, const std::vector<std::string>& mine) {
  if (ranks.world() == 1) return {mine};
  std::string joined;
  for (const std::string& text : mine) joined += text + "\n";
  std::int64_t longest[] = {static_cast<std::int64_t>(joined.size())};
  ranks.max(longest);
  const auto length = static_cast<std::size_t>(longest[0]);
  joined.resize(length, ' ');
  std::string all(length * static_cast<std::size_t>(ranks.world()), ' ');
  ranks.all_gather(std::as_bytes(std::span(joined)), std::as_writable_bytes(std::span(all)));
  std::vector<std::vector<std::string>> out(static_cast<std::size_t>(ranks.world()));
  for (std::size_t r = 0; r < out.size(); ++r)
    for (std::size_t at = r * length, end = all.find('\n', at); end < (r + 1) * length; at = end + 1, end = all.find('\n', at))
      out[r].push_back(all.substr(at, end - at));
  return out;
}

void check_ordinal(const char* option, int ordinal, int count) {
  if (ordinal < 0 || ordinal >= count)
    throw OptionError(std::string(option) + " names GPU " + std::to_string(ordinal) + ": there are 0 to " + std::to_string(count - 1));
}

}  // namespace

std::vector<int> gpus_of_rank(std::span<const std::vector<std::string>> seen, std::span<const int> hosts, int rank) {
  const auto me = static_cast<std::size_t>(rank);
  const int gpus = static_cast<int>(seen[me].size());
  int sharing = 0, place = 0;
  for (std::size_t r = 0; r < seen.size(); ++r) {
    if (hosts[r] != hosts[me] || seen[r] != seen[me]) continue;
    if (r < me) ++place;
    ++sharing;
  }
  const int first = place * gpus / sharing, last = std::max(first + 1, (place + 1) * gpus / sharing);
  std::vector<int> out(static_cast<std::size_t>(last - first));
  std::iota(out.begin(), out.end(), first);
  return out;
}

DeviceMesh gpu_mesh(const SimulatorConfig& config, Backend backend, CollectiveCommunicator& ranks) {
  const std::vector<std::string> mine = kernels::cuda_uuids();
  const int count = static_cast<int>(mine.size());
  std::vector<int> chosen = is_distributed(backend) ? config.distributed.devices : std::vector<int>{};
  for (const int ordinal : chosen) check_ordinal("distributed_devices", ordinal, count);
  if (backend == Backend::gpu) {
    chosen = {config.gpu_device.value_or(0)};
    check_ordinal("gpu_device", chosen.front(), count);
  }
  if (ranks.world() == 1) {
    if (chosen.empty()) {
      chosen.resize(static_cast<std::size_t>(count));
      std::iota(chosen.begin(), chosen.end(), 0);
    }
    return DeviceMesh{kernels::cuda_devices(chosen), 0};
  }
  if (chosen.empty()) chosen = gpus_of_rank(gather_lists(ranks, mine), ranks.hosts(), ranks.rank());
  std::vector<std::string> used;
  for (const int ordinal : chosen)
    if (const std::string& gpu = mine[static_cast<std::size_t>(ordinal)]; std::find(used.begin(), used.end(), gpu) == used.end())
      used.push_back(gpu);
  static_cast<void>(kernels::cuda_devices(chosen));  // makes the contexts, which take memory of the GPU
  const auto used_by_all = gather_lists(ranks, used);
  DeviceMesh mesh{kernels::cuda_devices(chosen), 0};
  for (Device& device : mesh.devices) {
    std::uint64_t users = 0;
    for (const auto& of_rank : used_by_all) users += static_cast<std::uint64_t>(std::count(of_rank.begin(), of_rank.end(), device.uuid));
    device.memory_bytes /= std::max<std::uint64_t>(users, 1);
  }
  return mesh;
}

}  // namespace ketmesh::api
