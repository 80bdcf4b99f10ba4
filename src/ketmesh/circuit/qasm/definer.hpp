// Gate definitions: checks a body where it stands and resolves its names, so that expanding needs no look-ups.
#pragma once

#include "ketmesh/circuit/qasm/evaluator.hpp"
#include "ketmesh/circuit/qasm/gates.hpp"

namespace ketmesh::qasm {

class Definer {
 public:
  Definer(const Sources& sources, const Names& names, Scopes& scopes, GateTable& gates, Evaluator& evaluator, Budget& budget);
  void define(const Statement& statement);

 private:
  void block(const Block& body, GateDefinition& to);
  void statement(const Statement& s, GateDefinition& to);
  void call(const Statement& s, GateDefinition& to);
  void loop(const Statement& s, GateDefinition& to);
  void turn(const Statement& s, const Value& v, GateDefinition& to);
  Code bound(const Code& code);
  std::vector<std::uint32_t> qubits(const Statement& s);

  const Sources& sources_;
  const Names& names_;
  Scopes& scopes_;
  GateTable& gates_;
  Evaluator& evaluator_;
  Budget& budget_;
};

}  // namespace ketmesh::qasm
