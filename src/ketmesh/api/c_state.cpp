// C interface: states.
#include "ketmesh/api/c_guard.hpp"

using namespace ketmesh;
using namespace ketmesh::api;

namespace {

void write_pairs(std::span<const cdouble> values, double* out) {
  if (!values.empty()) std::memcpy(out, values.data(), values.size_bytes());
}

}  // namespace

extern "C" {

ketmesh_code ketmesh_state_new(int num_qubits, const ketmesh_config* config, ketmesh_state** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    *out = new ketmesh_state{DistributedState(num_qubits, config == nullptr ? SimulatorConfig{} : config->value)};
  });
}

void ketmesh_state_free(ketmesh_state* state) { delete state; }

ketmesh_code ketmesh_state_apply(ketmesh_state* state, const ketmesh_circuit* circuit, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    need(circuit, "circuit");
    state->value.apply(circuit->value);
  });
}

ketmesh_code ketmesh_state_flush(ketmesh_state* state, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    state->value.flush();
  });
}

ketmesh_code ketmesh_state_norm_squared(ketmesh_state* state, double* out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    need(out, "out");
    *out = state->value.norm_squared();
  });
}

ketmesh_code ketmesh_state_probabilities(ketmesh_state* state, const uint32_t* qubits, size_t num_qubits, double* out,
                                         ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    need(out, "out");
    const auto p = state->value.probabilities(array(qubits, num_qubits, "qubits"));
    std::copy(p.begin(), p.end(), out);
  });
}

ketmesh_code ketmesh_state_expectation(ketmesh_state* state, const char* observables, double* values, size_t capacity, size_t* count,
                                       ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    const auto sums = observables_for(observables, values, capacity, count);
    const auto results = state->value.expectation(sums);
    std::copy(results.begin(), results.end(), values);
  });
}

ketmesh_code ketmesh_state_amplitudes(ketmesh_state* state, const uint64_t* indices, size_t count, double* out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    if (count > 0) need(out, "out");
    write_pairs(state->value.amplitudes(array(indices, count, "indices")), out);
  });
}

ketmesh_code ketmesh_state_measure(ketmesh_state* state, const uint32_t* qubits, size_t num_qubits, uint64_t* outcome,
                                   ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    need(outcome, "outcome");
    *outcome = state->value.measure(array(qubits, num_qubits, "qubits"));
  });
}

ketmesh_code ketmesh_state_sample(ketmesh_state* state, uint64_t shots, uint64_t seed, ketmesh_result** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    need(state, "state");
    auto result = std::make_unique<ketmesh_result>();
    result->value.counts = state->value.sample(shots, seed);
    result->value.num_qubits = result->value.acted_qubits = static_cast<std::size_t>(state->value.num_qubits());
    result->value.shots = shots;
    result->value.seed = seed;
    for (const auto& [key, count] : result->value.counts) result->counts.emplace_back(&key, count);
    *out = result.release();
  });
}

ketmesh_code ketmesh_state_to_host(ketmesh_state* state, uint64_t begin, uint64_t end, double* out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    if (begin != end) need(out, "out");
    write_pairs(state->value.to_host(begin, end), out);
  });
}

ketmesh_code ketmesh_state_from_host(ketmesh_state* state, uint64_t begin, const double* values, size_t count, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    state->value.from_host(begin, complex_array(values, count, "values"));
  });
}

ketmesh_code ketmesh_state_write_npy(ketmesh_state* state, const char* path, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    need(path, "path");
    state->value.write_npy(path);
  });
}

ketmesh_code ketmesh_state_snapshot(ketmesh_state* state, size_t* id, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    need(id, "id");
    *id = state->value.snapshot();
  });
}

ketmesh_code ketmesh_state_restore(ketmesh_state* state, size_t id, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    state->value.restore(id);
  });
}

ketmesh_code ketmesh_state_drop(ketmesh_state* state, size_t id, ketmesh_error* error) {
  return guarded(error, [&] {
    need(state, "state");
    state->value.drop(id);
  });
}

}  // extern "C"
