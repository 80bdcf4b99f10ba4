// Ctrl-C and progress in long calls: what the library polls between passes.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <functional>

namespace ketmesh::python {

/// A callback for RunOptions::progress. Looks at Python's signals a few times a second, from whichever thread called, and hands
/// (done, total, what) to ketmesh._progress.show when a call has lasted longer than a second.
std::function<void(std::uint64_t, std::uint64_t, const char*)> watch();

}  // namespace ketmesh::python
