// exp(i (a XX + b YY + c ZZ)) and its like: two rx-like blocks and a phase each.
#pragma once

#include <optional>
#include <vector>

#include "ketmesh/kernels/cpu/lower.hpp"

namespace ketmesh::kernels::cpu {

/// On {00, 11} (even) and {01, 10} (odd): exp(i phase) [[cosine, i sine], [i sine, cosine]]; zero elsewhere.
struct CrossForm {
  struct Block {
    double cosine, sine, phase;
  };
  Block even, odd;
};

/// The form of a 4 x 4 matrix (row-major), if it has one.
std::optional<CrossForm> cross_form(const cdouble* matrix);

/// The form as operations on the targets and under the conditions of `op`: a cross2 (or a phase) and a phase.
void append_cross(const CrossForm& form, TileOp op, std::vector<TileOp>& ops);

/// The 4 x 4 matrix of a cross2, in the order of its targets.
std::array<cdouble, 16> cross_matrix(const TileOp& op);

}  // namespace ketmesh::kernels::cpu
