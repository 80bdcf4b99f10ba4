// Declarations of registers, constants, variables and inputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "ketmesh/circuit/qasm/executor.hpp"
#include "ketmesh/circuit/qasm/ranges.hpp"

namespace ketmesh::qasm {

std::uint32_t Executor::declared_size(const Statement& s, std::string_view thing) {
  if (!s.sized) return 1;
  const Value v = evaluator_.run(s.size);
  const std::string what = fmt::format("size of register '{}'", shown(names_.text(s.name)));
  if (is_measured(v)) sources_.circuit_error(s.name_place, what + ": expected a constant, found " + describe(v));
  const bool huge =
      (v.type == Type::natural && v.natural > static_cast<std::uint64_t>(INT64_MAX)) || (v.type == Type::bits && as_words(v).size() > 1);
  const std::int64_t size = huge ? INT64_MAX : to_index(v, at(s.name_place), what);
  if (size < 0 || size > static_cast<std::int64_t>(kMaxDeclaredQubits)) {
    sources_.circuit_error(s.name_place, fmt::format("register '{}' of {} {} is too large: the limit is {}", shown(names_.text(s.name)),
                                                     huge ? describe(v) : fmt::format("{}", size), thing, kMaxDeclaredQubits));
  }
  return static_cast<std::uint32_t>(size);
}

TypeSpec Executor::declared_type(const Statement& s) {
  TypeSpec type = s.type;
  if (!s.sized) return type;
  const std::int64_t width = to_index(evaluator_.run(s.size), at(s.place), fmt::format("width of {}", to_string(type.type)));
  const std::int64_t most = type.type == Type::bits ? static_cast<std::int64_t>(kMaxDeclaredQubits) : 64;
  if (width < 1 || width > most)
    sources_.circuit_error(s.place, fmt::format("width {} of {} is out of range; expected 1 to {}", width, to_string(type.type), most));
  type.width = static_cast<std::uint32_t>(width);
  return type;
}

Symbol& Executor::declare(const Statement& s, Value value) {
  if (gates_.is_defined_in_text(s.name))
    sources_.parse_error(s.name_place, fmt::format("'{}' is declared already: it is a gate", shown(names_.text(s.name))));
  Symbol symbol;
  symbol.name = s.name;
  symbol.place = s.name_place;
  symbol.branch = branch_;
  symbol.value = std::move(value);
  return scopes_.declare(std::move(symbol), sources_, names_);
}

// A register of an inner scope may share its name with another one; the circuit's registers may not.
std::string Executor::register_name(Name name) const {
  std::string text(names_.text(name));
  const auto taken = [&](const std::string& candidate) {
    const auto same = [&](const Register& r) { return r.name == candidate; };
    return std::any_of(circuit_.quantum_registers().begin(), circuit_.quantum_registers().end(), same) ||
           std::any_of(circuit_.classical_registers().begin(), circuit_.classical_registers().end(), same);
  };
  if (!taken(text)) return text;
  for (std::size_t i = circuit_.classical_registers().size();; ++i) {
    std::string candidate = text + "_" + std::to_string(i);
    if (!taken(candidate)) return candidate;
  }
}

void Executor::declare_qubits(const Statement& s) {
  const std::uint32_t size = declared_size(s, "qubits");
  if (has_hardware_) sources_.circuit_error(s.name_place, "a register beside hardware qubits ($0) is not available");
  constexpr std::size_t kMost = (std::size_t{1} << 31) - 1;  // wires have 31 bits
  if (num_qubits_ + size > kMost) sources_.circuit_error(s.name_place, fmt::format("more than {} qubits in all: too many", kMost));
  declare(s, Value::of_wires(Type::qubits, num_qubits_, size, !s.sized));
  has_register_ = true;
  circuit_.widen(num_qubits_, 0);
  if (!s.unnamed) circuit_.add_quantum_register(register_name(s.name), size);
  num_qubits_ += size;
}

void Executor::declare_bits(const Statement& s) {
  const std::uint32_t size = declared_size(s, "classical bits");
  if (!s.value.empty()) {
    const Value initial = converted(TypeSpec{Type::bits, s.sized ? std::max(size, 1u) : 0}, evaluator_.run(s.value), at(s.name_place));
    if (!as_words(initial).empty()) {
      sources_.circuit_error(s.name_place, fmt::format("bit '{}' begins as 0; another value is not available, except as 'const bit'",
                                                       shown(names_.text(s.name))));
    }
  }
  num_bits_ = std::max(num_bits_, circuit_.num_clbits());
  budget_.spend(size / 16, s.place);
  constexpr std::size_t kMost = (std::size_t{1} << 31) - 1;
  if (num_bits_ + size > kMost) sources_.circuit_error(s.name_place, fmt::format("more than {} classical bits in all: too many", kMost));
  const Value from = s.measured ? qubits(s.operands[0]) : Value{};
  const Value bits = Value::of_wires(Type::clbits, num_bits_, size, !s.sized);
  declare(s, bits);
  circuit_.widen(0, num_bits_);
  if (!s.unnamed) circuit_.add_classical_register(register_name(s.name), size);
  num_bits_ += size;
  if (s.measured) measure_into(from, bits, s.place);
}

void Executor::declare_value(const Statement& s) {
  const TypeSpec type = declared_type(s);
  Value v = s.value.empty() ? Value::of_integer(0) : evaluator_.run(s.value);
  if (is_measured(v))
    sources_.circuit_error(s.name_place, fmt::format("'{}' needs a constant value, found {}", shown(names_.text(s.name)), describe(v)));
  if (s.value.empty() && (type.type == Type::angle || type.type == Type::real || type.type == Type::duration)) {
    v = type.type == Type::duration ? Value::of_duration(0) : Value::of_real(0);
  }
  Symbol& symbol = declare(s, converted(type, v, at(s.name_place)));
  symbol.assignable = s.kind == Statement::Kind::variable;
  symbol.type = type;
}

void Executor::input(const Statement& s) {
  const TypeSpec type = declared_type(s);
  const std::string name(names_.text(s.name));
  if (type.type == Type::bits || type.type == Type::duration || type.type == Type::qubits) {
    sources_.parse_error(s.name_place, fmt::format("input '{}' of type {} is not available; expected int, uint, float, angle or bool",
                                                   shown(name), to_string(type.type)));
  }
  used_inputs_.push_back(name);
  const auto given = options_.inputs.find(name);
  if (given != options_.inputs.end()) {
    if (!std::isfinite(given->second))
      sources_.circuit_error(s.name_place, fmt::format("the value of input '{}' is not a finite number", shown(name)));
    declare(s, converted(type, Value::of_real(given->second), at(s.name_place)));
    return;
  }
  Parameter p = Parameter::named(name);
  std::uint32_t nodes = 1;
  if (type.type == Type::angle) {  // an angle wraps, whenever it gets its value
    const Parameter turn(2 * std::numbers::pi);
    p = p - turn * Parameter::function("floor", p / turn);
    nodes = 8;
  }
  declare(s, Value::of_parameter(std::move(p), type.type != Type::real && type.type != Type::angle, nodes));
}

void Executor::alias(const Statement& s) {
  Value v = evaluator_.run(s.value);
  if (!v.is_wires())
    sources_.circuit_error(s.name_place,
                           fmt::format("alias '{}': expected qubits or classical bits, found {}", shown(names_.text(s.name)), describe(v)));
  budget_.spend(v.width / 16, s.place);
  declare(s, std::move(v));
}

}  // namespace ketmesh::qasm
