// Finds and opens an MPI and the plugin for it, on first need. Nothing of MPI is in the core.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/base/settings.hpp"
#include "ketmesh/transport/mpi/abi.h"

namespace ketmesh::transport {

enum class MpiFamily : std::uint8_t { openmpi, mpich };
std::string_view to_string(MpiFamily family);  ///< "Open MPI", "MPICH"

/// What the launcher of this process says in the environment.
struct Launch {
  std::optional<MpiFamily> family;  ///< none: not started by a launcher of MPI
  int rank = 0, size = 1;           ///< among the processes that were started together
  bool without_mpi = false;         ///< several tasks were started by srun, and none of them is told how to find the others
};
Launch read_launch(const EnvironmentLookup& lookup);

/// An MPI library that this process has loaded already.
struct LoadedMpi {
  MpiFamily family;
  std::string path;
};
std::vector<LoadedMpi> loaded_mpis();

struct MpiLibrary {
  const KetmeshMpiTable* table = nullptr;  ///< null: `reason` says why
  std::string reason, plugin, library;     ///< paths of what was opened
  MpiFamily family = MpiFamily::openmpi;
};

/// The MPI that this process has loaded, else the one that its launcher is of, else one that is installed; opened once. Never throws; what
/// failed is tried again by the next call. The plugin: KETMESH_MPI_LIBRARY and nothing else, or beside this library, or on the library path.
MpiLibrary mpi_library();

/// Throws BackendUnavailable with the reason.
const KetmeshMpiTable& mpi_table();

}  // namespace ketmesh::transport
