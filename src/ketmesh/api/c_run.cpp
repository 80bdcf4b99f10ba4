// C interface: simulator, results, plans.
#include "ketmesh/api/c_guard.hpp"
#include "ketmesh/api/gradients.hpp"
#include "ketmesh/base/error.hpp"

using namespace ketmesh;
using namespace ketmesh::api;

extern "C" {

ketmesh_code ketmesh_simulator_new(const ketmesh_config* config, ketmesh_simulator** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    *out = new ketmesh_simulator{config == nullptr ? Simulator() : Simulator(config->value)};
  });
}

void ketmesh_simulator_free(ketmesh_simulator* simulator) { delete simulator; }

ketmesh_code ketmesh_run(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const ketmesh_run_options* options,
                         ketmesh_result** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    need(simulator, "simulator");
    need(circuit, "circuit");
    auto result = std::make_unique<ketmesh_result>(ketmesh_result{simulator->value.run(circuit->value, run_options(options)), {}});
    for (const auto& [key, count] : result->value.counts) result->counts.emplace_back(&key, count);
    *out = result.release();
  });
}

ketmesh_code ketmesh_estimate(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const char* observables,
                              const ketmesh_run_options* options, double* values, size_t capacity, size_t* count, ketmesh_error* error) {
  return guarded(error, [&] {
    need(simulator, "simulator");
    need(circuit, "circuit");
    const auto sums = observables_for(observables, values, capacity, count);
    const Result result = simulator->value.estimate(circuit->value, sums, run_options(options));
    std::copy(result.expectation_values.begin(), result.expectation_values.end(), values);
  });
}

ketmesh_code ketmesh_gradient(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const char* observables,
                              const ketmesh_run_options* options, const char* const* names, size_t num_names, int by_gate, double* values,
                              size_t values_capacity, double* derivatives, size_t derivatives_capacity, size_t* num_observables,
                              size_t* num_parameters, ketmesh_error* error) {
  return guarded(error, [&] {
    need(simulator, "simulator");
    need(circuit, "circuit");
    need(observables, "observables");
    need(num_observables, "num_observables");
    need(num_parameters, "num_parameters");
    const RunOptions run = run_options(options);
    GradientOptions how;
    how.by_gate = by_gate != 0;
    how.progress = run.progress;
    for (const char* name : array(names, num_names, "names")) {
      need(name, "a name");
      how.with_respect_to.emplace_back(name);
    }
    const std::vector<PauliSum> sums = parse_observables(observables);
    *num_observables = sums.size();
    *num_parameters = num_gradient_columns(circuit->value, how);
    if (values == nullptr && derivatives == nullptr && values_capacity == 0 && derivatives_capacity == 0) return;
    const std::size_t wanted = *num_observables * *num_parameters;
    if (values_capacity < *num_observables || derivatives_capacity < wanted)
      throw BadArgument("room for " + std::to_string(values_capacity) + " values and " + std::to_string(derivatives_capacity) +
                        " derivatives; there are " + std::to_string(*num_observables) + " and " + std::to_string(wanted));
    if (*num_observables > 0) need(values, "values");
    if (wanted > 0) need(derivatives, "derivatives");
    const Gradient gradient = simulator->value.gradient(circuit->value, sums, run.parameters, how);
    std::copy(gradient.values.begin(), gradient.values.end(), values);
    std::copy(gradient.derivatives.begin(), gradient.derivatives.end(), derivatives);
  });
}

