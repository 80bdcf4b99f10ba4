#include "fma_peak.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma_peak.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ketmesh::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Real>
double measure_peak() {
  const hn::ScalableTag<Real> d;
  const auto by = hn::Set(d, Real(0.999)), plus = hn::Set(d, Real(1e-3));
  // Ten chains hide the latency of four cycles at two a cycle.
  auto a = hn::Set(d, Real(1)), b = a, c = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a;
  constexpr int kRounds = 200'000;
  double best = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int r = 0; r < kRounds; ++r) {
      a = hn::MulAdd(a, by, plus), b = hn::MulAdd(b, by, plus), c = hn::MulAdd(c, by, plus), e = hn::MulAdd(e, by, plus);
      f = hn::MulAdd(f, by, plus), g = hn::MulAdd(g, by, plus), h = hn::MulAdd(h, by, plus), i = hn::MulAdd(i, by, plus);
      j = hn::MulAdd(j, by, plus), k = hn::MulAdd(k, by, plus);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, 2.0 * 10 * kRounds * static_cast<double>(hn::Lanes(d)) / seconds);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(hn::Add(h, i), hn::Add(j, k))));
  volatile Real used = hn::GetLane(sum);
  static_cast<void>(used);
  return best;
}

double measure_single() { return measure_peak<float>(); }
double measure_double() { return measure_peak<double>(); }

}  // namespace ketmesh::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ketmesh::bench {

HWY_EXPORT(measure_single);
HWY_EXPORT(measure_double);

double fma_peak(Precision precision) {
  return precision == Precision::single ? HWY_DYNAMIC_DISPATCH(measure_single)() : HWY_DYNAMIC_DISPATCH(measure_double)();
}

}  // namespace ketmesh::bench
#endif
