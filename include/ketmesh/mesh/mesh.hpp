// The hardware that a plan is made for, as numbers: devices, their memory, the links between them.
// The same struct is what `doctor` prints and what a machine file holds, so plans can be made for machines one does not have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

enum class DeviceKind : std::uint8_t { cpu, cuda };

/// Something that owns memory and runs kernels: "cpu", "cpu:1" (a virtual device), "cuda:0".
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int ordinal = 0;
  std::string name;                     ///< as the system calls it
  std::uint64_t memory_bytes = 0;       ///< usable capacity now, what others hold subtracted
  std::uint64_t fast_memory_bytes = 0;  ///< L2 of one core, shared memory of one SM: what a tile must fit in
  double memory_bandwidth = 30e9;       ///< bytes/s read + written by all its cores
  double flops_single = 100e9;          ///< flop/s, FMA counted as 2
  double flops_double = 50e9;
  int numa_node = -1;
  std::string uuid;        ///< of a physical GPU; ranks may share one
  std::string id() const;  ///< "cpu", "cpu:1", "cuda:0"
  friend bool operator==(const Device&, const Device&) = default;
};

enum class LinkClass : std::uint8_t { same_device, same_memory, peer, host, network };

struct Link {
  LinkClass kind = LinkClass::same_memory;
  double bandwidth = 10e9;  ///< bytes/s each way
  double latency = 5e-6;    ///< seconds
  friend bool operator==(const Link&, const Link&) = default;
};

/// The devices of one rank, in order.
struct DeviceMesh {
  std::vector<Device> devices;
  int host = 0;  ///< ranks with the same number share a host
  friend bool operator==(const DeviceMesh&, const DeviceMesh&) = default;

  /// `count` virtual devices that share this process's cores; capacity 0 means the memory free now, divided.
  static DeviceMesh cpu(int count = 1, std::uint64_t capacity_each = 0);
};

/// All ranks. Throws OptionError from check() for no device, a duplicate within a rank without `allow_shared`, a link table that is not square.
struct Machine {
  std::vector<DeviceMesh> ranks;  ///< ranks[r]: mesh of rank r
  Link inside_rank{LinkClass::same_memory, 20e9, 1e-6};
  Link inside_host{LinkClass::host, 10e9, 5e-6};
  Link between_hosts{LinkClass::network, 5e9, 20e-6};
  std::vector<std::vector<Link>> links;  ///< devices x devices in (rank, device) order; empty: the three classes above
  bool allow_shared = false;

  std::size_t num_devices() const;
  Link link(std::size_t a, std::size_t b) const;  ///< between flat device numbers
  void check() const;
  static Machine from_json(std::string_view text);  ///< a machine file; throws OptionError naming key and value
  std::string to_json() const;
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// This process's cores and memory (cgroup limits and affinity respected), bandwidth figures measured once or from the cache sizes.
Device probe_cpu();
/// Threads that kernels may use: the affinity mask and the cgroup quota, OMP_NUM_THREADS, `requested` when > 0; at least 1.
int usable_threads(int requested = 0);
/// Equal for processes that may run on the same cores.
std::uint64_t affinity_hash();

}  // namespace ketmesh
