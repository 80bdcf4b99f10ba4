// Micro operations on vectors in registers. Included once a SIMD target.
#if defined(KETMESH_CPU_REGISTERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KETMESH_CPU_REGISTERS_INL
#undef KETMESH_CPU_REGISTERS_INL
#else
#define KETMESH_CPU_REGISTERS_INL
#endif

#include <hwy/highway.h>

#include <utility>

#include "ketmesh/kernels/cpu/program.hpp"

HWY_BEFORE_NAMESPACE();
namespace ketmesh::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 2 * 8 vectors need 32 registers.
inline constexpr int kRegisterBits = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 3 : 2;
inline constexpr int kVectors = 1 << kRegisterBits;

template <typename Real>
using Tag = hn::CappedTag<Real, 64 / sizeof(Real)>;
template <typename Real>
using Vector = hn::Vec<Tag<Real>>;

/// The vectors of one block: index bit k is register bit k.
template <typename Real>
struct Registers {
  // Written out: an implicit one is compiled without the attributes of its target, and NEON's vectors have constructors that need them.
  HWY_INLINE Registers() {}
  Vector<Real> re[kVectors], im[kVectors];
};

/// A micro operation with addresses instead of offsets.
template <typename Real>
struct ActiveOp {
  Code code;
  std::uint8_t bit;
  std::uint16_t vectors;
  std::uint32_t block_mask, block_value;
  const Real* coefficients;
  const typename Program<Real>::ShuffleIndex* shuffle;
  const Real* table;
  const std::uint32_t* compaction;
  const std::uint32_t* register_offset;
};

template <typename Real>
HWY_INLINE Vector<Real> coefficient(const ActiveOp<Real>& op, std::size_t i) {
  const Tag<Real> d;
  return hn::Load(d, op.coefficients + i * hn::Lanes(d));
}

constexpr int first_of_pair(int bit, int pair) { return ((pair >> bit) << (bit + 1)) | (pair & ((1 << bit) - 1)); }

// ---- register bits: f(re0, im0, re1, im1)

template <int kBit, bool kMasked, typename Real, class F, std::size_t... kPair>
HWY_INLINE void pairs_of_bit(Registers<Real>& g, unsigned vectors, const F& f, std::index_sequence<kPair...>) {
  ((!kMasked || ((vectors >> kPair) & 1) != 0
        ? f(g.re[first_of_pair(kBit, kPair)], g.im[first_of_pair(kBit, kPair)], g.re[first_of_pair(kBit, kPair) | (1 << kBit)],
            g.im[first_of_pair(kBit, kPair) | (1 << kBit)])
        : void()),
   ...);
}

template <bool kMasked, typename Real, class F>
HWY_INLINE void for_pairs(Registers<Real>& g, const ActiveOp<Real>& op, const F& f) {
  using Sequence = std::make_index_sequence<kVectors / 2>;
  if (op.bit == 0)
    pairs_of_bit<0, kMasked>(g, op.vectors, f, Sequence());
  else if (op.bit == 1)
    pairs_of_bit<1, kMasked>(g, op.vectors, f, Sequence());
  else if constexpr (kRegisterBits > 2)
    pairs_of_bit<2, kMasked>(g, op.vectors, f, Sequence());
}

