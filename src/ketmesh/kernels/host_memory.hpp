// Memory entries shared by the backends that live in host memory.
#pragma once

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels {

/// Large blocks come from HostMemory (2 MiB aligned, huge pages asked for), small ones from the heap, 64-byte aligned.
struct HostMemoryKernels {
  static void* allocate(const DeviceContext&, std::size_t bytes);
  static void release(const DeviceContext&, void* data, std::size_t bytes) noexcept;
  static void copy(const DeviceContext&, void* to, const void* from, std::size_t bytes);
  static void synchronize(const DeviceContext&);
};

}  // namespace ketmesh::kernels
