#include "watch.hpp"

namespace ketmesh::python {
namespace {

namespace nb = nanobind;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::seconds kBeforeProgress{1};

}  // namespace

std::function<void(std::uint64_t, std::uint64_t, const char*)> watch() {
  const auto start = Clock::now();
  return [start, last = start](std::uint64_t done, std::uint64_t total, const char* what) mutable {
    const auto now = Clock::now();
    if (now - last < kBetweenLooks) return;
    last = now;
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (now - start >= kBeforeProgress) nb::module_::import_("ketmesh._progress").attr("show")(done, total, what);
  };
}

}  // namespace ketmesh::python