template <class V>
struct LiftDp {
  V a, b;
  HWY_INLINE void plane(V& x0, V& x1) const {
    const V y = x0;
    x0 = hn::MulAdd(a, x1, x0);
    x1 = hn::MulAdd(b, y, x1);
  }
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const { plane(r0, r1), plane(i0, i1); }
};
template <class V>
struct LiftDm {
  V a, b;
  HWY_INLINE void plane(V& x0, V& x1) const {
    const V y = x0;
    x0 = hn::MulAdd(a, x1, x0);
    x1 = hn::MulSub(b, y, x1);
  }
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const { plane(r0, r1), plane(i0, i1); }
};
template <class V>
struct LiftAp {
  V a, b;
  HWY_INLINE void plane(V& x0, V& x1) const {
    const V y = x0;
    x0 = hn::MulAdd(a, x0, x1);
    x1 = hn::MulAdd(b, x1, y);
  }
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const { plane(r0, r1), plane(i0, i1); }
};
template <class V>
struct LiftAm {
  V a, b;
  HWY_INLINE void plane(V& x0, V& x1) const {
    const V y = x0;
    x0 = hn::MulAdd(a, x0, x1);
    x1 = hn::MulSub(b, x1, y);
  }
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const { plane(r0, r1), plane(i0, i1); }
};
template <class V>
struct LiftRx {
  V a, b;
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const {
    const V s0 = r0, t0 = i0;
    r0 = hn::NegMulAdd(a, i1, r0);
    i0 = hn::MulAdd(a, r1, i0);
    r1 = hn::NegMulAdd(b, t0, r1);
    i1 = hn::MulAdd(b, s0, i1);
  }
};
template <class V>
struct LiftRxSwap {
  V a, b;
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const {
    const V s0 = r0, t0 = i0, s1 = r1, t1 = i1;
    r0 = hn::NegMulAdd(a, t0, s1);
    i0 = hn::MulAdd(a, s0, t1);
    r1 = hn::NegMulAdd(b, t1, s0);
    i1 = hn::MulAdd(b, s1, t0);
  }
};
template <class V>
struct Hadamard {
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const {
    const V s0 = r0, t0 = i0;
    r0 = hn::Add(r0, r1);
    i0 = hn::Add(i0, i1);
    r1 = hn::Sub(s0, r1);
    i1 = hn::Sub(t0, i1);
  }
};
template <class V>
struct Swap {
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const {
    const V s0 = r0, t0 = i0;
    r0 = r1, i0 = i1, r1 = s0, i1 = t0;
  }
};
template <class V, class M>
struct SwapLanes {
  M mask;
  HWY_INLINE void operator()(V& r0, V& i0, V& r1, V& i1) const {
    const V s0 = r0, t0 = i0;
    r0 = hn::IfThenElse(mask, r1, r0);
    i0 = hn::IfThenElse(mask, i1, i0);
    r1 = hn::IfThenElse(mask, s0, r1);
    i1 = hn::IfThenElse(mask, t0, i1);
  }
};

/// (re, im) += (ar, ai) * (xr, xi)
template <class V>
HWY_INLINE void add_product(V& re, V& im, V ar, V ai, V xr, V xi) {
  re = hn::NegMulAdd(ai, xi, hn::MulAdd(ar, xr, re));
  im = hn::MulAdd(ai, xr, hn::MulAdd(ar, xi, im));
}
template <class V>
HWY_INLINE void product(V& re, V& im, V ar, V ai, V xr, V xi) {
  re = hn::NegMulAdd(ai, xi, hn::Mul(ar, xr));
  im = hn::MulAdd(ai, xr, hn::Mul(ar, xi));
}

template <typename Real>
struct Matrix {
  const ActiveOp<Real>& op;
  HWY_INLINE void row(std::size_t i, Vector<Real>& re, Vector<Real>& im, Vector<Real> r0, Vector<Real> i0, Vector<Real> r1,
                      Vector<Real> i1) const {
    product(re, im, coefficient(op, i), coefficient(op, i + 1), r0, i0);
    add_product(re, im, coefficient(op, i + 2), coefficient(op, i + 3), r1, i1);
  }
  HWY_INLINE void operator()(Vector<Real>& r0, Vector<Real>& i0, Vector<Real>& r1, Vector<Real>& i1) const {
    const auto s0 = r0, t0 = i0, s1 = r1, t1 = i1;
    row(0, r0, i0, s0, t0, s1, t1);
    row(4, r1, i1, s0, t0, s1, t1);
  }
};

template <typename Real>
using Shuffle = decltype(hn::SetTableIndices(Tag<Real>(), static_cast<const typename Program<Real>::ShuffleIndex*>(nullptr)));

template <typename Real>
HWY_INLINE Shuffle<Real> shuffle_of(const ActiveOp<Real>& op, std::size_t i = 0) {
  const Tag<Real> d;
  return hn::SetTableIndices(d, op.shuffle + i * hn::Lanes(d));
}

