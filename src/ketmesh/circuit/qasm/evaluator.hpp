// Runs expression code.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/circuit/qasm/budget.hpp"
#include "ketmesh/circuit/qasm/code.hpp"
#include "ketmesh/circuit/qasm/scopes.hpp"
#include "ketmesh/circuit/qasm/statement.hpp"

namespace ketmesh::qasm {

class Evaluator {
 public:
  Evaluator(const Sources& sources, const Names& names, Scopes& scopes, Budget& budget);

  /// `locals`: values of the parameters of the gate whose body holds the code.
  Value run(const Code& code, std::span<const Value> locals = {});
  /// Qubits (or classical bits) that an operand names. Index errors are CircuitErrors at its place.
  Value wires(const Operand& operand, Type type);
  /// pi, tau, euler and their signs; nullptr for other names.
  const Value* built_in(Name name) const;
  [[noreturn]] void undefined(Name name, Place place, std::string_view what) const;

 private:
  Value lookup(Name name, Place place);
  void step(const Instr& instr, const Code& code, std::span<const Value> locals);
  Value pop();
  Value element(const Value& base, const Value& index, const Instr& instr);
  Value slice(const Value& base, const Instr& instr, std::int64_t first, std::int64_t stride, std::int64_t last);
  std::int64_t position(std::int64_t i, const Value& base, const Instr& instr) const;
  Value selected(const Value& base, std::vector<std::uint32_t> positions, const Instr& instr);

  const Sources& sources_;
  const Names& names_;
  Scopes& scopes_;
  Budget& budget_;
  Value pi_, tau_, euler_;
  std::vector<Value> stack_;
};

}  // namespace ketmesh::qasm
