// The timeline of a run, made of what the progress callback tells: the work between two calls is one event.
#pragma once

#include <cstdint>
#include <functional>

#include "ketmesh/base/trace.hpp"

namespace ketmesh::app {

using Callback = std::function<void(std::uint64_t, std::uint64_t, const char*)>;

enum TraceTracks : std::uint32_t { kPhases = 0, kPasses = 1 };

/// Adds an event to `timeline` at each call, then calls `next`.
Callback watch(Timeline& timeline, Callback next);

}  // namespace ketmesh::app
