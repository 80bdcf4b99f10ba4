// What was done: counted where the work happens, never copied from the plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ketmesh {

struct RunRecord {
  std::uint64_t passes = 0, exchanges = 0;
  std::uint64_t bytes_local = 0;      ///< read + written by passes
  std::uint64_t bytes_exchanged = 0;  ///< that left a shard for another one
  std::uint64_t bytes_between_ranks = 0;
  std::uint64_t memory_bytes = 0;  ///< peak of shards, workspace and snapshots, all devices
  std::uint64_t snapshots = 0, branches = 0;
  double seconds_plan = 0, seconds_allocate = 0, seconds_evolve = 0, seconds_exchange = 0, seconds_sample = 0;
  bool plan_cached = false;
  std::string transport = "none";
  std::vector<std::string> notes;  ///< why a better transport was not taken
  RunRecord& operator+=(const RunRecord& other);
};

}  // namespace ketmesh
