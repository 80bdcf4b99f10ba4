// What the environment asks for: the KETMESH_* variables, read in one place.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ketmesh {

/// One reading of the environment; whoever makes a context or a program reads once and hands it on.
struct Settings {
  /// KETMESH_TIMEOUT: longest wait for another rank, seconds, more than 0.
  double timeout_seconds = 300;
  /// KETMESH_THREADS: compute threads of this process, 1..4096; unset: as many as the process may use.
  std::optional<int> threads;
  /// KETMESH_SIMD: the vector level to use instead of the best one; the kernels know the names.
  std::string simd;
  /// KETMESH_CUDA_LIBRARY, KETMESH_MPI_LIBRARY: absolute paths of plugins; empty: look beside the library.
  std::string cuda_library, mpi_library;
  /// KETMESH_MPI_DEVICE_POINTERS: 1 gives device memory to MPI, 0 never does; unset: as MPI says of itself.
  std::optional<bool> mpi_device_pointers;
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// Looks a variable up; nullptr when it is not set.
using EnvironmentLookup = std::function<const char*(const char* name)>;

/// An empty variable counts as unset. A value that cannot be understood throws OptionError with variable, value and range.
Settings read_settings(const EnvironmentLookup& lookup);
Settings read_settings();  ///< of this process

}  // namespace ketmesh
