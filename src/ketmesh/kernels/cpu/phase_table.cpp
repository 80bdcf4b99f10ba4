#include "ketmesh/kernels/cpu/phase_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::cpu {
namespace {

inline cdouble times(cdouble a, cdouble b) {  // without the checks for infinities of operator*
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

cdouble unit(double angle) { return {std::cos(angle), std::sin(angle)}; }

/// constant + sum linear[a] x_a + sum_{a<b} pair[b][a] x_a x_b: what terms on at most two bits are.
struct Quadratic {
  explicit Quadratic(int size)
      : linear(static_cast<std::size_t>(size)), pair(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)), bits(size) {}
  double constant = 0;
  std::vector<double> linear, pair;
  int bits;
  double& at(int a, int b) { return pair[static_cast<std::size_t>(std::max(a, b) * bits + std::min(a, b))]; }

  /// x_bit, or 1 - x_bit.
  void add_match(std::uint32_t mask, std::uint32_t value, double angle) {
    if (mask == 0) {
      constant += angle;
      return;
    }
    const int a = std::countr_zero(mask);
    const std::uint32_t rest = mask & (mask - 1);
    const bool a_set = ((value >> a) & 1) != 0;
    if (rest == 0) {
      if (!a_set) constant += angle;
      linear[static_cast<std::size_t>(a)] += a_set ? angle : -angle;
      return;
    }
    const int b = std::countr_zero(rest);
    const bool b_set = ((value >> b) & 1) != 0;
    // (a_set ? x_a : 1 - x_a)(b_set ? x_b : 1 - x_b)
    if (!a_set && !b_set) constant += angle;
    if (!b_set) linear[static_cast<std::size_t>(a)] += a_set ? angle : -angle;
    if (!a_set) linear[static_cast<std::size_t>(b)] += b_set ? angle : -angle;
    at(a, b) += a_set == b_set ? angle : -angle;
  }

  void add_parity(std::uint32_t mask, double angle) {
    constant += angle;
    for (std::uint32_t m = mask; m != 0; m &= m - 1) linear[static_cast<std::size_t>(std::countr_zero(m))] -= 2 * angle;
    if (std::popcount(mask) == 2) at(std::countr_zero(mask), 31 - std::countl_zero(mask)) += 4 * angle;
  }

  /// The table by doubling: two multiplications an entry.
  std::vector<cdouble> table() {
    std::vector<cdouble> out(std::size_t{1} << bits);
    std::vector<cdouble> step;
    out[0] = unit(constant);
    for (int b = 0; b < bits; ++b) {
      const std::size_t half = std::size_t{1} << b;
      std::size_t filled = 1;  // step[x] for x < filled is known, periodic above
      step.assign(1, unit(linear[static_cast<std::size_t>(b)]));
      int last = -1;
      for (int a = 0; a < b; ++a)
        if (at(a, b) != 0) last = a;
      for (int a = 0; a <= last; ++a) {
        const double angle = at(a, b);
        step.resize(2 * filled);
        if (angle == 0) {
          std::copy_n(step.begin(), filled, step.begin() + static_cast<std::ptrdiff_t>(filled));
        } else {
          const cdouble factor = unit(angle);
          for (std::size_t x = 0; x < filled; ++x) step[filled + x] = times(step[x], factor);
        }
        filled *= 2;
      }
      for (std::size_t x = 0; x < half; x += filled)
        for (std::size_t y = 0; y < filled; ++y) out[half + x + y] = times(out[x + y], step[y]);
    }
    return out;
  }
};

}  // namespace

std::uint32_t compact(std::uint32_t value, std::uint32_t mask) {
  std::uint32_t out = 0;
  for (int i = 0; mask != 0; mask &= mask - 1, ++i)
    if ((value & mask & (~mask + 1)) != 0) out |= std::uint32_t{1} << i;
  return out;
}

std::vector<cdouble> phase_table(std::span<const TileTerm> terms, std::uint32_t involved, const Binding& binding,
                                 const std::array<std::int8_t, 64>& position) {
  const int size = std::popcount(involved);
  Quadratic quadratic(size);
  for (const auto& t : terms) {
    if (t.table != nullptr) continue;
    const std::uint32_t mask = compact(t.mask, involved), value = compact(t.value, involved), parity = compact(t.parity_mask, involved);
    if (parity == 0 && std::popcount(mask) <= 2)
      quadratic.add_match(mask, value, t.angle);
    else if (mask == 0 && std::popcount(parity) <= 2)
      quadratic.add_parity(parity, t.angle);
  }
  std::vector<cdouble> out = quadratic.table();
  for (const auto& t : terms) {
    const std::uint32_t mask = compact(t.mask, involved), value = compact(t.value, involved), parity = compact(t.parity_mask, involved);
    if (t.table != nullptr) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> map;  // compact bit -> index bit
      for (std::size_t i = 0; i < t.table->bits.size(); ++i) {
        const int p = position[t.table->bits[i]];
        if (p >= 0) map.emplace_back(compact(std::uint32_t{1} << p, involved), std::uint32_t{1} << i);
      }
      for (std::uint32_t x = 0; x < out.size(); ++x) {
        if ((x & mask) != value) continue;
        std::uint32_t index = 0;
        for (const auto& [from, to] : map)
          if ((x & from) != 0) index |= to;
        out[x] = times(out[x], unit(binding.angles[t.table->angle + index]));
      }
      continue;
    }
    if ((parity == 0 && std::popcount(mask) <= 2) || (mask == 0 && std::popcount(parity) <= 2)) continue;
    const cdouble even = unit(t.angle), odd = std::conj(even);
    for (std::uint32_t x = 0; x < out.size(); ++x)
      if ((x & mask) == value) out[x] = times(out[x], (std::popcount(x & parity) & 1) != 0 ? odd : even);
  }
  return out;
}

template <typename Real>
cdouble round_to_norm(cdouble x) {
  const double norm = std::norm(x);
  const bool swapped = std::abs(x.real()) < std::abs(x.imag());
  const double large = swapped ? x.imag() : x.real(), small = swapped ? x.real() : x.imag();
  cdouble best;
  double error = std::numeric_limits<double>::infinity();
  Real first = static_cast<Real>(large);
  first = std::nextafter(first, Real{0});
  for (int candidate = 0; candidate < 3; ++candidate, first = std::nextafter(first, static_cast<Real>(2 * large))) {
    const double rest = norm - static_cast<double>(first) * static_cast<double>(first);
    if (rest < 0) break;
    const double second = static_cast<Real>(std::copysign(std::sqrt(rest), small));
    if (std::abs(second - small) > std::numeric_limits<Real>::epsilon() / 2) continue;
    const double here = std::abs(rest - second * second);
    if (here >= error) continue;
    error = here;
    best = swapped ? cdouble(second, static_cast<double>(first)) : cdouble(static_cast<double>(first), second);
  }
  return std::isfinite(error) ? best : cdouble(static_cast<Real>(x.real()), static_cast<Real>(x.imag()));
}

template cdouble round_to_norm<float>(cdouble x);
template cdouble round_to_norm<double>(cdouble x);

}  // namespace ketmesh::kernels::cpu
