#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ketmesh/circuit/qasm/code.hpp"

namespace ketmesh::qasm {
namespace {

std::string_view symbol_of(Op op) {
  switch (op) {
    case Op::negate:
    case Op::subtract:
      return "-";
    case Op::logical_not:
      return "!";
    case Op::bit_not:
      return "~";
    case Op::add:
      return "+";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::remainder:
      return "%";
    case Op::power:
      return "power";
    case Op::shift_left:
      return "<<";
    case Op::shift_right:
      return ">>";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "!=";
    case Op::bit_and:
      return "&";
    case Op::bit_xor:
      return "^";
    case Op::bit_or:
      return "|";
    case Op::logical_and:
      return "&&";
    case Op::logical_or:
      return "||";
    case Op::concatenate:
      return "++";
    default:
      return "operator";
  }
}

[[noreturn]] void no_operator(Op op, const Value& a, const Value& b, const Context& at) {
  at.sources.circuit_error(at.place, fmt::format("operator '{}' does not take {} and {}", symbol_of(op), describe(a), describe(b)));
}

bool is_comparison(Op op) { return op >= Op::less && op <= Op::not_equal; }

bool compare(Op op, int order) {
  switch (op) {
    case Op::less:
      return order < 0;
    case Op::less_equal:
      return order <= 0;
    case Op::greater:
      return order > 0;
    case Op::greater_equal:
      return order >= 0;
    case Op::equal:
      return order == 0;
    default:
      return order != 0;
  }
}

int order_of(const Words& a, const Words& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

std::uint64_t integer_power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return result;
}

Value whole_result(std::uint64_t pattern, bool is_signed, std::uint32_t width) {
  return is_signed ? Value::of_integer(wrap_signed(pattern, width), width) : Value::of_natural(pattern, width);
}

Value divided(Op op, const Value& a, const Value& b, bool is_signed, std::uint32_t width, const Context& at) {
  if (as_pattern(b) == 0) at.sources.circuit_error(at.place, op == Op::divide ? "division by zero" : "remainder of a division by zero");
  if (!is_signed) {
    return Value::of_natural(op == Op::divide ? a.natural / b.natural : a.natural % b.natural, width);
  }
  const auto x = static_cast<std::int64_t>(as_pattern(a)), y = static_cast<std::int64_t>(as_pattern(b));
  if (y == -1) return op == Op::divide ? whole_result(std::uint64_t{0} - as_pattern(a), true, width) : Value::of_integer(0, width);
  return Value::of_integer(op == Op::divide ? x / y : x % y, width);
}

// Signed unless both are unsigned; as wide as the wider one. A literal is a signed number of 64 bits.
Value whole_binary(Op op, const Value& a, const Value& b, const Context& at) {
  const bool is_signed = !(a.type == Type::natural && b.type == Type::natural);
  const std::uint32_t width = std::max({a.width, b.width, 1u});
  const std::uint64_t x = as_pattern(a), y = as_pattern(b);
  if (is_comparison(op)) {
    const bool low_a = a.type == Type::integer && a.integer < 0, low_b = b.type == Type::integer && b.integer < 0;
    if (low_a != low_b) return Value::of_bool(compare(op, low_a ? -1 : 1));
    return Value::of_bool(compare(op, x < y ? -1 : x > y ? 1 : 0));  // same sign: patterns are in order
  }
  const std::uint32_t result = std::max(width, a.type == Type::boolean && b.type == Type::boolean ? 64u : 1u);
  const std::uint32_t left = a.type == Type::boolean ? 64 : a.width;
  switch (op) {
    case Op::add:
      return whole_result(x + y, is_signed, result);
    case Op::subtract:
      return whole_result(x - y, is_signed, result);
    case Op::multiply:
      return whole_result(x * y, is_signed, result);
    case Op::divide:
    case Op::remainder:
      return divided(op, a, b, is_signed, result, at);
    case Op::power:
      if (b.type == Type::integer && b.integer < 0) return binary(op, Value::of_real(as_double(a)), Value::of_real(as_double(b)), at);
      return whole_result(integer_power(x, y), is_signed, result);
    case Op::shift_left:
      return whole_result(y < left ? x << y : 0, a.type != Type::natural, left);
    case Op::shift_right:
      if (a.type == Type::natural) return Value::of_natural(y < left ? x >> y : 0, left);
      return Value::of_integer(static_cast<std::int64_t>(x) >> std::min<std::uint64_t>(y, 63), left);
    case Op::bit_and:
      return whole_result(x & y, is_signed, result);
    case Op::bit_or:
      return whole_result(x | y, is_signed, result);
    case Op::bit_xor:
      return whole_result(x ^ y, is_signed, result);
    default:
      no_operator(op, a, b, at);
  }
}

Value real_binary(Op op, const Value& a, const Value& b, const Context& at) {
  const double x = as_double(a), y = as_double(b);
  if (is_comparison(op)) return Value::of_bool(compare(op, x < y ? -1 : x > y ? 1 : 0));
  double r = 0;
  switch (op) {
    case Op::add:
      r = x + y;
      break;
    case Op::subtract:
      r = x - y;
      break;
    case Op::multiply:
      r = x * y;
      break;
    case Op::divide:
      if (y == 0) at.sources.circuit_error(at.place, fmt::format("division by zero: {} / 0 is not a finite number", x));
      r = x / y;
      break;
    case Op::remainder:
      if (y == 0) at.sources.circuit_error(at.place, "remainder of a division by zero");
      r = std::fmod(x, y);
      break;
    case Op::power:
      r = std::pow(x, y);
      break;
    default:
      no_operator(op, a, b, at);
  }
  if (!std::isfinite(r)) at.sources.circuit_error(at.place, fmt::format("{} {} {} is not a finite number", x, symbol_of(op), y));
  const bool angle = a.type == Type::angle || b.type == Type::angle;
  if (angle && op != Op::power && !(op == Op::divide && b.type == Type::angle)) {
    return Value::of_angle(r, a.type == Type::angle ? a.width : b.width);
  }
  return Value::of_real(r);
}

Value bits_binary(Op op, const Value& a, const Value& b, const Context& at) {
  if (is_comparison(op)) {
    if ((a.type == Type::integer && a.integer < 0) || (b.type == Type::integer && b.integer < 0)) {
      return Value::of_bool(compare(op, b.type == Type::integer && b.integer < 0 ? 1 : -1));
    }
    return Value::of_bool(compare(op, order_of(as_words(a), as_words(b))));
  }
  const bool bitwise = op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
  if (bitwise && a.type == Type::bits && b.type == Type::bits) {
    const std::uint32_t width = std::max(a.width, b.width);
    Words x = a.extra->words, y = b.extra->words;
    x.resize((width + 63) / 64);
    y.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = op == Op::bit_and ? x[i] & y[i] : op == Op::bit_or ? x[i] | y[i] : x[i] ^ y[i];
    return Value::of_bits(std::move(x), width);
  }
  if (a.type == Type::bits && (op == Op::shift_left || op == Op::shift_right) && b.is_integral()) {
    const std::uint64_t by = as_pattern(b);
    Words out((a.width + 63) / 64, 0);
    for (std::uint64_t i = 0; by < a.width && i < a.width - by; ++i) {
      const std::uint64_t from = op == Op::shift_left ? i : i + by, to = op == Op::shift_left ? i + by : i;
      out[to / 64] |= (a.extra->words[from / 64] >> (from % 64) & 1) << (to % 64);
    }
    return Value::of_bits(std::move(out), a.width);
  }
  const auto number = [&](const Value& v) {
    if (v.type != Type::bits) return v;
    const Words words = as_words(v);
    if (words.size() <= 1) return Value::of_natural(words.empty() ? 0 : words[0], std::clamp(v.width, 1u, 64u));
    return Value::of_real(words_to_double(words));
  };
  if (bitwise || op == Op::shift_left || op == Op::shift_right) {
    if (as_words(a.type == Type::bits ? a : b).size() > 1) no_operator(op, a, b, at);
  }
  return binary(op, number(a), number(b), at);
}

std::string first_name(const Value& v) {
  std::vector<std::string> names;
  v.extra->parameter.collect_names(names);
  return names.empty() ? "input" : names.front();
}

Value symbol_binary(Op op, const Value& a, const Value& b, const Context& at) {
  const auto value_needed = [&] {
    at.sources.circuit_error(
        at.place, fmt::format("operator '{}' needs the value of input '{}'", symbol_of(op), first_name(a.type == Type::symbol ? a : b)),
        "give the input a value when the text is read");
  };
  const auto part = [&](const Value& v) {
    if (v.type == Type::symbol) return v.extra->parameter;
    if (!v.is_numeric()) no_operator(op, a, b, at);
    return Parameter(as_double(v));
  };
  const auto whole = [](const Value& v) { return v.type == Type::symbol ? v.whole : v.is_integral(); };
  const bool both_whole = whole(a) && whole(b);
  const Parameter x = part(a), y = part(b);
  const std::uint32_t nodes = nodes_of(a, &b, at);
  switch (op) {
    case Op::add:
      return Value::of_parameter(x + y, both_whole, nodes);
    case Op::subtract:
      return Value::of_parameter(x - y, both_whole, nodes);
    case Op::multiply:
      return Value::of_parameter(x * y, both_whole, nodes);
    case Op::divide:
      if (both_whole) value_needed();  // integer division truncates
      if (y.is_number() && y.number() == 0) at.sources.circuit_error(at.place, "division by zero");
      return Value::of_parameter(x / y, false, nodes);
    case Op::power:
      return Value::of_parameter(Parameter::power(x, y), both_whole, nodes);
    default:
      value_needed();
  }
  return {};
}

Value measured_binary(Op op, const Value& a, const Value& b, const Context& at) {
  using Kind = ClassicalExpression::Kind;
  Kind kind{};
  switch (op) {
    case Op::add:
      kind = Kind::add;
      break;
    case Op::subtract:
      kind = Kind::subtract;
      break;
    case Op::multiply:
      kind = Kind::multiply;
      break;
    case Op::shift_left:
      kind = Kind::shift_left;
      break;
    case Op::shift_right:
      kind = Kind::shift_right;
      break;
    case Op::less:
      kind = Kind::less;
      break;
    case Op::less_equal:
      kind = Kind::less_equal;
      break;
    case Op::greater:
      kind = Kind::greater;
      break;
    case Op::greater_equal:
      kind = Kind::greater_equal;
      break;
    case Op::equal:
      kind = Kind::equal;
      break;
    case Op::not_equal:
      kind = Kind::not_equal;
      break;
    case Op::bit_and:
      kind = Kind::bit_and;
      break;
    case Op::bit_xor:
      kind = Kind::bit_xor;
      break;
    case Op::bit_or:
      kind = Kind::bit_or;
      break;
    case Op::logical_and:
      kind = Kind::logical_and;
      break;
    case Op::logical_or:
      kind = Kind::logical_or;
      break;
    default:
      at.sources.circuit_error(at.place, fmt::format("operator '{}' is not available on measured bits", symbol_of(op)));
  }
  return Value::of_classical(ClassicalExpression::binary(kind, to_classical(a, at), to_classical(b, at)), nodes_of(a, &b, at));
}

Value concatenated(const Value& a, const Value& b, const Context& at) {
  if (a.is_wires() && a.type == b.type) {
    if (std::uint64_t{a.width} + b.width > kMaxDeclaredQubits)
      at.sources.circuit_error(
          at.place, fmt::format("a set of {} wires exceeds the limit of {}", std::uint64_t{a.width} + b.width, kMaxDeclaredQubits));
    std::vector<std::uint32_t> wires;
    wires.reserve(std::size_t{a.width} + b.width);
    for (const Value* v : {&a, &b}) {
      for (std::uint32_t i = 0; i < v->width; ++i) wires.push_back(v->wire(i));
    }
    return Value::of_wires(a.type, std::move(wires), false);
  }
  no_operator(Op::concatenate, a, b, at);
}

bool is_measured(const Value& v) { return v.type == Type::measured || v.type == Type::clbits; }

}  // namespace

std::uint32_t nodes_of(const Value& a, const Value* b, const Context& at) {
  const std::uint32_t sum = a.nodes() + (b != nullptr ? b->nodes() : 0) + 1;
  if (sum > kMaxNodes)
    at.sources.circuit_error(at.place, fmt::format("an expression of more than {} operations on inputs or measured bits", kMaxNodes));
  return sum;
}

Value unary(Op op, const Value& a, const Context& at) {
  const auto refuse = [&] {
    at.sources.circuit_error(at.place, fmt::format("operator '{}' does not take {}", symbol_of(op), describe(a)));
  };
  if (is_measured(a)) {
    using Kind = ClassicalExpression::Kind;
    const Kind kind = op == Op::logical_not ? Kind::logical_not : op == Op::negate ? Kind::negate : Kind::bit_not;
    return Value::of_classical(ClassicalExpression::unary(kind, to_classical(a, at)), nodes_of(a, nullptr, at));
  }
  if (op == Op::logical_not) return Value::of_bool(!truth(a, at));
  if (op == Op::negate) {
    switch (a.type) {
      case Type::symbol:
        return Value::of_parameter(-a.extra->parameter, a.whole, nodes_of(a, nullptr, at));
      case Type::real:
        return Value::of_real(-a.number);
      case Type::duration:
        return Value::of_duration(-a.number);
      case Type::angle:
        return Value::of_angle(-a.number, a.width);
      case Type::boolean:
        return Value::of_integer(-static_cast<std::int64_t>(a.natural));
      case Type::integer:
        return whole_result(std::uint64_t{0} - as_pattern(a), true, a.width);
      case Type::natural:
        return whole_result(std::uint64_t{0} - a.natural, false, a.width);
      case Type::bits:
        return Value::of_real(-as_double(a));
      default:
        refuse();
    }
  }
  if (a.type == Type::bits) {
    Words words = a.extra->words;
    for (std::uint64_t& w : words) w = ~w;
    return Value::of_bits(std::move(words), a.width);
  }
  if (a.type == Type::integer || a.type == Type::natural) return whole_result(~as_pattern(a), a.type == Type::integer, a.width);
  refuse();
  return {};
}

Value binary(Op op, const Value& a, const Value& b, const Context& at) {
  if (op == Op::concatenate) return concatenated(a, b, at);
  if (a.type == Type::real && b.type == Type::real && op != Op::logical_and && op != Op::logical_or) return real_binary(op, a, b, at);
  if (a.type == Type::qubits || b.type == Type::qubits) no_operator(op, a, b, at);
  if (is_measured(a) || is_measured(b)) return measured_binary(op, a, b, at);
  if (op == Op::logical_and || op == Op::logical_or) {
    const bool x = truth(a, at), y = truth(b, at);
    return Value::of_bool(op == Op::logical_and ? x && y : x || y);
  }
  if (a.type == Type::symbol || b.type == Type::symbol) return symbol_binary(op, a, b, at);
  if (a.type == Type::duration || b.type == Type::duration) {
    const bool both = a.type == b.type;
    const bool scaled = (op == Op::multiply && !both) || (op == Op::divide && b.type != Type::duration);
    if (!(both && op != Op::multiply && op != Op::power) && !scaled) no_operator(op, a, b, at);
    const Value r = real_binary(op, Value::of_real(as_double(a)), Value::of_real(as_double(b)), at);
    return r.type == Type::boolean || (both && op == Op::divide) ? r : Value::of_duration(r.number);
  }
  if (a.type == Type::bits || b.type == Type::bits) return bits_binary(op, a, b, at);
  if (a.is_integral() && b.is_integral()) return whole_binary(op, a, b, at);
  return real_binary(op, a, b, at);
}

}  // namespace ketmesh::qasm
