#include "ketmesh/kernels/host_memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/base/memory.hpp"

namespace ketmesh::kernels {
namespace {

// Below this a mapping of its own (a system call and page faults each time) costs more than a run of a small circuit.
constexpr std::size_t kHeapLimit = 1_MiB;
constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kCopyBlock = 4_MiB;

}  // namespace

void* HostMemoryKernels::allocate(const DeviceContext&, std::size_t bytes) {
  if (bytes >= kHeapLimit) return HostMemory(bytes).release();
  void* p = ::operator new(std::max<std::size_t>(bytes, 64), kAlignment, std::nothrow);
  if (p == nullptr) throw DoesNotFit("the system refused " + std::to_string(bytes) + " bytes of host memory", bytes, 0);
  return p;
}

void HostMemoryKernels::release(const DeviceContext&, void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  if (bytes >= kHeapLimit)
    HostMemory::adopt(static_cast<std::byte*>(data), bytes);
  else
    ::operator delete(data, kAlignment);
}

void HostMemoryKernels::copy(const DeviceContext& context, void* to, const void* from, std::size_t bytes) {
  if (bytes < kCopyBlock || context.threads <= 1) {
    std::memmove(to, from, bytes);
    return;
  }
  const auto blocks = static_cast<std::int64_t>((bytes + kCopyBlock - 1) / kCopyBlock);
#pragma omp parallel for schedule(static) num_threads(context.threads)
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::size_t first = static_cast<std::size_t>(b) * kCopyBlock;
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first, std::min(kCopyBlock, bytes - first));
  }
}

void HostMemoryKernels::synchronize(const DeviceContext&) {}

}  // namespace ketmesh::kernels