template <typename Real>
struct Transpose {
  hn::Mask<Tag<Real>> mask;
  Shuffle<Real> shuffle;
  HWY_INLINE void plane(Vector<Real>& x0, Vector<Real>& x1) const {
    const auto y = hn::TableLookupLanes(x0, shuffle);
    x0 = hn::IfThenElse(mask, hn::TableLookupLanes(x1, shuffle), x0);
    x1 = hn::IfThenElse(mask, x1, y);
  }
  HWY_INLINE void operator()(Vector<Real>& r0, Vector<Real>& i0, Vector<Real>& r1, Vector<Real>& i1) const { plane(r0, r1), plane(i0, i1); }
};

/// A row of a dense matrix times a column of numbers by three real products an entry (Gauss): with k = ar (xr + xi),
/// re = k - (ar + ai) xi and im = k + (ai - ar) xr. Coefficients of entry c at 3 c: ar, ai - ar, ar + ai.
template <typename Real, std::size_t... kColumn>
HWY_INLINE void gauss_row(const ActiveOp<Real>& op, std::size_t first, const Vector<Real>* xr, const Vector<Real>* xi,
                          const Vector<Real>* sum, Vector<Real>& re, Vector<Real>& im, std::index_sequence<kColumn...>) {
  auto k = hn::Mul(coefficient(op, first), sum[0]);
  ((kColumn > 0 ? void(k = hn::MulAdd(coefficient(op, first + 3 * kColumn), sum[kColumn], k)) : void()), ...);
  re = im = k;
  ((im = hn::MulAdd(coefficient(op, first + 3 * kColumn + 1), xr[kColumn], im),
    re = hn::NegMulAdd(coefficient(op, first + 3 * kColumn + 2), xi[kColumn], re)),
   ...);
}

template <typename Real>
struct MatrixLane {
  const ActiveOp<Real>& op;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& r0, Vector<Real>& i0, Vector<Real>& r1, Vector<Real>& i1) const {
    const Vector<Real> xr[4] = {r0, hn::TableLookupLanes(r0, shuffle), r1, hn::TableLookupLanes(r1, shuffle)};
    const Vector<Real> xi[4] = {i0, hn::TableLookupLanes(i0, shuffle), i1, hn::TableLookupLanes(i1, shuffle)};
    const Vector<Real> sum[4] = {hn::Add(xr[0], xi[0]), hn::Add(xr[1], xi[1]), hn::Add(xr[2], xi[2]), hn::Add(xr[3], xi[3])};
    gauss_row(op, 0, xr, xi, sum, r0, i0, std::make_index_sequence<4>());
    gauss_row(op, 12, xr, xi, sum, r1, i1, std::make_index_sequence<4>());
  }
};

/// (x, y) with their sum and difference times complex factors; coefficients at `first`: half of each factor.
template <typename Real>
HWY_INLINE void sum_difference(const ActiveOp<Real>& op, std::size_t first, Vector<Real>& xr, Vector<Real>& xi, Vector<Real>& yr,
                               Vector<Real>& yi) {
  Vector<Real> ur, ui, vr, vi;
  product(ur, ui, coefficient(op, first), coefficient(op, first + 1), hn::Add(xr, yr), hn::Add(xi, yi));
  product(vr, vi, coefficient(op, first + 2), coefficient(op, first + 3), hn::Sub(xr, yr), hn::Sub(xi, yi));
  xr = hn::Add(ur, vr);
  xi = hn::Add(ui, vi);
  yr = hn::Sub(ur, vr);
  yi = hn::Sub(ui, vi);
}

template <typename Real>
struct CrossLane {
  const ActiveOp<Real>& op;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& r0, Vector<Real>& i0, Vector<Real>& r1, Vector<Real>& i1) const {
    auto yr = hn::TableLookupLanes(r1, shuffle), yi = hn::TableLookupLanes(i1, shuffle);
    sum_difference(op, 0, r0, i0, yr, yi);
    r1 = hn::TableLookupLanes(yr, shuffle);
    i1 = hn::TableLookupLanes(yi, shuffle);
  }
};

// ---- lane bits: f(re, im)

template <bool kMasked, typename Real, class F, std::size_t... kVector>
HWY_INLINE void for_vectors_impl(Registers<Real>& g, unsigned vectors, const F& f, std::index_sequence<kVector...>) {
  ((!kMasked || ((vectors >> kVector) & 1) != 0 ? f(g.re[kVector], g.im[kVector]) : void()), ...);
}
template <bool kMasked, typename Real, class F>
HWY_INLINE void for_vectors(Registers<Real>& g, const ActiveOp<Real>& op, const F& f) {
  for_vectors_impl<kMasked>(g, op.vectors, f, std::make_index_sequence<kVectors>());
}

