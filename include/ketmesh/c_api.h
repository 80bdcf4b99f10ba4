/* The C interface: circuits, runs, estimates, plans and states behind opaque handles.
 *
 * Every function that can fail returns a ketmesh_code and, when `error` is not NULL, fills it: code, message, hint and the place in a source
 * text. No exception and no signal leaves the library. A handle belongs to the caller, who ends it with the function named ..._free;
 * all of those take NULL. Handles are used by one thread at a time. Numbers: qubit 0 is the least significant bit of an amplitude index;
 * complex numbers are pairs (re, im) of doubles. Text is UTF-8, ends with 0, and is copied by the library. */
#ifndef KETMESH_C_API_H
#define KETMESH_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ketmesh_code {
  KETMESH_OK = 0,
  KETMESH_PARSE_ERROR = 1,
  KETMESH_CIRCUIT_ERROR = 2,
  KETMESH_OPTION_ERROR = 3,
  KETMESH_DOES_NOT_FIT = 4,
  KETMESH_BACKEND_UNAVAILABLE = 5,
  KETMESH_TRANSPORT_ERROR = 6,
  KETMESH_IO_ERROR = 7,
  KETMESH_INTERNAL = 8,
  KETMESH_STOPPED = 9,      /* the progress callback asked to stop */
  KETMESH_BAD_ARGUMENT = 10 /* NULL where a handle, a text or an array is needed, or an index out of range */
} ketmesh_code;

/* Made by the caller; filled only on failure. Long messages are cut. */
typedef struct ketmesh_error {
  ketmesh_code code;
  uint64_t line, column; /* 0: unknown */
  char message[1024];
  char hint[512];
} ketmesh_error;

typedef struct ketmesh_circuit ketmesh_circuit;
typedef struct ketmesh_config ketmesh_config;
typedef struct ketmesh_simulator ketmesh_simulator;
typedef struct ketmesh_result ketmesh_result;
typedef struct ketmesh_plan ketmesh_plan;
typedef struct ketmesh_state ketmesh_state;

const char* ketmesh_version(void);                /* "0.1.0"; lives as long as the library */
const char* ketmesh_code_name(ketmesh_code code); /* "ParseError", ... */
void ketmesh_text_free(char* text);               /* texts that a function below returns */

/* ---- circuits */

/* num_qubits 0: grows with use. */
ketmesh_code ketmesh_circuit_new(size_t num_qubits, size_t num_clbits, ketmesh_circuit** out, ketmesh_error* error);
/* A path, or OpenQASM text when it holds a ';' or a line end. */
ketmesh_code ketmesh_circuit_from_qasm(const char* path_or_text, ketmesh_circuit** out, ketmesh_error* error);
void ketmesh_circuit_free(ketmesh_circuit* circuit);
/* A row of the gate table by name ("h", "cx", "rzz", ...), its own controls first. `controls` are further qubits that must be 1. */
ketmesh_code ketmesh_circuit_gate(ketmesh_circuit* circuit, const char* name, const uint32_t* qubits, size_t num_qubits,
                                  const double* parameters, size_t num_parameters, const uint32_t* controls, size_t num_controls,
                                  ketmesh_error* error);
/* Row-major 2^k x 2^k matrix of (re, im) pairs; the first qubit is the least significant bit of the matrix index. */
ketmesh_code ketmesh_circuit_unitary(ketmesh_circuit* circuit, const double* matrix, const uint32_t* qubits, size_t num_qubits,
                                     ketmesh_error* error);
/* 2^k amplitudes of norm 1 as (re, im) pairs. */
ketmesh_code ketmesh_circuit_initialize(ketmesh_circuit* circuit, const double* amplitudes, const uint32_t* qubits, size_t num_qubits,
                                        ketmesh_error* error);
ketmesh_code ketmesh_circuit_measure(ketmesh_circuit* circuit, uint32_t qubit, uint32_t bit, ketmesh_error* error);
ketmesh_code ketmesh_circuit_measure_all(ketmesh_circuit* circuit, ketmesh_error* error);
ketmesh_code ketmesh_circuit_reset(ketmesh_circuit* circuit, uint32_t qubit, ketmesh_error* error);
ketmesh_code ketmesh_circuit_barrier(ketmesh_circuit* circuit, ketmesh_error* error);
size_t ketmesh_circuit_num_qubits(const ketmesh_circuit* circuit);
size_t ketmesh_circuit_num_clbits(const ketmesh_circuit* circuit);
size_t ketmesh_circuit_size(const ketmesh_circuit* circuit); /* operations */
/* version 2 or 3 */
ketmesh_code ketmesh_circuit_to_qasm(const ketmesh_circuit* circuit, int version, char** out, ketmesh_error* error);

