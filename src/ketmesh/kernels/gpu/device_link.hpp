// Streams, events, pinned memory, and memory of GPUs that other devices and other processes reach: what moves amplitudes between GPUs. An interface, so
// that what is built on it is tested where there is no GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ketmesh::kernels {

/// Memory or an event of this process, as bytes that open it in another one of the same host.
using LinkHandle = std::array<std::byte, 64>;
using NcclId = std::array<std::byte, 128>;

/// Who reaches the memory of a landing: devices of this process, other processes too, or every device because it is the host's.
enum class Reach : std::uint8_t { here, others, host };

/// Memory into which others send, with events that they wait for and record.
struct Landing {
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::array<void*, 8> events{};
  Reach reach = Reach::here;
};

/// A message each way between a member of a communicator that is here and another member.
struct NcclSwap {
  void* communicator = nullptr;
  void* stream = nullptr;
  int device = 0, peer = 0;
  const void* out = nullptr;
  void* in = nullptr;
  std::size_t bytes = 0;
};

/// Every member throws TransportError with CUDA's own words when a call fails; none waits for a device but stream_destroy.
class DeviceLink {
 public:
  using Stream = void*;
  using Event = void*;
  virtual ~DeviceLink() = default;

  /// The physical GPU, without making a context on it.
  virtual std::string uuid(int device) = 0;

  virtual void* pinned(int device, std::size_t bytes) = 0;  ///< throws DoesNotFit
  virtual void unpin(void* data) noexcept = 0;
  virtual Stream make_stream(int device) = 0;  ///< ordered with no other one but by events
  virtual void end_stream(int device, Stream stream) noexcept = 0;
  virtual Event make_event(int device, bool for_others) = 0;
  virtual void end_event(int device, Event event) noexcept = 0;
  virtual void record(int device, Event event, Stream stream) = 0;
  /// What is put on the stream from now on waits for what the event last recorded; an event that never did is done.
  virtual void wait(int device, Stream stream, Event event) = 0;
  virtual bool done(int device, Event event) = 0;

  /// Lets `device` reach the memory of `other` where the machine can.
  virtual bool reach(int device, int other) = 0;
  /// At least `bytes`. What other processes may have open is not freed when it is given back, but used again. Throws DoesNotFit.
  virtual Landing take(int device, std::size_t bytes, Reach reach) = 0;
  virtual void give_back(int device, const Landing& landing) noexcept = 0;
  virtual LinkHandle export_memory(int device, void* data) = 0;
  /// Open until the process ends; the same handle gives the same memory.
  virtual void* open_memory(int device, const LinkHandle& handle) = 0;
  virtual LinkHandle export_event(int device, Event event) = 0;
  virtual Event open_event(int device, const LinkHandle& handle) = 0;

  /// "" when NCCL can be used, else why not.
  virtual std::string nccl_missing() = 0;
  virtual NcclId nccl_id() = 0;
  /// The members that are here, numbers[k] on devices[k], of one communicator of `size`; ready when nccl_ready says so of each.
  virtual void nccl_open(const NcclId& id, int size, std::span<const std::int32_t> numbers, std::span<const std::int32_t> devices,
                         std::span<void*> communicators) = 0;
  virtual bool nccl_ready(void* communicator) = 0;
  virtual void nccl_close(void* communicator, bool failed) noexcept = 0;
  virtual void nccl_swap(std::span<const NcclSwap> swaps) = 0;
};

/// That of the CUDA plugin. Throws BackendUnavailable with the reason.
DeviceLink& cuda_link();

}  // namespace ketmesh::kernels
