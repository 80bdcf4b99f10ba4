#include "ketmesh/runtime/record.hpp"

#include <algorithm>

namespace ketmesh {

RunRecord& RunRecord::operator+=(const RunRecord& other) {
  passes += other.passes;
  exchanges += other.exchanges;
  bytes_local += other.bytes_local;
  bytes_exchanged += other.bytes_exchanged;
  bytes_between_ranks += other.bytes_between_ranks;
  memory_bytes = std::max(memory_bytes, other.memory_bytes);  // a peak
  snapshots += other.snapshots;
  branches += other.branches;
  seconds_plan += other.seconds_plan;
  seconds_allocate += other.seconds_allocate;
  seconds_evolve += other.seconds_evolve;
  seconds_exchange += other.seconds_exchange;
  seconds_sample += other.seconds_sample;
  plan_cached = plan_cached || other.plan_cached;
  if (transport == "none") transport = other.transport;
  for (const auto& note : other.notes)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  return *this;
}

}  // namespace ketmesh
