// Prepared passes: a program with its entries and tables on the device, launched once a shard.
#include <memory>
#include <new>
#include <type_traits>

#include "ketmesh/kernels/cuda/pass_launch.hpp"

namespace ketmesh::kernels::cuda {
namespace {

/// What interpreting the pass takes on the fastest GPU there is: some work for each op.
double interpreting_seconds(const Prepared& p, const KetmeshCudaShard& shard) {
  return static_cast<double>(std::uint64_t{1} << shard.local_bits) * (4e-12 + 0.5e-12 * p.program.num_ops);
}

int capability_of(const KetmeshCudaContext* context, int* out) {
  int major = 0, minor = 0;
  KETMESH_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, context->device));
  KETMESH_TRY(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, context->device));
  *out = 10 * major + minor;
  return 0;
}

int launch_own(cudaKernel_t kernel, const Prepared& p, const KetmeshCudaShard& shard, NormTarget norm, cudaStream_t stream) {
  const Program& own = p.own_program;
  void* data = shard.data;
  std::uint64_t base = shard.base;
  const unsigned char *parts = p.own_data + own.parts_at, *entries = p.own_data + own.entries_at, *tables = p.own_data + own.tables_at;
  void* arguments[] = {&data, &base, &parts, &entries, &tables, &norm, const_cast<unsigned char*>(p.constants.data())};
  const void* function = reinterpret_cast<const void*>(kernel);
  KETMESH_TRY(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(p.own_shared_bytes)));
  KETMESH_TRY(cudaLaunchKernel(function, dim3(static_cast<unsigned>(std::uint64_t{1} << (shard.local_bits - own.tile_bits))),
                               dim3(1u << (own.tile_bits - own.register_bits)), arguments, p.own_shared_bytes, stream));
  return 0;
}

int launch(const KetmeshCudaContext* context, const Prepared& p, const KetmeshCudaShard& shard, const NormTarget& norm,
           cudaStream_t stream) {
  if (p.own != nullptr && (norm.sums == nullptr || p.own_sums_norm))
    if (const cudaKernel_t kernel = ready(p.own, interpreting_seconds(p, shard)); kernel != nullptr)
      return launch_own(kernel, p, shard, norm, stream);
  return context->precision == 4 ? launch_pass<float>(p, shard, norm, stream) : launch_pass<double>(p, shard, norm, stream);
}

}  // namespace

int compile(const KetmeshCudaContext* context, const char* source) {
  int capability = 0;
  if (const int code = capability_of(context, &capability); code != 0) return code;
  if (const auto kernel = own_kernel(source, capability); kernel != nullptr) begin(kernel);
  return 0;
}

int prepare(const KetmeshCudaContext* context, const void* program, const void* data, std::uint64_t bytes, const KetmeshCudaKernel* kernel,
            std::int64_t* handle) {
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
  if (kernel != nullptr) {
    int capability = 0;
    if (const int code = capability_of(context, &capability); code != 0) return code;
    const auto* constants = static_cast<const unsigned char*>(kernel->constants);
    p->own_program = *static_cast<const Program*>(kernel->program);
    KETMESH_TRY(cudaMallocAsync(reinterpret_cast<void**>(&p->own_data), kernel->bytes + 16, stream));
    KETMESH_TRY(cudaMemcpyAsync(p->own_data, kernel->data, kernel->bytes, cudaMemcpyHostToDevice, stream));
    p->own = own_kernel(kernel->source, capability);
    p->constants.assign(constants, constants + kernel->constant_bytes);
    p->own_shared_bytes = kernel->shared_bytes;
    p->own_sums_norm = kernel->sums_norm != 0;
  }
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
