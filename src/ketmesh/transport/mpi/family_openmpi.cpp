#include <dlfcn.h>

#include "ketmesh/transport/mpi/family.hpp"

namespace ketmesh::transport::mpi {

// Handles are indices of a table that is looked up with its bounds.
bool may_be_communicator(MPI_Fint handle) { return handle >= 0; }

// An extension: not every build has it.
bool says_it_takes_device_memory() {
  const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  return query != nullptr && query() == 1;
}

}  // namespace ketmesh::transport::mpi
