#include "ketmesh/circuit/qasm/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "ketmesh/circuit/qasm/ranges.hpp"
#include "ketmesh/circuit/qasm/tokens.hpp"

namespace ketmesh::qasm {

using Kind = Statement::Kind;

Executor::Executor(Sources& sources, Names& names, const QasmOptions& options, const int& version)
    : sources_(sources),
      names_(names),
      options_(options),
      version_(version),
      budget_(sources, options.max_operations),
      evaluator_(sources, names, scopes_, budget_),
      gates_(sources, names, version),
      expander_(sources, names, gates_, evaluator_, budget_),
      definer_(sources, names, scopes_, gates_, evaluator_, budget_) {
  scopes_.enter();
  expander_.out = out_;
}

Executor::Flow Executor::run(const Statement& s) {
  place_ = s.place;
  out_->set_line(s.place.line);
  return dispatch(s);
}

Executor::Flow Executor::dispatch(const Statement& s) {
  switch (s.kind) {
    case Kind::none:
      break;
    case Kind::call:
      call(s);
      break;
    case Kind::barrier:
      barrier(s);
      break;
    case Kind::reset:
      reset(s);
      break;
    case Kind::measure:
      measure(s);
      break;
    case Kind::delay:
      delay(s);
      break;
    case Kind::qubits:
      declare_qubits(s);
      break;
    case Kind::bits:
      declare_bits(s);
      break;
    case Kind::constant:
    case Kind::variable:
      declare_value(s);
      break;
    case Kind::input:
      input(s);
      break;
    case Kind::alias:
      alias(s);
      break;
    case Kind::assign:
      assign(s);
      break;
    case Kind::gate:
      definer_.define(s);
      break;
    case Kind::opaque:
      gates_.declare_opaque(s.name, s.parameters.size(), s.qubits.size(), s.name_place);
      break;
    case Kind::branch:
      return branch(s);
    case Kind::loop:
      return loop(s);
    case Kind::select:
      return select(s);
    case Kind::block:
      return block(s.body);
    case Kind::break_:
      return Flow::break_;
    case Kind::continue_:
      return Flow::continue_;
    case Kind::end_:
      return Flow::end_;
    case Kind::include:
      sources_.parse_error(s.place, "unexpected include inside a block");
  }
  return Flow::next;
}

Executor::Flow Executor::block(const Block& body) {
  const Scope scope(scopes_);
  for (const Statement& s : body) {
    budget_.spend(1, s.place);
    if (const Flow flow = run(s); flow != Flow::next) return flow;
  }
  return Flow::next;
}

Circuit Executor::finish(Place end) {
  if (num_qubits_ == 0 && !has_hardware_) {
    sources_.circuit_error(end, "no qubit register: the text declares no qubit; expected 'qreg q[n];' or 'qubit[n] q;'");
  }
  for (const auto& [name, value] : options_.inputs) {
    if (std::find(used_inputs_.begin(), used_inputs_.end(), name) == used_inputs_.end()) {
      sources_.circuit_error(end, fmt::format("a value is given for '{}', but the text has no input of that name", shown(name)));
    }
  }
  circuit_.widen(num_qubits_, num_bits_);
  return std::move(circuit_);
}

void Executor::append_wires(const Value& wires, std::vector<std::uint32_t>& to) const {
  for (std::uint32_t i = 0; i < wires.width; ++i) to.push_back(wires.wire(i));
}

Value Executor::qubits(const Operand& operand) {
  Value v = evaluator_.wires(operand, Type::qubits);
  if (operand.kind != Operand::Kind::expression) return v;
  for (std::uint32_t i = 0; i < v.width; ++i) {
    if (v.wire(i) < num_qubits_) continue;
    if (has_register_)
      sources_.circuit_error(operand.place,
                             fmt::format("hardware qubit ${} is out of range beside registers of {} qubits", v.wire(i), num_qubits_));
    has_hardware_ = true;
    num_qubits_ = std::size_t{v.wire(i)} + 1;
  }
  return v;
}

// Registers of a call run in step; single qubits stand beside each of their qubits.
void Executor::call(const Statement& s) {
  const GateRef gate = gates_.find(s.name, s.name_place);
  const Expander::Applied applied = s.modifiers.empty() ? Expander::Applied{} : expander_.evaluated(s.modifiers, {});
  angles_.clear();
  for (const Code& code : s.arguments) {
    Value v = evaluator_.run(code);
    if (v.type != Type::real && v.type != Type::symbol) v = Value::of_real(to_parameter(v, at(code.instrs.back().place)).number());
    angles_.push_back(std::move(v));
  }
  wires_.clear();
  constexpr std::uint32_t kSingles = ~std::uint32_t{0};
  std::uint32_t count = kSingles;
  for (const Operand& operand : s.operands) {
    wires_.push_back(qubits(operand));
    if (wires_.back().single) continue;
    if (count != kSingles && count != wires_.back().width) {
      sources_.circuit_error(operand.place, fmt::format("registers of different sizes in one call of '{}': {} and {} qubits",
                                                        shown(names_.text(s.name)), count, wires_.back().width));
    }
    count = wires_.back().width;
  }
  if (count == 0) {  // a register of size 0 holds nothing, but the call must be well-formed
    gates_.check_counts(gate, angles_.size(), s.operands.size() - std::min(s.operands.size(), applied.control_values.size()), s.name_place);
  }
  const std::uint32_t times = count == kSingles ? 1 : count;
  for (std::uint32_t k = 0; k < times; ++k) {
    operands_.clear();
    for (const Value& v : wires_) operands_.push_back(v.wire(v.single ? 0 : k));
    expander_.apply(gate, angles_, applied, operands_, s.name_place);
  }
}

void Executor::barrier(const Statement& s) {
  std::vector<std::uint32_t> wires;
  for (const Operand& operand : s.operands) {
    const Value v = qubits(operand);
    for (std::uint32_t i = 0; i < v.width; ++i) wires.push_back(v.wire(i));
  }
  if (s.operands.empty()) {
    for (std::uint32_t q = 0; q < num_qubits_; ++q) wires.push_back(q);
  } else {
    std::vector<std::uint32_t> sorted = wires;  // a qubit may be named twice: once is enough
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      std::vector<bool> seen(std::size_t{sorted.back()} + 1);
      std::erase_if(wires, [&](std::uint32_t q) {
        const bool again = seen[q];
        seen[q] = true;
        return again;
      });
    }
  }
  budget_.spend(1 + wires.size() / 16, s.place);
  if (!wires.empty()) out_->barrier(wires);
}

