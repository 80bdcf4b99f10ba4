// A program as the source of one kernel in which nothing is left to interpret: addresses, conditions and the kinds of ops are its text; the
// numbers that angles decide are its parameters, so that new angles need no other kernel. Host code without CUDA, tested on any machine.
#pragma once

#include <string>
#include <vector>

#include "ketmesh/kernels/gpu/translate.hpp"

namespace ketmesh::kernels::cuda {

struct Specialised {
  std::string source;                ///< of the kernel `tile_pass`; empty: the program is for the interpreter
  std::vector<std::byte> constants;  ///< its last parameter
  std::uint32_t shared_bytes = 0;
};

/// `sums_norm`: the kernel can add up |a|^2 as it stores.
template <typename Real>
Specialised specialise(const Sweep& sweep, bool sums_norm);

}  // namespace ketmesh::kernels::cuda
