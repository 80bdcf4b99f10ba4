/* The C interface from a C program: every object, every kind of failure that can be had here. */
#include <ketmesh/c_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
static ketmesh_error error;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)
#define OK(call)                                                                                                  \
  do {                                                                                                            \
    ketmesh_code code_ = (call);                                                                                  \
    if (code_ != KETMESH_OK) {                                                                                    \
      fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, ketmesh_code_name(code_), error.message); \
      ++failures;                                                                                                 \
    }                                                                                                             \
  } while (0)

static int near(double a, double b) { return fabs(a - b) < 1e-6; }

static int stop_at_once(uint64_t done, uint64_t total, const char* what, void* user) {
  (void)done, (void)total, (void)what;
  ++*(int*)user;
  return 1;
}

static ketmesh_circuit* bell(void) {
  ketmesh_circuit* circuit = NULL;
  const uint32_t zero = 0, pair[2] = {0, 1};
  OK(ketmesh_circuit_new(2, 0, &circuit, &error));
  OK(ketmesh_circuit_gate(circuit, "h", &zero, 1, NULL, 0, NULL, 0, &error));
  OK(ketmesh_circuit_gate(circuit, "cx", pair, 2, NULL, 0, NULL, 0, &error));
  OK(ketmesh_circuit_measure_all(circuit, &error));
  return circuit;
}

static void circuits(void) {
  ketmesh_circuit* circuit = bell();
  CHECK(ketmesh_circuit_num_qubits(circuit) == 2);
  CHECK(ketmesh_circuit_num_clbits(circuit) == 2);
  CHECK(ketmesh_circuit_size(circuit) >= 3);
  char* text = NULL;
  OK(ketmesh_circuit_to_qasm(circuit, 3, &text, &error));
  CHECK(text != NULL && strstr(text, "OPENQASM 3") != NULL);
  ketmesh_circuit* again = NULL;
  OK(ketmesh_circuit_from_qasm(text, &again, &error));
  CHECK(ketmesh_circuit_num_qubits(again) == 2);
  ketmesh_text_free(text);
  ketmesh_circuit_free(again);

  const uint32_t twice[2] = {1, 1}, three = 3;
  const double nan_angle = nan("");
  CHECK(ketmesh_circuit_gate(circuit, "cx", twice, 2, NULL, 0, NULL, 0, &error) == KETMESH_CIRCUIT_ERROR);
  CHECK(strlen(error.message) > 0);
  CHECK(ketmesh_circuit_gate(circuit, "rx", twice, 1, &nan_angle, 1, NULL, 0, &error) == KETMESH_CIRCUIT_ERROR);
  CHECK(ketmesh_circuit_gate(circuit, "x", &three, 1, NULL, 0, NULL, 0, &error) == KETMESH_CIRCUIT_ERROR);
  CHECK(ketmesh_circuit_gate(circuit, "no_gate", &three, 1, NULL, 0, NULL, 0, &error) == KETMESH_CIRCUIT_ERROR);
  CHECK(strstr(error.message, "no_gate") != NULL);
  const double not_unitary[8] = {1, 0, 1, 0, 0, 0, 1, 0};
  CHECK(ketmesh_circuit_unitary(circuit, not_unitary, &twice[0], 1, &error) == KETMESH_CIRCUIT_ERROR);
  CHECK(ketmesh_circuit_gate(NULL, "x", &three, 1, NULL, 0, NULL, 0, &error) == KETMESH_BAD_ARGUMENT);
  CHECK(ketmesh_circuit_gate(circuit, "x", NULL, 1, NULL, 0, NULL, 0, &error) == KETMESH_BAD_ARGUMENT);
  CHECK(ketmesh_circuit_from_qasm("OPENQASM 2.0;\nqreg q[1];\nfoo q[0];\n", &again, &error) == KETMESH_PARSE_ERROR);
  CHECK(error.line == 3 && again == NULL);
  CHECK(ketmesh_circuit_from_qasm("/no/such/file.qasm", &again, NULL) == KETMESH_IO_ERROR);
  ketmesh_circuit_free(circuit);
  ketmesh_circuit_free(NULL);
}

