// Ranks that are the processes of an MPI job. No type of MPI is named here: communicators are Fortran handles as integers, the same in C++ and
// in Python (`comm.py2f()`); <ketmesh/mpi.hpp> takes an MPI_Comm.
#pragma once

#include <cstdint>
#include <memory>

#include "ketmesh/transport/collective.hpp"

namespace ketmesh {

/// What the environment says of who started this process.
struct LaunchedProcess {
  int rank = 0, size = 1;    ///< among the processes that were started together
  bool by_mpi = false;       ///< by a launcher of MPI
  bool without_mpi = false;  ///< srun started several tasks and told none of them how to find the others
};
LaunchedProcess launched_process();

/// Initialises MPI (thread level serialized) when nobody has. Nothing else in the library does. Throws BackendUnavailable with the reason when no MPI
/// or no plugin for it is found, or when it was initialised with thread level single.
void init_mpi();

/// Whether MPI is initialised and not finalised in this process, by whomever, and the backend not ended. Never throws, opens nothing.
bool is_mpi_initialized();

/// The ranks of any communicator (split, reordered, ...) by its Fortran handle. It is duplicated, errors are returned on the duplicates, and they are
/// freed before MPI ends; the communicator itself is left alone. Collective over it. MPI must be initialised with thread level funneled (then only the
/// main thread may use what is returned) or higher. Throws BackendUnavailable, OptionError for what is no communicator, TransportError when the other
/// ranks do not come within the timeout.
std::shared_ptr<CollectiveCommunicator> mpi_communicator(std::int64_t fortran_handle, double timeout_seconds = 300);

/// All ranks that the launcher started.
std::shared_ptr<CollectiveCommunicator> launcher_communicator(double timeout_seconds = 300);

/// Ends the backend before MPI ends: frees every duplicate, and finalises MPI when init_mpi() initialised it. Fine after results, twice, or when MPI was
/// never used; throws BackendUnavailable while states over MPI ranks are alive. Afterwards communicators and the above throw BackendUnavailable that
/// says "finalized". Collective where MPI's own end is.
void finalize_mpi();

}  // namespace ketmesh
