#include <inttypes.h>
#include <ketmesh/c_api.h>
#include <stdio.h>

int main(void) {
  ketmesh_error error;
  ketmesh_circuit* circuit = NULL;
  ketmesh_simulator* simulator = NULL;
  ketmesh_result* result = NULL;
  ketmesh_code code = ketmesh_circuit_from_qasm(
      "OPENQASM 3; qubit[2] q; bit[2] c; U(pi/2, 0, pi) q[0]; ctrl @ U(pi, 0, pi) q[0], q[1]; c = measure q;", &circuit, &error);
  if (code == KETMESH_OK) code = ketmesh_simulator_new(NULL, &simulator, &error);
  if (code == KETMESH_OK) code = ketmesh_run(simulator, circuit, NULL, &result, &error);
  if (code != KETMESH_OK) fprintf(stderr, "%s: %s\n", ketmesh_code_name(code), error.message);
  for (size_t i = 0; i < ketmesh_result_num_counts(result); ++i) {
    const char* key;
    uint64_t count;
    if (ketmesh_result_count(result, i, &key, &count, &error) == KETMESH_OK) printf("%s %" PRIu64 "\n", key, count);
  }
  ketmesh_result_free(result);
  ketmesh_simulator_free(simulator);
  ketmesh_circuit_free(circuit);
  return code == KETMESH_OK ? 0 : 1;
}
