// Passes into programs: host code without CUDA, so that it is tested on any machine.
#pragma once

#include <vector>

#include "ketmesh/kernels/gpu/program.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::kernels::cuda {

/// What `prepare` of the plugin takes: one sweep.
struct Sweep {
  Program program{};
  std::vector<std::byte> image;
  std::vector<PhaseEntry> entries;
  std::vector<std::byte> tables;  ///< phase tables, coefficients and index tables of the *_any ops; read from global memory
};

/// Most passes are one sweep; one whose image would be too large goes on in another.
using Translation = std::vector<Sweep>;

/// Real is float or double; tiles of at least 2^(4 + register_bits). Shards below kMinTileBits get a program of *_any and phase ops only, one amplitude a thread.
template <typename Real>
Translation translate(const Pass& pass, const Binding& binding, int local_bits, int register_bits = kRegisterBits);

/// pad(i) of the shared-memory layout, in amplitudes.
constexpr unsigned pad(unsigned i) { return i + (i >> 4) + (i >> 8); }

}  // namespace ketmesh::kernels::cuda
