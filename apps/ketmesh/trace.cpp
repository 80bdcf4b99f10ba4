#include "trace.hpp"

#include <string>

namespace ketmesh::app {

Callback watch(Timeline& timeline, Callback next) {
  timeline.name_track(kPhases, "phases");
  timeline.name_track(kPasses, "passes and exchanges");
  return [&timeline, next = std::move(next), last = timeline.now()](std::uint64_t done, std::uint64_t total, const char* what) mutable {
    const double at = timeline.now();
    timeline.add(std::string(what) + " " + std::to_string(done) + " of " + std::to_string(total), last, at, kPasses);
    last = at;
    if (next) next(done, total, what);
  };
}

}  // namespace ketmesh::app
