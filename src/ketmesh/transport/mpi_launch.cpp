// Who started this process, told from the environment: without MPI, before MPI.
#include <dlfcn.h>
#include <link.h>

#include <charconv>
#include <string>

#include "ketmesh/transport/mpi_library.hpp"

namespace ketmesh::transport {
namespace {

std::optional<int> number(const EnvironmentLookup& lookup, const char* name) {
  const char* text = lookup(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0) return std::nullopt;
  return value;
}

/// The family of an opened library by a symbol that only one of them has; none: the library is no MPI, or of a third kind.
std::optional<MpiFamily> family_of(void* library) {
  if (dlsym(library, "MPI_Init_thread") == nullptr) return std::nullopt;
  if (dlsym(library, "ompi_mpi_comm_world") != nullptr) return MpiFamily::openmpi;
  return dlsym(library, "MPIR_Err_return_comm") != nullptr || dlsym(library, "MPI_F_STATUS_IGNORE") != nullptr
             ? std::optional(MpiFamily::mpich)
             : std::nullopt;
}

int visit(dl_phdr_info* info, std::size_t, void* out) {
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("libmpi.so") || name.starts_with("libmpich.so")) static_cast<std::vector<std::string>*>(out)->emplace_back(path);
  return 0;
}

}  // namespace

std::string_view to_string(MpiFamily family) { return family == MpiFamily::openmpi ? "Open MPI" : "MPICH"; }

Launch read_launch(const EnvironmentLookup& lookup) {
  const auto by = [&lookup](MpiFamily family, const char* rank, const char* size) {
    return Launch{family, number(lookup, rank).value_or(0), number(lookup, size).value_or(1), false};
  };
  if (number(lookup, "OMPI_COMM_WORLD_SIZE")) return by(MpiFamily::openmpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  // srun sets the variables of PMI and of PMIx, but the sizes of PMIx only where MPI asks for them.
  if (lookup("PMIX_RANK") != nullptr) return by(MpiFamily::openmpi, "PMIX_RANK", "SLURM_STEP_NUM_TASKS");
  if (number(lookup, "PMI_SIZE")) return by(MpiFamily::mpich, "PMI_RANK", "PMI_SIZE");
  const int tasks = number(lookup, "SLURM_STEP_NUM_TASKS").value_or(1);
  const auto task = number(lookup, "SLURM_PROCID");
  if (tasks > 1 && task) return {std::nullopt, *task, tasks, true};
  return {};
}

std::vector<LoadedMpi> loaded_mpis() {
  std::vector<std::string> paths;
  dl_iterate_phdr(visit, &paths);
  std::vector<LoadedMpi> out;
  for (const std::string& path : paths) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (const auto family = family_of(library)) out.push_back({*family, path});
    dlclose(library);
  }
  return out;
}

}  // namespace ketmesh::transport
