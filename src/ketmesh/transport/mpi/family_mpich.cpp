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

}  // namespace ketmesh::transport::mpi