static void runs(void) {
  ketmesh_circuit* circuit = bell();
  ketmesh_config* config = NULL;
  ketmesh_simulator* simulator = NULL;
  OK(ketmesh_config_new(&config, &error));
  OK(ketmesh_config_set(config, "precision", "double", &error));
  OK(ketmesh_config_set(config, "backend", "cpu", &error));
  CHECK(ketmesh_config_set(config, "distributed_flags", "32", &error) == KETMESH_OPTION_ERROR);
  CHECK(strstr(error.message, "distributed_flags") != NULL);
  OK(ketmesh_simulator_new(config, &simulator, &error));

  ketmesh_run_options options;
  ketmesh_run_options_init(&options);
  CHECK(options.shots == 1024);
  const uint64_t wanted[2] = {0, 3};
  options.has_seed = 1;
  options.seed = 7;
  options.observables = "ZZ;XX;ZI";
  options.amplitudes = wanted;
  options.num_amplitudes = 2;
  options.probabilities = 1;
  ketmesh_result* result = NULL;
  OK(ketmesh_run(simulator, circuit, &options, &result, &error));
  uint64_t all = 0;
  for (size_t i = 0; i < ketmesh_result_num_counts(result); ++i) {
    const char* key = NULL;
    uint64_t count = 0;
    OK(ketmesh_result_count(result, i, &key, &count, &error));
    CHECK(strcmp(key, "00") == 0 || strcmp(key, "11") == 0);
    all += count;
  }
  CHECK(all == 1024);
  CHECK(ketmesh_result_count(result, 99, NULL, NULL, &error) == KETMESH_BAD_ARGUMENT);
  size_t size = 0;
  const double* energy = ketmesh_result_expectation_values(result, &size);
  CHECK(size == 3 && near(energy[0], 1) && near(energy[1], 1) && near(energy[2], 0));
  const double* p = ketmesh_result_probabilities(result, &size);
  CHECK(size == 4 && near(p[0], 0.5) && near(p[1], 0) && near(p[3], 0.5));
  double re = 0, im = 0;
  OK(ketmesh_result_amplitude(result, 3, &re, &im, &error));
  CHECK(near(re, sqrt(0.5)) && near(im, 0));
  ketmesh_summary summary;
  OK(ketmesh_result_summary(result, &summary, &error));
  CHECK(summary.num_qubits == 2 && summary.seed == 7 && summary.shots == 1024 && summary.shards == 1);
  ketmesh_result_free(result);

  double values[2];
  size_t count = 0;
  OK(ketmesh_estimate(simulator, circuit, "ZZ;YY", NULL, values, 2, &count, &error));
  CHECK(count == 2 && near(values[0], 1) && near(values[1], -1));
  CHECK(ketmesh_estimate(simulator, circuit, "ZZ;YY", NULL, values, 1, &count, &error) == KETMESH_BAD_ARGUMENT);
  CHECK(ketmesh_estimate(simulator, circuit, "ZQ", NULL, values, 2, &count, &error) == KETMESH_CIRCUIT_ERROR);
  double state[8];
  OK(ketmesh_statevector(simulator, circuit, NULL, state, 4, &error));
  CHECK(near(state[0], sqrt(0.5)) && near(state[2], 0) && near(state[6], sqrt(0.5)));

  int calls = 0;
  options.progress = stop_at_once;
  options.user = &calls;
  const ketmesh_code code = ketmesh_run(simulator, circuit, &options, &result, &error);
  CHECK(calls == 0 ? code == KETMESH_OK : code == KETMESH_STOPPED && result == NULL);
  ketmesh_result_free(result);

  ketmesh_plan* plan = NULL;
  OK(ketmesh_plan_new(simulator, circuit, &plan, &error));
  ketmesh_plan_summary figures;
  OK(ketmesh_plan_get(plan, &figures, &error));
  CHECK(figures.num_qubits == 2 && figures.shards == 1 && figures.fits == 1 && figures.passes == 1 && figures.state_bytes == 64);
  char* table = NULL;
  OK(ketmesh_plan_explain(plan, &table, &error));
  CHECK(table != NULL && strlen(table) > 0);
  ketmesh_text_free(table);
  ketmesh_plan_free(plan);

  ketmesh_circuit* wide = NULL;
  OK(ketmesh_circuit_from_qasm("OPENQASM 3; qubit[50] q; U(1, 2, 3) q;", &wide, &error));
  CHECK(ketmesh_run(simulator, wide, NULL, &result, &error) == KETMESH_DOES_NOT_FIT && result == NULL);
  ketmesh_circuit_free(wide);
  ketmesh_simulator_free(simulator);

  OK(ketmesh_config_set(config, "backend", "gpu", &error));
  OK(ketmesh_simulator_new(config, &simulator, &error));
  CHECK(ketmesh_run(simulator, circuit, NULL, &result, &error) == KETMESH_BACKEND_UNAVAILABLE);
  CHECK(strstr(error.message, "gpu") != NULL);
  ketmesh_simulator_free(simulator);
  ketmesh_config_free(config);
  ketmesh_circuit_free(circuit);
}

