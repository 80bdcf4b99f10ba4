#include "ketmesh/circuit/qasm/evaluator.hpp"

#include <fmt/format.h>

#include <numbers>
#include <utility>

namespace ketmesh::qasm {

Evaluator::Evaluator(const Sources& sources, const Names& names, Scopes& scopes, Budget& budget)
    : sources_(sources),
      names_(names),
      scopes_(scopes),
      budget_(budget),
      pi_(Value::of_real(std::numbers::pi)),
      tau_(Value::of_real(2 * std::numbers::pi)),
      euler_(Value::of_real(std::numbers::e)) {}

const Value* Evaluator::built_in(Name name) const {
  if (is(name, Word::pi_)) return &pi_;
  if (is(name, Word::tau_)) return &tau_;
  if (is(name, Word::euler_)) return &euler_;
  if (name < kNumWords) return nullptr;
  const std::string_view text = names_.text(name);
  if (text == "\xCF\x80") return &pi_;
  if (text == "\xCF\x84") return &tau_;
  if (text == "\xE2\x84\x87") return &euler_;
  return nullptr;
}

void Evaluator::undefined(Name name, Place place, std::string_view what) const {
  sources_.parse_error(place, fmt::format("'{}' is not defined; expected {}", shown(names_.text(name)), what));
}

Value Evaluator::lookup(Name name, Place place) {
  if (const Symbol* symbol = scopes_.find(name)) {
    if (symbol->kind == Symbol::Kind::value) return symbol->value;
    sources_.parse_error(place,
                         fmt::format("'{}' belongs to the gate that is being defined and has no value here", shown(names_.text(name))));
  }
  if (const Value* constant = built_in(name)) return *constant;
  undefined(name, place, "a constant, register or parameter");
}

Value Evaluator::pop() {
  Value v = std::move(stack_.back());
  stack_.pop_back();
  return v;
}

Value Evaluator::run(const Code& code, std::span<const Value> locals) {
  if (code.instrs.size() == 1) {  // most are one number or one name
    const Instr& only = code.instrs[0];
    if (only.op == Op::constant) return code.constants[only.a];
    if (only.op == Op::local) return locals[only.a];
    if (only.op == Op::name) return lookup(only.a, only.place);
  }
  stack_.clear();
  for (const Instr& instr : code.instrs) step(instr, code, locals);
  return pop();
}

void Evaluator::step(const Instr& instr, const Code& code, std::span<const Value> locals) {
  const Context at{sources_, instr.place};
  switch (instr.op) {
    case Op::constant:
      stack_.push_back(code.constants[instr.a]);
      return;
    case Op::name:
      stack_.push_back(lookup(instr.a, instr.place));
      return;
    case Op::local:
      stack_.push_back(locals[instr.a]);
      return;
    case Op::negate:
    case Op::logical_not:
    case Op::bit_not:
      stack_.back() = unary(instr.op, stack_.back(), at);
      return;
    case Op::call: {
      std::vector<Value> arguments(std::make_move_iterator(stack_.end() - instr.n), std::make_move_iterator(stack_.end()));
      stack_.resize(stack_.size() - instr.n);
      stack_.push_back(call(names_.text(instr.a), arguments, at));
      return;
    }
    case Op::cast: {
      const Value v = pop();
      TypeSpec to{static_cast<Type>(instr.a), 0};
      if (instr.n != 0) {
        const std::int64_t width = to_index(pop(), at, "width of a type");
        if (width < 1 || width > static_cast<std::int64_t>(kMaxDeclaredQubits))
          sources_.circuit_error(instr.place, fmt::format("width {} of a type is out of range", width));
        to.width = static_cast<std::uint32_t>(width);
      }
      stack_.push_back(cast(to, v, at));
      return;
    }
    case Op::index: {
      const Value index = pop();
      stack_.back() = element(stack_.back(), index, instr);
      return;
    }
    case Op::slice: {
      const auto optional = [&](std::uint32_t flag, std::int64_t otherwise) {
        return (instr.n & flag) != 0 ? to_index(pop(), at, "bound of a range") : otherwise;
      };
      constexpr std::int64_t kAbsent = INT64_MIN;
      const std::int64_t last = optional(4, kAbsent), stride = optional(2, 1), first = optional(1, kAbsent);
      stack_.back() = slice(stack_.back(), instr, first, stride, last);
      return;
    }
    case Op::index_set: {
      std::vector<Value> indices(std::make_move_iterator(stack_.end() - instr.n), std::make_move_iterator(stack_.end()));
      stack_.resize(stack_.size() - instr.n);
      std::vector<std::uint32_t> positions;
      positions.reserve(indices.size());
      for (const Value& v : indices)
        positions.push_back(static_cast<std::uint32_t>(position(to_index(v, at, "index"), stack_.back(), instr)));
      stack_.back() = selected(stack_.back(), std::move(positions), instr);
      return;
    }
    default: {
      const Value b = pop();
      stack_.back() = binary(instr.op, stack_.back(), b, at);
      return;
    }
  }
}

std::int64_t Evaluator::position(std::int64_t i, const Value& base, const Instr& instr) const {
  const std::string name = instr.a == 0 ? std::string("the expression") : "'" + shown(names_.text(instr.a)) + "'";
  const bool indexable =
      base.is_wires() ? !base.single : base.type == Type::bits || base.type == Type::natural || base.type == Type::integer;
  if (!indexable) sources_.circuit_error(instr.place, fmt::format("{} is {} and takes no index", name, describe(base)));
  const auto size = static_cast<std::int64_t>(base.width);
  if (i < -size || i >= size) {
    sources_.circuit_error(instr.place, fmt::format("index {} is out of range for {} of size {}; expected {}", i, name, size,
                                                    size == 0 ? "no index" : fmt::format("0 to {}", size - 1)));
  }
  return i < 0 ? i + size : i;
}

Value Evaluator::element(const Value& base, const Value& index, const Instr& instr) {
  const std::int64_t i = position(to_index(index, Context{sources_, instr.place}, "index"), base, instr);
  if (base.is_wires()) return Value::of_wires(base.type, base.wire(static_cast<std::uint32_t>(i)), 1, true);
  const std::uint64_t word = base.type == Type::bits ? base.extra->words[static_cast<std::size_t>(i) / 64] : as_pattern(base);
  Value bit = Value::of_bits(Words{word >> (i % 64) & 1}, 1);
  bit.single = true;
  return bit;
}

Value Evaluator::slice(const Value& base, const Instr& instr, std::int64_t first, std::int64_t stride, std::int64_t last) {
  constexpr std::int64_t kAbsent = INT64_MIN;
  const auto size = static_cast<std::int64_t>(base.width);
  if (stride == 0) sources_.circuit_error(instr.place, "step 0 of a range; expected another number");
  std::vector<std::uint32_t> positions;
  if (size == 0 && first == kAbsent && last == kAbsent) return selected(base, {}, instr);
  std::int64_t i = first == kAbsent ? (stride > 0 ? 0 : size - 1) : first;
  std::int64_t end = last == kAbsent ? (stride > 0 ? size - 1 : 0) : last;
  if (i < 0 && i >= -size) i += size;
  if (end < 0 && end >= -size) end += size;
  if (stride > 0 ? i > end : i < end) return selected(base, {}, instr);
  for (;; i += stride) {
    positions.push_back(static_cast<std::uint32_t>(position(i, base, instr)));
    if (stride > 0 ? end - i < stride : i - end < (stride == INT64_MIN ? INT64_MAX : -stride)) break;
  }
  return selected(base, std::move(positions), instr);
}

Value Evaluator::selected(const Value& base, std::vector<std::uint32_t> positions, const Instr& instr) {
  budget_.spend(positions.size() / 16, instr.place);  // long sets in loops count, too
  if (base.is_wires()) {
    if (base.single) sources_.circuit_error(instr.place, describe(base) + " takes no index");
    for (std::uint32_t& p : positions) p = base.wire(p);
    return Value::of_wires(base.type, std::move(positions), false);
  }
  if (positions.empty()) sources_.circuit_error(instr.place, "an empty range of bits has no value");
  Words words((positions.size() + 63) / 64, 0);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const std::uint64_t word = base.type == Type::bits ? base.extra->words[positions[k] / 64] : as_pattern(base);
    words[k / 64] |= (word >> (positions[k] % 64) & 1) << (k % 64);
  }
  return Value::of_bits(std::move(words), static_cast<std::uint32_t>(positions.size()));
}

