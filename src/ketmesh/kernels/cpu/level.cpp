#include "ketmesh/kernels/cpu/level.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/cpu/targets.hpp"
// after targets.hpp
#include <hwy/highway.h>

namespace ketmesh::kernels {
namespace {

struct Row {
  SimdLevel level;
  std::string_view name;
  std::int64_t target;
};

constexpr std::array<Row, 5> kRows = {{{SimdLevel::avx512, "avx512", HWY_AVX3},
                                       {SimdLevel::avx2, "avx2", HWY_AVX2},
                                       {SimdLevel::sse4, "sse4", HWY_SSE4},
                                       {SimdLevel::neon, "neon", HWY_NEON},
                                       {SimdLevel::scalar, "scalar", HWY_EMU128 | HWY_SCALAR}}};

struct Levels {
  std::array<SimdLevel, kRows.size()> levels{};
  std::size_t count = 0;
};

Levels detect() {
  const std::int64_t here = (hwy::SupportedTargets() | HWY_EMU128 | HWY_SCALAR) & HWY_TARGETS;
  Levels found;
  for (const auto& row : kRows)
    if ((row.target & here) != 0) found.levels[found.count++] = row.level;
  return found;
}

}  // namespace

std::string_view to_string(SimdLevel level) {
  for (const auto& row : kRows)
    if (row.level == level) return row.name;
  return "best";
}

std::span<const SimdLevel> available_simd_levels() {
  static const Levels found = detect();
  return {found.levels.data(), found.count};
}

SimdLevel cpu::choose_level(SimdLevel wanted) {
  const auto levels = available_simd_levels();
  if (wanted == SimdLevel::best) return levels.front();
  if (std::find(levels.begin(), levels.end(), wanted) != levels.end()) return wanted;
  std::string names;
  for (const auto level : levels) names += (names.empty() ? "" : ", ") + std::string(to_string(level));
  throw BackendUnavailable("SIMD level " + std::string(to_string(wanted)) + " is not available here; available: " + names);
}

std::int64_t cpu::highway_target(SimdLevel level) {
  for (const auto& row : kRows)
    if (row.level == level) return row.target;
  throw Internal("a SIMD level without a target: " + std::string(to_string(level)));
}

}  // namespace ketmesh::kernels