template <typename Real>
struct LaneLift {
  Vector<Real> a;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    re = hn::MulAdd(a, hn::TableLookupLanes(re, shuffle), re);
    im = hn::MulAdd(a, hn::TableLookupLanes(im, shuffle), im);
  }
};
template <typename Real>
struct LaneAnti {
  Vector<Real> a;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    re = hn::MulAdd(a, re, hn::TableLookupLanes(re, shuffle));
    im = hn::MulAdd(a, im, hn::TableLookupLanes(im, shuffle));
  }
};
template <typename Real>
struct LaneLiftRx {
  Vector<Real> a;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    const auto s = hn::TableLookupLanes(re, shuffle);
    re = hn::NegMulAdd(a, hn::TableLookupLanes(im, shuffle), re);
    im = hn::MulAdd(a, s, im);
  }
};
template <typename Real>
struct LaneAntiRx {
  Vector<Real> a;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    const auto s = re;
    re = hn::NegMulAdd(a, im, hn::TableLookupLanes(re, shuffle));
    im = hn::MulAdd(a, s, hn::TableLookupLanes(im, shuffle));
  }
};
template <typename Real>
struct LaneReal {
  Vector<Real> a, b;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    re = hn::MulAdd(b, hn::TableLookupLanes(re, shuffle), hn::Mul(a, re));
    im = hn::MulAdd(b, hn::TableLookupLanes(im, shuffle), hn::Mul(a, im));
  }
};
template <typename Real>
struct LaneMatrix {
  Vector<Real> ar, ai, br, bi;
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    const auto xr = re, xi = im;
    product(re, im, ar, ai, xr, xi);
    add_product(re, im, br, bi, hn::TableLookupLanes(xr, shuffle), hn::TableLookupLanes(xi, shuffle));
  }
};
template <typename Real>
struct LanePermute {
  Shuffle<Real> shuffle;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    re = hn::TableLookupLanes(re, shuffle);
    im = hn::TableLookupLanes(im, shuffle);
  }
};
template <typename Real>
struct MatrixLanes {
  const ActiveOp<Real>& op;
  Shuffle<Real> s1, s2, s3;
  HWY_INLINE void operator()(Vector<Real>& re, Vector<Real>& im) const {
    const Vector<Real> xr[4] = {re, hn::TableLookupLanes(re, s1), hn::TableLookupLanes(re, s2), hn::TableLookupLanes(re, s3)};
    const Vector<Real> xi[4] = {im, hn::TableLookupLanes(im, s1), hn::TableLookupLanes(im, s2), hn::TableLookupLanes(im, s3)};
    const Vector<Real> sum[4] = {hn::Add(xr[0], xi[0]), hn::Add(xr[1], xi[1]), hn::Add(xr[2], xi[2]), hn::Add(xr[3], xi[3])};
    gauss_row(op, 0, xr, xi, sum, re, im, std::make_index_sequence<4>());
  }
};

// ---- two register bits: groups of four vectors

template <int kLow, int kHigh>
constexpr int first_of_four(int group) {
  return first_of_pair(kHigh, first_of_pair(kLow, group));
}

template <typename Real, int kLow, int kHigh, int kFirst>
HWY_INLINE void matrix4_group(Registers<Real>& g, const ActiveOp<Real>& op) {
  constexpr int kIndex[4] = {kFirst, kFirst | 1 << kLow, kFirst | 1 << kHigh, kFirst | 1 << kLow | 1 << kHigh};
  const Vector<Real> xr[4] = {g.re[kIndex[0]], g.re[kIndex[1]], g.re[kIndex[2]], g.re[kIndex[3]]};
  const Vector<Real> xi[4] = {g.im[kIndex[0]], g.im[kIndex[1]], g.im[kIndex[2]], g.im[kIndex[3]]};
  const Vector<Real> sum[4] = {hn::Add(xr[0], xi[0]), hn::Add(xr[1], xi[1]), hn::Add(xr[2], xi[2]), hn::Add(xr[3], xi[3])};
  gauss_row(op, 0, xr, xi, sum, g.re[kIndex[0]], g.im[kIndex[0]], std::make_index_sequence<4>());
  gauss_row(op, 12, xr, xi, sum, g.re[kIndex[1]], g.im[kIndex[1]], std::make_index_sequence<4>());
  gauss_row(op, 24, xr, xi, sum, g.re[kIndex[2]], g.im[kIndex[2]], std::make_index_sequence<4>());
  gauss_row(op, 36, xr, xi, sum, g.re[kIndex[3]], g.im[kIndex[3]], std::make_index_sequence<4>());
}

