// What differs between the two families of MPI: one file answers for each.
#pragma once

#include <mpi.h>

namespace ketmesh::transport::mpi {

/// Whether a Fortran handle has the form of a communicator's: looking up one that has not may crash.
bool may_be_communicator(MPI_Fint handle);

/// Whether this MPI says that it takes pointers to the memory of NVIDIA GPUs.
bool says_it_takes_device_memory();

}  // namespace ketmesh::transport::mpi
