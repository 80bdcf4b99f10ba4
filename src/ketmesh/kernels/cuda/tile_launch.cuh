// Launches of the tile kernels of one precision.
#pragma once

#include "ketmesh/kernels/cuda/pass_launch.hpp"
#include "ketmesh/kernels/cuda/tile_pass.cuh"

namespace ketmesh::kernels::cuda {

template <typename Real, int T>
int launch_tile(const Prepared& p, const KetmeshCudaShard& shard, unsigned blocks, const NormTarget& norm, cudaStream_t stream) {
  const int t = p.program.tile_bits;
  const std::size_t bytes = padded_size(t) * sizeof(complex_t<Real>) + pending_size<Real>(t) + p.image_bytes();
  KETMESH_TRY(cudaFuncSetAttribute(tile_pass<Real, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  tile_pass<Real, T><<<blocks, 1 << (t - kRegisterBits), bytes, stream>>>(static_cast<complex_t<Real>*>(shard.data), shard.base, p.program,
                                                                          p.data, p.entries(), p.tables(), norm);
  KETMESH_TRY(cudaGetLastError());
  return 0;
}

template <typename Real>
int launch_pass(const Prepared& p, const KetmeshCudaShard& shard, const NormTarget& norm, cudaStream_t stream) {
  const int t = p.program.tile_bits;
  const auto blocks = static_cast<unsigned>(std::uint64_t{1} << (shard.local_bits - t));
  if (t == 12) return launch_tile<Real, 12>(p, shard, blocks, norm, stream);
  if (t == 13) return launch_tile<Real, 13>(p, shard, blocks, norm, stream);
  if (t >= kMinTileBits) return launch_tile<Real, 0>(p, shard, blocks, norm, stream);
  small_pass<Real><<<blocks, 1 << t, (sizeof(complex_t<Real>) << kMinTileBits) + p.image_bytes(), stream>>>(
      static_cast<complex_t<Real>*>(shard.data), shard.base, p.program, p.data, p.entries(), p.tables(), norm);
  KETMESH_TRY(cudaGetLastError());
  return 0;
}

}  // namespace ketmesh::kernels::cuda
