// 2 x 2 unitaries that are a scale times two multiply-adds: cos [[1, -t], [t, 1]] and its relatives (design of the lifted rotation).
#pragma once

#include <array>
#include <optional>

#include "ketmesh/kernels/cpu/program.hpp"

namespace ketmesh::kernels::cpu {

struct Lift {
  Code code{};  ///< lift_dp, lift_dm, lift_ap, lift_am, lift_rx, lift_rx_swap or hadamard
  double a = 0, b = 0;
  cdouble scale = 1;
};

/// The form of `matrix` (row-major), or nothing when it is real or rx-like in no basis of phases.
std::optional<Lift> lift(const cdouble* matrix);

}  // namespace ketmesh::kernels::cpu
