#include <dlfcn.h>

#include <cstdint>

#include "ketmesh/transport/mpi/family.hpp"

namespace ketmesh::transport::mpi {

// A handle says in its top two bits how it is stored (0: not at all) and in the next four what it is (1: a communicator); the rest is an index,
// for the predefined ones (1) below 3.
bool may_be_communicator(MPI_Fint handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  const std::uint32_t storage = bits >> 30, kind = bits >> 26 & 0xfu, index = bits & 0x3ffffffu;
  return storage != 0 && kind == 1 && (storage != 1 || index < 3) && (storage != 2 || index < 256);
}

// An extension: not every build has it. 0 is MPIX_GPU_SUPPORT_CUDA.
bool says_it_takes_device_memory() {
  const auto query = reinterpret_cast<int (*)(int, int*)>(dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support"));
  int takes = 0;
  return query != nullptr && query(0, &takes) == MPI_SUCCESS && takes != 0;
}

}  // namespace ketmesh::transport::mpi
