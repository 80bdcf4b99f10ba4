// Where the adjoint method looks while it walks a plan: a pass cut into levels, before each of which matrix elements are read.
#pragma once

#include <cstdint>
#include <vector>

#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/plan/derivatives.hpp"

namespace ketmesh::runtime {

/// slopes[parameter] += weight * Im <bra|term|ket>, parameter as numbered by the caller of cut_pass.
struct ProbeUse {
  std::uint32_t term = 0;
  std::uint32_t derivative = 0;  ///< number of a Derivatives entry: matrices first, then angles
  double weight = 0;
};

struct ProbedLevel {
  std::vector<kernels::CrossTerm> terms;  ///< read before the steps of the level run
  std::vector<ProbeUse> uses;
  Pass pass;  ///< the steps; only that of the last level permutes the tile as it stores it
};

/// Cuts a pass so that each step whose numbers depend on a parameter stands in a level, and no step before it in that level fails to commute with its
/// derivative. Levels keep the order of steps that do not commute; there are as few as that allows. One level without terms when nothing depends.
std::vector<ProbedLevel> cut_pass(const Pass& pass, const Binding& binding, const plan::Derivatives& derivatives);

}  // namespace ketmesh::runtime
