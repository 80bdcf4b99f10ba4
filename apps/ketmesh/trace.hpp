// A run as a timeline in Chrome's trace format (chrome://tracing, ui.perfetto.dev).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ketmesh/api/result.hpp"

namespace ketmesh::app {

class Trace {
 public:
  using Callback = std::function<void(std::uint64_t, std::uint64_t, const char*)>;
  Trace();
  /// Notes the time of each call of a progress callback: the work between two calls is one event.
  Callback watch(Callback next);
  /// A span that the caller timed itself; both in seconds since the trace began.
  void add(const std::string& name, double begin, double end);
  double now() const;
  /// The JSON text, with what the run reports of itself as metadata.
  std::string json(const Result& result) const;

 private:
  struct Event {
    std::string name;
    double begin, end;
    bool pass;
  };
  std::chrono::steady_clock::time_point start_;
  double last_ = 0;
  std::vector<Event> events_;
};

}  // namespace ketmesh::app
