// The tile loop in double precision, compiled once a SIMD target.
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/cpu/execute.hpp"
#include "ketmesh/kernels/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ketmesh/kernels/cpu/execute_double.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include "ketmesh/kernels/cpu/execute-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ketmesh::kernels::cpu::HWY_NAMESPACE {
Runner<double> double_runner_of_target() { return make_runner<double>(); }
}  // namespace ketmesh::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ketmesh::kernels::cpu {

template <>
Runner<double> runner<double>(SimdLevel level) {
  using Make = Runner<double> (*)();
  Make make = nullptr;
  switch (level) {
    case SimdLevel::avx512:
      make = HWY_CHOOSE_AVX3(double_runner_of_target);
      break;
    case SimdLevel::avx2:
      make = HWY_CHOOSE_AVX2(double_runner_of_target);
      break;
    case SimdLevel::sse4:
      make = HWY_CHOOSE_SSE4(double_runner_of_target);
      break;
    case SimdLevel::neon:
      make = HWY_CHOOSE_NEON(double_runner_of_target);
      break;
    case SimdLevel::scalar:
    case SimdLevel::best:
      make = HWY_CHOOSE_FALLBACK(double_runner_of_target);
      break;
  }
  if (make == nullptr) throw Internal("a SIMD level that is not in this build");
  return make();
}

}  // namespace ketmesh::kernels::cpu
#endif
