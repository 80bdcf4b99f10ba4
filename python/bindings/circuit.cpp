// QuantumCircuit: what is not a gate.
#include "ketmesh/circuit/circuit.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "convert.hpp"
#include "ketmesh/circuit/qasm.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;
using Self = nb::handle_t<Circuit>;

Circuit& circuit_of(nb::handle self) { return *nb::inst_ptr<Circuit>(self); }

Clbit to_bit(nb::handle value) { return static_cast<Clbit>(to_unsigned(value, "measure", "bit", 0, kMaxDeclaredQubits - 1)); }

/// Pairs in order. A qubit or a bit named twice ends a joint measurement: the last value stays.
void measure_pairs(Circuit& circuit, nb::handle pairs) {
  if (PyUnicode_Check(pairs.ptr()) || !nb::hasattr(pairs, "__iter__"))
    wrong_type("measure", "qubits", "a list of (qubit, bit) pairs, or a qubit followed by a bit", pairs);
  std::vector<Qubit> qubits;
  std::vector<Clbit> bits;
  const auto known = [](const auto& list, auto value) { return std::find(list.begin(), list.end(), value) != list.end(); };
  std::vector<std::pair<Qubit, Clbit>> all;
  for (nb::handle pair : nb::borrow(pairs)) {
    const bool sequence = nb::isinstance<nb::tuple>(pair) || nb::isinstance<nb::list>(pair);
    if (!sequence || nb::len(pair) != 2) wrong_type("measure", "an item", "a (qubit, bit) pair", pair);
    all.emplace_back(to_qubit(pair[0], "measure"), to_bit(pair[1]));
  }
  for (const auto& [qubit, bit] : all) {
    if (known(qubits, qubit) || known(bits, bit)) {
      circuit.measure(qubits, bits);
      qubits.clear();
      bits.clear();
    }
    qubits.push_back(qubit);
    bits.push_back(bit);
  }
  circuit.measure(qubits, bits);
}

Self measure(Self self, nb::handle qubits, nb::handle bit) {
  Circuit& circuit = circuit_of(self);
  if (bit.is_none()) {
    measure_pairs(circuit, qubits);
  } else {
    circuit.measure(to_qubit(qubits, "measure"), to_bit(bit));
  }
  return self;
}

Self append(Self self, nb::handle gate, nb::handle qubits, nb::handle parameters, nb::handle controls) {
  const std::string name = to_text(gate, "append", "gate");
  const auto row = find_gate(name);
  if (!row) throw CircuitError("there is no gate \"" + name + "\"");
  std::vector<Parameter> angles;
  for (nb::handle p : to_items(parameters, name.c_str(), "parameters", "a sequence of numbers and Parameters"))
    angles.push_back(to_parameter(p, name.c_str(), "parameter"));
  circuit_of(self).append(*row, to_qubits(qubits, name.c_str()), angles, to_controls(controls, name.c_str()));
  return self;
}

const Circuit& to_circuit(nb::handle value, const char* owner, const char* name) {
  if (!nb::isinstance<Circuit>(value)) wrong_type(owner, name, "a QuantumCircuit", value);
  return nb::cast<const Circuit&>(value);
}

ClassicalExpression to_condition(nb::handle condition, nb::handle value) {
  if (nb::isinstance<ClassicalExpression>(condition)) return nb::cast<const ClassicalExpression&>(condition);
  const auto bits = is_integer(condition) ? ClassicalExpression::bit(to_bit(condition))
                                          : ClassicalExpression::bits(to_qubits(condition, "if_", "condition"));
  return ClassicalExpression::binary(ClassicalExpression::Kind::equal, bits,
                                     ClassicalExpression::constant(to_unsigned(value, "if_", "value")));
}

Self if_else(Self self, nb::handle condition, nb::handle given, nb::handle otherwise, nb::handle value) {
  Circuit& circuit = circuit_of(self);
  const Circuit& then = to_circuit(given, "if_", "then");
  const ClassicalExpression expression = to_condition(condition, value);
  if (otherwise.is_none()) {
    circuit.if_else(expression, then);
  } else {
    circuit.if_else(expression, then, to_circuit(otherwise, "if_", "otherwise"));
  }
  return self;
}

nb::list registers(const std::vector<Register>& list) {
  nb::list out;
  for (const Register& r : list) out.append(nb::make_tuple(r.name, r.offset, r.size));
  return out;
}

/// One operation as plain Python values, for those who translate circuits.
nb::tuple operation(const Operation& op) {
  nb::list qubits, parameters, controls, bits;
  for (const Qubit q : op.qubits) qubits.append(q);
  for (const Parameter& p : op.parameters) parameters.append(p.is_number() ? nb::cast(p.number()) : nb::cast(p));
  for (const Control c : op.controls)
    controls.append(nb::make_tuple(nb::int_(static_cast<Qubit>(c.qubit)), nb::int_(static_cast<Qubit>(c.value))));
  for (const Clbit b : op.clbits) bits.append(b);
  return nb::make_tuple(std::string(to_string(op.gate)), nb::tuple(qubits), nb::tuple(parameters), nb::tuple(controls), nb::tuple(bits));
}

