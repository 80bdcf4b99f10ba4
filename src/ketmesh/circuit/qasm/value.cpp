#include "ketmesh/circuit/qasm/value.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace ketmesh::qasm {

std::string_view to_string(Type type) {
  switch (type) {
    case Type::boolean:
      return "bool";
    case Type::integer:
      return "int";
    case Type::natural:
      return "uint";
    case Type::real:
      return "float";
    case Type::angle:
      return "angle";
    case Type::bits:
      return "bit string";
    case Type::duration:
      return "duration";
    case Type::symbol:
      return "input without a value";
    case Type::measured:
      return "expression of measured bits";
    case Type::qubits:
      return "qubits";
    case Type::clbits:
      return "classical bits";
  }
  return "value";
}

std::int64_t wrap_signed(std::uint64_t bits, std::uint32_t width) {
  const std::uint32_t drop = 64 - width;
  return static_cast<std::int64_t>(bits << drop) >> drop;
}

std::uint64_t wrap_unsigned(std::uint64_t bits, std::uint32_t width) {
  const std::uint32_t drop = 64 - width;
  return bits << drop >> drop;
}

Value Value::of_bool(bool b) {
  Value v;
  v.type = Type::boolean;
  v.natural = b ? 1 : 0;
  return v;
}

Value Value::of_integer(std::int64_t i, std::uint32_t width) {
  Value v;
  v.type = Type::integer;
  v.width = width;
  v.integer = wrap_signed(static_cast<std::uint64_t>(i), width);
  return v;
}

Value Value::of_natural(std::uint64_t u, std::uint32_t width) {
  Value v;
  v.type = Type::natural;
  v.width = width;
  v.natural = wrap_unsigned(u, width);
  return v;
}

Value Value::of_real(double d) {
  Value v;
  v.number = d;
  return v;
}

Value Value::of_angle(double radians, std::uint32_t width) {
  constexpr double kTurn = 2 * std::numbers::pi;
  Value v;
  v.type = Type::angle;
  v.width = width;
  v.number = std::fmod(radians, kTurn);
  if (v.number < 0) v.number += kTurn;
  if (width > 0 && width <= 52) {
    const double steps = std::ldexp(1.0, static_cast<int>(width));
    v.number = kTurn * (std::nearbyint(v.number / kTurn * steps) / steps);
  }
  if (v.number >= kTurn) v.number = 0;
  return v;
}

Value Value::of_bits(Words words, std::uint32_t width) {
  Value v;
  v.type = Type::bits;
  v.width = width;
  words.resize((width + 63) / 64);
  if (width % 64 != 0) words.back() = wrap_unsigned(words.back(), width % 64);
  Extra extra;
  extra.words = std::move(words);
  v.extra = std::make_shared<const Extra>(std::move(extra));
  return v;
}

Value Value::of_duration(double seconds) {
  Value v = of_real(seconds);
  v.type = Type::duration;
  return v;
}

Value Value::of_parameter(Parameter p, bool whole, std::uint32_t nodes) {
  if (p.is_number()) return of_real(p.number());
  Value v;
  v.type = Type::symbol;
  v.whole = whole;
  v.width = nodes;
  Extra extra;
  extra.parameter = std::move(p);
  v.extra = std::make_shared<const Extra>(std::move(extra));
  return v;
}

Value Value::of_classical(ClassicalExpression e, std::uint32_t nodes) {
  Value v;
  v.type = Type::measured;
  v.width = nodes;
  Extra extra;
  extra.classical = std::move(e);
  v.extra = std::make_shared<const Extra>(std::move(extra));
  return v;
}

Value Value::of_wires(Type type, std::uint64_t first, std::uint32_t count, bool single) {
  Value v;
  v.type = type;
  v.single = single;
  v.width = count;
  v.first = first;
  return v;
}

Value Value::of_wires(Type type, std::vector<std::uint32_t> wires, bool single) {
  Value v;
  v.type = type;
  v.single = single;
  v.width = static_cast<std::uint32_t>(wires.size());
  Extra extra;
  extra.wires = std::move(wires);
  v.extra = std::make_shared<const Extra>(std::move(extra));
  return v;
}

double as_double(const Value& v) {
  switch (v.type) {
    case Type::boolean:
    case Type::natural:
      return static_cast<double>(v.natural);
    case Type::integer:
      return static_cast<double>(v.integer);
    case Type::bits:
      return words_to_double(v.extra->words);
    default:
      return v.number;
  }
}

std::uint64_t as_pattern(const Value& v) { return v.type == Type::integer ? static_cast<std::uint64_t>(v.integer) : v.natural; }

void trim(Words& words) {
  while (!words.empty() && words.back() == 0) words.pop_back();
}

Words as_words(const Value& v) {
  Words words = v.type == Type::bits ? v.extra->words : Words{as_pattern(v)};
  trim(words);
  return words;
}

double words_to_double(const Words& words) {
  double sum = 0;
  for (std::size_t i = words.size(); i-- > 0;) sum = sum * 0x1p64 + static_cast<double>(words[i]);
  return sum;
}

}  // namespace ketmesh::qasm
