// From circuit operations to the few kinds of gates that planning knows.
#pragma once

#include <array>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/plan/dependencies.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/plan/recipe.hpp"

namespace ketmesh::plan {

// A gate on wires. A wire is a qubit as the planned range begins; swaps only rename which qubit a wire carries.
struct PlannedGate {
  StepKind kind = StepKind::matrix;
  MatrixShape shape = MatrixShape::general;
  PhaseTerm::Kind term = PhaseTerm::Kind::match;
  bool alive = true;
  std::uint8_t num_targets = 0;
  std::array<std::uint8_t, kMaxDenseTargets> targets{};  // matrix, permutation: bit j of the matrix index; table: of the table index
  std::uint32_t operation = 0;                           // the first one that it came from
  Action action;
  Index mask = 0, value = 0;                  // phases: of a match or parity term
  Index control_mask = 0, control_value = 0;  // matrix, permutation, parity, table
  FactorPool::List factors;                   // of the matrix or the angle; kept in CanonicalCircuit::pool
};

struct CanonicalCircuit {
  int num_qubits = 0;
  std::vector<PlannedGate> gates;  // in program order, all alive
  FactorPool pool;
  FactorPool::List global_phase;
  std::vector<std::uint8_t> wire_of;  // of each qubit, at the end
  // Folded into the start state |0..0>: what each wire begins with (empty: |0>).
  bool folds_start = false;
  std::vector<FactorPool::List> start;
  std::size_t operations = 0;  // unitary operations read (barriers, delays and id not counted)
  int widest = 1;              // most non-diagonal targets of a gate
  std::uint32_t widest_operation = 0;
};

// Reads the operations [first, last). from_zero: they act on |0..0>, so that what acts on wires that are still unentangled goes into the
// start state. Throws CircuitError for an operation that is no unitary, naming it, and for more than 62 qubits.
CanonicalCircuit canonicalise(const Circuit& circuit, std::size_t first, std::size_t last, bool from_zero);

}  // namespace ketmesh::plan
