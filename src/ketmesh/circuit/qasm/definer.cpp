#include "ketmesh/circuit/qasm/definer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ketmesh/circuit/qasm/ranges.hpp"

namespace ketmesh::qasm {

Definer::Definer(const Sources& sources, const Names& names, Scopes& scopes, GateTable& gates, Evaluator& evaluator, Budget& budget)
    : sources_(sources), names_(names), scopes_(scopes), gates_(gates), evaluator_(evaluator), budget_(budget) {}

void Definer::define(const Statement& s) {
  const Symbol* taken = scopes_.find(s.name);
  if (taken != nullptr)
    sources_.parse_error(s.name_place, fmt::format("'{}' is declared already, in line {}", shown(names_.text(s.name)), taken->place.line));
  gates_.begin(s.name, s.name_place);
  GateDefinition definition;
  definition.name = s.name;
  definition.place = s.name_place;
  definition.num_parameters = static_cast<std::uint32_t>(s.parameters.size());
  definition.num_qubits = static_cast<std::uint32_t>(s.qubits.size());
  {
    const Scope scope(scopes_);
    const auto declare = [&](const std::vector<Name>& list, Symbol::Kind kind) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        Symbol symbol;
        symbol.kind = kind;
        symbol.name = list[i];
        symbol.local = static_cast<std::uint32_t>(i);
        symbol.place = s.name_place;
        scopes_.declare(std::move(symbol), sources_, names_);
      }
    };
    declare(s.parameters, Symbol::Kind::parameter);
    declare(s.qubits, Symbol::Kind::qubit);
    block(s.body, definition);
  }
  gates_.end();
  gates_.define(std::move(definition));
}

void Definer::block(const Block& body, GateDefinition& to) {
  for (const Statement& s : body) statement(s, to);
}

void Definer::statement(const Statement& s, GateDefinition& to) {
  budget_.spend(1, s.place);
  switch (s.kind) {
    case Statement::Kind::none:
      return;
    case Statement::Kind::call:
      return call(s, to);
    case Statement::Kind::loop:
      return loop(s, to);
    case Statement::Kind::barrier:
    case Statement::Kind::delay: {
      BodyOp op;
      op.place = s.place;
      op.qubits = qubits(s);
      const bool barrier = s.kind == Statement::Kind::barrier;
      op.gate.kind = barrier ? GateRef::Kind::barrier : GateRef::Kind::delay;
      if (!barrier) {
        const Value v = evaluator_.run(bound(s.value));
        if (v.type != Type::duration) sources_.circuit_error(s.place, "expected a duration, found " + describe(v));
        op.arguments.emplace_back();
        op.arguments[0].instrs.push_back(Instr{Op::constant, 0, 0, s.place});
        op.arguments[0].constants.push_back(Value::of_real(v.number));
      }
      if (s.operands.empty()) {
        for (std::uint32_t i = 0; i < to.num_qubits; ++i) op.qubits.push_back(i);
      }
      to.body.push_back(std::move(op));
      return;
    }
    case Statement::Kind::branch: {
      const Scope scope(scopes_);
      return block(truth(evaluator_.run(bound(s.value)), Context{sources_, s.place}) ? s.body : s.otherwise, to);
    }
    default:
      sources_.parse_error(s.place, "this statement cannot stand in the body of a gate; expected a gate, barrier or '}'");
  }
}

std::vector<std::uint32_t> Definer::qubits(const Statement& s) {
  std::vector<std::uint32_t> out;
  for (const Operand& operand : s.operands) {
    const Symbol* symbol = operand.kind == Operand::Kind::expression && operand.name == 0 ? nullptr : scopes_.find(operand.name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::qubit) {
      sources_.parse_error(operand.place, fmt::format("'{}' is not defined as a qubit of this gate", shown(names_.text(operand.name))));
    }
    if (operand.kind != Operand::Kind::name)
      sources_.parse_error(operand.place, fmt::format("qubit '{}' of a gate takes no index", shown(names_.text(operand.name))));
    if (std::find(out.begin(), out.end(), symbol->local) != out.end()) {
      sources_.circuit_error(operand.place, fmt::format("qubit '{}' is given twice; the qubits of one gate must be distinct",
                                                        shown(names_.text(operand.name))));
    }
    out.push_back(symbol->local);
  }
  return out;
}

