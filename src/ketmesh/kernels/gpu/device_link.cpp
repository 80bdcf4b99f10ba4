#include "ketmesh/kernels/gpu/device_link.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/abi.h"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/kernels/gpu/transfer_abi.h"

namespace ketmesh::kernels {
namespace {

static_assert(sizeof(LinkHandle) == KETMESH_CUDA_HANDLE_BYTES && sizeof(NcclId) == KETMESH_NCCL_ID_BYTES);

/// The functions of the plugin as exceptions.
class CudaLink final : public DeviceLink {
 public:
  explicit CudaLink(const KetmeshCudaTransferTable& table) : t_(table) {}

  std::string uuid(int device) override {
    KetmeshCudaIdentity out{};
    check(t_.identity(device, &out), "the identity of a GPU");
    return out.uuid;
  }
  void* pinned(int device, std::size_t bytes) override {
    void* out = nullptr;
    check(t_.pinned(device, bytes, &out), "pinned host memory", bytes);
    return out;
  }
  void unpin(void* data) noexcept override { t_.unpin(data); }
  Stream make_stream(int device) override {
    Stream out = nullptr;
    check(t_.stream_create(device, &out), "a stream");
    return out;
  }
  void end_stream(int device, Stream stream) noexcept override { t_.stream_destroy(device, stream); }
  Event make_event(int device, bool for_others) override {
    Event out = nullptr;
    check(t_.event_create(device, for_others ? 1 : 0, &out), "an event");
    return out;
  }
  void end_event(int device, Event event) noexcept override { t_.event_destroy(device, event); }
  void record(int device, Event event, Stream stream) override { check(t_.event_record(device, event, stream), "an event"); }
  void wait(int device, Stream stream, Event event) override { check(t_.event_wait(device, stream, event), "an event"); }
  bool done(int device, Event event) override {
    std::int32_t out = 0;
    check(t_.event_done(device, event, &out), "an event");
    return out != 0;
  }

  bool reach(int device, int other) override {
    std::int32_t out = 0;
    check(t_.peer(device, other, &out), "peer access");
    return out != 0;
  }
  Landing take(int device, std::size_t bytes, Reach reach) override {
    const std::lock_guard lock(mutex_);
    const auto fits = std::find_if(kept_.begin(), kept_.end(),
                                   [&](const auto& k) { return reach == Reach::others && k.first == device && k.second.bytes >= bytes; });
    if (fits != kept_.end()) {
      const Landing landing = fits->second;
      kept_.erase(fits);
      return landing;
    }
    Landing landing;
    landing.reach = reach;
    // Small allocations share blocks with others of this process, and a handle opens the whole block.
    landing.bytes = (bytes + kBlock - 1) / kBlock * kBlock;
    landing.memory = reach == Reach::host ? pinned(device, landing.bytes) : memory().allocate({.ordinal = device}, landing.bytes);
    for (void*& event : landing.events) event = make_event(device, reach == Reach::others);
    return landing;
  }
  void give_back(int device, const Landing& landing) noexcept override {
    if (landing.memory == nullptr) return;
    if (landing.reach == Reach::others) {
      const std::lock_guard lock(mutex_);
      kept_.emplace_back(device, landing);
      return;
    }
    for (void* event : landing.events) end_event(device, event);
    if (landing.reach == Reach::host) return unpin(landing.memory);
    memory().release({.ordinal = device}, landing.memory, landing.bytes);
  }
  LinkHandle export_memory(int device, void* data) override {
    LinkHandle out{};
    check(t_.memory_export(device, data, out.data()), "memory for other processes (CUDA IPC)");
    return out;
  }
  void* open_memory(int device, const LinkHandle& handle) override {
    const std::lock_guard lock(mutex_);
    for (const Opened& o : opened_)
      if (o.device == device && o.handle == handle) return o.memory;
    void* out = nullptr;
    check(t_.memory_open(device, handle.data(), &out), "memory of another process (CUDA IPC)");
    opened_.push_back({device, handle, out});
    return out;
  }
  LinkHandle export_event(int device, Event event) override {
    LinkHandle out{};
    check(t_.event_export(device, event, out.data()), "an event for other processes (CUDA IPC)");
    return out;
  }
  Event open_event(int device, const LinkHandle& handle) override {
    Event out = nullptr;
    check(t_.event_open(device, handle.data(), &out), "an event of another process (CUDA IPC)");
    return out;
  }

  std::string nccl_missing() override {
    std::int32_t version = 0;
    return t_.nccl_version(&version) == 0 ? std::string() : std::string(t_.last_error());
  }
  NcclId nccl_id() override {
    NcclId out{};
    check(t_.nccl_id(out.data()), "NCCL");
    return out;
  }
  void nccl_open(const NcclId& id, int size, std::span<const std::int32_t> numbers, std::span<const std::int32_t> devices,
                 std::span<void*> communicators) override {
    check(t_.nccl_open(id.data(), size, static_cast<std::int32_t>(numbers.size()), numbers.data(), devices.data(), communicators.data()),
          "NCCL");
  }
  bool nccl_ready(void* communicator) override {
    std::int32_t out = 0;
    check(t_.nccl_ready(communicator, &out), "NCCL");
    return out != 0;
  }
  void nccl_close(void* communicator, bool failed) noexcept override { t_.nccl_close(communicator, failed ? 1 : 0); }
  void nccl_swap(std::span<const NcclSwap> swaps) override {
    std::vector<KetmeshNcclSwap> all;
    all.reserve(swaps.size());
    for (const NcclSwap& s : swaps) all.push_back({s.communicator, s.stream, s.device, s.peer, s.out, s.in, s.bytes});
    check(t_.nccl_swap(all.data(), static_cast<std::int32_t>(all.size())), "NCCL");
  }

 private:
  static constexpr std::size_t kBlock = 2_MiB;
  struct Opened {
    int device;
    LinkHandle handle;
    void* memory;
  };
  static const Kernels& memory() { return cuda_kernels(Precision::single); }
  void check(int code, const char* what, std::uint64_t bytes = 0) const {
    if (code == 0) return;
    const std::string text = std::string(what) + ": " + t_.last_error();
    if (code == KETMESH_CUDA_OUT_OF_MEMORY) throw DoesNotFit(text + " (" + std::to_string(bytes) + " bytes)", bytes, 0);
    throw TransportError(text);
  }
  const KetmeshCudaTransferTable& t_;
  std::mutex mutex_;
  std::vector<std::pair<int, Landing>> kept_;
  std::vector<Opened> opened_;
};

const KetmeshCudaTransferTable* open_table() {
  // The plugin stays open once it is in use: opened again it is the same one.
  void* const library = dlopen(cuda_status().library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto entry = reinterpret_cast<KetmeshCudaTransferEntry>(dlsym(library, "ketmesh_cuda_transfer_table"));
  return entry == nullptr ? nullptr : entry(KETMESH_CUDA_TRANSFER_VERSION);
}

}  // namespace

DeviceLink& cuda_link() {
  const CudaStatus& status = cuda_status();
  if (!status.available) throw BackendUnavailable(status.reason, "`ketmesh doctor` tells what is missing");
  static const KetmeshCudaTransferTable* const table = open_table();
  if (table == nullptr)
    throw BackendUnavailable(status.library + " is of another version: it has no table of transfers", "build both together");
  static CudaLink link(*table);
  return link;
}

}  // namespace ketmesh::kernels
