#include "ketmesh/api/arguments.hpp"

namespace ketmesh::api {

void add(Hash& hash, std::string_view text) { hash.add_all(text); }

void add(Hash& hash, const SimulatorConfig& config) {
  hash.add(static_cast<std::uint64_t>(config.backend));
  hash.add(static_cast<std::uint64_t>(config.effective_precision()));
  hash.add(static_cast<std::uint64_t>(config.engine));
  hash.add(static_cast<std::uint64_t>(config.tile_qubits));
  hash.add(static_cast<std::uint64_t>(config.causal_cone));
  hash.add(config.seed ? *config.seed + 1 : 0);
  add(hash, config.machine_json);
  for (const auto key : DistributedOptions::keys())
    if (key != "mpi_communicator" && key != "distributed_devices") add(hash, config.distributed.get(key));  // these two may differ by rank
}

void add(Hash& hash, const Circuit& circuit) {
  hash.add(static_cast<std::uint64_t>(circuit.structural_hash()));
  hash.add(static_cast<std::uint64_t>(circuit.num_qubits()));
  for (const Operation op : circuit)
    for (const Parameter& p : op.parameters) {
      if (p.is_number())
        hash.add(p.number());
      else
        add(hash, p.str());
    }
}

void add(Hash& hash, const ParameterValues& values) {
  for (const auto& [name, value] : values) {
    add(hash, name);
    hash.add(value);
  }
}

void add(Hash& hash, std::span<const PauliSum> observables) {
  hash.add(static_cast<std::uint64_t>(observables.size()));
  for (const PauliSum& observable : observables) add(hash, observable.str());
}

void add(Hash& hash, const RunOptions& options) {
  hash.add(options.shots);
  hash.add(options.seed ? *options.seed + 1 : 0);
  add(hash, options.parameters);
  add(hash, std::span<const PauliSum>(options.observables));
  hash.add_all(options.amplitudes);
  hash.add(static_cast<std::uint64_t>(options.probabilities));
  add(hash, options.statevector_path);
  add(hash, options.checkpoint.save_path);
  add(hash, options.checkpoint.resume_path);
  hash.add(options.checkpoint.every_seconds);
}

}  // namespace ketmesh::api
