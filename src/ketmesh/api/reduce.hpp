// What of a circuit costs memory: the qubits that are acted upon, and the light cones of observables.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/pauli.hpp"

namespace ketmesh::api {

/// A circuit over fewer qubits: qubit k of it is qubit original[k] of the one that it was made from. Ascending.
struct Reduced {
  Circuit circuit;
  std::vector<Qubit> original;
};

/// Only the qubits that are acted upon and those in `keep`, at least one.
Reduced drop_idle_qubits(const Circuit& circuit, std::span<const int> keep = {});

/// A term on the qubits of a reduced circuit: the qubits left out are |0>, on which I and Z give 1 and X and Y give 0.
/// Returns a term of coefficient 0 when it vanishes.
PauliTerm restrict_term(const PauliTerm& term, std::span<const Qubit> original);

/// Terms that are computed together on one reduced circuit.
struct ConeGroup {
  std::vector<Qubit> qubits;            ///< of the whole circuit, ascending, at least one
  std::vector<std::size_t> operations;  ///< of the whole circuit that lie in the cone, ascending
  std::vector<std::size_t> terms;       ///< numbers of the terms in it
};

/// Light cones in a circuit of unitary operations (barriers, delays and measurements at the end are left out): going back from the letters
/// of a term, an operation belongs to the cone when it acts on one of its qubits. Terms with the same cone share a group; a cone that lies
/// inside another one joins it. Sorted by ascending width.
std::vector<ConeGroup> light_cones(const Circuit& circuit, std::span<const PauliTerm> terms);

/// The operations of a group as a circuit over its qubits.
Reduced cone_circuit(const Circuit& circuit, const ConeGroup& group);

}  // namespace ketmesh::api
