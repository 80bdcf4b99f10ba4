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

/// Appends the operation (targets and controls as in `op`) and its phases: a ZZ and a constant, which as terms cost nothing beside others.
void append_cross(const CrossForm& form, TileOp op, std::vector<TileOp>& ops);

}  // namespace ketmesh::kernels::cpu
