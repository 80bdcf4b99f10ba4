// Prepared passes: a program with its entries and tables on the device, launched once a shard.
#include <memory>
#include <new>
#include <type_traits>

#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {
namespace {

struct Prepared {
  Program program{};
  int device = 0;
  unsigned char* data = nullptr;

  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() {
    if (data != nullptr && cudaSetDevice(device) == cudaSuccess) cudaFreeAsync(data, nullptr);
  }
  const PhaseEntry* entries() const { return reinterpret_cast<const PhaseEntry*>(data + program.entries_at); }
  const unsigned char* tables() const { return data + program.tables_at; }
  /// Shared memory behind the tile.
  std::size_t image_bytes() const { return program.image_bytes + std::size_t{8} * program.num_parts; }
};

template <typename Real, int T>
int launch(const Prepared& p, complex_t<Real>* data, std::uint64_t base, unsigned blocks, const NormTarget& norm, cudaStream_t stream) {
  const std::size_t bytes = padded_size(T) * sizeof(complex_t<Real>) + pending_size<Real, T>() + p.image_bytes();
  KETMESH_TRY(cudaFuncSetAttribute(tile_pass<Real, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  tile_pass<Real, T><<<blocks, 1 << (T - kRegisterBits), bytes, stream>>>(data, base, p.program, p.data, p.entries(), p.tables(), norm);
  KETMESH_TRY(cudaGetLastError());
  return 0;
}

template <typename Real>
int launch(const Prepared& p, const KetmeshCudaShard& shard, const NormTarget& norm, cudaStream_t stream) {
  auto* const data = static_cast<complex_t<Real>*>(shard.data);
  const int t = p.program.tile_bits;
  const auto blocks = static_cast<unsigned>(std::uint64_t{1} << (shard.local_bits - t));
  switch (t) {
    case 8:
      return launch<Real, 8>(p, data, shard.base, blocks, norm, stream);
    case 9:
      return launch<Real, 9>(p, data, shard.base, blocks, norm, stream);
    case 10:
      return launch<Real, 10>(p, data, shard.base, blocks, norm, stream);
    case 11:
      return launch<Real, 11>(p, data, shard.base, blocks, norm, stream);
    case 12:
      return launch<Real, 12>(p, data, shard.base, blocks, norm, stream);
    case 13:
      return launch<Real, 13>(p, data, shard.base, blocks, norm, stream);
    default:
      small_pass<Real><<<blocks, 1 << t, (sizeof(complex_t<Real>) << kMinTileBits) + p.image_bytes(), stream>>>(
          data, shard.base, p.program, p.data, p.entries(), p.tables(), norm);
      KETMESH_TRY(cudaGetLastError());
      return 0;
  }
}

int launch(const KetmeshCudaContext* context, const Prepared& p, const KetmeshCudaShard& shard, const NormTarget& norm,
           cudaStream_t stream) {
  return context->precision == 4 ? launch<float>(p, shard, norm, stream) : launch<double>(p, shard, norm, stream);
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