void Executor::reset(const Statement& s) {
  for (const Operand& operand : s.operands) {
    const Value v = qubits(operand);
    budget_.spend(v.width, s.place);
    std::vector<std::uint32_t> wires;
    append_wires(v, wires);
    if (!wires.empty()) out_->reset(wires);
  }
}

void Executor::measure(const Statement& s) {
  const Value from = qubits(s.operands[0]);
  if (!s.targets.empty()) return measure_into(from, evaluator_.wires(s.targets[0], Type::clbits), s.place);
  // Nothing is kept, but the qubits collapse: the result goes into bits of no register.
  num_bits_ = std::max(num_bits_, circuit_.num_clbits());
  const Value bits = Value::of_wires(Type::clbits, num_bits_, from.width, from.single);
  num_bits_ += from.width;
  circuit_.widen(0, num_bits_);
  measure_into(from, bits, s.place);
}

void Executor::measure_into(const Value& from, const Value& to, Place place) {
  if (from.width != to.width || (from.single != to.single && from.width != 1)) {
    sources_.circuit_error(place, fmt::format("measurement of {} into {}: the sizes must be the same", describe(from), describe(to)));
  }
  budget_.spend(from.width, place);
  std::vector<std::uint32_t> wires, bits;
  append_wires(from, wires);
  append_wires(to, bits);
  if (!wires.empty()) out_->measure(wires, bits);
}

