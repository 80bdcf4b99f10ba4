#include "ketmesh/api/config.hpp"

#include <array>
#include <bit>
#include <string>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

struct BackendName {
  Backend backend;
  std::string_view name;
};
constexpr std::array<BackendName, 7> kBackends = {{{Backend::automatic, "auto"},
                                                   {Backend::cpu, "cpu"},
                                                   {Backend::gpu, "gpu"},
                                                   {Backend::distributed_cpu, "distributed-cpu"},
                                                   {Backend::distributed_gpu, "distributed-gpu"},
                                                   {Backend::distributed_mpi_cpu, "distributed-mpi-cpu"},
                                                   {Backend::distributed_mpi_gpu, "distributed-mpi-gpu"}}};

constexpr std::array<std::string_view, 7> kSimdNames = {"", "avx512", "avx2", "sse4", "neon", "scalar", "reference"};

[[noreturn]] void bad(std::string_view field, const std::string& value, std::string_view range) {
  throw OptionError(std::string(field) + " = " + value + ": must be " + std::string(range));
}

}  // namespace

std::string_view to_string(Backend backend) {
  for (const auto& entry : kBackends)
    if (entry.backend == backend) return entry.name;
  throw Internal("a backend without a name");
}

Backend backend_from_string(std::string_view name) {
  std::string names;
  for (const auto& entry : kBackends) {
    if (entry.name == name) return entry.backend;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  bad("backend", "\"" + std::string(name) + "\"", "one of " + names);
}

bool is_distributed(Backend backend) {
  return backend == Backend::distributed_cpu || backend == Backend::distributed_gpu || is_mpi(backend);
}

bool is_gpu(Backend backend) {
  return backend == Backend::gpu || backend == Backend::distributed_gpu || backend == Backend::distributed_mpi_gpu;
}

bool is_mpi(Backend backend) { return backend == Backend::distributed_mpi_cpu || backend == Backend::distributed_mpi_gpu; }

std::string_view to_string(Engine engine) { return engine == Engine::ex ? "ex" : "conventional"; }

Engine engine_from_string(std::string_view name) {
  if (name == "ex") return Engine::ex;
  if (name == "conventional") return Engine::conventional;
  bad("engine", "\"" + std::string(name) + "\"", "ex or conventional");
}

Precision precision_from_string(std::string_view name) {
  if (name == "single") return Precision::single;
  if (name == "double") return Precision::double_;
  bad("precision", "\"" + std::string(name) + "\"", "single or double");
}

Precision SimulatorConfig::effective_precision() const {
  if (precision && distributed.precision && *precision != *distributed.precision)
    throw OptionError("precision = " + std::string(to_string(*precision)) +
                          " and distributed_options precision = " + std::string(to_string(*distributed.precision)) + " differ",
                      "give it in one place only");
  if (precision) return *precision;
  return distributed.precision.value_or(Precision::single);
}

void SimulatorConfig::check() const {
  // Fields on their own first: they may have been filled without a setter.
  distributed.check_ranges();
  if (tile_qubits < 0 || tile_qubits > 24)
    bad("tile_qubits", std::to_string(tile_qubits), "0 (from the device) or an integer from 1 to 24");
  if (threads < 0 || threads > 4096) bad("threads", std::to_string(threads), "0 (all usable) or an integer from 1 to 4096");
  bool known = false;
  for (const auto name : kSimdNames) known = known || name == simd;
  if (!known) bad("simd", "\"" + simd + "\"", "one of avx512, avx2, sse4, neon, scalar, reference, or empty");

  if (cuda_stream != nullptr && backend != Backend::gpu)
    throw OptionError("cuda_stream is given and the backend is " + std::string(to_string(backend)) + ": only gpu takes one",
                      "leave the field out");

  // Rules that join fields, in the order of the specification.
  if (!is_mpi(backend)) {
    const auto refuse = [this](std::string_view key, const std::string& value) {
      throw OptionError(std::string(key) + " = " + value + ": only an MPI backend takes this option, and the backend is " +
                            std::string(to_string(backend)),
                        "choose distributed-mpi-cpu or distributed-mpi-gpu, or leave the option out");
    };
    if (distributed.mpi_communicator) refuse("mpi_communicator", std::to_string(*distributed.mpi_communicator));
    if (distributed.mpi_p2p_bits) refuse("mpi_p2p_bits", std::to_string(*distributed.mpi_p2p_bits));
  }
  if (is_distributed(backend)) {
    if ((distributed.flags & kFlagSharedDevice) == 0)
      for (std::size_t i = 0; i < distributed.devices.size(); ++i)
        for (std::size_t j = i + 1; j < distributed.devices.size(); ++j)
          if (distributed.devices[i] == distributed.devices[j])
            throw OptionError("distributed_devices lists device " + std::to_string(distributed.devices[i]) + " twice",
                              "a repeated ordinal needs bit 1 of distributed_flags");
    if (distributed.shards > 0 && !distributed.global_qubits.empty()) {
      const int wanted = std::countr_zero(static_cast<unsigned>(distributed.shards));
      if (static_cast<int>(distributed.global_qubits.size()) != wanted)
        throw OptionError("distributed_global_qubits lists " + std::to_string(distributed.global_qubits.size()) + " qubits; " +
                          std::to_string(distributed.shards) + " shards have exactly " + std::to_string(wanted));
    }
  }
  static_cast<void>(effective_precision());
  if (seed && distributed.seed && *seed != *distributed.seed)
    throw OptionError(
        "seed = " + std::to_string(*seed) + " and distributed_options seed = " + std::to_string(*distributed.seed) + " differ",
        "give it in one place only");
}

}  // namespace ketmesh
