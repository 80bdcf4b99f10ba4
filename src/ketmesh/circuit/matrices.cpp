// Closed forms of every row's base. Sources: the definitions in gate_list.inc; two-qubit and relative-phase gates as the
// Qiskit circuit library states them. Row-major; the first target is the least significant bit of the index.
#include <cmath>
#include <numbers>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/gates.hpp"

namespace ketmesh {
namespace {

using Matrix = std::vector<cdouble>;

constexpr cdouble kI{0.0, 1.0};
constexpr double kRoot = 1.0 / std::numbers::sqrt2;

cdouble cis(double angle) { return {std::cos(angle), std::sin(angle)}; }

Matrix two(cdouble a, cdouble b, cdouble c, cdouble d) { return {a, b, c, d}; }

Matrix diagonal(std::initializer_list<cdouble> entries) {
  const std::size_t n = entries.size();
  Matrix m(n * n);
  std::size_t i = 0;
  for (const cdouble e : entries) m[i++ * (n + 1)] = e;
  return m;
}

Matrix u(double theta, double phi, double lambda) {
  const double c = std::cos(theta / 2), s = std::sin(theta / 2);
  return two(c, -cis(lambda) * s, cis(phi) * s, cis(phi + lambda) * c);
}

// c * 1 - i s * P for a two-qubit P with one entry in each row: column[r], value[r].
Matrix two_qubit_rotation(double theta, const int (&column)[4], const cdouble (&value)[4]) {
  const double c = std::cos(theta / 2), s = std::sin(theta / 2);
  Matrix m(16);
  for (int r = 0; r < 4; ++r) {
    m[static_cast<std::size_t>(5 * r)] += c;
    m[static_cast<std::size_t>(4 * r + column[r])] += -kI * s * value[r];
  }
  return m;
}

// Rotation in the plane of basis states a (lower index) and b; the others stay.
Matrix plane_rotation(double theta, double beta, std::size_t a, std::size_t b) {
  Matrix m = diagonal({1, 1, 1, 1});
  const double c = std::cos(theta / 2), s = std::sin(theta / 2);
  m[5 * a] = m[5 * b] = c;
  m[4 * a + b] = -kI * s * cis(-beta);
  m[4 * b + a] = -kI * s * cis(beta);
  return m;
}

Matrix permuted(std::size_t n, std::initializer_list<std::pair<std::size_t, cdouble>> rows) {
  Matrix m(n * n);
  std::size_t r = 0;
  for (const auto& [column, value] : rows) m[r++ * n + column] = value;
  return m;
}

}  // namespace

std::vector<cdouble> base_matrix(Gate gate, std::span<const double> parameters) {
  const GateRow& row = gate_row(gate);
  if (row.has_payload || !row.is_unitary) throw CircuitError(std::string(row.name) + " has no matrix without its payload");
  if (parameters.size() != static_cast<std::size_t>(row.num_parameters))
    throw CircuitError(std::string(row.name) + " takes " + std::to_string(row.num_parameters) + " parameters, got " +
                       std::to_string(parameters.size()));
  const auto p = [&](std::size_t i) { return parameters[i]; };
  const cdouble plus = {0.5, 0.5}, minus = {0.5, -0.5};
  switch (row.base) {
    case Gate::x:
      return two(0, 1, 1, 0);
    case Gate::y:
      return two(0, -kI, kI, 0);
    case Gate::z:
      return two(1, 0, 0, -1);
    case Gate::h:
      return two(kRoot, kRoot, kRoot, -kRoot);
    case Gate::s:
      return two(1, 0, 0, kI);
    case Gate::sdg:
      return two(1, 0, 0, -kI);
    case Gate::t:
      return two(1, 0, 0, {kRoot, kRoot});
    case Gate::tdg:
      return two(1, 0, 0, {kRoot, -kRoot});
    case Gate::sx:
      return two(plus, minus, minus, plus);
    case Gate::sxdg:
      return two(minus, plus, plus, minus);
    case Gate::sy:
      return two(plus, -plus, plus, plus);
    case Gate::sydg:
      return two(minus, minus, -minus, minus);
    case Gate::k:
      return two(kRoot, -kI * kRoot, kI * kRoot, -kRoot);
    case Gate::id:
      return two(1, 0, 0, 1);
    case Gate::p:
      return two(1, 0, 0, cis(p(0)));
    case Gate::rx: {
      const cdouble c = std::cos(p(0) / 2), s = {0, -std::sin(p(0) / 2)};
      return two(c, s, s, c);
    }
    case Gate::ry: {
      const double c = std::cos(p(0) / 2), s = std::sin(p(0) / 2);
      return two(c, -s, s, c);
    }
    case Gate::rz:
      return two(cis(-p(0) / 2), 0, 0, cis(p(0) / 2));
    case Gate::r: {
      const cdouble c = std::cos(p(0) / 2), s = {0, -std::sin(p(0) / 2)};
      return two(c, s * cis(-p(1)), s * cis(p(1)), c);
    }
    case Gate::u:
      return u(p(0), p(1), p(2));
    case Gate::u2:
      return two(kRoot, -kRoot * cis(p(1)), kRoot * cis(p(0)), kRoot * cis(p(0) + p(1)));
    case Gate::cu: {
      Matrix m = u(p(0), p(1), p(2));
      for (cdouble& entry : m) entry *= cis(p(3));
      return m;
    }
    case Gate::swap:
      return permuted(4, {{0, 1}, {2, 1}, {1, 1}, {3, 1}});
    case Gate::iswap:
      return permuted(4, {{0, 1}, {2, kI}, {1, kI}, {3, 1}});
    case Gate::dcx:
      return permuted(4, {{0, 1}, {3, 1}, {1, 1}, {2, 1}});
    case Gate::ecr: {
      const cdouble a = kRoot, b = kI * kRoot;
      return {0, a, 0, b, a, 0, -b, 0, 0, b, 0, a, -b, 0, a, 0};
    }
    case Gate::rxx:
      return two_qubit_rotation(p(0), {3, 2, 1, 0}, {1, 1, 1, 1});
    case Gate::ryy:
      return two_qubit_rotation(p(0), {3, 2, 1, 0}, {-1, 1, 1, -1});
    case Gate::rzz: {
      const cdouble a = cis(-p(0) / 2), b = cis(p(0) / 2);
      return diagonal({a, b, b, a});
    }
    case Gate::rzx:
      return two_qubit_rotation(p(0), {2, 3, 0, 1}, {1, -1, 1, -1});
    case Gate::xx_plus_yy:
      return plane_rotation(p(0), p(1), 1, 2);
    case Gate::xx_minus_yy:
      return plane_rotation(p(0), p(1), 0, 3);
    case Gate::rccx:
      return permuted(8, {{0, 1}, {1, 1}, {2, 1}, {7, -kI}, {4, 1}, {5, -1}, {6, 1}, {3, kI}});
    case Gate::rc3x:
      return permuted(16, {{0, 1},
                           {1, 1},
                           {2, 1},
                           {3, kI},
                           {4, 1},
                           {5, 1},
                           {6, 1},
                           {15, 1},
                           {8, 1},
                           {9, 1},
                           {10, 1},
                           {11, -kI},
                           {12, 1},
                           {13, 1},
                           {14, 1},
                           {7, -1}});
    case Gate::gphase:
      return {cis(p(0))};
    default:
      throw Internal("row " + std::string(row.name) + " of the gate table has no matrix");
  }
}

}  // namespace ketmesh