void Executor::delay(const Statement& s) {
  const Value v = evaluator_.run(s.value);
  if (v.type != Type::duration) sources_.circuit_error(s.place, "delay: expected a duration such as 100ns, found " + describe(v));
  std::vector<std::uint32_t> wires;
  for (const Operand& operand : s.operands) append_wires(qubits(operand), wires);
  if (s.operands.empty()) {
    for (std::uint32_t q = 0; q < num_qubits_; ++q) wires.push_back(q);
  }
  budget_.spend(1 + wires.size() / 16, s.place);
  if (!wires.empty()) out_->delay(wires, Parameter(v.number));
}

void Executor::assign(const Statement& s) {
  const Operand& target = s.targets[0];
  Symbol* symbol = scopes_.find(target.name);
  if (symbol == nullptr) evaluator_.undefined(target.name, target.place, "a variable");
  const std::string name = shown(names_.text(target.name));
  if (symbol->value.type == Type::clbits)
    sources_.circuit_error(target.place,
                           fmt::format("classical bit '{}' takes only measurements; assigning a value is not available", name));
  if (!symbol->assignable) sources_.circuit_error(target.place, fmt::format("'{}' is no variable and cannot be assigned", name));
  if (target.kind != Operand::Kind::name)
    sources_.circuit_error(target.place, fmt::format("assigning single bits of '{}' is not available", name));
  if (symbol->branch != branch_)
    sources_.circuit_error(
        target.place,
        fmt::format("assigning '{}' under a measured condition is not available: its value would differ from run to run", name));
  const TypeSpec type = symbol->type;
  Value v = evaluator_.run(s.value);
  if (s.assign_op == Tok::compound_assign) {
    constexpr std::pair<char, Op> kOps[] = {{'+', Op::add},       {'-', Op::subtract},   {'*', Op::multiply},   {'/', Op::divide},
                                            {'%', Op::remainder}, {'p', Op::power},      {'&', Op::bit_and},    {'|', Op::bit_or},
                                            {'^', Op::bit_xor},   {'<', Op::shift_left}, {'>', Op::shift_right}};
    for (const auto& [character, op] : kOps) {
      if (character != s.assign_character) continue;
      v = binary(op, symbol->value, v, at(s.place));
      break;
    }
  }
  symbol->value = converted(type, v, at(s.place));
}

Executor::Flow Executor::branch(const Statement& s) {
  const Value condition = evaluator_.run(s.value);
  if (!is_measured(condition)) {
    if (truth(condition, at(s.place))) return block(s.body);
    return s.has_otherwise ? block(s.otherwise) : Flow::next;
  }
  const ClassicalExpression expression = to_classical(condition, at(s.place));
  Circuit then = branch_block(s.body);
  budget_.spend(1, s.place);
  if (s.has_otherwise) {
    Circuit otherwise = branch_block(s.otherwise);
    if (!otherwise.empty()) {
      out_->set_line(s.place.line);
      out_->if_else(expression, std::move(then), std::move(otherwise));
      return Flow::next;
    }
  }
  out_->set_line(s.place.line);
  if (!then.empty()) out_->if_else(expression, std::move(then));
  return Flow::next;
}

Circuit Executor::branch_block(const Block& body) {
  Circuit inner;
  Circuit* outer = std::exchange(out_, &inner);
  expander_.out = out_;
  ++branch_;
  const Flow flow = block(body);
  --branch_;
  out_ = outer;
  expander_.out = out_;
  if (flow != Flow::next) sources_.circuit_error(place_, "break, continue and end under a measured condition are not available");
  return inner;
}

bool Executor::turn(const Statement& s, Value v, Flow& flow) {
  budget_.spend(1, s.place);
  const Scope scope(scopes_);
  Symbol symbol;
  symbol.name = s.name;
  symbol.place = s.name_place;
  symbol.value = std::move(v);
  scopes_.declare(std::move(symbol), sources_, names_);
  flow = block(s.body);
  if (flow == Flow::continue_) flow = Flow::next;
  if (flow == Flow::break_) {
    flow = Flow::next;
    return false;
  }
  return flow == Flow::next;
}

