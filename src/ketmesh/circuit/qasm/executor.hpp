// Statements to a circuit.
#pragma once

#include <string>
#include <vector>

#include "ketmesh/circuit/qasm.hpp"
#include "ketmesh/circuit/qasm/definer.hpp"
#include "ketmesh/circuit/qasm/expander.hpp"

namespace ketmesh::qasm {

class Executor {
 public:
  enum class Flow : std::uint8_t { next, break_, continue_, end_ };

  Executor(Sources& sources, Names& names, const QasmOptions& options, const int& version);

  /// Any statement but an include.
  Flow run(const Statement& s);
  /// Where the statement that runs stands, for errors of the circuit that know no place.
  Place place() const { return place_; }
  /// The finished circuit. Throws CircuitError when no qubit was declared or an input of the options is none of the text.
  Circuit finish(Place end);

 private:
  Flow dispatch(const Statement& s);
  Flow block(const Block& body);
  void call(const Statement& s);
  void barrier(const Statement& s);
  void reset(const Statement& s);
  void measure(const Statement& s);
  void measure_into(const Value& qubits, const Value& bits, Place place);
  void delay(const Statement& s);
  void declare_qubits(const Statement& s);
  void declare_bits(const Statement& s);
  void declare_value(const Statement& s);
  void input(const Statement& s);
  void alias(const Statement& s);
  void assign(const Statement& s);
  Flow branch(const Statement& s);
  Flow loop(const Statement& s);
  bool turn(const Statement& s, Value v, Flow& flow);
  Flow select(const Statement& s);
  Circuit branch_block(const Block& body);
  void measured_select(const Statement& s, const Value& value, std::size_t from, Circuit& to);
  bool matches(const Case& one, const Value& value);
  bool is_measured(const Value& v) const { return v.type == Type::measured || v.type == Type::clbits; }

  std::uint32_t declared_size(const Statement& s, std::string_view thing);
  TypeSpec declared_type(const Statement& s);
  Symbol& declare(const Statement& s, Value value);
  std::string register_name(Name name) const;
  Value qubits(const Operand& operand);
  void append_wires(const Value& wires, std::vector<std::uint32_t>& to) const;
  Context at(Place place) const { return Context{sources_, place}; }

  Sources& sources_;
  Names& names_;
  const QasmOptions& options_;
  const int& version_;
  Budget budget_;
  Scopes scopes_;
  Evaluator evaluator_;
  GateTable gates_;
  Expander expander_;
  Definer definer_;
  Circuit circuit_;
  Circuit* out_ = &circuit_;
  Place place_;
  std::size_t num_qubits_ = 0, num_bits_ = 0;
  bool has_register_ = false, has_hardware_ = false;
  int branch_ = 0;  // measured branches around the statement that runs
  std::vector<std::string> used_inputs_;
  std::vector<Value> angles_, wires_;  // of the call that runs
  std::vector<std::uint32_t> operands_;
};

}  // namespace ketmesh::qasm
