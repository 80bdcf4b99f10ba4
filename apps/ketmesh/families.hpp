// The eight benchmark families: fixed seeds, the same gates and angles on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh::app {

struct FamilyGate {
  Gate gate;
  std::vector<Qubit> qubits;
  std::vector<double> angles;
};

std::vector<std::string_view> family_names();
/// Gates of a family on n qubits; throws OptionError for an unknown name or an n that the family has no circuit for.
std::vector<FamilyGate> family(std::string_view name, int num_qubits);
Circuit family_circuit(std::string_view name, int num_qubits);
/// "n" on line 1, then a gate a line: name, qubits, parameters; each block of qv as one 4 x 4 matrix (u4).
std::string family_flat(std::string_view name, int num_qubits);

}  // namespace ketmesh::app
