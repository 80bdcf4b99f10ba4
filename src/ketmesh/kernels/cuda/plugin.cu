// The exported table, devices and memory.
#include <atomic>
#include <cstdio>
#include <cstring>

#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {

std::string& error_text() {
  static thread_local std::string text;
  return text;
}

int status(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return 0;
  cudaGetLastError();  // a failure that is not sticky must not be found again by the next call
  error_text() = std::string(what) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
  return error == cudaErrorMemoryAllocation ? KETMESH_CUDA_OUT_OF_MEMORY : KETMESH_CUDA_FAILED;
}

void format_uuid(const cudaUUID_t& uuid, char* out, std::size_t size) {
  const unsigned char* u = reinterpret_cast<const unsigned char*>(uuid.bytes);
  std::snprintf(out, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4], u[5],
                u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

namespace {

const char* last_error() { return error_text().c_str(); }

int device_count(std::int32_t* count) {
  *count = 0;
  int n = 0;
  KETMESH_TRY(cudaGetDeviceCount(&n));
  *count = n;
  return 0;
}

int device(std::int32_t number, KetmeshCudaDevice* out) {
  cudaDeviceProp p{};
  KETMESH_TRY(cudaGetDeviceProperties(&p, number));
  std::memset(out, 0, sizeof *out);
  std::snprintf(out->name, sizeof out->name, "%s", p.name);
  format_uuid(p.uuid, out->uuid, sizeof out->uuid);
  KETMESH_TRY(cudaSetDevice(number));
  std::size_t available = 0, total = 0;
  KETMESH_TRY(cudaMemGetInfo(&available, &total));
  out->total_bytes = total;
  out->free_bytes = available;
  out->multiprocessors = p.multiProcessorCount;
  out->shared_bytes = static_cast<std::int32_t>(p.sharedMemPerBlockOptin);
  out->l2_bytes = p.l2CacheSize;
  out->major = p.major;
  out->minor = p.minor;
  return 0;
}

/// Memory of small states and of scratch comes from the device's pool, which keeps some of it from one use to the next.
constexpr std::uint64_t kFromPool = std::uint64_t{1} << 20, kKeptByPool = std::uint64_t{64} << 20;
constexpr int kMostDevices = 64;

int keep_pool(std::int32_t device) {
  static std::atomic<bool> kept[kMostDevices];
  if (device < 0 || device >= kMostDevices || kept[device].load(std::memory_order_relaxed)) return 0;
  cudaMemPool_t pool = nullptr;
  KETMESH_TRY(cudaDeviceGetDefaultMemPool(&pool, device));
  std::uint64_t bytes = kKeptByPool;
  KETMESH_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
  kept[device].store(true, std::memory_order_relaxed);
  return 0;
}

int allocate(const KetmeshCudaContext* context, std::uint64_t bytes, void** out) {
  KETMESH_ON(context);
  if (const int code = keep_pool(context->device); code != 0) return code;
  *out = nullptr;
  if (bytes < kFromPool)
    KETMESH_TRY(cudaMallocAsync(out, bytes, stream_of(context)));
  else
    KETMESH_TRY(cudaMalloc(out, bytes));
  return 0;
}

int release(const KetmeshCudaContext* context, void* data, std::uint64_t bytes) {
  KETMESH_ON(context);
  if (bytes < kFromPool)
    KETMESH_TRY(cudaFreeAsync(data, stream_of(context)));
  else
    KETMESH_TRY(cudaFree(data));
  return 0;
}

int copy(const KetmeshCudaContext* context, void* to, const void* from, std::uint64_t bytes) {
  KETMESH_ON(context);
  KETMESH_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(context)));
  return 0;
}

int synchronize(const KetmeshCudaContext* context) {
  KETMESH_ON(context);
  KETMESH_TRY(cudaStreamSynchronize(stream_of(context)));
  return 0;
}

}  // namespace
}  // namespace ketmesh::kernels::cuda

#ifndef KETMESH_BUILD_ID
#define KETMESH_BUILD_ID "unknown"
#endif

extern "C" __attribute__((visibility("default"))) const KetmeshCudaTable* ketmesh_cuda_table(std::uint32_t version) {
  namespace cuda = ketmesh::kernels::cuda;
  static const KetmeshCudaTable table = {KETMESH_CUDA_ABI_VERSION,
                                         KETMESH_BUILD_ID,
                                         cuda::last_error,
                                         cuda::device_count,
                                         cuda::device,
                                         cuda::allocate,
                                         cuda::release,
                                         cuda::copy,
                                         cuda::synchronize,
                                         cuda::fill_zero,
                                         cuda::set_amplitude,
                                         cuda::fill_product,
                                         cuda::prepare,
                                         cuda::compile,
                                         cuda::unprepare,
                                         cuda::run_pass,
                                         cuda::marginals,
                                         cuda::collapse,
                                         cuda::probabilities,
                                         cuda::read,
                                         cuda::pauli_sums,
                                         cuda::inner_product,
                                         cuda::apply_pauli,
                                         cuda::add,
                                         cuda::pack,
                                         cuda::unpack,
                                         cuda::pauli_read,
                                         cuda::swap_blocks,
                                         cuda::sample};
  return version == KETMESH_CUDA_ABI_VERSION ? &table : nullptr;
}
