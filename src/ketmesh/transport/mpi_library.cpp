#include "ketmesh/transport/mpi_library.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/elf_check.hpp"

namespace ketmesh::transport {
namespace {

constexpr std::array kFamilies = {MpiFamily::openmpi, MpiFamily::mpich};

std::string plugin_name(MpiFamily family) { return family == MpiFamily::openmpi ? "libketmesh_mpi_openmpi.so" : "libketmesh_mpi_mpich.so"; }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

/// Folder of the program that started this one: a launcher has its MPI beside it.
std::string launcher_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink(("/proc/" + std::to_string(getppid()) + "/exe").c_str(), path.data(), path.size() - 1);
  return length > 0 ? folder_of(path.data()) : std::string();
}

std::vector<std::string> mpi_candidates(MpiFamily family) {
  const std::vector<std::string> names =
      family == MpiFamily::openmpi ? std::vector<std::string>{"libmpi.so.40"} : std::vector<std::string>{"libmpich.so.12", "libmpi.so.12"};
  std::vector<std::string> out;
  if (const std::string folder = launcher_folder(); !folder.empty())
    for (const std::string& name : names)
      if (const std::string path = folder + "../lib/" + name; access(path.c_str(), R_OK) == 0) out.push_back(path);
  out.insert(out.end(), names.begin(), names.end());
  return out;
}

std::vector<std::string> plugin_candidates(MpiFamily family, const std::string& chosen) {
  if (!chosen.empty()) return {chosen};
  std::vector<std::string> out;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&plugin_candidates), &self) != 0 && self.dli_fname != nullptr)
    out.push_back(folder_of(self.dli_fname) + plugin_name(family));
  out.push_back(plugin_name(family));
  return out;
}

struct Opened {
  void* handle = nullptr;
  std::string path, reason;
};

/// The first of `paths` that opens. A file that is cut short would crash the loader, so its sizes are looked at first.
Opened open_first(const std::vector<std::string>& paths, int mode) {
  Opened out;
  for (const std::string& path : paths) {
    if (path.find('/') != std::string::npos) {
      if (const std::string wrong = elf_fault(path); !wrong.empty()) {
        if (out.reason.empty()) out.reason = wrong;
        continue;
      }
    }
    out.handle = dlopen(path.c_str(), mode);
    if (out.handle != nullptr) {
      out.path = path;
      return out;
    }
    const char* why = dlerror();
    if (out.reason.empty()) out.reason = why != nullptr ? why : path;
  }
  return out;
}

/// One family: its MPI visible to the plugin, then the plugin.
MpiLibrary open_family(MpiFamily family, const std::string& loaded, const std::string& chosen) {
  MpiLibrary out;
  out.family = family;
  const Opened mpi = loaded.empty() ? open_first(mpi_candidates(family), RTLD_NOW | RTLD_GLOBAL)
                                    : open_first({loaded}, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  if (mpi.handle == nullptr) {
    out.reason = std::string(to_string(family)) + " cannot be opened: " + mpi.reason;
    return out;
  }
  const Opened plugin = open_first(plugin_candidates(family, chosen), RTLD_NOW | RTLD_LOCAL);
  const auto give_up = [&](std::string reason) {
    out.reason = std::move(reason);
    if (plugin.handle != nullptr) dlclose(plugin.handle);
    dlclose(mpi.handle);
    return out;
  };
  if (plugin.handle == nullptr) return give_up("the plugin for " + std::string(to_string(family)) + " cannot be opened: " + plugin.reason);
  const auto entry = reinterpret_cast<KetmeshMpiEntry>(dlsym(plugin.handle, "ketmesh_mpi_table"));
  if (entry == nullptr) return give_up(plugin.path + " is not an MPI plugin of Ketmesh");
  const KetmeshMpiTable* const table = entry(KETMESH_MPI_ABI_VERSION);
  if (table == nullptr) return give_up(plugin.path + " is of another version");
  if (const std::string_view of = table->family; of != (family == MpiFamily::openmpi ? "openmpi" : "mpich"))
    return give_up(plugin.path + " is for " + std::string(of) + (loaded.empty() ? ", this is " : ", the process has loaded ") +
                   std::string(to_string(family)) + " (" + (loaded.empty() ? mpi.path : loaded) + ")");
  Dl_info where{};
  if (dladdr(dlsym(mpi.handle, "MPI_Init_thread"), &where) != 0 && where.dli_fname != nullptr) out.library = where.dli_fname;
  out.plugin = plugin.path;
  out.table = table;
  return out;
}

MpiLibrary open_any() {
  std::string chosen;
  try {
    chosen = read_settings().mpi_library;
  } catch (const OptionError& error) {
    return {nullptr, error.what(), {}, {}, MpiFamily::openmpi};
  }
  if (const auto loaded = loaded_mpis(); !loaded.empty()) return open_family(loaded.front().family, loaded.front().path, chosen);
  if (const Launch launch = read_launch([](const char* name) { return std::getenv(name); }); launch.family)
    return open_family(*launch.family, {}, chosen);
  std::string reasons;
  for (const MpiFamily family : kFamilies) {
    MpiLibrary library = open_family(family, {}, chosen);
    if (library.table != nullptr) return library;
    reasons += (reasons.empty() ? "" : "; ") + library.reason;
  }
  return {nullptr, reasons, {}, {}, MpiFamily::openmpi};
}

}  // namespace

MpiLibrary mpi_library() {
  static std::mutex mutex;
  static MpiLibrary opened;
  const std::lock_guard lock(mutex);
  if (opened.table == nullptr) opened = open_any();
  return opened;
}

const KetmeshMpiTable& mpi_table() {
  const MpiLibrary library = mpi_library();
  if (library.table == nullptr)
    throw BackendUnavailable("MPI cannot be used: " + library.reason, "`ketmesh doctor` tells which MPI and plugins are found");
  return *library.table;
}

}  // namespace ketmesh::transport