/// Which pairs of a group of four a cross acts on; the coefficients of both are there.
enum class CrossPairs : std::uint8_t { both, odd, even };

template <typename Real, int kLow, int kHigh, int kFirst, CrossPairs kPairs>
HWY_INLINE void cross_group(Registers<Real>& g, const ActiveOp<Real>& op) {
  constexpr int kLast = kFirst | 1 << kLow | 1 << kHigh, kOne = kFirst | 1 << kLow, kTwo = kFirst | 1 << kHigh;
  if constexpr (kPairs != CrossPairs::odd) sum_difference(op, 0, g.re[kFirst], g.im[kFirst], g.re[kLast], g.im[kLast]);
  if constexpr (kPairs != CrossPairs::even) sum_difference(op, 4, g.re[kOne], g.im[kOne], g.re[kTwo], g.im[kTwo]);
}

struct DenseGroups {
  template <int kLow, int kHigh, int kFirst, typename Real>
  static HWY_INLINE void apply(Registers<Real>& g, const ActiveOp<Real>& op) {
    matrix4_group<Real, kLow, kHigh, kFirst>(g, op);
  }
};
template <CrossPairs kPairs>
struct CrossGroups {
  template <int kLow, int kHigh, int kFirst, typename Real>
  static HWY_INLINE void apply(Registers<Real>& g, const ActiveOp<Real>& op) {
    cross_group<Real, kLow, kHigh, kFirst, kPairs>(g, op);
  }
};

template <int kLow, int kHigh, class Groups, typename Real>
HWY_INLINE void fours(Registers<Real>& g, const ActiveOp<Real>& op) {
  if ((op.vectors & 1) != 0) Groups::template apply<kLow, kHigh, first_of_four<kLow, kHigh>(0)>(g, op);
  if constexpr (kVectors > 4)
    if ((op.vectors & 2) != 0) Groups::template apply<kLow, kHigh, first_of_four<kLow, kHigh>(1)>(g, op);
}

template <class Groups, typename Real>
HWY_INLINE void for_fours(Registers<Real>& g, const ActiveOp<Real>& op) {
  if constexpr (kRegisterBits > 2) {
    if (op.bit == 1) return fours<0, 2, Groups>(g, op);
    if (op.bit == 2) return fours<1, 2, Groups>(g, op);
  }
  fours<0, 1, Groups>(g, op);
}

// ---- phases

/// A table that is the same on every tile holds three numbers an entry (re, im - re, re + im) and costs three products.
template <bool kGauss, typename Real, std::size_t... kVector>
HWY_INLINE void multiply_table(Registers<Real>& g, const ActiveOp<Real>& op, std::uint32_t base, std::index_sequence<kVector...>) {
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d), entry = (kGauss ? 3 : 2) * lanes;
  const Real* const table = op.table + entry * (op.compaction[base & 63] + op.compaction[64 + (base >> 6)]);
  const auto one = [&](Vector<Real>& re, Vector<Real>& im, std::size_t v) HWY_ATTR {
    const Real* at = table + entry * op.register_offset[v];
    const auto xr = re, xi = im;
    if constexpr (kGauss) {
      const auto k = hn::Mul(hn::Load(d, at), hn::Add(xr, xi));
      im = hn::MulAdd(hn::Load(d, at + lanes), xr, k);
      re = hn::NegMulAdd(hn::Load(d, at + 2 * lanes), xi, k);
    } else {
      product(re, im, hn::Load(d, at), hn::Load(d, at + lanes), xr, xi);
    }
  };
  if ((op.vectors & ((1U << kVectors) - 1)) == (1U << kVectors) - 1)
    (one(g.re[kVector], g.im[kVector], kVector), ...);
  else
    ((((op.vectors >> kVector) & 1) != 0 ? one(g.re[kVector], g.im[kVector], kVector) : void()), ...);
}

