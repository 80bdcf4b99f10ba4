// The tile kernels of double precision: in a file of their own, so that both precisions compile at once.
#include "ketmesh/kernels/cuda/tile_launch.cuh"

namespace ketmesh::kernels::cuda {

template int launch_pass<double>(const Prepared&, const KetmeshCudaShard&, const NormTarget&, cudaStream_t);

}  // namespace ketmesh::kernels::cuda
