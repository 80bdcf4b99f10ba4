// Methods of QuantumCircuit whose gates carry more than qubits and angles.
#include <bit>

#include "bindings.hpp"
#include "convert.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;
using Self = nb::handle_t<Circuit>;

Circuit& circuit_of(nb::handle self) { return *nb::inst_ptr<Circuit>(self); }

std::vector<Index> to_table(nb::handle value) {
  std::vector<Index> out;
  if (!nb::hasattr(value, "__iter__")) wrong_type("permutation", "table", "a sequence of integers", value);
  for (nb::handle item : nb::borrow(value)) out.push_back(to_unsigned(item, "permutation", "table entry"));
  return out;
}

/// The amplitudes of |index> on k qubits.
std::vector<cdouble> basis_state(Index index, std::size_t k) {
  if (k < 1 || k > 40 || (index >> k) != 0)
    throw CircuitError("initialize: basis state " + std::to_string(index) + " on " + std::to_string(k) + " qubits is out of range");
  std::vector<cdouble> out(std::size_t{1} << k);
  out[index] = 1;
  return out;
}

Self initialize(Self self, nb::handle values, nb::handle qubits) {
  Circuit& circuit = circuit_of(self);
  if (is_integer(values)) {
    std::vector<Qubit> on = qubits.is_none() ? std::vector<Qubit>{} : to_qubits(qubits, "initialize");
    if (qubits.is_none())
      for (Qubit q = 0; q < circuit.num_qubits(); ++q) on.push_back(q);
    circuit.initialize(basis_state(to_unsigned(values, "initialize", "basis state"), on.size()), on);
    return self;
  }
  const std::vector<cdouble> amplitudes = to_complex(values, "initialize", "values");
  std::vector<Qubit> on;
  if (qubits.is_none()) {
    for (Qubit q = 0; q < static_cast<Qubit>(std::bit_width(amplitudes.size()) - 1); ++q) on.push_back(q);
  } else {
    on = to_qubits(qubits, "initialize");
  }
  circuit.initialize(amplitudes, on);
  return self;
}

}  // namespace

void bind_payload_methods(nb::class_<Circuit>& cls) {
  cls.def(
         "pauli",
         [](Self self, nb::handle letters, nb::handle qubits, nb::handle controls) {
           circuit_of(self).pauli(to_text(letters, "pauli", "letters"), to_qubits(qubits, "pauli"), to_controls(controls, "pauli"));
           return self;
         },
         "letters"_a, "qubits"_a, "controls"_a = nb::none(), "Pauli string, character i on the i-th listed qubit.")
      .def(
          "rotation",
          [](Self self, nb::handle letters, nb::handle qubits, nb::handle theta, nb::handle controls) {
            circuit_of(self).rotation(to_text(letters, "rotation", "letters"), to_qubits(qubits, "rotation"),
                                      to_parameter(theta, "rotation", "theta"), to_controls(controls, "rotation"));
            return self;
          },
          "letters"_a, "qubits"_a, "theta"_a, "controls"_a = nb::none(), "exp(-i theta P / 2) for a Pauli string P.")
      .def(
          "unitary",
          [](Self self, nb::handle matrix, nb::handle qubits, nb::handle controls) {
            circuit_of(self).unitary(to_complex(matrix, "unitary", "matrix"), to_qubits(qubits, "unitary"),
                                     to_controls(controls, "unitary"));
            return self;
          },
          "matrix"_a.none(), "qubits"_a, "controls"_a = nb::none(),
          "A dense 2^k x 2^k matrix, row-major; the first listed qubit is the least significant bit of its index.")
      .def(
          "diagonal",
          [](Self self, nb::handle entries, nb::handle qubits, nb::handle controls) {
            circuit_of(self).diagonal(to_complex(entries, "diagonal", "entries"), to_qubits(qubits, "diagonal"),
                                      to_controls(controls, "diagonal"));
            return self;
          },
          "entries"_a.none(), "qubits"_a, "controls"_a = nb::none(), "A diagonal matrix by its 2^k entries of modulus 1.")
      .def(
          "permutation",
          [](Self self, nb::handle table, nb::handle qubits, nb::handle controls) {
            circuit_of(self).permutation(to_table(table), to_qubits(qubits, "permutation"), to_controls(controls, "permutation"));
            return self;
          },
          "table"_a, "qubits"_a, "controls"_a = nb::none(), "Basis state i goes to table[i].")
      .def(
          "gphase",
          [](Self self, nb::handle gamma, nb::handle controls) {
            circuit_of(self).gphase(to_parameter(gamma, "gphase", "gamma"), to_controls(controls, "gphase"));
            return self;
          },
          "gamma"_a, "controls"_a = nb::none(), "Global phase e^{i gamma}; relative under controls.")
      .def("initialize", &initialize, "values"_a.none(), "qubits"_a = nb::none(),
           "Sets qubits, which are reset first, to 2^k amplitudes of norm 1, or to a basis state given as an int.");
}

}  // namespace ketmesh::python
