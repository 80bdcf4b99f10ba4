// Prepared passes: a program with its entries and tables on the device, launched once a shard.
#include <memory>
#include <new>
#include <type_traits>

#include "ketmesh/kernels/cuda/pass_launch.hpp"

namespace ketmesh::kernels::cuda {
namespace {

int launch(const KetmeshCudaContext* context, const Prepared& p, const KetmeshCudaShard& shard, const NormTarget& norm,
           cudaStream_t stream) {
  return context->precision == 4 ? launch_pass<float>(p, shard, norm, stream) : launch_pass<double>(p, shard, norm, stream);
}

}  // namespace

int prepare(const KetmeshCudaContext* context, const void* program, const void* data, std::uint64_t bytes, std::int64_t* handle) {
  KETMESH_ON(context);
  auto p = std::unique_ptr<Prepared>(new (std::nothrow) Prepared);
  if (!p) {
    error_text() = "no host memory for a prepared pass";
    return KETMESH_CUDA_OUT_OF_MEMORY;
  }
  p->program = *static_cast<const Program*>(program);
  p->device = context->device;
  const cudaStream_t stream = stream_of(context);
  KETMESH_TRY(cudaMallocAsync(reinterpret_cast<void**>(&p->data), bytes + 16, stream));
  KETMESH_TRY(cudaMemcpyAsync(p->data, data, bytes, cudaMemcpyHostToDevice, stream));
  *handle = reinterpret_cast<std::int64_t>(p.release());
  return 0;
}

int unprepare(std::int64_t handle) {
  delete reinterpret_cast<Prepared*>(handle);
  return 0;
}

int run_pass(const KetmeshCudaContext* context, std::int64_t handle, const KetmeshCudaShard* shard, const std::uint8_t* norm_bits,
             std::int32_t norm_count, double* norm_sums) {
  KETMESH_ON(context);
  const Prepared& p = *reinterpret_cast<const Prepared*>(handle);
  const cudaStream_t stream = stream_of(context);
  NormTarget norm{};
  if (norm_sums == nullptr) return launch(context, p, *shard, norm, stream);
  const std::size_t bins = std::size_t{1} << norm_count;
  const Scratch sums(stream, bins * sizeof(double));
  KETMESH_TRY(sums.error());
  KETMESH_TRY(cudaMemsetAsync(sums.as<double>(), 0, bins * sizeof(double), stream));
  norm.sums = sums.as<double>();
  norm.count = norm_count;
  for (int k = 0; k < norm_count; ++k) norm.bits[k] = norm_bits[k];
  if (const int code = launch(context, p, *shard, norm, stream); code != 0) return code;
  const std::unique_ptr<double[]> host(new (std::nothrow) double[bins]);
  KETMESH_TRY(cudaMemcpyAsync(host.get(), sums.as<double>(), bins * sizeof(double), cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  for (std::size_t k = 0; k < bins; ++k) norm_sums[k] += host[k];
  return 0;
}

}  // namespace ketmesh::kernels::cuda
