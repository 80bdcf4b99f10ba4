// Runs of operations on one pair of bits as one 4 x 4 matrix.
#pragma once

#include <vector>

#include "ketmesh/kernels/cpu/lower.hpp"

namespace ketmesh::kernels::cpu {

/// Joins uncontrolled two-target matrices with the one-target matrices and phases on the same pair around them, where nothing else
/// touches the pair between. A block that turns out as exp(i (a XX + b YY + c ZZ)) stays of that cheap form.
std::vector<TileOp> fuse_pairs(std::vector<TileOp> ops);

}  // namespace ketmesh::kernels::cpu