void Definer::call(const Statement& s, GateDefinition& to) {
  BodyOp op;
  op.place = s.name_place;
  op.gate = gates_.find(s.name, s.name_place);
  op.qubits = qubits(s);
  std::size_t own = op.qubits.size();
  for (const Modifier& m : s.modifiers) {
    Modifier copy{m.kind, m.place, bound(m.argument)};
    if (m.kind == Modifier::Kind::ctrl || m.kind == Modifier::Kind::negctrl) {
      // The number of controls decides the number of operands, so it must be known here.
      const std::int64_t n =
          m.argument.empty() ? 1 : to_index(evaluator_.run(copy.argument), Context{sources_, m.place}, "number of controls");
      if (n < 1 || static_cast<std::uint64_t>(n) > own)
        sources_.circuit_error(m.place,
                               fmt::format("{} controls on gate '{}' with {} qubits", n, shown(names_.text(s.name)), op.qubits.size()));
      own -= static_cast<std::size_t>(n);
    }
    op.modifiers.push_back(std::move(copy));
  }
  gates_.check_counts(op.gate, s.arguments.size(), own, s.name_place);
  for (const Code& code : s.arguments) op.arguments.push_back(bound(code));
  to.body.push_back(std::move(op));
}

void Definer::turn(const Statement& s, const Value& v, GateDefinition& to) {
  budget_.spend(1, s.place);
  const Scope scope(scopes_);
  Symbol symbol;
  symbol.name = s.name;
  symbol.place = s.name_place;
  symbol.value = v;
  scopes_.declare(std::move(symbol), sources_, names_);
  block(s.body, to);
}

void Definer::loop(const Statement& s, GateDefinition& to) {
  if (!s.is_range && s.arguments.empty())
    sources_.parse_error(s.place, "a loop in the body of a gate goes over a range or a set of numbers");
  const TypeSpec type = s.type;
  if (!s.is_range) {
    for (const Code& code : s.arguments) turn(s, converted(type, evaluator_.run(bound(code)), Context{sources_, s.place}), to);
    return;
  }
  const Value step = s.step.empty() ? Value::of_integer(1) : evaluator_.run(bound(s.step));
  for (Steps steps(evaluator_.run(bound(s.begin)), step, evaluator_.run(bound(s.end)), Context{sources_, s.place}); steps.more();
       steps.advance()) {
    turn(s, converted(type, steps.value(), Context{sources_, s.place}), to);
  }
}

Code Definer::bound(const Code& code) {
  Code out = code;
  bool constant = true;
  for (Instr& instr : out.instrs) {
    if (instr.op == Op::local) constant = false;
    if (instr.op != Op::name) continue;
    const Symbol* symbol = scopes_.find(instr.a);
    if (symbol != nullptr && symbol->kind == Symbol::Kind::parameter) {
      instr.op = Op::local;
      instr.a = symbol->local;
      constant = false;
      continue;
    }
    Code name;
    name.instrs.push_back(instr);
    const Value v = evaluator_.run(name);
    if (v.is_wires() || v.type == Type::measured)
      sources_.circuit_error(instr.place, fmt::format("'{}' is {}; the body of a gate can use constants and its parameters",
                                                      shown(names_.text(instr.a)), describe(v)));
    instr.op = Op::constant;
    instr.a = static_cast<std::uint32_t>(out.constants.size());
    out.constants.push_back(v);
  }
  if (!constant || out.instrs.size() <= 1) return out;
  const Value v = evaluator_.run(out);  // once, and its errors are told here
  out.instrs = {Instr{Op::constant, 0, 0, code.instrs.front().place}};
  out.constants = {v};
  return out;
}

}  // namespace ketmesh::qasm
