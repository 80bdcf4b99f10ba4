// Phase tables that depend on bits outside the tile, made again when those change. Included once a SIMD target.
#if defined(KETMESH_CPU_TABLES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KETMESH_CPU_TABLES_INL
#undef KETMESH_CPU_TABLES_INL
#else
#define KETMESH_CPU_TABLES_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cmath>

#include "ketmesh/kernels/cpu/program.hpp"
#include "ketmesh/kernels/cpu/registers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ketmesh::kernels::cpu::HWY_NAMESPACE {

/// to = factor * from for table vectors; a factor of one complex number.
template <typename Real>
HWY_INLINE void multiply_half(const Real* from, Real* to, std::size_t vectors, std::complex<double> factor) {
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto fr = hn::Set(d, static_cast<Real>(factor.real())), fi = hn::Set(d, static_cast<Real>(factor.imag()));
  for (std::size_t v = 0; v < vectors; ++v, from += 2 * lanes, to += 2 * lanes) {
    const auto xr = hn::Load(d, from), xi = hn::Load(d, from + lanes);
    hn::Vec<decltype(d)> re, im;
    product(re, im, fr, fi, xr, xi);
    hn::Store(re, d, to);
    hn::Store(im, d, to + lanes);
  }
}

template <typename Real>
HWY_NOINLINE void fill_dynamic(const Program<Real>& program, const DynamicTable& table, Index outside, Real* out) {
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d);
  const int lane_bits = program.lane_bits, index_bits = static_cast<int>(table.index_bits);
  // exp(i (constant + sum of step[b] x_b))
  double constant = 0;
  std::array<double, kMaxTileBits + 6> step{};
  for (const auto& entry : table.entries) {
    if (!entry.condition.holds(outside)) continue;
    const double sign = (std::popcount(outside & entry.parity_mask) & 1) != 0 ? -1.0 : 1.0;
    constant += sign * entry.angle0;
    if (entry.bit >= 0) step[static_cast<std::size_t>(entry.bit)] += sign * (entry.angle1 - entry.angle0);
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    double angle = constant;
    for (int b = 0; b < lane_bits; ++b)
      if (((l >> b) & 1) != 0) angle += step[static_cast<std::size_t>(b)];
    out[l] = static_cast<Real>(std::cos(angle));
    out[lanes + l] = static_cast<Real>(std::sin(angle));
  }
  for (int b = lane_bits; b < index_bits; ++b) {
    const std::size_t half = std::size_t{1} << (b - lane_bits);
    const double angle = step[static_cast<std::size_t>(b)];
    if (angle == 0)
      std::copy_n(out, half * 2 * lanes, out + half * 2 * lanes);
    else
      multiply_half(out, out + half * 2 * lanes, half, {std::cos(angle), std::sin(angle)});
  }
  const std::size_t vectors = std::size_t{1} << (index_bits - lane_bits);
  if (table.has_static) {
    const Real* fixed = program.tables.data() + table.static_table;
    Real* to = out;
    for (std::size_t v = 0; v < vectors; ++v, fixed += 2 * lanes, to += 2 * lanes) {
      const auto xr = hn::Load(d, to), xi = hn::Load(d, to + lanes);
      hn::Vec<decltype(d)> re, im;
      product(re, im, hn::Load(d, fixed), hn::Load(d, fixed + lanes), xr, xi);
      hn::Store(re, d, to);
      hn::Store(im, d, to + lanes);
    }
  }
  for (const auto& lookup : table.lookups) {
    if (!lookup.condition.holds(outside)) continue;
    std::uint32_t part = 0;
    for (const auto& [physical, index] : lookup.outside)
      if (((outside >> physical) & 1) != 0) part |= std::uint32_t{1} << index;
    for (std::size_t x = 0; x < lookup.index.size(); ++x) {
      const std::complex<double> factor = lookup.values[lookup.index[x] | part];
      Real* at = out + (x >> lane_bits) * 2 * lanes + (x & (lanes - 1));
      const double re = at[0], im = at[lanes];
      at[0] = static_cast<Real>(re * factor.real() - im * factor.imag());
      at[lanes] = static_cast<Real>(re * factor.imag() + im * factor.real());
    }
  }
}

}  // namespace ketmesh::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
