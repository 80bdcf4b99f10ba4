#include "ketmesh/circuit/unitary_power.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/reach.hpp"

namespace ketmesh {
namespace {

using Matrix = std::vector<cdouble>;

std::size_t side(std::size_t entries) {
  std::size_t n = 1;
  while (n * n < entries) n *= 2;
  return n;
}

// Without the checks for infinities of std::complex, which cost more than the product.
cdouble product(cdouble x, cdouble y) { return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()}; }

// One gate on all columns of m (row-major, n rows): mixes the rows that differ in the target bits.
void apply_to_rows(Matrix& m, std::size_t n, const Matrix& gate, std::span<const std::size_t> target_bits, std::size_t mask,
                   std::size_t value) {
  const std::size_t k = std::size_t{1} << target_bits.size();
  std::size_t target_mask = 0;
  std::vector<std::size_t> offset(k);
  for (std::size_t t = 0; t < target_bits.size(); ++t) {
    target_mask |= std::size_t{1} << target_bits[t];
    for (std::size_t i = 0; i < k; ++i)
      if ((i >> t) & 1) offset[i] |= std::size_t{1} << target_bits[t];
  }
  Matrix column(k);
  for (std::size_t row = 0; row < n; ++row) {
    if ((row & target_mask) != 0 || (row & mask) != value) continue;
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < k; ++i) column[i] = m[(row | offset[i]) * n + c];
      for (std::size_t i = 0; i < k; ++i) {
        cdouble sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += product(gate[i * k + j], column[j]);
        m[(row | offset[i]) * n + c] = sum;
      }
    }
  }
}

struct Rotation {
  double c;
  cdouble s;
};

// The rotation in the plane (p, q) that makes a normal matrix most diagonal.
Rotation best_rotation(const Matrix& a, std::size_t n, std::size_t p, std::size_t q) {
  const cdouble pq = a[p * n + q], qp = a[q * n + p];
  const cdouble h[3] = {a[p * n + p] - a[q * n + q], pq + qp, cdouble{0, 1} * (qp - pq)};
  // Dominant eigenvector of Re(h h^dagger) = x x^T + y y^T, x and y the real and imaginary parts of h.
  double xx = 0, xy = 0, yy = 0;
  for (const cdouble v : h) {
    xx += v.real() * v.real();
    xy += v.real() * v.imag();
    yy += v.imag() * v.imag();
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  double v[3], length = 0;
  for (int i = 0; i < 3; ++i) {
    v[i] = std::cos(angle) * h[i].real() + std::sin(angle) * h[i].imag();
    length += v[i] * v[i];
  }
  length = std::sqrt(length);
  if (length == 0) return {1, 0};
  if (v[0] < 0) length = -length;
  const double c = std::sqrt(0.5 + 0.5 * v[0] / length);
  return {c, cdouble{v[1], -v[2]} / (2 * c * length)};
}

double largest_off_diagonal(const Matrix& a, std::size_t n) {
  double off = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) off = std::max(off, std::norm(a[i * n + j]));
  return std::sqrt(off);
}

// a := R^dagger a R and v := v R with R = [[c, -conj(s)], [s, c]] on p and q.
void rotate(Matrix& a, Matrix& v, std::size_t n, std::size_t p, std::size_t q, Rotation r) {
  const auto columns = [&](Matrix& m) {
    for (std::size_t i = 0; i < n; ++i) {
      const cdouble x = m[i * n + p], y = m[i * n + q];
      m[i * n + p] = r.c * x + product(r.s, y);
      m[i * n + q] = r.c * y - product(std::conj(r.s), x);
    }
  };
  columns(a);
  columns(v);
  for (std::size_t i = 0; i < n; ++i) {
    const cdouble x = a[p * n + i], y = a[q * n + i];
    a[p * n + i] = r.c * x + product(std::conj(r.s), y);
    a[q * n + i] = r.c * y - product(r.s, x);
  }
}

}  // namespace

cdouble phase_power(cdouble phase, double exponent) {
  double angle = std::arg(phase);
  if (angle < -std::numbers::pi + 1e-9) angle += 2 * std::numbers::pi;  // rounding must not choose the other side of the cut
  return {std::cos(exponent * angle), std::sin(exponent * angle)};
}

std::vector<cdouble> circuit_matrix(const Circuit& circuit, std::span<const Qubit> qubits) {
  const std::size_t n = std::size_t{1} << qubits.size();
  Matrix m(n * n);
  for (std::size_t i = 0; i < n; ++i) m[i * n + i] = 1;
  const auto bit_of = [&](Qubit q) {
    const auto found = std::find(qubits.begin(), qubits.end(), q);
    if (found == qubits.end()) throw Internal("qubit " + std::to_string(q) + " is missing from the qubits of a matrix");
    return static_cast<std::size_t>(found - qubits.begin());
  };
  for (const Operation op : circuit) {
    if (has_no_effect(op.gate)) continue;
    const ResolvedGate gate = resolve(op);
    std::vector<std::size_t> targets;
    for (const Qubit q : gate.targets) targets.push_back(bit_of(q));
    std::size_t mask = 0, value = 0;
    for (const Control c : gate.controls) {
      mask |= std::size_t{1} << bit_of(c.qubit);
      if (c.value != 0) value |= std::size_t{1} << bit_of(c.qubit);
    }
    apply_to_rows(m, n, target_matrix(op), targets, mask, value);
  }
  return m;
}

std::vector<cdouble> unitary_power(std::span<const cdouble> unitary, double exponent) {
  const std::size_t n = side(unitary.size());
  Matrix a(unitary.begin(), unitary.end()), v(n * n);
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1;
  // Convergence is quadratic (6 to 10 sweeps are usual): from 1e-9 one more sweep reaches rounding.
  constexpr int kMaxSweeps = 60;
  double off = largest_off_diagonal(a, n);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const bool last = off < 1e-9;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q)
        if (std::norm(a[p * n + q]) + std::norm(a[q * n + p]) > 1e-34) rotate(a, v, n, p, q, best_rotation(a, n, p, q));
    off = largest_off_diagonal(a, n);
    if (last) break;
  }
  // A matrix that passed the check of unitarity by little is normal only within that tolerance.
  if (!(off < 1e-7)) throw Internal("the eigenvectors of a unitary were not found");
  Matrix out(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    const cdouble factor = phase_power(a[k * n + k], exponent);
    for (std::size_t i = 0; i < n; ++i) {
      const cdouble left = v[i * n + k] * factor;
      for (std::size_t j = 0; j < n; ++j) out[i * n + j] += product(left, std::conj(v[j * n + k]));
    }
  }
  return out;
}

}  // namespace ketmesh
