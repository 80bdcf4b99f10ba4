// Passes into programs: host code without CUDA, so that it is tested on any machine.
#pragma once

#include <vector>

#include "ketmesh/kernels/gpu/program.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::kernels::cuda {

/// What `prepare` of the plugin takes. Most passes are one program; a pass with more ops or coefficients than one can hold is run as
/// several sweeps.
struct Translation {
  std::vector<Program> programs;
  std::vector<PhaseEntry> entries;  ///< of all programs
  std::vector<std::byte> tables;    ///< coefficients and index tables of the *_any ops, read from global memory
};

/// Real is float or double. Shards below kMinTileBits get a program of *_any and phase ops only, one amplitude a thread.
template <typename Real>
Translation translate(const Pass& pass, const Binding& binding, int local_bits);

/// pad(i) of the shared-memory layout, in amplitudes.
constexpr unsigned pad(unsigned i) { return i + (i >> 4) + (i >> 8); }

}  // namespace ketmesh::kernels::cuda
