// C interface: circuits and configurations.
#include <charconv>

#include "ketmesh/api/c_guard.hpp"
#include "ketmesh/base/error.hpp"

using namespace ketmesh;
using namespace ketmesh::api;

namespace {

template <typename T>
T field_number(std::string_view key, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    throw OptionError(std::string(key) + " = \"" + std::string(text) + "\": must be an integer in range");
  return value;
}

void set_field(SimulatorConfig& config, std::string_view key, std::string_view value) {
  SimulatorConfig changed = config;
  if (key == "backend") {
    changed.backend = backend_from_string(value);
  } else if (key == "engine") {
    changed.engine = engine_from_string(value);
  } else if (key == "precision") {
    changed.precision = precision_from_string(value);
  } else if (key == "seed") {
    changed.seed = field_number<std::uint64_t>(key, value);
  } else if (key == "tile_qubits") {
    changed.tile_qubits = field_number<int>(key, value);
  } else if (key == "threads") {
    changed.threads = field_number<int>(key, value);
  } else if (key == "simd") {
    changed.simd = value;
  } else if (key == "causal_cone") {
    if (value != "0" && value != "1") throw OptionError("causal_cone = \"" + std::string(value) + "\": must be 0 or 1");
    changed.causal_cone = value == "1";
  } else if (key == "machine") {
    changed.machine_json = value;
  } else {
    changed.distributed.set(key, value);
  }
  config = std::move(changed);
}

}  // namespace

extern "C" {

ketmesh_code ketmesh_circuit_new(size_t num_qubits, size_t num_clbits, ketmesh_circuit** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    *out = new ketmesh_circuit{num_qubits == 0 && num_clbits == 0 ? Circuit() : Circuit(num_qubits, num_clbits)};
  });
}

ketmesh_code ketmesh_circuit_from_qasm(const char* path_or_text, ketmesh_circuit** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    need(path_or_text, "path_or_text");
    *out = new ketmesh_circuit{Circuit::from_qasm(path_or_text)};
  });
}

void ketmesh_circuit_free(ketmesh_circuit* circuit) { delete circuit; }

ketmesh_code ketmesh_circuit_gate(ketmesh_circuit* circuit, const char* name, const uint32_t* qubits, size_t num_qubits,
                                  const double* parameters, size_t num_parameters, const uint32_t* controls, size_t num_controls,
                                  ketmesh_error* error) {
  return guarded(error, [&] {
    need(circuit, "circuit");
    need(name, "name");
    const auto gate = find_gate(name);
    if (!gate) throw CircuitError("unknown gate \"" + std::string(name) + "\"");
    if (gate_row(*gate).has_payload || !gate_row(*gate).is_unitary)
      throw CircuitError(std::string(name) + " has a function of its own", "measure, reset, unitary and initialize are called by name");
    const auto given = array(parameters, num_parameters, "parameters");
    const std::vector<Parameter> angles(given.begin(), given.end());
    std::vector<Control> more;
    for (const std::uint32_t q : array(controls, num_controls, "controls")) {
      if (q >= (1u << 31)) throw CircuitError("control qubit " + std::to_string(q) + " is out of range");
      Control control{};
      control.qubit = q & 0x7fffffffu;
      control.value = 1;
      more.push_back(control);
    }
    circuit->value.append(*gate, array(qubits, num_qubits, "qubits"), angles, more);
  });
}

ketmesh_code ketmesh_circuit_unitary(ketmesh_circuit* circuit, const double* matrix, const uint32_t* qubits, size_t num_qubits,
                                     ketmesh_error* error) {
  return guarded(error, [&] {
    need(circuit, "circuit");
    if (num_qubits > kMaxDenseTargets)
      throw CircuitError("a dense matrix acts on at most " + std::to_string(kMaxDenseTargets) + " qubits, not " +
                         std::to_string(num_qubits));
    circuit->value.unitary(complex_array(matrix, std::size_t{1} << (2 * num_qubits), "matrix"), array(qubits, num_qubits, "qubits"));
  });
}

ketmesh_code ketmesh_circuit_initialize(ketmesh_circuit* circuit, const double* amplitudes, const uint32_t* qubits, size_t num_qubits,
                                        ketmesh_error* error) {
  return guarded(error, [&] {
    need(circuit, "circuit");
    if (num_qubits > 40) throw CircuitError("initialize takes at most 40 qubits, not " + std::to_string(num_qubits));
    circuit->value.initialize(complex_array(amplitudes, std::size_t{1} << num_qubits, "amplitudes"), array(qubits, num_qubits, "qubits"));
  });
}

ketmesh_code ketmesh_circuit_measure(ketmesh_circuit* circuit, uint32_t qubit, uint32_t bit, ketmesh_error* error) {
  return guarded(error, [&] {
    need(circuit, "circuit");
    circuit->value.measure(qubit, bit);
  });
}

ketmesh_code ketmesh_circuit_measure_all(ketmesh_circuit* circuit, ketmesh_error* error) {
  return guarded(error, [&] {
    need(circuit, "circuit");
    circuit->value.measure_all();
  });
}

ketmesh_code ketmesh_circuit_reset(ketmesh_circuit* circuit, uint32_t qubit, ketmesh_error* error) {
  return guarded(error, [&] {
    need(circuit, "circuit");
    circuit->value.reset(qubit);
  });
}

ketmesh_code ketmesh_circuit_barrier(ketmesh_circuit* circuit, ketmesh_error* error) {
  return guarded(error, [&] {
    need(circuit, "circuit");
    circuit->value.barrier();
  });
}

size_t ketmesh_circuit_num_qubits(const ketmesh_circuit* circuit) { return circuit == nullptr ? 0 : circuit->value.num_qubits(); }
size_t ketmesh_circuit_num_clbits(const ketmesh_circuit* circuit) { return circuit == nullptr ? 0 : circuit->value.num_clbits(); }
size_t ketmesh_circuit_size(const ketmesh_circuit* circuit) { return circuit == nullptr ? 0 : circuit->value.size(); }

ketmesh_code ketmesh_circuit_to_qasm(const ketmesh_circuit* circuit, int version, char** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    need(circuit, "circuit");
    *out = copy_text(circuit->value.to_qasm(version));
  });
}

ketmesh_code ketmesh_config_new(ketmesh_config** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    *out = new ketmesh_config{};
  });
}

void ketmesh_config_free(ketmesh_config* config) { delete config; }

ketmesh_code ketmesh_config_set(ketmesh_config* config, const char* key, const char* value, ketmesh_error* error) {
  return guarded(error, [&] {
    need(config, "config");
    need(key, "key");
    need(value, "value");
    set_field(config->value, key, value);
  });
}

}  // extern "C"
