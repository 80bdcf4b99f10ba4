#include "ketmesh/kernels/cpu/lift.hpp"

#include <cmath>

namespace ketmesh::kernels::cpu {
namespace {

constexpr double kRounding = 4e-15;

bool is_zero(double x) { return std::abs(x) < kRounding; }

}  // namespace

std::optional<Lift> lift(const cdouble* matrix) {
  const bool diagonal = std::norm(matrix[0]) >= std::norm(matrix[1]) - kRounding;
  const cdouble pivot = diagonal ? matrix[0] : matrix[1];
  if (pivot == 0.0) return std::nullopt;
  const double norm = std::norm(pivot);
  const cdouble inverse{pivot.real() / norm, -pivot.imag() / norm};
  const auto scaled = [inverse](cdouble x) {
    return cdouble{x.real() * inverse.real() - x.imag() * inverse.imag(), x.real() * inverse.imag() + x.imag() * inverse.real()};
  };
  const cdouble p = scaled(matrix[0]), q = scaled(matrix[1]), r = scaled(matrix[2]), s = scaled(matrix[3]);
  Lift out;
  out.scale = pivot;
  if (diagonal) {
    if (!is_zero(s.imag()) || !is_zero(std::abs(s.real()) - 1)) return std::nullopt;
    const bool plus = s.real() > 0;
    if (is_zero(q.imag()) && is_zero(r.imag())) {
      out.code = plus ? Code::lift_dp : Code::lift_dm;
      out.a = q.real();
      out.b = r.real();
      if (!plus && is_zero(out.a - 1) && is_zero(out.b - 1)) out.code = Code::hadamard;
      return out;
    }
    if (plus && is_zero(q.real()) && is_zero(r.real())) {
      out.code = Code::lift_rx;
      out.a = q.imag();
      out.b = r.imag();
      return out;
    }
    return std::nullopt;
  }
  if (!is_zero(r.imag()) || !is_zero(std::abs(r.real()) - 1)) return std::nullopt;
  const bool plus = r.real() > 0;
  if (is_zero(p.imag()) && is_zero(s.imag())) {
    out.code = plus ? Code::lift_ap : Code::lift_am;
    out.a = p.real();
    out.b = s.real();
    return out;
  }
  if (plus && is_zero(p.real()) && is_zero(s.real())) {
    out.code = Code::lift_rx_swap;
    out.a = p.imag();
    out.b = s.imag();
    return out;
  }
  return std::nullopt;
}

}  // namespace ketmesh::kernels::cpu
