// Planned sweeps as micro operations with their coefficients and tables.
#pragma once

#include <vector>

#include "ketmesh/kernels/cpu/program.hpp"
#include "ketmesh/kernels/cpu/schedule.hpp"

namespace ketmesh::kernels::cpu {

/// Fills ops, sweeps, groups, tables and scale of `program`; lane_bits, register_bits, padded_bits are set before.
template <typename Real>
void emit(const std::vector<TileOp>& ops, const std::vector<PlannedGroup>& groups, const Binding& binding,
          const std::array<std::int8_t, 64>& position, Program<Real>& program);

}  // namespace ketmesh::kernels::cpu