ketmesh_code ketmesh_run_batch(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const double* rows, size_t num_rows,
                               size_t num_columns, const char* const* names, const char* observables, const ketmesh_run_options* options,
                               double* values, size_t values_capacity, size_t* num_observables, double* amplitudes, size_t num_amplitudes,
                               ketmesh_result** counts, ketmesh_error* error) {
  return guarded(error, [&] {
    need(simulator, "simulator");
    need(circuit, "circuit");
    const RunOptions run = run_options(options);
    BatchOptions how;
    how.shots = counts != nullptr ? run.shots : 0;
    how.seed = run.seed;
    how.progress = run.progress;
    how.statevectors = amplitudes != nullptr;
    for (const char* name : array(names, names == nullptr ? 0 : num_columns, "names")) {
      need(name, "a name");
      how.parameter_names.emplace_back(name);
    }
    if (observables != nullptr) {
      how.observables = parse_observables(observables);
      need(num_observables, "num_observables");
      *num_observables = how.observables.size();
      if (values_capacity < num_rows * how.observables.size())
        throw BadArgument("room for " + std::to_string(values_capacity) + " values; " + std::to_string(num_rows) + " rows of " +
                          std::to_string(how.observables.size()) + " observables");
      if (!how.observables.empty() && num_rows > 0) need(values, "values");
    }
    const std::size_t parameters = circuit->value.parameter_names().size();
    if (num_columns != parameters)
      throw BadArgument("rows of " + std::to_string(num_columns) + " numbers; the circuit has " + std::to_string(parameters) +
                        " parameters");
    const std::size_t n = circuit->value.num_qubits();
    if (how.statevectors && n < 48 && num_amplitudes != num_rows << n)
      throw BadArgument("room for " + std::to_string(num_amplitudes) + " amplitudes; " + std::to_string(num_rows) + " states have 2^" +
                        std::to_string(n) + " each");
    const BatchResult result = simulator->value.run_batch(circuit->value, array(rows, num_rows * num_columns, "rows"), how);
    std::copy(result.expectation_values.begin(), result.expectation_values.end(), values);
    if (how.statevectors) std::memcpy(amplitudes, result.statevectors.data(), result.statevectors.size() * sizeof(cdouble));
    if (counts == nullptr) return;
    std::vector<std::unique_ptr<ketmesh_result>> made;
    for (const auto& of_row : result.counts) {
      auto& one = made.emplace_back(std::make_unique<ketmesh_result>());
      one->value.counts = of_row;
      one->value.num_qubits = result.num_qubits;
      one->value.shots = result.shots;
      one->value.seed = result.seed + (made.size() - 1);
      for (const auto& [key, count] : one->value.counts) one->counts.emplace_back(&key, count);
    }
    for (std::size_t r = 0; r < num_rows; ++r) counts[r] = r < made.size() ? made[r].release() : nullptr;
  });
}

ketmesh_code ketmesh_statevector(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const ketmesh_run_options* options,
                                 double* amplitudes, size_t num_amplitudes, ketmesh_error* error) {
  return guarded(error, [&] {
    need(simulator, "simulator");
    need(circuit, "circuit");
    need(amplitudes, "amplitudes");
    const std::size_t n = circuit->value.num_qubits();
    if (n < 64 && num_amplitudes != std::size_t{1} << n)
      throw BadArgument("room for " + std::to_string(num_amplitudes) + " amplitudes; the state of " + std::to_string(n) + " qubits has 2^" +
                        std::to_string(n));
    const auto state = simulator->value.statevector(circuit->value, run_options(options));
    std::memcpy(amplitudes, state.data(), state.size() * sizeof(cdouble));
  });
}

void ketmesh_result_free(ketmesh_result* result) { delete result; }

ketmesh_code ketmesh_result_summary(const ketmesh_result* result, ketmesh_summary* out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(result, "result");
    need(out, "out");
    const Result& r = result->value;
    const Distribution& d = r.distribution;
    *out = {};
    out->num_qubits = r.num_qubits;
    out->acted_qubits = r.acted_qubits;
    out->shots = r.shots;
    out->seed = r.seed;
    out->stages = d.stages;
    out->passes = d.passes;
    out->exchanges = d.exchanges;
    out->bytes_local = d.bytes_local;
    out->bytes_exchanged = d.bytes_exchanged;
    out->bytes_between_ranks = d.bytes_between_ranks;
    out->memory_bytes = d.memory_bytes;
    out->ranks = d.ranks;
    out->shards = d.shards;
    out->threads = d.threads;
    out->plan_cached = d.plan_cached ? 1 : 0;
    out->seconds_plan = r.seconds.plan;
    out->seconds_allocate = r.seconds.allocate;
    out->seconds_evolve = r.seconds.evolve;
    out->seconds_exchange = r.seconds.exchange;
    out->seconds_sample = r.seconds.sample;
    out->seconds_total = r.seconds.total;
  });
}

