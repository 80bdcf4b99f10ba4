#include "ketmesh/circuit/qasm/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/qasm.hpp"

namespace ketmesh::qasm {
namespace {

std::set<std::string> parameter_names(const Circuit& circuit) {
  const std::vector<std::string> names = circuit.parameter_names();
  return {names.begin(), names.end()};
}

std::string number(double v) { return Parameter(v).str(); }

}  // namespace

Writer::Writer(std::ostream& out, const Circuit& circuit, int version)
    : out_(out),
      circuit_(circuit),
      version_(version),
      taken_(parameter_names(circuit)),
      qubits_(circuit.quantum_registers(), circuit.num_qubits(), "q", taken_),
      bits_(circuit.classical_registers(), circuit.num_clbits(), "c", taken_) {}

void Writer::line(const std::string& text) { out_ << indent_ << guard_ << text << '\n'; }

void Writer::no_fit(const Operation& op, const std::string& why) const {
  throw CircuitError(fmt::format("operation '{}' cannot be written as OpenQASM {}: {}", to_string(op.gate), version_, why),
                     version_ == 2 ? "version 3 may hold it" : "");
}

void Writer::write() {
  header();
  block(circuit_);
}

void Writer::header() {
  out_ << (version_ == 2 ? "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n" : "OPENQASM 3.0;\ninclude \"stdgates.inc\";\n");
  for (const std::string& name : circuit_.parameter_names()) {
    if (version_ == 2)
      throw CircuitError("parameter '" + name + "' has no value: OpenQASM 2 has numbers only", "bind it, or write version 3");
    if (!is_identifier(name)) throw CircuitError("parameter '" + name + "' is no identifier of OpenQASM and cannot be written");
    out_ << "input float " << name << ";\n";
  }
  const auto declare = [&](const WireNames& names, std::string_view old_word, std::string_view new_word) {
    for (const WireNames::Stretch& s : names.stretches()) {
      if (s.unnamed) out_ << "//@unnamed\n";  // the reader makes no register of what follows
      if (version_ == 2)
        out_ << old_word << ' ' << s.name << '[' << s.size << "];\n";
      else
        out_ << new_word << '[' << s.size << "] " << s.name << ";\n";
    }
  };
  declare(qubits_, "qreg", "qubit");
  declare(bits_, "creg", "bit");
}

void Writer::block(const Circuit& circuit) {
  for (const Operation op : circuit) operation(op);
}

void Writer::operation(const Operation& op) {
  switch (op.gate) {
    case Gate::measure:
      return measure(op);
    case Gate::reset:
      return reset(op);
    case Gate::barrier:
      return wires_line("barrier", op);
    case Gate::delay:
      if (!op.parameters[0].is_number()) no_fit(op, "its duration is no number");
      if (version_ >= 3) return wires_line("delay[" + number(op.parameters[0].number()) + "s]", op);
      for (const Qubit q : op.qubits) line("delay(" + number(op.parameters[0].number()) + ") " + qubits_.one(q) + ";");
      return;
    case Gate::if_else:
      return version_ >= 3 ? if_else(op) : if_else_2(op);
    default:
      return version_ >= 3 ? gate(op) : gate_2(op);
  }
}

void Writer::wires_line(std::string_view head, const Operation& op) {
  std::string text(head);
  for (std::size_t i = 0; i < op.qubits.size(); ++i) text += (i == 0 ? " " : ", ") + qubits_.one(op.qubits[i]);
  line(text + ";");
}

std::string Writer::payload_angles(const Payload& payload, Gate gate) const {
  std::string text = "(";
  const auto add = [&](const std::string& v) { text += (text.size() > 1 ? ", " : "") + v; };
  if (gate == Gate::permutation) {
    for (const Index i : payload.table) add(std::to_string(i));
  } else {
    for (const cdouble v : payload.values) {
      add(number(v.real()));
      add(number(v.imag()));
    }
  }
  return text + ")";
}

std::string Writer::angles(const Operation& op) const {
  if (op.parameters.empty()) return {};
  std::string text = "(";
  for (std::size_t i = 0; i < op.parameters.size(); ++i) text += (i > 0 ? ", " : "") + op.parameters[i].str();
  return text + ")";
}

std::string Writer::gate_head(const Operation& op) const {
  switch (op.gate) {
    case Gate::pauli:
      return "pauli_" + op.payload().paulis;
    case Gate::rotation:
      return "rotation_" + op.payload().paulis + angles(op);
    case Gate::unitary:
    case Gate::diagonal:
    case Gate::permutation:
    case Gate::initialize:
      return std::string(to_string(op.gate)) + payload_angles(op.payload(), op.gate);
    default:
      return std::string(to_string(op.gate)) + angles(op);
  }
}

std::string Writer::operands(const Operation& op) const {
  std::string text;
  for (const Control c : op.controls) text += (text.empty() ? " " : ", ") + qubits_.one(c.qubit);
  for (const Qubit q : op.qubits) text += (text.empty() ? " " : ", ") + qubits_.one(q);
  return text;
}

void Writer::gate(const Operation& op) {
  std::string text;
  for (std::size_t i = 0; i < op.controls.size();) {
    std::size_t end = i + 1;
    while (end < op.controls.size() && op.controls[end].value == op.controls[i].value) ++end;
    text += op.controls[i].value != 0 ? "ctrl" : "negctrl";
    text += end - i > 1 ? "(" + std::to_string(end - i) + ") @ " : " @ ";
    i = end;
  }
  line(text + gate_head(op) + operands(op) + ";");
}

// Controls become those of a named gate; x on both sides of controls that act on 0.
void Writer::gate_2(const Operation& op) {
  if (op.gate == Gate::gphase) no_fit(op, "it has no global phase");
  if (op.controls.empty()) return line(gate_head(op) + operands(op) + ";");
  const GateRow& row = gate_row(op.gate);
  if (row.has_payload) no_fit(op, "it has no controls for this operation");
  const std::size_t own = row.num_controls < 0 ? op.qubits.size() - 1 : static_cast<std::size_t>(row.num_controls);
  const std::size_t wanted = own + op.controls.size();
  const GateRow* match = nullptr;
  for (const GateRow& candidate : gate_table()) {
    const bool fits = candidate.num_controls == static_cast<int>(wanted) || (candidate.num_controls < 0 && wanted > 0);
    if (fits && candidate.base == row.base && candidate.base != candidate.gate && candidate.num_parameters == row.num_parameters &&
        row.base != Gate::cu) {
      match = &candidate;
      break;
    }
  }
  if (match == nullptr) no_fit(op, fmt::format("no gate is {} under {} controls", to_string(row.base), wanted));
  for (int side = 0; side < 2; ++side) {
    for (const Control c : op.controls) {
      if (c.value == 0) line("x " + qubits_.one(c.qubit) + ";");
    }
    if (side == 0) line(std::string(match->name) + angles(op) + operands(op) + ";");
  }
}

std::string Writer::operand(const WireNames& names, std::span<const std::uint32_t> wires) {
  if (wires.size() == 1) return names.one(wires[0]);
  const std::vector<std::string> parts = names.parts(wires);
  if (parts.size() == 1) return parts[0];
  std::string name;
  do name = "set_" + std::to_string(aliases_++);
  while (taken_.count(name) > 0);
  std::string text = "let " + name + " = ";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? " ++ " : "") + parts[i];
  line(text + ";");
  return name;
}

