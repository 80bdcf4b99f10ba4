#include "ketmesh/kernels/cpu/vector_ops.hpp"

#include <cstdint>
#include <iterator>

#include "ketmesh/kernels/cpu/level.hpp"
#include "ketmesh/kernels/cpu/targets.hpp"

// This file is compiled once a target; the part between the two macros below is what differs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ketmesh/kernels/cpu/vector_ops.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ketmesh::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
#include "ketmesh/kernels/cpu/vector_ops_plain-inl.hpp"
#else
#include "ketmesh/kernels/cpu/vector_ops_simd-inl.hpp"
#endif

template <typename Real>
constexpr VectorOps<Real> kOps = {square_sum<Real>, squares<Real>,   dot<Real>,     multiply<Real>, accumulate<Real>, split<Real>, sum,
                                  add_halves,       subtract_halves, pair_products, pair_sum};

}  // namespace

const VectorOps<float>* single_ops() { return &kOps<float>; }
const VectorOps<double>* double_ops() { return &kOps<double>; }

}  // namespace HWY_NAMESPACE
}  // namespace ketmesh::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ketmesh::kernels::cpu {
namespace {

HWY_EXPORT(single_ops);
HWY_EXPORT(double_ops);

/// The entry of one target in a table of Highway, which has a single one where only one target is compiled.
template <typename Table>
auto entry(const Table& table, SimdLevel level) {
  if (std::size(table) == 1) return table[0]();
  const std::int64_t mask = HWY_CHOSEN_TARGET_SHIFT(highway_target(level)) | HWY_CHOSEN_TARGET_MASK_SCALAR;
  return table[hwy::Num0BitsBelowLS1Bit_Nonzero64(static_cast<std::uint64_t>(mask))]();
}

}  // namespace

template <>
const VectorOps<float>& vector_ops<float>(SimdLevel level) {
  return *entry(HWY_DISPATCH_TABLE(single_ops), level);
}
template <>
const VectorOps<double>& vector_ops<double>(SimdLevel level) {
  return *entry(HWY_DISPATCH_TABLE(double_ops), level);
}

}  // namespace ketmesh::kernels::cpu
#endif  // HWY_ONCE