Circuit from_qasm(nb::handle text_or_path, nb::handle inputs) {
  if (!PyUnicode_Check(text_or_path.ptr()) && !nb::hasattr(text_or_path, "__fspath__"))
    wrong_type("from_qasm", "text_or_path", "a str or a path", text_or_path);
  const std::string text = nb::cast<std::string>(nb::str(text_or_path));
  QasmOptions options;
  for (auto& [name, value] : to_values(inputs)) options.inputs[name] = value;
  const bool is_path = text.find(';') == std::string::npos && text.find('\n') == std::string::npos && !text.empty();
  nb::gil_scoped_release release;
  if (!is_path) return read_qasm(text, options);
  return read_qasm_file(text, options);
}

Circuit read_text(const std::string& text, nb::handle inputs) {
  QasmOptions options;
  for (auto& [name, value] : to_values(inputs)) options.inputs[name] = value;
  nb::gil_scoped_release release;
  return read_qasm(text, options);
}

/// (text, grows): a circuit that grows with use goes on doing so in its copy.
Circuit restored(const std::string& text, bool grows) {
  Circuit read = read_qasm(text);
  if (!grows) return read;
  return Circuit().compose(read).widen(read.num_qubits(), read.num_clbits());
}

std::string one_line(const Circuit& c) {
  std::string text = "QuantumCircuit(" + std::to_string(c.num_qubits()) + " qubits, " + std::to_string(c.size()) + " operations";
  if (c.num_clbits() > 0) text += ", " + std::to_string(c.num_clbits()) + " bits";
  const auto names = c.parameter_names();
  if (!names.empty()) {
    text += ", parameters";
    for (const std::string& name : names) text += " " + name;
  }
  return text + ")";
}

void bind_structure(nb::class_<Circuit>& cls) {
  cls.def(nb::init<>(), "An empty circuit; it grows with use.")
      .def_prop_ro("num_qubits", &Circuit::num_qubits, "Qubits, at least 1.")
      .def_prop_ro("num_clbits", &Circuit::num_clbits, "Classical bits.")
      .def_prop_ro("parameter_names", &Circuit::parameter_names, "Free names in order of first appearance.")
      .def_prop_ro(
          "classical_registers", [](const Circuit& c) { return registers(c.classical_registers()); }, "(name, offset, size) tuples.")
      .def_prop_ro(
          "quantum_registers", [](const Circuit& c) { return registers(c.quantum_registers()); }, "(name, offset, size) tuples.")
      .def_prop_ro("is_dynamic", &Circuit::has_dynamic_operations, "Whether it measures, resets or branches before its end.")
      .def("depth", &Circuit::depth, "Longest chain of operations that share qubits or bits; barriers count 0.")
      .def("__len__", &Circuit::size)
      .def("__bool__", [](const Circuit&) { return true; })
      .def(
          "__getitem__",
          [](const Circuit& c, std::ptrdiff_t i) {
            const auto size = static_cast<std::ptrdiff_t>(c.size());
            if (i < -size || i >= size)
              throw nb::index_error(("operation " + std::to_string(i) + " of a circuit of " + std::to_string(size)).c_str());
            return operation(c[static_cast<std::size_t>(i < 0 ? i + size : i)]);
          },
          "index"_a, "(gate, qubits, parameters, controls, bits) of one operation.")
      .def(
          "__eq__", [](const Circuit& a, nb::handle b) { return nb::isinstance<Circuit>(b) && a == nb::cast<const Circuit&>(b); },
          "other"_a)
      .def("__str__", &Circuit::str)
      .def("__repr__", &one_line)
      .def(
          "copy", [](const Circuit& c) { return c; }, "An independent copy.")
      .def("__copy__", [](const Circuit& c) { return c; })
      .def(
          "__deepcopy__", [](const Circuit& c, nb::handle) { return c; }, "memo"_a)
      .def_prop_ro("grows", &Circuit::grows, "Whether naming a further qubit widens the circuit.");
  cls.attr("__hash__") = nb::none();
}