void Writer::measure(const Operation& op) {
  if (version_ >= 3) {
    const std::string bits = operand(bits_, op.clbits), from = operand(qubits_, op.qubits);
    return line(bits + " = measure " + from + ";");
  }
  const WireNames::Stretch *from = qubits_.whole(op.qubits), *to = bits_.whole(op.clbits);
  if (op.qubits.size() > 1 && from != nullptr && to != nullptr) return line("measure " + from->name + " -> " + to->name + ";");
  for (std::size_t i = 0; i < op.qubits.size(); ++i) line("measure " + qubits_.one(op.qubits[i]) + " -> " + bits_.one(op.clbits[i]) + ";");
}

void Writer::reset(const Operation& op) {
  if (version_ >= 3) {
    const std::string from = operand(qubits_, op.qubits);
    return line("reset " + from + ";");
  }
  const WireNames::Stretch* whole = qubits_.whole(op.qubits);
  if (op.qubits.size() > 1 && whole != nullptr) return line("reset " + whole->name + ";");
  for (const Qubit q : op.qubits) line("reset " + qubits_.one(q) + ";");
}

std::string Writer::expression(const ClassicalExpression& e) {
  using Kind = ClassicalExpression::Kind;
  const ClassicalExpression::Node& node = e.node();
  const auto unary = [&](std::string_view op) { return std::string(op) + "(" + expression(node.operands[0]) + ")"; };
  const auto binary = [&](std::string_view op) {
    const std::string left = expression(node.operands[0]), right = expression(node.operands[1]);
    return "(" + left + " " + std::string(op) + " " + right + ")";
  };
  switch (node.kind) {
    case Kind::constant: {
      std::size_t n = node.words.size();
      while (n > 0 && node.words[n - 1] == 0) --n;
      if (n <= 1) return std::to_string(n == 0 ? 0 : node.words[0]);
      std::string text = fmt::format("0x{:x}", node.words[n - 1]);
      for (std::size_t i = n - 1; i-- > 0;) text += fmt::format("{:016x}", node.words[i]);
      return text;
    }
    case Kind::bits:
      return operand(bits_, node.bits);
    case Kind::logical_not:
      return unary("!");
    case Kind::bit_not:
      return unary("~");
    case Kind::negate:
      return unary("-");
    case Kind::popcount:
      return unary("popcount");
    case Kind::logical_and:
      return binary("&&");
    case Kind::logical_or:
      return binary("||");
    case Kind::bit_and:
      return binary("&");
    case Kind::bit_or:
      return binary("|");
    case Kind::bit_xor:
      return binary("^");
    case Kind::equal:
      return binary("==");
    case Kind::not_equal:
      return binary("!=");
    case Kind::less:
      return binary("<");
    case Kind::less_equal:
      return binary("<=");
    case Kind::greater:
      return binary(">");
    case Kind::greater_equal:
      return binary(">=");
    case Kind::add:
      return binary("+");
    case Kind::subtract:
      return binary("-");
    case Kind::multiply:
      return binary("*");
    case Kind::shift_left:
      return binary("<<");
    case Kind::shift_right:
      return binary(">>");
  }
  throw Internal("classical expression of an unknown kind");
}

