// Devices, meshes, machines: identity, links and checks.
#include "ketmesh/mesh/mesh.hpp"

#include <algorithm>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

void check_device(const Device& device, std::size_t rank) {
  const std::string who = device.id() + " of rank " + std::to_string(rank);
  if (device.ordinal < 0)
    throw OptionError("ordinal = " + std::to_string(device.ordinal) + " of a device of rank " + std::to_string(rank) +
                      ": must be 0 or more");
  const auto positive = [&](const char* what, double value) {
    if (!(value > 0)) throw OptionError(std::string(what) + " = " + std::to_string(value) + " of " + who + ": must be more than 0");
  };
  positive("memory_bandwidth", device.memory_bandwidth);
  positive("flops_single", device.flops_single);
  positive("flops_double", device.flops_double);
}

void check_link(const Link& link, const std::string& name) {
  if (!(link.bandwidth > 0))
    throw OptionError("bandwidth = " + std::to_string(link.bandwidth) + " of " + name + ": must be more than 0 bytes/s");
  if (!(link.latency >= 0)) throw OptionError("latency = " + std::to_string(link.latency) + " of " + name + ": must be 0 s or more");
}

}  // namespace

std::string Device::id() const {
  const std::string number = std::to_string(ordinal);
  if (kind == DeviceKind::cuda) return "cuda:" + number;
  return ordinal == 0 ? "cpu" : "cpu:" + number;
}

DeviceMesh DeviceMesh::cpu(int count, std::uint64_t capacity_each) {
  if (count < 1) throw OptionError("device mesh of " + std::to_string(count) + " devices: must have at least 1");
  DeviceMesh mesh;
  const Device whole = probe_cpu();
  for (int i = 0; i < count; ++i) {
    Device device = whole;
    device.ordinal = i;
    device.memory_bytes = capacity_each > 0 ? capacity_each : whole.memory_bytes / static_cast<std::uint64_t>(count);
    mesh.devices.push_back(std::move(device));
  }
  return mesh;
}

std::size_t Machine::num_devices() const {
  std::size_t count = 0;
  for (const auto& mesh : ranks) count += mesh.devices.size();
  return count;
}

Link Machine::link(std::size_t a, std::size_t b) const {
  const std::size_t count = num_devices();
  if (a >= count || b >= count)
    throw OptionError("link between devices " + std::to_string(a) + " and " + std::to_string(b) + ": the machine has " +
                      std::to_string(count));
  if (!links.empty()) return links[a][b];
  if (a == b) return {LinkClass::same_device, inside_rank.bandwidth, 0};
  const auto rank_of = [this](std::size_t device) {
    std::size_t r = 0;
    for (; device >= ranks[r].devices.size(); ++r) device -= ranks[r].devices.size();
    return r;
  };
  const std::size_t ra = rank_of(a), rb = rank_of(b);
  if (ra == rb) return inside_rank;
  return ranks[ra].host == ranks[rb].host ? inside_host : between_hosts;
}

void Machine::check() const {
  if (ranks.empty()) throw OptionError("the machine has no rank: it must have at least one");
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto& devices = ranks[r].devices;
    if (devices.empty())
      throw OptionError("the device mesh of rank " + std::to_string(r) + " is empty: a rank must have at least one device");
    for (std::size_t d = 0; d < devices.size(); ++d) {
      check_device(devices[d], r);
      const bool twice = std::any_of(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(d), [&](const Device& other) {
        return other.kind == devices[d].kind && other.ordinal == devices[d].ordinal;
      });
      if (twice && !allow_shared)
        throw OptionError("device " + devices[d].id() + " is listed twice in the device mesh of rank " + std::to_string(r) +
                              ": a repeated ordinal must be asked for",
                          "set bit 1 of distributed_flags");
    }
  }
  check_link(inside_rank, "inside_rank");
  check_link(inside_host, "inside_host");
  check_link(between_hosts, "between_hosts");
  if (links.empty()) return;
  const std::size_t count = num_devices();
  const std::string square = std::to_string(count) + " x " + std::to_string(count);
  if (links.size() != count)
    throw OptionError("the link table has " + std::to_string(links.size()) + " rows: it must be square, " + square +
                      " for the devices of all ranks");
  for (std::size_t row = 0; row < count; ++row) {
    if (links[row].size() != count)
      throw OptionError("row " + std::to_string(row) + " of the link table has " + std::to_string(links[row].size()) +
                        " entries: it must be square, " + square + " for the devices of all ranks");
    for (std::size_t column = 0; column < count; ++column)
      check_link(links[row][column], "links[" + std::to_string(row) + "][" + std::to_string(column) + "]");
  }
}

}  // namespace ketmesh