/* ---- configuration */

ketmesh_code ketmesh_config_new(ketmesh_config** out, ketmesh_error* error);
void ketmesh_config_free(ketmesh_config* config);
/* Keys: backend, engine, precision, seed, tile_qubits, threads, simd, causal_cone (0 or 1), machine (JSON text), and every key of the option
 * table (distributed_..., mpi_...). */
ketmesh_code ketmesh_config_set(ketmesh_config* config, const char* key, const char* value, ketmesh_error* error);

/* ---- simulator: runs, estimates, plans */

/* config NULL: all defaults. */
ketmesh_code ketmesh_simulator_new(const ketmesh_config* config, ketmesh_simulator** out, ketmesh_error* error);
void ketmesh_simulator_free(ketmesh_simulator* simulator);

/* Return 0 to go on, anything else to stop: the call then returns KETMESH_STOPPED. */
typedef int (*ketmesh_progress)(uint64_t done, uint64_t total, const char* what, void* user);

typedef struct ketmesh_run_options {
  uint64_t shots; /* 0 .. 2^32 - 1 */
  int has_seed;   /* 0: the configuration's, or drawn and reported */
  uint64_t seed;
  const char* observables;    /* "ZZ;XI"; NULL: none */
  const uint64_t* amplitudes; /* indices to read; NULL: none */
  size_t num_amplitudes;
  int probabilities;            /* not 0: all 2^n */
  const char* statevector_path; /* write the state as .npy; NULL: no */
  const char* const* parameter_names;
  const double* parameter_values;
  size_t num_parameters;
  ketmesh_progress progress; /* may be NULL */
  void* user;
} ketmesh_run_options;
/* All zero but shots = 1024. */
void ketmesh_run_options_init(ketmesh_run_options* options);

/* options NULL: as initialised. */
ketmesh_code ketmesh_run(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const ketmesh_run_options* options,
                         ketmesh_result** out, ketmesh_error* error);
/* `values` has room for `capacity` numbers; *count becomes how many observables there are. Too little room: KETMESH_BAD_ARGUMENT. */
ketmesh_code ketmesh_estimate(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const char* observables,
                              const ketmesh_run_options* options, double* values, size_t capacity, size_t* count, ketmesh_error* error);
/* All 2^n amplitudes; `amplitudes` has room for num_amplitudes = 2^n pairs. */
ketmesh_code ketmesh_statevector(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const ketmesh_run_options* options,
                                 double* amplitudes, size_t num_amplitudes, ketmesh_error* error);

/* Expectation values and their derivatives by the adjoint method. Columns: the num_names names listed; with none and by_gate 0 all names of the circuit
 * as they appear; with by_gate not 0 every angle of every gate in the order of the circuit. Of `options` only the parameters, progress and user are read.
 * values [num_observables] and derivatives [num_observables][num_parameters] may be NULL with capacity 0: the call then only fills the two sizes and
 * computes nothing. Too little room: KETMESH_BAD_ARGUMENT, with the sizes filled. */
ketmesh_code ketmesh_gradient(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const char* observables,
                              const ketmesh_run_options* options, const char* const* names, size_t num_names, int by_gate, double* values,
                              size_t values_capacity, double* derivatives, size_t derivatives_capacity, size_t* num_observables,
                              size_t* num_parameters, ketmesh_error* error);

/* One circuit with many rows of parameters, from one plan: rows [num_rows][num_columns]. Columns follow the names of the circuit as they appear, or
 * `names` [num_columns] when that is not NULL. Of `options` shots, seed, progress and user are read; row r draws with seed + r.
 * values [num_rows][*num_observables] when observables is not NULL; amplitudes [num_rows][2^n] as (re, im) pairs when not NULL; counts, when not NULL,
 * has room for num_rows results, each with the counts of its row (to be freed one by one). */
ketmesh_code ketmesh_run_batch(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, const double* rows, size_t num_rows,
                               size_t num_columns, const char* const* names, const char* observables, const ketmesh_run_options* options,
                               double* values, size_t values_capacity, size_t* num_observables, double* amplitudes, size_t num_amplitudes,
                               ketmesh_result** counts, ketmesh_error* error);