Executor::Flow Executor::loop(const Statement& s) {
  Flow flow = Flow::next;
  const TypeSpec type = declared_type(s);
  const auto element = [&](const Value& v) { return v.is_wires() || v.type == Type::symbol ? v : converted(type, v, at(s.place)); };
  if (s.is_range) {
    const Value step = s.step.empty() ? Value::of_integer(1) : evaluator_.run(s.step);
    const Value begin = evaluator_.run(s.begin);
    for (Steps steps(begin, step, evaluator_.run(s.end), at(s.place)); steps.more(); steps.advance()) {
      if (!turn(s, element(steps.value()), flow)) break;
    }
    return flow;
  }
  if (s.value.empty()) {
    for (const Code& code : s.arguments) {
      if (!turn(s, element(evaluator_.run(code)), flow)) break;
    }
    return flow;
  }
  const Value set = evaluator_.run(s.value);
  if (!set.is_wires() && set.type != Type::bits)
    sources_.circuit_error(s.place, "a loop goes over a range, a set or a register; found " + describe(set));
  for (std::uint32_t i = 0; i < set.width; ++i) {
    const Value v =
        set.is_wires() ? Value::of_wires(set.type, set.wire(i), 1, true) : Value::of_bool((set.extra->words[i / 64] >> (i % 64) & 1) != 0);
    if (!turn(s, v, flow)) break;
  }
  return flow;
}

bool Executor::matches(const Case& one, const Value& value) {
  for (const Code& label : one.labels) {
    const Value v = evaluator_.run(label);
    if (is_measured(v)) sources_.circuit_error(one.place, "a case of a switch must be constant");
    if (!is_measured(value) && truth(binary(Op::equal, value, v, at(one.place)), at(one.place))) return true;
  }
  return false;
}

Executor::Flow Executor::select(const Statement& s) {
  const Value value = evaluator_.run(s.value);
  if (is_measured(value)) {
    measured_select(s, value, 0, *out_);
    return Flow::next;
  }
  if (!value.is_integral() && value.type != Type::bits)
    sources_.circuit_error(s.place, "switch takes an integer, found " + describe(value));
  for (const Case& one : s.cases) {
    if (matches(one, value)) return block(one.body);
  }
  return s.has_otherwise ? block(s.otherwise) : Flow::next;
}

// Cases of a measured value: a chain of if and else.
void Executor::measured_select(const Statement& s, const Value& value, std::size_t from, Circuit& to) {
  if (s.cases.size() > static_cast<std::size_t>(kMaxNesting))
    sources_.circuit_error(s.place, fmt::format("a switch on measured bits with {} cases; at most {}", s.cases.size(), kMaxNesting));
  if (from == s.cases.size()) {
    const Circuit rest = s.has_otherwise ? branch_block(s.otherwise) : Circuit();
    for (const Operation op : rest) to.append(op);
    return;
  }
  const Case& one = s.cases[from];
  Value condition;
  for (std::size_t i = 0; i < one.labels.size(); ++i) {
    const Value label = evaluator_.run(one.labels[i]);
    if (is_measured(label)) sources_.circuit_error(one.place, "a case of a switch must be constant");
    const Value equal = binary(Op::equal, value, label, at(one.place));
    condition = i == 0 ? equal : binary(Op::logical_or, condition, equal, at(one.place));
  }
  Circuit then = branch_block(one.body), otherwise;
  measured_select(s, value, from + 1, otherwise);
  budget_.spend(1, s.place);
  to.set_line(one.place.line);
  const ClassicalExpression expression = to_classical(condition, at(one.place));
  if (otherwise.empty())
    to.if_else(expression, std::move(then));
  else
    to.if_else(expression, std::move(then), std::move(otherwise));
}

}  // namespace ketmesh::qasm