size_t ketmesh_result_num_counts(const ketmesh_result* result) { return result == nullptr ? 0 : result->counts.size(); }

ketmesh_code ketmesh_result_count(const ketmesh_result* result, size_t i, const char** key, uint64_t* count, ketmesh_error* error) {
  return guarded(error, [&] {
    need(result, "result");
    if (i >= result->counts.size()) throw BadArgument("outcome " + std::to_string(i) + " of " + std::to_string(result->counts.size()));
    if (key != nullptr) *key = result->counts[i].first->c_str();
    if (count != nullptr) *count = result->counts[i].second;
  });
}

const double* ketmesh_result_expectation_values(const ketmesh_result* result, size_t* size) {
  if (size != nullptr) *size = result == nullptr ? 0 : result->value.expectation_values.size();
  return result == nullptr ? nullptr : result->value.expectation_values.data();
}

const double* ketmesh_result_probabilities(const ketmesh_result* result, size_t* size) {
  if (size != nullptr) *size = result == nullptr ? 0 : result->value.probabilities.size();
  return result == nullptr ? nullptr : result->value.probabilities.data();
}

ketmesh_code ketmesh_result_amplitude(const ketmesh_result* result, uint64_t index, double* re, double* im, ketmesh_error* error) {
  return guarded(error, [&] {
    need(result, "result");
    const auto found = result->value.amplitudes.find(index);
    if (found == result->value.amplitudes.end()) throw BadArgument("amplitude " + std::to_string(index) + " was not asked for");
    if (re != nullptr) *re = found->second.real();
    if (im != nullptr) *im = found->second.imag();
  });
}

ketmesh_code ketmesh_plan_new(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, ketmesh_plan** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    need(simulator, "simulator");
    need(circuit, "circuit");
    *out = new ketmesh_plan{simulator->value.plan(circuit->value)};
  });
}

void ketmesh_plan_free(ketmesh_plan* plan) { delete plan; }

ketmesh_code ketmesh_plan_get(const ketmesh_plan* plan, ketmesh_plan_summary* out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(plan, "plan");
    need(out, "out");
    const Plan& p = plan->value;
    *out = {};
    out->num_qubits = p.num_qubits;
    out->shards = p.placement.num_shards();
    out->local_qubits = p.placement.local_bits();
    out->tile_qubits = p.tile_bits;
    out->gates_input = p.gates_input;
    out->gates_planned = p.gates_planned;
    out->stages = p.stages.size();
    out->passes = p.num_passes();
    out->exchanges = p.num_exchanges();
    out->bytes_local = p.bytes_local;
    out->bytes_exchanged = p.bytes_exchanged_total();
    out->bytes_between_ranks = p.bytes_between_ranks();
    out->flops = p.flops;
    out->state_bytes = p.memory.state_bytes;
    out->workspace_bytes = p.memory.workspace_bytes;
    out->fits = p.memory.fits ? 1 : 0;
    out->seconds_evolve = p.seconds_evolve;
    out->seconds_exchange = p.seconds_exchange;
    out->seconds_total = p.seconds_total;
    out->hash = p.hash;
  });
}

ketmesh_code ketmesh_plan_explain(const ketmesh_plan* plan, char** out, ketmesh_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    *out = nullptr;
    need(plan, "plan");
    *out = copy_text(explain(plan->value));
  });
}

}  // extern "C"
