#include "ketmesh/mesh/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace ketmesh::mesh {
namespace {

namespace fs = std::filesystem;

template <typename T>
void lower(std::optional<T>& value, T candidate) {
  if (!value || candidate < *value) value = candidate;
}

std::optional<std::uint64_t> read_number(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t value = 0;
  if (in >> value && value >= 0) return static_cast<std::uint64_t>(value);
  return std::nullopt;  // absent, "max" or "-1"
}

std::uint64_t read_key(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  std::string name;
  std::uint64_t value = 0;
  while (in >> name >> value)
    if (name == key) return value;
  return 0;
}

void memory_level(const fs::path& dir, const char* limit_name, const char* usage_name, const char* cache_key, CgroupLimits& out) {
  const auto limit = read_number(dir / limit_name);
  if (!limit || *limit >= (std::uint64_t{1} << 60)) return;  // version 1 writes a huge number for "none"
  const auto usage = read_number(dir / usage_name).value_or(0);
  const std::uint64_t used = usage - std::min(usage, read_key(dir / "memory.stat", cache_key));
  lower(out.memory_free, *limit - std::min(*limit, used));
}

void version2_level(const fs::path& dir, CgroupLimits& out) {
  std::ifstream in(dir / "cpu.max");
  double quota = 0, period = 0;
  if (in >> quota >> period && period > 0) lower(out.cpus, quota / period);
  memory_level(dir, "memory.max", "memory.current", "inactive_file", out);
}

void version1_cpu_level(const fs::path& dir, CgroupLimits& out) {
  const auto quota = read_number(dir / "cpu.cfs_quota_us"), period = read_number(dir / "cpu.cfs_period_us");
  if (quota && period && *quota > 0 && *period > 0) lower(out.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
}

void version1_memory_level(const fs::path& dir, CgroupLimits& out) {
  memory_level(dir, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", out);
}

/// Visits the group and its parents up to the mount point. In a container the named group may not be there, the mount point is it then.
template <typename F>
void each_level(const fs::path& mount, std::string group, F&& visit) {
  while (true) {
    const fs::path dir = mount / fs::path(group).relative_path();
    std::error_code ignored;
    if (fs::is_directory(dir, ignored)) visit(dir);
    if (group.empty() || group == "/") return;
    group.erase(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
}

bool lists(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const auto comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == name) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

CgroupLimits cgroup_limits(const fs::path& root) {
  CgroupLimits out;
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      each_level(mounts, group, [&](const fs::path& dir) { version2_level(dir, out); });
      each_level(mounts / "unified", group, [&](const fs::path& dir) { version2_level(dir, out); });
    }
    if (lists(controllers, "cpu")) {
      each_level(mounts / "cpu", group, [&](const fs::path& dir) { version1_cpu_level(dir, out); });
      each_level(mounts / "cpu,cpuacct", group, [&](const fs::path& dir) { version1_cpu_level(dir, out); });
    }
    if (lists(controllers, "memory")) each_level(mounts / "memory", group, [&](const fs::path& dir) { version1_memory_level(dir, out); });
  }
  return out;
}

}  // namespace ketmesh::mesh