static void states(void) {
  ketmesh_state* state = NULL;
  ketmesh_circuit* circuit = NULL;
  const uint32_t zero = 0, pair[2] = {0, 2};
  OK(ketmesh_state_new(3, NULL, &state, &error));
  OK(ketmesh_circuit_new(3, 0, &circuit, &error));
  OK(ketmesh_circuit_gate(circuit, "h", &zero, 1, NULL, 0, NULL, 0, &error));
  OK(ketmesh_circuit_gate(circuit, "cx", pair, 2, NULL, 0, NULL, 0, &error));
  OK(ketmesh_state_apply(state, circuit, &error));
  OK(ketmesh_state_flush(state, &error));
  double norm = 0;
  OK(ketmesh_state_norm_squared(state, &norm, &error));
  CHECK(near(norm, 1));
  double p[4];
  OK(ketmesh_state_probabilities(state, pair, 2, p, &error));
  CHECK(near(p[0], 0.5) && near(p[1], 0) && near(p[2], 0) && near(p[3], 0.5));
  double value = 0;
  size_t count = 0;
  OK(ketmesh_state_expectation(state, "ZIZ", &value, 1, &count, &error));
  CHECK(count == 1 && near(value, 1));
  size_t id = 0;
  OK(ketmesh_state_snapshot(state, &id, &error));
  uint64_t outcome = 9;
  OK(ketmesh_state_measure(state, pair, 2, &outcome, &error));
  CHECK(outcome == 0 || outcome == 3);
  double amplitudes[16];
  OK(ketmesh_state_to_host(state, 0, 8, amplitudes, &error));
  CHECK(near(amplitudes[outcome == 0 ? 0 : 10] * amplitudes[outcome == 0 ? 0 : 10], 1));
  OK(ketmesh_state_restore(state, id, &error));
  OK(ketmesh_state_drop(state, id, &error));
  CHECK(ketmesh_state_restore(state, id, &error) != KETMESH_OK);
  const uint64_t indices[2] = {5, 1};
  OK(ketmesh_state_amplitudes(state, indices, 2, amplitudes, &error));
  CHECK(near(amplitudes[0], sqrt(0.5)) && near(amplitudes[2], 0));
  ketmesh_result* result = NULL;
  OK(ketmesh_state_sample(state, 100, 3, &result, &error));
  CHECK(ketmesh_result_num_counts(result) == 2);
  ketmesh_result_free(result);
  ketmesh_circuit_free(circuit);
  ketmesh_state_free(state);
  CHECK(ketmesh_state_new(63, NULL, &state, &error) == KETMESH_OPTION_ERROR || error.code == KETMESH_CIRCUIT_ERROR);
  CHECK(ketmesh_state_new(50, NULL, &state, &error) == KETMESH_DOES_NOT_FIT && state == NULL);
}

