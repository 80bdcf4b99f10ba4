// How the numbers of a binding follow the angles of gates: what the adjoint method needs of a plan.
#pragma once

#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::plan {

/// d(matrix) / d(parameter `parameter` of operation `operation`), 4^k entries, row-major.
struct MatrixDerivative {
  std::uint32_t matrix = 0;  ///< offset in Binding::matrices
  std::uint32_t operation = 0, parameter = 0;
  std::vector<cdouble> entries;
};

/// d(angle) / d(parameter) is a constant.
struct AngleDerivative {
  std::uint32_t angle = 0;  ///< slot in Binding::angles
  std::uint32_t operation = 0, parameter = 0;
  double coefficient = 0;
};

/// Ascending offsets and slots; several parameters may share one.
struct Derivatives {
  std::vector<MatrixDerivative> matrices;
  std::vector<AngleDerivative> angles;
};

/// Of all parameters that are not plain numbers. Entries of gate matrices are sums of exp(i w x) with w in {0, 1/2, 1} of each parameter
/// x, for which differences at x +- pi/2 and x +- pi give the exact derivative (the general parameter-shift rule, Wierichs et al. 2022).
/// Columns (start vectors) and global phases are left out: plans of given states have none, and no expectation value depends on the latter.
Derivatives derivatives(const Plan& plan, const Circuit& circuit, const ParameterValues& values);

}  // namespace ketmesh::plan
