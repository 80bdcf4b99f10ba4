#include "options.hpp"

#include <algorithm>
#include <cstdlib>

#include "ketmesh/base/error.hpp"
#include "session.hpp"

namespace ketmesh::app {

void add_config(CLI::App& command, ConfigWords& words) {
  command.add_option("--backend", words.backend,
                     "auto, cpu, gpu, distributed-cpu, distributed-gpu, distributed-mpi-cpu or distributed-mpi-gpu");
  command.add_option("--engine", words.engine, "ex (plans and runs) or conventional (gate by gate)");
  command.add_option("--devices", words.devices, "ordinals in shard order, for example 0,1");
  command.add_option("--shards", words.shards, "shards of the state, a power of two");
  command.add_option("--precision", words.precision, "single (default) or double");
  command.add_option("--tile-qubits", words.tile_qubits, "qubits of a tile, 0: from the device");
  command.add_option("--threads", words.threads, "threads, 0: all usable");
  command.add_option("--simd", words.simd, "avx512, avx2, sse4, neon, scalar or reference; default: the best here");
  command.add_option("--machine", words.machine, "a machine file (JSON) instead of this machine");
  command.add_option("--option", words.options, "key=value of the option table, as often as needed")->expected(1)->take_all();
}

SimulatorConfig to_config(const ConfigWords& words) {
  SimulatorConfig config;
  config.backend = backend_from_string(words.backend);
  config.engine = engine_from_string(words.engine);
  for (const std::string& text : words.options) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw OptionError("--option " + text + ": must be key=value");
    config.distributed.set(text.substr(0, equals), text.substr(equals + 1));
  }
  if (!words.devices.empty()) config.distributed.set("distributed_devices", words.devices);
  if (!words.shards.empty()) config.distributed.set("distributed_shards", words.shards);
  if (!words.precision.empty()) config.precision = precision_from_string(words.precision);
  if (config.engine == Engine::ex) config.engine = config.distributed.engine;
  config.distributed.engine = config.engine;
  config.tile_qubits = static_cast<int>(whole_number("--tile-qubits", words.tile_qubits, 0, 24));
  config.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 4096));
  config.simd = words.simd;
  if (!words.machine.empty()) config.machine_json = read_file(words.machine);
  config.check();
  return config;
}

SimulatorConfig to_config(const ConfigWords& words, const Job& job) {
  SimulatorConfig config = to_config(words);
  if (!job.over_ranks()) return config;
  if (config.backend == Backend::automatic) config.backend = Backend::distributed_mpi_cpu;
  const bool named = std::any_of(words.options.begin(), words.options.end(),
                                 [](const std::string& text) { return text.starts_with("distributed_timeout_seconds="); });
  const char* const timeout = std::getenv("KETMESH_TIMEOUT");
  if (!named && timeout != nullptr && *timeout != '\0') config.distributed.timeout_seconds = real_number("KETMESH_TIMEOUT", timeout);
  config.check();
  job.ranks()->set_timeout(config.distributed.timeout_seconds);
  return config;
}

}  // namespace ketmesh::app