void Writer::if_else(const Operation& op) {
  const Payload& payload = op.payload();
  const std::string condition = expression(*payload.condition);
  const auto braces = [&](const Circuit& circuit) {
    indent_ += "  ";
    block(circuit);
    indent_.resize(indent_.size() - 2);
  };
  line("if (" + condition + ") {");
  braces(payload.blocks[0]);
  if (payload.blocks.size() > 1) {
    line("} else {");
    braces(payload.blocks[1]);
  }
  line("}");
}

void Writer::if_else_2(const Operation& op) {
  using Kind = ClassicalExpression::Kind;
  const Payload& payload = op.payload();
  const ClassicalExpression::Node& node = payload.condition->node();
  if (!guard_.empty()) no_fit(op, "conditions cannot be nested");
  if (payload.blocks.size() > 1) no_fit(op, "it has no else");
  if (node.kind != Kind::equal || node.operands[0].node().kind != Kind::bits || node.operands[1].node().kind != Kind::constant)
    no_fit(op, "a condition compares a register with a number");
  const WireNames::Stretch* whole = bits_.whole(node.operands[0].node().bits);
  if (whole == nullptr) no_fit(op, "a condition compares a whole register");
  const Circuit& then = payload.blocks[0];
  // Each statement gets the condition: the same only while none of them changes the register.
  for (const Operation inner : then) {
    if (inner.gate == Gate::measure && then.size() > 1) no_fit(op, "a measurement stands beside others behind one condition");
  }
  guard_ = "if(" + whole->name + "==" + expression(node.operands[1]) + ") ";
  block(then);
  guard_.clear();
}

}  // namespace ketmesh::qasm

namespace ketmesh {

void write_qasm(std::ostream& out, const Circuit& circuit, int version) {
  if (version != 2 && version != 3) throw OptionError("OpenQASM version " + std::to_string(version) + " is unknown; expected 2 or 3");
  qasm::Writer(out, circuit, version).write();
}

std::string Circuit::to_qasm(int version) const {
  std::ostringstream out;
  write_qasm(out, *this, version);
  return out.str();
}

}  // namespace ketmesh
