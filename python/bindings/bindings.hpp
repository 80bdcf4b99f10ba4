// What each file of the module adds to it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "ketmesh/ketmesh.hpp"

namespace ketmesh::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_parameters(nb::module_& m);
void bind_classical(nb::module_& m);
void bind_circuit(nb::module_& m);
/// One method for each row of the gate table with a fixed number of qubits, and for its aliases.
void bind_gate_methods(nb::class_<Circuit>& circuit);
void bind_payload_methods(nb::class_<Circuit>& circuit);
void bind_config(nb::module_& m);
void bind_runs(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_machine(nb::module_& m);
void bind_state(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_mpi(nb::module_& m);

}  // namespace ketmesh::python