void bind_algebra(nb::class_<Circuit>& cls) {
  cls.def("inverse", &Circuit::inverse, "The circuit that undoes this one; CircuitError when an operation is not a unitary.")
      .def(
          "power", [](const Circuit& c, nb::handle exponent) { return c.power(to_real(exponent, "power", "exponent")); }, "exponent"_a,
          "Integers repeat; otherwise the principal power of the whole unitary (at most 8 active qubits).")
      .def(
          "controlled", [](const Circuit& c, nb::handle controls) { return c.controlled(to_controls(controls, "controlled")); },
          "controls"_a, "Every operation under these controls: qubits, or (qubit, value) pairs.")
      .def(
          "bind", [](const Circuit& c, nb::handle values) { return c.bound(to_values(values)); }, "values"_a,
          "A copy in which names have values; the others stay.")
      .def(
          "compose",
          [](Self self, nb::handle other) {
            circuit_of(self).compose(to_circuit(other, "compose", "other"));
            return self;
          },
          "other"_a.none(), "Appends the operations of other; returns this circuit.")
      .def(
          "remapped",
          [](const Circuit& c, nb::handle new_qubits) {
            const auto qubits = to_qubits(new_qubits, "remapped", "new_qubits");
            std::size_t width = 0;
            for (const Qubit q : qubits) width = std::max<std::size_t>(width, std::size_t{q} + 1);
            return c.remapped(qubits, width);
          },
          "new_qubits"_a, "Same operations with qubit q renamed new_qubits[q].")
      .def("remove_end_measurements", &Circuit::without_final_measurements, "A copy without the measurements at its end.")
      .def("mirrored", &Circuit::mirrored, "The circuit without its final measurements, followed by its inverse.")
      .def(
          "to_qasm",
          [](const Circuit& c, nb::handle version) {
            return c.to_qasm(static_cast<int>(to_unsigned(version, "to_qasm", "version", 2, 3)));
          },
          "version"_a = 3, "OpenQASM 3 or 2 text.")
      .def_static("from_qasm", &from_qasm, "text_or_path"_a.none(), "inputs"_a = nb::none(),
                  "A circuit of OpenQASM 2 or 3, from a path, or from text when it holds a ';' or a line end.");
}

void bind_operations(nb::class_<Circuit>& cls) {
  const auto bits_doc =
      "Measures qubits into classical bits: ``measure([(qubit, bit), ...])`` or ``measure(qubit, bit)``. A bit written twice keeps the "
      "last value.";
  cls.def("append", &append, "gate"_a, "qubits"_a, "parameters"_a = nb::tuple(), "controls"_a = nb::none(),
          "A gate of the table by its name, under any controls: qubits, or (qubit, value) pairs.")
      .def("measure", &measure, "qubits"_a, "bit"_a = nb::none(), bits_doc)
      .def(
          "measure_all",
          [](Self self) {
            circuit_of(self).measure_all();
            return self;
          },
          "Qubit q into bit q, for all qubits.")
      .def(
          "reset",
          [](Self self, nb::handle qubit) {
            circuit_of(self).reset(to_qubit(qubit, "reset"));
            return self;
          },
          "qubit"_a, "Sets a qubit to |0>.")
      .def(
          "reset_qubits",
          [](Self self, nb::handle qubits) {
            circuit_of(self).reset(to_qubits(qubits, "reset_qubits"));
            return self;
          },
          "qubits"_a, "Sets qubits to |0>.")
      .def(
          "barrier",
          [](Self self, nb::args qubits) {
            const bool list = qubits.size() == 1 && !is_integer(qubits[0]);
            circuit_of(self).barrier(to_qubits(list ? nb::object(qubits[0]) : nb::object(qubits), "barrier"));
            return self;
          },
          "qubits"_a, "No effect on a state.")
      .def(
          "delay",
          [](Self self, nb::handle qubit, nb::handle duration) {
            const Qubit q = to_qubit(qubit, "delay");
            circuit_of(self).delay(std::span(&q, 1), to_parameter(duration, "delay", "duration"));
            return self;
          },
          "qubit"_a, "duration"_a, "No effect on a state.")
      .def("if_", &if_else, "condition"_a.none(), "then"_a.none(), "otherwise"_a = nb::none(), nb::kw_only(), "value"_a = 1,
           "Runs ``then`` when the condition holds, else ``otherwise``.\n\n"
           "condition: Bits, or one bit or several (the first least significant) that must equal ``value``.");
}

}  // namespace

void bind_circuit(nb::module_& m) {
  nb::class_<Circuit> cls(
      m, "QuantumCircuit",
      "A circuit: operations in order over qubits and classical bits.\n\n"
      "Every gate method returns the circuit. Qubit 0 is the least significant bit of an amplitude index; character i of a\n"
      "counts key is classical bit i.");
  bind_structure(cls);
  bind_algebra(cls);
  bind_operations(cls);
  bind_payload_methods(cls);
  bind_gate_methods(cls);
  m.def("_restored_circuit", &restored, "text"_a, "grows"_a);
  m.def("_read_qasm", &read_text, "text"_a, "inputs"_a = nb::none());
  m.def(
      "gate_table",
      [] {
        nb::list out;
        for (const GateRow& row : gate_table()) {
          nb::list aliases;
          for (const std::string_view alias : row.aliases) aliases.append(std::string(alias));
          out.append(nb::make_tuple(std::string(row.name), row.num_qubits, row.num_controls, row.num_parameters,
                                    std::string(row.parameter_names), std::string(row.summary), nb::tuple(aliases)));
        }
        return out;
      },
      "(name, qubits, controls, parameters, parameter names, summary, aliases) of each row; -1 is any number.");
}

}  // namespace ketmesh::python
