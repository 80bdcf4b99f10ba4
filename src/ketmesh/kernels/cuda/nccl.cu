#include <dlfcn.h>

#include <chrono>
#include <climits>
#include <cstddef>
#include <cstring>
#include <string>

#include "ketmesh/kernels/cuda/nccl.hpp"
#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {
namespace {

// The part of NCCL's interface that is used, as its documentation gives it; numbers and layouts are fixed since version 2.18.
constexpr int kOldest = 21800;
constexpr int kSuccess = 0, kInProgress = 7, kInt8 = 0;
struct Id {
  char bytes[KETMESH_NCCL_ID_BYTES];
};
struct Config {
  std::size_t size = sizeof(Config);
  unsigned int magic = 0xcafebeef;
  unsigned int version = 21800;
  int blocking = INT_MIN;
  int cga_cluster_size = INT_MIN, min_ctas = INT_MIN, max_ctas = INT_MIN;
  const char* net_name = nullptr;
  int split_share = INT_MIN;
};
using Comm = void*;
constexpr std::chrono::seconds kPatience{10};  // for the end of a communicator

struct Library {
  std::string missing;  ///< empty when all is there
  int (*version)(int*) = nullptr;
  int (*unique_id)(Id*) = nullptr;
  int (*init)(Comm*, int, Id, int, Config*) = nullptr;
  int (*async_error)(Comm, int*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(const void*, std::size_t, int, int, Comm, cudaStream_t) = nullptr;
  int (*receive)(void*, std::size_t, int, int, Comm, cudaStream_t) = nullptr;
  int (*drop)(Comm) = nullptr;
  int (*destroy)(Comm) = nullptr;
  int (*finalize)(Comm) = nullptr;
  const char* (*text)(int) = nullptr;
};

Library open_library() {
  Library out;
  void* const handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    out.missing = std::string("NCCL cannot be opened: ") + (why != nullptr ? why : "libnccl.so.2");
    return out;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && out.missing.empty()) out.missing = std::string("libnccl.so.2 has no ") + name;
  };
  find(out.version, "ncclGetVersion");
  find(out.unique_id, "ncclGetUniqueId");
  find(out.init, "ncclCommInitRankConfig");
  find(out.async_error, "ncclCommGetAsyncError");
  find(out.group_start, "ncclGroupStart");
  find(out.group_end, "ncclGroupEnd");
  find(out.send, "ncclSend");
  find(out.receive, "ncclRecv");
  find(out.drop, "ncclCommAbort");
  find(out.destroy, "ncclCommDestroy");
  find(out.finalize, "ncclCommFinalize");
  find(out.text, "ncclGetErrorString");
  if (!out.missing.empty()) return out;
  int version = 0;
  if (out.version(&version) != kSuccess || version < kOldest)
    out.missing = "NCCL is of version " + std::to_string(version) + ": " + std::to_string(kOldest) + " or later is needed";
  return out;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

int missing() {
  error_text() = library().missing;
  return KETMESH_NCCL_UNAVAILABLE;
}

int checked(int code, const char* what) {
  if (code == kSuccess || code == kInProgress) return 0;
  error_text() = std::string(what) + ": " + library().text(code);
  return KETMESH_CUDA_FAILED;
}

#define KETMESH_NCCL(call) \
  if (const int code = checked(library().call, #call); code != 0) return code

}  // namespace

int nccl_version(std::int32_t* version) {
  if (!library().missing.empty()) return missing();
  int value = 0;
  KETMESH_NCCL(version(&value));
  *version = value;
  return 0;
}

int nccl_id(void* id) {
  if (!library().missing.empty()) return missing();
  Id made{};
  KETMESH_NCCL(unique_id(&made));
  std::memcpy(id, &made, sizeof made);
  return 0;
}

int nccl_open(const void* id, std::int32_t size, std::int32_t count, const std::int32_t* number, const std::int32_t* device,
              void** communicators) {
  if (!library().missing.empty()) return missing();
  Id of_all{};
  std::memcpy(&of_all, id, sizeof of_all);
  KETMESH_NCCL(group_start());
  for (std::int32_t k = 0; k < count; ++k) {
    KETMESH_TRY(cudaSetDevice(device[k]));
    Config config;
    config.blocking = 0;
    KETMESH_NCCL(init(&communicators[k], size, of_all, number[k], &config));
  }
  KETMESH_NCCL(group_end());
  return 0;
}

int nccl_ready(void* communicator, std::int32_t* ready) {
  int state = kSuccess;
  KETMESH_NCCL(async_error(communicator, &state));
  *ready = state == kInProgress ? 0 : 1;
  return checked(state, "NCCL");
}

int nccl_close(void* communicator, std::int32_t give_up) {
  int state = kInProgress;
  if (give_up == 0) {
    KETMESH_NCCL(finalize(communicator));
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (state == kInProgress && std::chrono::steady_clock::now() < end) KETMESH_NCCL(async_error(communicator, &state));
  }
  if (state == kInProgress) {  // the other members do not come to the end
    KETMESH_NCCL(drop(communicator));
    return 0;
  }
  KETMESH_NCCL(destroy(communicator));
  return 0;
}

int nccl_swap(const KetmeshNcclSwap* swaps, std::int32_t count) {
  KETMESH_NCCL(group_start());
  for (std::int32_t k = 0; k < count; ++k) {
    const KetmeshNcclSwap& s = swaps[k];
    KETMESH_TRY(cudaSetDevice(s.device));
    KETMESH_NCCL(send(s.out, s.bytes, kInt8, s.peer, s.communicator, static_cast<cudaStream_t>(s.stream)));
    KETMESH_NCCL(receive(s.in, s.bytes, kInt8, s.peer, s.communicator, static_cast<cudaStream_t>(s.stream)));
  }
  KETMESH_NCCL(group_end());
  return 0;
}

}  // namespace ketmesh::kernels::cuda