template <typename Real>
HWY_INLINE void apply(Registers<Real>& g, const ActiveOp<Real>& op, std::uint32_t base) {
  using V = Vector<Real>;
  switch (op.code) {
    case Code::lift_dp:
      return for_pairs<false>(g, op, LiftDp<V>{coefficient(op, 0), coefficient(op, 1)});
    case Code::lift_dm:
      return for_pairs<false>(g, op, LiftDm<V>{coefficient(op, 0), coefficient(op, 1)});
    case Code::lift_ap:
      return for_pairs<false>(g, op, LiftAp<V>{coefficient(op, 0), coefficient(op, 1)});
    case Code::lift_am:
      return for_pairs<false>(g, op, LiftAm<V>{coefficient(op, 0), coefficient(op, 1)});
    case Code::lift_rx:
      return for_pairs<false>(g, op, LiftRx<V>{coefficient(op, 0), coefficient(op, 1)});
    case Code::lift_rx_swap:
      return for_pairs<false>(g, op, LiftRxSwap<V>{coefficient(op, 0), coefficient(op, 1)});
    case Code::hadamard:
      return for_pairs<false>(g, op, Hadamard<V>{});
    case Code::matrix:
      return for_pairs<true>(g, op, Matrix<Real>{op});
    case Code::swap:
      return for_pairs<true>(g, op, Swap<V>{});
    case Code::swap_lanes: {
      const auto mask = hn::MaskFromVec(coefficient(op, 0));
      return for_pairs<true>(g, op, SwapLanes<V, decltype(mask)>{mask});
    }
    case Code::transpose:
      return for_pairs<false>(g, op, Transpose<Real>{hn::MaskFromVec(coefficient(op, 0)), shuffle_of(op)});
    case Code::lane_lift:
      return for_vectors<false>(g, op, LaneLift<Real>{coefficient(op, 0), shuffle_of(op)});
    case Code::lane_anti:
      return for_vectors<false>(g, op, LaneAnti<Real>{coefficient(op, 0), shuffle_of(op)});
    case Code::lane_lift_rx:
      return for_vectors<false>(g, op, LaneLiftRx<Real>{coefficient(op, 0), shuffle_of(op)});
    case Code::lane_anti_rx:
      return for_vectors<false>(g, op, LaneAntiRx<Real>{coefficient(op, 0), shuffle_of(op)});
    case Code::lane_real:
      return for_vectors<false>(g, op, LaneReal<Real>{coefficient(op, 0), coefficient(op, 1), shuffle_of(op)});
    case Code::lane_matrix:
      return for_vectors<true>(
          g, op, LaneMatrix<Real>{coefficient(op, 0), coefficient(op, 1), coefficient(op, 2), coefficient(op, 3), shuffle_of(op)});
    case Code::lane_permute:
      return for_vectors<true>(g, op, LanePermute<Real>{shuffle_of(op)});
    case Code::matrix4:
      return for_fours<DenseGroups>(g, op);
    case Code::matrix4_lane:
      return for_pairs<true>(g, op, MatrixLane<Real>{op, shuffle_of(op)});
    case Code::matrix4_lanes:
      return for_vectors<true>(g, op, MatrixLanes<Real>{op, shuffle_of(op, 0), shuffle_of(op, 1), shuffle_of(op, 2)});
    case Code::cross:
      return for_fours<CrossGroups<CrossPairs::both>>(g, op);
    case Code::cross_odd:
      return for_fours<CrossGroups<CrossPairs::odd>>(g, op);
    case Code::cross_even:
      return for_fours<CrossGroups<CrossPairs::even>>(g, op);
    case Code::cross_lane:
      return for_pairs<true>(g, op, CrossLane<Real>{op, shuffle_of(op)});
    case Code::phases:
      return multiply_table<true>(g, op, base, std::make_index_sequence<kVectors>());
    case Code::phases_varying:
      return multiply_table<false>(g, op, base, std::make_index_sequence<kVectors>());
  }
}

}  // namespace ketmesh::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
