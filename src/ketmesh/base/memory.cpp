#include "ketmesh/base/memory.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <string>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

std::size_t mapped_length(std::size_t bytes) { return round_up(bytes, bytes >= kHugePage ? kHugePage : 4096); }

}  // namespace

HostMemory::HostMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  // Small states stay on ordinary pages: a huge page would make a 16-amplitude state cost 2 MiB.
  const bool huge = bytes >= kHugePage;
  const std::size_t length = mapped_length(bytes);
  const std::size_t reserve = huge ? length + kHugePage : length;
  void* p = mmap(nullptr, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw DoesNotFit("the system refused " + std::to_string(bytes) + " bytes of host memory", bytes, 0);
  auto begin = reinterpret_cast<std::uintptr_t>(p);
  if (huge) {
    const std::uintptr_t aligned = round_up(begin, kHugePage);
    if (aligned > begin) munmap(p, aligned - begin);
    const std::size_t tail = begin + reserve - (aligned + length);
    if (tail > 0) munmap(reinterpret_cast<void*>(aligned + length), tail);
    begin = aligned;
    madvise(reinterpret_cast<void*>(begin), length, MADV_HUGEPAGE);  // a wish: its refusal changes nothing
  }
  data_ = std::unique_ptr<std::byte, Unmap>(reinterpret_cast<std::byte*>(begin), Unmap{length});
}

std::byte* HostMemory::release() noexcept {
  bytes_ = 0;
  return data_.release();
}

HostMemory HostMemory::adopt(std::byte* data, std::size_t bytes) noexcept {
  HostMemory memory;
  memory.data_ = std::unique_ptr<std::byte, Unmap>(data, Unmap{mapped_length(bytes)});
  memory.bytes_ = bytes;
  return memory;
}

void HostMemory::Unmap::operator()(std::byte* p) const noexcept { munmap(p, mapped); }

}  // namespace ketmesh