static void gradients(void) {
  ketmesh_simulator* simulator = NULL;
  ketmesh_config* config = NULL;
  ketmesh_circuit* circuit = NULL;
  OK(ketmesh_config_new(&config, &error));
  OK(ketmesh_config_set(config, "precision", "double", &error));
  OK(ketmesh_simulator_new(config, &simulator, &error));
  OK(ketmesh_circuit_from_qasm(
      "OPENQASM 3.0; include \"stdgates.inc\"; input float a; qubit[2] q; rx(2*a) q[0]; cx q[0], q[1]; ry(0.2) q[1];", &circuit, &error));
  const char* name = "a";
  const double at = 0.3;
  ketmesh_run_options options;
  ketmesh_run_options_init(&options);
  options.parameter_names = &name;
  options.parameter_values = &at;
  options.num_parameters = 1;
  size_t rows = 9, columns = 9;
  OK(ketmesh_gradient(simulator, circuit, "Z;IZ", &options, NULL, 0, 0, NULL, 0, NULL, 0, &rows, &columns, &error));
  CHECK(rows == 2 && columns == 1);
  double values[2], slopes[4];
  OK(ketmesh_gradient(simulator, circuit, "Z;IZ", &options, &name, 1, 0, values, 2, slopes, 4, &rows, &columns, &error));
  CHECK(near(values[0], cos(0.6)) && near(slopes[0], -2 * sin(0.6)));
  CHECK(near(values[1], cos(0.6) * cos(0.2)) && near(slopes[1], -2 * sin(0.6) * cos(0.2)));
  OK(ketmesh_gradient(simulator, circuit, "Z;IZ", &options, NULL, 0, 1, values, 2, slopes, 4, &rows, &columns, &error));
  CHECK(rows == 2 && columns == 2 && near(slopes[0], -sin(0.6)) && near(slopes[3], -cos(0.6) * sin(0.2)));
  CHECK(ketmesh_gradient(simulator, circuit, "Z;IZ", &options, NULL, 0, 1, values, 2, slopes, 3, &rows, &columns, &error) ==
        KETMESH_BAD_ARGUMENT);
  const char* other = "b";
  CHECK(ketmesh_gradient(simulator, circuit, "Z", &options, &other, 1, 0, values, 2, slopes, 4, &rows, &columns, &error) ==
        KETMESH_CIRCUIT_ERROR);
  const double angles[3] = {0.1, 0.2, 0.3};
  double many[6], states[24];
  ketmesh_result* counts[3] = {NULL, NULL, NULL};
  ketmesh_run_options shots;
  ketmesh_run_options_init(&shots);
  shots.shots = 50;
  OK(ketmesh_run_batch(simulator, circuit, angles, 3, 1, NULL, "Z;IZ", &shots, many, 6, &columns, states, 12, counts, &error));
  CHECK(columns == 2 && near(many[2], cos(0.4)) && near(many[5], cos(0.6) * cos(0.2)));
  CHECK(near(states[0], cos(0.1) * cos(0.1)));
  uint64_t total = 0, one = 0;
  for (size_t i = 0; i < ketmesh_result_num_counts(counts[2]); ++i) {
    OK(ketmesh_result_count(counts[2], i, NULL, &one, &error));
    total += one;
  }
  CHECK(total == 50);
  for (int r = 0; r < 3; ++r) ketmesh_result_free(counts[r]);
  CHECK(ketmesh_run_batch(simulator, circuit, angles, 3, 2, NULL, "Z", NULL, many, 6, &columns, NULL, 0, NULL, &error) ==
        KETMESH_BAD_ARGUMENT);
  const double bad = nan("");
  CHECK(ketmesh_run_batch(simulator, circuit, &bad, 1, 1, NULL, "Z", NULL, many, 6, &columns, NULL, 0, NULL, &error) ==
        KETMESH_CIRCUIT_ERROR);
  CHECK(strstr(error.message, "row 0") != NULL);
  ketmesh_circuit_free(circuit);
  ketmesh_simulator_free(simulator);
  ketmesh_config_free(config);
}

int main(void) {
  circuits();
  runs();
  gradients();
  states();
  printf("%s, version %s\n", failures == 0 ? "ok" : "FAILED", ketmesh_version());
  return failures == 0 ? 0 : 1;
}
