// The second exported table: streams, events, pinned memory, peers and other processes.
#include <cstdio>
#include <cstring>

#include "ketmesh/kernels/cuda/nccl.hpp"
#include "ketmesh/kernels/cuda/plugin.hpp"
#include "ketmesh/kernels/gpu/transfer_abi.h"

namespace ketmesh::kernels::cuda {
namespace {

#define KETMESH_AT(device) KETMESH_TRY(cudaSetDevice(device))

static_assert(sizeof(cudaIpcMemHandle_t) == KETMESH_CUDA_HANDLE_BYTES && sizeof(cudaIpcEventHandle_t) == KETMESH_CUDA_HANDLE_BYTES);

cudaStream_t stream_at(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t event_at(void* event) { return static_cast<cudaEvent_t>(event); }

const char* transfer_error() { return error_text().c_str(); }

int identity(std::int32_t device, KetmeshCudaIdentity* out) {
  cudaDeviceProp p{};
  KETMESH_TRY(cudaGetDeviceProperties(&p, device));
  std::memset(out, 0, sizeof *out);
  format_uuid(p.uuid, out->uuid, sizeof out->uuid);
  KETMESH_TRY(cudaDeviceGetPCIBusId(out->pci, sizeof out->pci, device));
  return 0;
}

int pinned(std::int32_t device, std::uint64_t bytes, void** out) {
  KETMESH_AT(device);
  *out = nullptr;
  KETMESH_TRY(cudaHostAlloc(out, bytes, cudaHostAllocPortable));
  return 0;
}

int unpin(void* data) {
  KETMESH_TRY(cudaFreeHost(data));
  return 0;
}

int stream_create(std::int32_t device, void** stream) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t*>(stream), cudaStreamNonBlocking));
  return 0;
}

int stream_destroy(std::int32_t device, void* stream) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaStreamSynchronize(stream_at(stream)));
  KETMESH_TRY(cudaStreamDestroy(stream_at(stream)));
  return 0;
}

int event_create(std::int32_t device, std::int32_t for_others, void** event) {
  KETMESH_AT(device);
  const unsigned flags = cudaEventDisableTiming | (for_others != 0 ? cudaEventInterprocess : 0u);
  KETMESH_TRY(cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(event), flags));
  return 0;
}

int event_destroy(std::int32_t device, void* event) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaEventDestroy(event_at(event)));
  return 0;
}

int event_record(std::int32_t device, void* event, void* stream) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaEventRecord(event_at(event), stream_at(stream)));
  return 0;
}

int event_wait(std::int32_t device, void* stream, void* event) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaStreamWaitEvent(stream_at(stream), event_at(event), 0));
  return 0;
}

int event_done(std::int32_t device, void* event, std::int32_t* done) {
  KETMESH_AT(device);
  const cudaError_t state = cudaEventQuery(event_at(event));
  *done = state == cudaSuccess ? 1 : 0;
  if (state == cudaErrorNotReady) {
    cudaGetLastError();
    return 0;
  }
  KETMESH_TRY(state);
  return 0;
}

int peer(std::int32_t device, std::int32_t other, std::int32_t* possible) {
  *possible = 1;
  if (device == other) return 0;
  int can = 0;
  KETMESH_TRY(cudaDeviceCanAccessPeer(&can, device, other));
  *possible = can;
  if (can == 0) return 0;
  KETMESH_AT(device);
  const cudaError_t state = cudaDeviceEnablePeerAccess(other, 0);
  if (state == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return 0;
  }
  KETMESH_TRY(state);
  return 0;
}

int memory_export(std::int32_t device, void* data, void* handle) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaIpcGetMemHandle(static_cast<cudaIpcMemHandle_t*>(handle), data));
  return 0;
}

int memory_open(std::int32_t device, const void* handle, void** data) {
  KETMESH_AT(device);
  cudaIpcMemHandle_t of_other{};
  std::memcpy(&of_other, handle, sizeof of_other);
  KETMESH_TRY(cudaIpcOpenMemHandle(data, of_other, cudaIpcMemLazyEnablePeerAccess));
  return 0;
}

int memory_close(std::int32_t device, void* data) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaIpcCloseMemHandle(data));
  return 0;
}

int event_export(std::int32_t device, void* event, void* handle) {
  KETMESH_AT(device);
  KETMESH_TRY(cudaIpcGetEventHandle(static_cast<cudaIpcEventHandle_t*>(handle), event_at(event)));
  return 0;
}

int event_open(std::int32_t device, const void* handle, void** event) {
  KETMESH_AT(device);
  cudaIpcEventHandle_t of_other{};
  std::memcpy(&of_other, handle, sizeof of_other);
  KETMESH_TRY(cudaIpcOpenEventHandle(reinterpret_cast<cudaEvent_t*>(event), of_other));
  return 0;
}

}  // namespace
}  // namespace ketmesh::kernels::cuda

extern "C" __attribute__((visibility("default"))) const KetmeshCudaTransferTable* ketmesh_cuda_transfer_table(std::uint32_t version) {
  namespace cuda = ketmesh::kernels::cuda;
  static const KetmeshCudaTransferTable table = {KETMESH_CUDA_TRANSFER_VERSION,
                                                 cuda::transfer_error,
                                                 cuda::identity,
                                                 cuda::pinned,
                                                 cuda::unpin,
                                                 cuda::stream_create,
                                                 cuda::stream_destroy,
                                                 cuda::event_create,
                                                 cuda::event_destroy,
                                                 cuda::event_record,
                                                 cuda::event_wait,
                                                 cuda::event_done,
                                                 cuda::peer,
                                                 cuda::memory_export,
                                                 cuda::memory_open,
                                                 cuda::memory_close,
                                                 cuda::event_export,
                                                 cuda::event_open,
                                                 cuda::nccl_version,
                                                 cuda::nccl_id,
                                                 cuda::nccl_open,
                                                 cuda::nccl_ready,
                                                 cuda::nccl_close,
                                                 cuda::nccl_swap};
  return version == KETMESH_CUDA_TRANSFER_VERSION ? &table : nullptr;
}
