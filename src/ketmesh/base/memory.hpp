// Host memory for amplitudes: 2 MiB aligned, huge pages asked for, untouched until first use.
#pragma once

#include <cstddef>
#include <memory>

namespace ketmesh {

/// Owns `bytes` of zero pages that no thread has touched (first touch decides the NUMA node). Move-only.
/// Throws DoesNotFit with sizes when the system refuses.
class HostMemory {
 public:
  HostMemory() = default;
  explicit HostMemory(std::size_t bytes);
  std::byte* data() const noexcept { return data_.get(); }
  std::size_t bytes() const noexcept { return bytes_; }
  /// Gives the memory away; adopt() with the same number of bytes takes it back.
  std::byte* release() noexcept;
  static HostMemory adopt(std::byte* data, std::size_t bytes) noexcept;

 private:
  struct Unmap {
    std::size_t mapped;
    Unmap() noexcept : mapped(0) {}
    explicit Unmap(std::size_t length) noexcept : mapped(length) {}
    void operator()(std::byte* p) const noexcept;
  };
  std::unique_ptr<std::byte, Unmap> data_;
  std::size_t bytes_ = 0;
};

}  // namespace ketmesh
