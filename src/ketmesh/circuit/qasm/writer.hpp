// Operations to statements of one version.
#pragma once

#include <iosfwd>
#include <set>
#include <string>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/qasm/wire_names.hpp"

namespace ketmesh::qasm {

class Writer {
 public:
  Writer(std::ostream& out, const Circuit& circuit, int version);
  void write();

 private:
  void header();
  void block(const Circuit& circuit);
  void operation(const Operation& op);
  void gate(const Operation& op);
  void gate_2(const Operation& op);
  void named_gate_2(Gate base, const Operation& op);
  void measure(const Operation& op);
  void reset(const Operation& op);
  void wires_line(std::string_view head, const Operation& op);
  void if_else(const Operation& op);
  void if_else_2(const Operation& op);
  void line(const std::string& text);
  std::string gate_head(const Operation& op) const;
  std::string angles(const Operation& op) const;
  std::string payload_angles(const Payload& payload, Gate gate) const;
  std::string operands(const Operation& op) const;
  /// One operand for all the wires: a `let` comes first where the language needs it.
  std::string operand(const WireNames& names, std::span<const std::uint32_t> wires);
  std::string expression(const ClassicalExpression& e);
  [[noreturn]] void no_fit(const Operation& op, const std::string& why) const;

  std::ostream& out_;
  const Circuit& circuit_;
  int version_;
  std::set<std::string> taken_;
  WireNames qubits_, bits_;
  std::string indent_;
  std::string guard_;  // version 2: the condition in front of each statement
  std::size_t aliases_ = 0;
};

}  // namespace ketmesh::qasm
