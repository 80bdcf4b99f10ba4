// This process's cores and memory: affinity mask, cgroup limits, what is free now. Nothing is measured: start-up must stay cheap.
#include <hwloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "ketmesh/mesh/cgroup.hpp"
#include "ketmesh/mesh/mesh.hpp"

namespace ketmesh {
namespace {

constexpr std::uint64_t kDefaultFastMemory = 512_KiB;  // an L2 that the system does not tell
constexpr double kFirstCoreBandwidth = 30e9;           // bytes/s read + written by one core ...
constexpr double kNextCoreBandwidth = 16e9;            // ... and by each further one,
constexpr double kSocketBandwidth = 200e9;             // until the memory of a socket is full
constexpr double kCoreFlops = 80e9;                    // single precision FMA on 8 lanes, two a cycle, 2.5 GHz

/// f(mask of the cores that this thread may run on, its bytes); the kernel's mask may be wider than cpu_set_t: it grows until it fits.
template <typename F>
auto with_affinity(F&& f, decltype(f(nullptr, 0)) otherwise) {
  for (int cpus = 1024; cpus <= 1 << 18; cpus *= 4) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<std::size_t>(cpus)),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    if (set != nullptr && sched_getaffinity(0, bytes, set.get()) == 0) return f(set.get(), bytes);
  }
  return otherwise;
}

int affinity_cores() {
  return with_affinity([](const cpu_set_t* set, std::size_t bytes) { return std::max(1, CPU_COUNT_S(bytes, set)); },
                       static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))));
}

int cores_within(const std::optional<double>& quota) {
  const int cores = affinity_cores();
  return quota ? std::clamp(static_cast<int>(std::ceil(*quota)), 1, cores) : cores;
}

/// MemAvailable of the kernel, in bytes.
std::uint64_t memory_available() {
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kib = 0;
  while (in >> key >> kib) {
    std::getline(in, unit);
    if (key == "MemAvailable:") return kib << 10;
  }
  return static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES))) *
         static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
}

/// What an address space limit leaves (ulimit -v).
std::optional<std::uint64_t> address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  std::ifstream in("/proc/self/statm");
  std::uint64_t pages = 0;
  in >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "CPU";
}

struct Caches {
  std::uint64_t level2 = 0;
  int numa_node = -1;  ///< when all cores of the mask are of one
};

Caches look_at_topology() {
  Caches found;
  const long told = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (told > 0) found.level2 = static_cast<std::uint64_t>(told);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return found;
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> topology(raw, [](hwloc_topology_t t) { hwloc_topology_destroy(t); });
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(raw) != 0) return found;
  if (found.level2 == 0)
    if (const auto l2 = hwloc_get_obj_by_type(raw, HWLOC_OBJ_L2CACHE, 0); l2 != nullptr) found.level2 = l2->attr->cache.size;
  const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> cores(hwloc_bitmap_alloc(),
                                                                        [](hwloc_bitmap_t b) { hwloc_bitmap_free(b); });
  if (cores == nullptr || hwloc_get_cpubind(raw, cores.get(), 0) != 0) return found;
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    if (node->cpuset != nullptr && hwloc_bitmap_isincluded(cores.get(), node->cpuset)) found.numa_node = static_cast<int>(node->os_index);
  return found;
}

}  // namespace

Device probe_cpu() {
  const auto limits = mesh::cgroup_limits();
  const int cores = cores_within(limits.cpus);
  const auto caches = look_at_topology();
  Device device;
  device.name = processor_name();
  device.memory_bytes = memory_available();
  if (limits.memory_free) device.memory_bytes = std::min(device.memory_bytes, *limits.memory_free);
  if (const auto left = address_space_left()) device.memory_bytes = std::min(device.memory_bytes, *left);
  device.fast_memory_bytes = caches.level2 > 0 ? caches.level2 : kDefaultFastMemory;
  device.memory_bandwidth = std::min(kSocketBandwidth, kFirstCoreBandwidth + kNextCoreBandwidth * (cores - 1));
  device.flops_single = kCoreFlops * cores;
  device.flops_double = device.flops_single / 2;
  device.numa_node = caches.numa_node;
  return device;
}

std::uint64_t affinity_hash() {
  return with_affinity(
      [](const cpu_set_t* set, std::size_t bytes) {
        // FNV-1a
        std::uint64_t hash = 0xcbf29ce484222325u;
        for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ reinterpret_cast<const unsigned char*>(set)[i]) * 0x100000001b3u;
        return hash;
      },
      std::uint64_t{0});
}

int usable_threads(int requested) {
  int threads = cores_within(mesh::cgroup_limits().cpus);
  if (requested > 0) return std::min(requested, threads);
  if (const char* text = std::getenv("OMP_NUM_THREADS"); text != nullptr) {
    char* end = nullptr;
    const long wanted = std::strtol(text, &end, 10);  // the first of a list of nesting levels
    if (end != text && wanted > 0 && (*end == '\0' || *end == ',')) threads = static_cast<int>(std::min<long>(threads, wanted));
  }
  return threads;
}

}  // namespace ketmesh
