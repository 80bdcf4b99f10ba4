#include "ketmesh/transport/mpi/family.hpp"

namespace ketmesh::transport::mpi {

// Handles are indices of a table that is looked up with its bounds.
bool may_be_communicator(MPI_Fint handle) { return handle >= 0; }

}  // namespace ketmesh::transport::mpi
