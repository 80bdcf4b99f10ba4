#include "ketmesh/base/settings.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

[[noreturn]] void refuse(const char* name, std::string_view value, std::string_view wanted) {
  throw OptionError(std::string(name) + "=" + std::string(value) + ": must be " + std::string(wanted),
                    "correct the environment variable or unset it");
}

std::string_view text(const EnvironmentLookup& lookup, const char* name) {
  const char* value = lookup(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

template <typename T>
std::optional<T> number(std::string_view value) {
  T out{};
  const auto end = std::from_chars(value.data(), value.data() + value.size(), out);
  if (end.ec != std::errc{} || end.ptr != value.data() + value.size()) return std::nullopt;
  return out;
}

std::string library(const EnvironmentLookup& lookup, const char* name) {
  const std::string_view value = text(lookup, name);
  if (!value.empty() && value.front() != '/') refuse(name, value, "an absolute path");
  return std::string(value);
}

}  // namespace

Settings read_settings(const EnvironmentLookup& lookup) {
  Settings out;
  if (const auto value = text(lookup, "KETMESH_TIMEOUT"); !value.empty()) {
    const auto seconds = number<double>(value);
    if (!seconds || !std::isfinite(*seconds) || *seconds <= 0) refuse("KETMESH_TIMEOUT", value, "a number of seconds greater than 0");
    out.timeout_seconds = *seconds;
  }
  if (const auto value = text(lookup, "KETMESH_THREADS"); !value.empty()) {
    const auto threads = number<int>(value);
    if (!threads || *threads < 1 || *threads > 4096) refuse("KETMESH_THREADS", value, "an integer in 1..4096");
    out.threads = *threads;
  }
  out.simd = std::string(text(lookup, "KETMESH_SIMD"));
  out.cuda_library = library(lookup, "KETMESH_CUDA_LIBRARY");
  out.mpi_library = library(lookup, "KETMESH_MPI_LIBRARY");
  if (const auto value = text(lookup, "KETMESH_MPI_DEVICE_POINTERS"); !value.empty()) {
    if (value != "0" && value != "1") refuse("KETMESH_MPI_DEVICE_POINTERS", value, "0 or 1");
    out.mpi_device_pointers = value == "1";
  }
  return out;
}

Settings read_settings() {
  return read_settings([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace ketmesh
