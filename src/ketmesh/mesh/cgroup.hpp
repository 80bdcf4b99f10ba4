// What control groups (version 1 and 2) leave to this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ketmesh::mesh {

struct CgroupLimits {
  std::optional<double> cpus;                ///< quota / period, the smallest of all levels
  std::optional<std::uint64_t> memory_free;  ///< limit - usage (page cache that can go is free), the smallest of all levels
};

/// Reads proc/self/cgroup and sys/fs/cgroup below `root`. Unreadable files mean no limit; never throws for them.
CgroupLimits cgroup_limits(const std::filesystem::path& root = "/");

}  // namespace ketmesh::mesh
