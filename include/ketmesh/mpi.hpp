// For programs that use MPI themselves: an MPI_Comm as a world of ranks. Header-only; compiled with the user's own mpi.h.
#pragma once

#include <mpi.h>

#include <memory>

#include "ketmesh/transport/mpi.hpp"

namespace ketmesh::mpi {

/// The ranks of `comm`; see mpi_communicator(). The MPI of the program must be the one that the process has loaded.
inline std::shared_ptr<CollectiveCommunicator> communicator(MPI_Comm comm, double timeout_seconds = 300) {
  return mpi_communicator(MPI_Comm_c2f(comm), timeout_seconds);
}

}  // namespace ketmesh::mpi