void ketmesh_result_free(ketmesh_result* result);
typedef struct ketmesh_summary {
  size_t num_qubits, acted_qubits;
  uint64_t shots, seed;
  uint64_t stages, passes, exchanges, bytes_local, bytes_exchanged, bytes_between_ranks, memory_bytes;
  int ranks, shards, threads, plan_cached;
  double seconds_plan, seconds_allocate, seconds_evolve, seconds_exchange, seconds_sample, seconds_total;
} ketmesh_summary;
ketmesh_code ketmesh_result_summary(const ketmesh_result* result, ketmesh_summary* out, ketmesh_error* error);
size_t ketmesh_result_num_counts(const ketmesh_result* result);
/* i-th outcome in order of its key (bit 0 leftmost); *key lives as long as the result. */
ketmesh_code ketmesh_result_count(const ketmesh_result* result, size_t i, const char** key, uint64_t* count, ketmesh_error* error);
/* Arrays live as long as the result; *size becomes their length. */
const double* ketmesh_result_expectation_values(const ketmesh_result* result, size_t* size);
const double* ketmesh_result_probabilities(const ketmesh_result* result, size_t* size);
ketmesh_code ketmesh_result_amplitude(const ketmesh_result* result, uint64_t index, double* re, double* im, ketmesh_error* error);

/* ---- plans: pure data, nothing is allocated on a device */

ketmesh_code ketmesh_plan_new(ketmesh_simulator* simulator, const ketmesh_circuit* circuit, ketmesh_plan** out, ketmesh_error* error);
void ketmesh_plan_free(ketmesh_plan* plan);
typedef struct ketmesh_plan_summary {
  int num_qubits, shards, local_qubits, tile_qubits;
  uint64_t gates_input, gates_planned, stages, passes, exchanges, bytes_local, bytes_exchanged, bytes_between_ranks, flops;
  uint64_t state_bytes, workspace_bytes;
  int fits;
  double seconds_evolve, seconds_exchange, seconds_total;
  uint64_t hash;
} ketmesh_plan_summary;
ketmesh_code ketmesh_plan_get(const ketmesh_plan* plan, ketmesh_plan_summary* out, ketmesh_error* error);
/* The table for a terminal. */
ketmesh_code ketmesh_plan_explain(const ketmesh_plan* plan, char** out, ketmesh_error* error);

/* ---- states that live between calls; start as |0..0> */

ketmesh_code ketmesh_state_new(int num_qubits, const ketmesh_config* config, ketmesh_state** out, ketmesh_error* error);
void ketmesh_state_free(ketmesh_state* state);
ketmesh_code ketmesh_state_apply(ketmesh_state* state, const ketmesh_circuit* circuit, ketmesh_error* error);
ketmesh_code ketmesh_state_flush(ketmesh_state* state, ketmesh_error* error);
ketmesh_code ketmesh_state_norm_squared(ketmesh_state* state, double* out, ketmesh_error* error);
/* 2^num_qubits numbers over the listed qubits, the first least significant. */
ketmesh_code ketmesh_state_probabilities(ketmesh_state* state, const uint32_t* qubits, size_t num_qubits, double* out,
                                         ketmesh_error* error);
ketmesh_code ketmesh_state_expectation(ketmesh_state* state, const char* observables, double* values, size_t capacity, size_t* count,
                                       ketmesh_error* error);
ketmesh_code ketmesh_state_amplitudes(ketmesh_state* state, const uint64_t* indices, size_t count, double* out, ketmesh_error* error);
/* Measures jointly and collapses; bit j of *outcome is qubits[j]. */
ketmesh_code ketmesh_state_measure(ketmesh_state* state, const uint32_t* qubits, size_t num_qubits, uint64_t* outcome,
                                   ketmesh_error* error);
/* Counts of `shots` samples, as a result whose counts are read with ketmesh_result_count; character i is qubit i. */
ketmesh_code ketmesh_state_sample(ketmesh_state* state, uint64_t shots, uint64_t seed, ketmesh_result** out, ketmesh_error* error);
/* Logical amplitudes [begin, end) as (re, im) pairs. */
ketmesh_code ketmesh_state_to_host(ketmesh_state* state, uint64_t begin, uint64_t end, double* out, ketmesh_error* error);
ketmesh_code ketmesh_state_from_host(ketmesh_state* state, uint64_t begin, const double* values, size_t count, ketmesh_error* error);
ketmesh_code ketmesh_state_write_npy(ketmesh_state* state, const char* path, ketmesh_error* error);
ketmesh_code ketmesh_state_snapshot(ketmesh_state* state, size_t* id, ketmesh_error* error);
ketmesh_code ketmesh_state_restore(ketmesh_state* state, size_t id, ketmesh_error* error);
ketmesh_code ketmesh_state_drop(ketmesh_state* state, size_t id, ketmesh_error* error);

#ifdef __cplusplus
}
#endif

#endif /* KETMESH_C_API_H */
