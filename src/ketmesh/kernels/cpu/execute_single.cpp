// The tile loop in single precision, compiled once a SIMD target.
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/cpu/execute.hpp"
#include "ketmesh/kernels/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ketmesh/kernels/cpu/execute_single.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include "ketmesh/kernels/cpu/execute-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ketmesh::kernels::cpu::HWY_NAMESPACE {
Runner<float> single_runner_of_target() { return make_runner<float>(); }
}  // namespace ketmesh::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ketmesh::kernels::cpu {

template <>
Runner<float> runner<float>(SimdLevel level) {
  using Make = Runner<float> (*)();
  Make make = nullptr;
  switch (level) {
    case SimdLevel::avx512:
      make = HWY_CHOOSE_AVX3(single_runner_of_target);
      break;
    case SimdLevel::avx2:
      make = HWY_CHOOSE_AVX2(single_runner_of_target);
      break;
    case SimdLevel::sse4:
      make = HWY_CHOOSE_SSE4(single_runner_of_target);
      break;
    case SimdLevel::neon:
      make = HWY_CHOOSE_NEON(single_runner_of_target);
      break;
    case SimdLevel::scalar:
    case SimdLevel::best:
      make = HWY_CHOOSE_FALLBACK(single_runner_of_target);
      break;
  }
  if (make == nullptr) throw Internal("a SIMD level that is not in this build");
  return make();
}

}  // namespace ketmesh::kernels::cpu
#endif