Value Evaluator::wires(const Operand& operand, Type type) {
  const auto wrong = [&](const Value& found) {
    sources_.circuit_error(
        operand.place, fmt::format("expected {}, found {}",
                                   type == Type::qubits ? "a qubit or quantum register" : "a classical bit or register", describe(found)));
  };
  if (operand.kind == Operand::Kind::expression) {
    Value v = run(operand.code);
    if (v.type != type) wrong(v);
    return v;
  }
  const Symbol* symbol = scopes_.find(operand.name);
  if (symbol == nullptr)
    undefined(operand.name, operand.place, type == Type::qubits ? "a qubit or quantum register" : "a classical bit or register");
  if (symbol->kind != Symbol::Kind::value) return lookup(operand.name, operand.place);
  if (symbol->value.type != type) wrong(symbol->value);
  if (operand.kind == Operand::Kind::name) return symbol->value;
  const Value& base = symbol->value;
  if (base.single || operand.index >= base.width) {
    const auto index = static_cast<std::int64_t>(std::min<std::uint64_t>(operand.index, INT64_MAX));
    position(index, base, Instr{Op::index, operand.name, 0, operand.place});
  }
  return Value::of_wires(type, base.wire(static_cast<std::uint32_t>(operand.index)), 1, true);
}

}  // namespace ketmesh::qasm
