// Between what prepares and runs passes and the files that compile the tile kernels, one a precision.
#pragma once

#include <memory>
#include <vector>

#include "ketmesh/kernels/cuda/compiler.hpp"
#include "ketmesh/kernels/cuda/plugin.hpp"
#include "ketmesh/kernels/gpu/program.hpp"

namespace ketmesh::kernels::cuda {

/// A program with its image, entries and tables on the device.
struct Prepared {
  Program program{};
  int device = 0;
  unsigned char* data = nullptr;
  // Where the program has a kernel of its own:
  std::shared_ptr<OwnKernel> own;
  Program own_program{};
  unsigned char* own_data = nullptr;
  std::vector<unsigned char> constants;
  unsigned own_shared_bytes = 0;
  bool own_sums_norm = false;

  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() {
    if (data == nullptr || cudaSetDevice(device) != cudaSuccess) return;
    cudaFreeAsync(data, nullptr);
    if (own_data != nullptr) cudaFreeAsync(own_data, nullptr);
  }
  const PhaseEntry* entries() const { return reinterpret_cast<const PhaseEntry*>(data + program.entries_at); }
  const unsigned char* tables() const { return data + program.tables_at; }
  /// Shared memory behind the tile.
  std::size_t image_bytes() const { return program.image_bytes + std::size_t{8} * program.num_parts; }
};

/// Runs the pass on a shard; 0 or the code of an error.
template <typename Real>
int launch_pass(const Prepared& prepared, const KetmeshCudaShard& shard, const NormTarget& norm, cudaStream_t stream);

}  // namespace ketmesh::kernels::cuda
