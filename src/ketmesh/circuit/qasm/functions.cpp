#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "ketmesh/circuit/qasm/code.hpp"

namespace ketmesh::qasm {
namespace {

// Names of one-argument functions: as the language spells them, as Parameter::function does, and their values.
struct RealFunction {
  std::string_view name, parameter_name;
  double (*value)(double);
};
constexpr RealFunction kRealFunctions[] = {
    {"sin", "sin", [](double x) { return std::sin(x); }},          {"cos", "cos", [](double x) { return std::cos(x); }},
    {"tan", "tan", [](double x) { return std::tan(x); }},          {"exp", "exp", [](double x) { return std::exp(x); }},
    {"ln", "log", [](double x) { return std::log(x); }},           {"log", "log", [](double x) { return std::log(x); }},
    {"sqrt", "sqrt", [](double x) { return std::sqrt(x); }},       {"arcsin", "arcsin", [](double x) { return std::asin(x); }},
    {"arccos", "arccos", [](double x) { return std::acos(x); }},   {"arctan", "arctan", [](double x) { return std::atan(x); }},
    {"asin", "arcsin", [](double x) { return std::asin(x); }},     {"acos", "arccos", [](double x) { return std::acos(x); }},
    {"atan", "arctan", [](double x) { return std::atan(x); }},     {"floor", "floor", [](double x) { return std::floor(x); }},
    {"ceiling", "ceiling", [](double x) { return std::ceil(x); }}, {"abs", "abs", [](double x) { return std::fabs(x); }},
};

Value rotated(std::string_view name, const Value& v, const Value& by, const Context& at) {
  if (v.type != Type::bits && v.type != Type::natural)
    at.sources.circuit_error(at.place, fmt::format("{} does not take {}; expected a bit string or uint", name, describe(v)));
  const std::uint32_t width = v.width;
  const std::int64_t n = to_index(by, at, "distance of a rotation");
  if (width == 0) return v;
  const auto w = static_cast<std::int64_t>(width);
  const std::int64_t left = ((name == "rotl" ? n % w : -(n % w)) + w) % w;
  const Words from = v.type == Type::bits ? v.extra->words : Words{v.natural};
  Words out((width + 63) / 64, 0);
  for (std::int64_t i = 0; i < w; ++i) {
    const std::int64_t to = (i + left) % w;
    out[static_cast<std::size_t>(to) / 64] |= (from[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1) << (to % 64);
  }
  return v.type == Type::bits ? Value::of_bits(std::move(out), width) : Value::of_natural(out[0], width);
}

Value popcount(const Value& v, const Context& at) {
  if (v.type == Type::measured || v.type == Type::clbits) {
    return Value::of_classical(ClassicalExpression::unary(ClassicalExpression::Kind::popcount, to_classical(v, at)),
                               nodes_of(v, nullptr, at));
  }
  if (!v.is_integral() && v.type != Type::bits)
    at.sources.circuit_error(at.place, "popcount does not take " + describe(v) + "; expected a bit string or integer");
  std::uint64_t sum = 0;
  if (v.type == Type::integer) {
    sum = static_cast<std::uint64_t>(std::popcount(wrap_unsigned(as_pattern(v), v.width)));
  } else {
    for (const std::uint64_t w : as_words(v)) sum += static_cast<std::uint64_t>(std::popcount(w));
  }
  return Value::of_natural(sum);
}

Value real_call(const RealFunction& f, const Value& v, const Context& at) {
  if (v.type == Type::symbol) {
    const bool whole = v.whole && (f.name == "abs" || f.name == "floor" || f.name == "ceiling");
    return Value::of_parameter(Parameter::function(f.parameter_name, v.extra->parameter), whole, nodes_of(v, nullptr, at));
  }
  if (!v.is_numeric() && v.type != Type::bits) at.sources.circuit_error(at.place, fmt::format("{} does not take {}", f.name, describe(v)));
  if (f.name == "abs" && v.type == Type::integer) return v.integer < 0 ? unary(Op::negate, v, at) : v;
  const double x = as_double(v), y = f.value(x);
  if (!std::isfinite(y))
    at.sources.circuit_error(at.place,
                             fmt::format("{}({}) is not a finite number: the argument is outside the domain of {}", f.name, x, f.name));
  return Value::of_real(y);
}

[[noreturn]] void no_cast(TypeSpec to, const Value& v, const Context& at) {
  at.sources.circuit_error(at.place, fmt::format("{} cannot become {}", describe(v), to_string(to.type)));
}

Value cast_measured(TypeSpec to, const Value& v, const Context& at) {
  using Kind = ClassicalExpression::Kind;
  if (to.type == Type::boolean)
    return Value::of_classical(ClassicalExpression::binary(Kind::not_equal, to_classical(v, at), ClassicalExpression::constant(0)),
                               nodes_of(v, nullptr, at));
  const bool narrow = v.type == Type::measured || (to.width > 0 && to.width < v.width);
  if (to.type == Type::integer && (v.type != Type::clbits || (to.width > 0 ? to.width : 64) <= v.width)) {
    at.sources.circuit_error(at.place, "a signed number of measured bits is not available; use uint");
  }
  if (to.type != Type::natural && to.type != Type::integer && to.type != Type::bits) {
    at.sources.circuit_error(at.place, fmt::format("measured bits cannot become {}", to_string(to.type)));
  }
  if (!narrow || to.width == 0) return Value::of_classical(to_classical(v, at));
  Words mask((to.width + 63) / 64, ~std::uint64_t{0});
  if (to.width % 64 != 0) mask.back() = wrap_unsigned(mask.back(), to.width % 64);
  return Value::of_classical(
      ClassicalExpression::binary(Kind::bit_and, to_classical(v, at), ClassicalExpression::constant_words(std::move(mask))),
      nodes_of(v, nullptr, at));
}

Value cast_whole(TypeSpec to, const Value& v, const Context& at) {
  const std::uint32_t width = to.width == 0 ? 64 : to.width;
  if (width > 64)
    at.sources.circuit_error(at.place, fmt::format("width {} of {} is out of range; at most 64 bits", width, to_string(to.type)));
  std::uint64_t pattern = 0;
  if (v.is_integral()) {
    pattern = as_pattern(v);
  } else if (v.type == Type::bits) {
    const Words words = as_words(v);
    pattern = words.empty() ? 0 : words[0];
  } else if (v.type == Type::real) {
    const double whole = std::trunc(v.number);
    if (std::fabs(whole) >= 0x1p64 || (whole < 0 && whole < -0x1p63))
      at.sources.circuit_error(at.place, fmt::format("{} is out of the range of {}", v.number, to_string(to.type)));
    pattern = whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : static_cast<std::uint64_t>(whole);
  } else {
    no_cast(to, v, at);
  }
  return to.type == Type::integer ? Value::of_integer(wrap_signed(pattern, width), width) : Value::of_natural(pattern, width);
}

}  // namespace

Value call(std::string_view function, const std::vector<Value>& arguments, const Context& at) {
  const auto expect = [&](std::size_t n) {
    if (arguments.size() != n)
      at.sources.circuit_error(at.place,
                               fmt::format("function {} takes {} argument{}, got {}", function, n, n == 1 ? "" : "s", arguments.size()));
  };
  for (const RealFunction& f : kRealFunctions) {
    if (f.name != function) continue;
    expect(1);
    return real_call(f, arguments[0], at);
  }
  if (function == "popcount") {
    expect(1);
    return popcount(arguments[0], at);
  }
  expect(2);
  if (function == "pow") return binary(Op::power, arguments[0], arguments[1], at);
  if (function == "rotl" || function == "rotr") return rotated(function, arguments[0], arguments[1], at);
  if (function == "mod") {
    const Value &a = arguments[0], &b = arguments[1];
    if (a.type != Type::symbol && b.type != Type::symbol) return binary(Op::remainder, a, b, at);
    const Parameter x = to_parameter(a, at), y = to_parameter(b, at);
    Value parts = a;  // both appear twice
    parts.type = Type::symbol;
    parts.width = 2 * (a.nodes() + b.nodes()) + 4;
    return Value::of_parameter(x - y * Parameter::function("floor", x / y), false, nodes_of(parts, nullptr, at));
  }
  at.sources.parse_error(at.place, "unknown function '" + shown(function) + "'");
}

Value cast(TypeSpec to, const Value& v, const Context& at) {
  if (v.type == Type::clbits || v.type == Type::measured) return cast_measured(to, v, at);
  if (v.type == Type::qubits) no_cast(to, v, at);
  if (v.type == Type::symbol) {
    if (to.type == Type::real || to.type == Type::angle || (v.whole && to.type != Type::boolean && to.type != Type::bits)) return v;
    at.sources.circuit_error(at.place, fmt::format("{} cannot become {} before it has a value", describe(v), to_string(to.type)));
  }
  switch (to.type) {
    case Type::boolean:
      return Value::of_bool(truth(v, at));
    case Type::integer:
    case Type::natural:
      return cast_whole(to, v, at);
    case Type::real:
      if (!v.is_numeric() && v.type != Type::bits) no_cast(to, v, at);
      return Value::of_real(to.width == 32 ? static_cast<double>(static_cast<float>(as_double(v))) : as_double(v));
    case Type::angle:
      if (v.type == Type::bits && to.width == v.width && v.width <= 64)
        return Value::of_angle(2 * std::numbers::pi * std::ldexp(as_double(v), -static_cast<int>(v.width)), to.width);
      if (!v.is_numeric() || v.type == Type::boolean) no_cast(to, v, at);
      return Value::of_angle(as_double(v), to.width);
    case Type::bits: {
      const std::uint32_t width = to.width == 0 ? 1 : to.width;
      if (!v.is_integral() && v.type != Type::bits) no_cast(to, v, at);
      Words words = v.type == Type::bits ? v.extra->words : Words{as_pattern(v)};
      if (v.type == Type::integer && v.integer < 0) words.resize((width + 63) / 64, ~std::uint64_t{0});
      Value out = Value::of_bits(std::move(words), width);
      out.single = to.width == 0;
      return out;
    }
    case Type::duration:
      if (v.type != Type::duration) no_cast(to, v, at);
      return v;
    default:
      no_cast(to, v, at);
  }
}

Value converted(TypeSpec to, const Value& v, const Context& at) {
  if ((to.type == Type::integer || to.type == Type::natural) && v.type == Type::real && v.number != std::trunc(v.number)) {
    at.sources.circuit_error(at.place, fmt::format("{} would lose its fraction as {}", v.number, to_string(to.type)),
                             "an explicit cast truncates");
  }
  if (to.type == Type::bits && v.type == Type::bits && to.width > 0 && v.width != to.width) {
    at.sources.circuit_error(at.place, fmt::format("a string of {} bits does not fit bit[{}]", v.width, to.width));
  }
  return cast(to, v, at);
}

bool truth(const Value& v, const Context& at) {
  switch (v.type) {
    case Type::boolean:
    case Type::natural:
      return v.natural != 0;
    case Type::integer:
      return v.integer != 0;
    case Type::real:
    case Type::angle:
      return v.number != 0;
    case Type::bits:
      return !as_words(v).empty();
    default:
      at.sources.circuit_error(at.place, describe(v) + " is no constant truth value");
  }
}

ClassicalExpression to_classical(const Value& v, const Context& at) {
  switch (v.type) {
    case Type::measured:
      return *v.extra->classical;
    case Type::clbits: {
      if (v.single) return ClassicalExpression::bit(v.wire(0));
      std::vector<Clbit> bits(v.width);
      for (std::uint32_t i = 0; i < v.width; ++i) bits[i] = v.wire(i);
      return ClassicalExpression::bits(std::move(bits));
    }
    case Type::integer:
      if (v.integer < 0)
        at.sources.circuit_error(at.place,
                                 fmt::format("{} stands beside measured bits; expected a number that is not negative", v.integer));
      return ClassicalExpression::constant(v.natural);
    case Type::boolean:
    case Type::natural:
      return ClassicalExpression::constant(v.natural);
    case Type::bits: {
      const Words words = as_words(v);
      return words.size() <= 1 ? ClassicalExpression::constant(words.empty() ? 0 : words[0]) : ClassicalExpression::constant_words(words);
    }
    default:
      at.sources.circuit_error(at.place, describe(v) + " cannot stand beside measured bits; expected bits or an integer");
  }
}

std::int64_t to_index(const Value& v, const Context& at, std::string_view what) {
  if (v.type == Type::integer || v.type == Type::boolean) return v.integer;
  if (v.type == Type::natural && v.natural <= static_cast<std::uint64_t>(INT64_MAX)) return v.integer;
  if (v.type == Type::real && v.number == std::trunc(v.number) && std::fabs(v.number) < 0x1p53) return static_cast<std::int64_t>(v.number);
  if (v.type == Type::bits && as_words(v).empty()) return 0;
  if (v.type == Type::symbol)
    at.sources.circuit_error(at.place, fmt::format("{}: {}", what, describe(v)), "give the input a value when the text is read");
  if (v.type == Type::natural || v.type == Type::bits)
    at.sources.circuit_error(at.place, fmt::format("{}: {} is too large", what, describe(v)));
  at.sources.circuit_error(at.place, fmt::format("{}: expected an integer, found {}", what, describe(v)));
}

Parameter to_parameter(const Value& v, const Context& at) {
  if (v.type == Type::symbol) return v.extra->parameter;
  if (v.type == Type::measured || v.type == Type::clbits)
    at.sources.circuit_error(at.place, "an angle cannot depend on measured bits; expected a constant or an input");
  if (!v.is_numeric() && v.type != Type::bits) at.sources.circuit_error(at.place, "expected an angle, found " + describe(v));
  const double d = as_double(v);
  if (!std::isfinite(d)) at.sources.circuit_error(at.place, "parameter is not a finite number");
  return Parameter(d);
}

std::string describe(const Value& v) {
  switch (v.type) {
    case Type::boolean:
      return v.natural != 0 ? "true" : "false";
    case Type::integer:
      return fmt::format("{}", v.integer);
    case Type::natural:
      return fmt::format("{}", v.natural);
    case Type::real:
      return fmt::format("{}", v.number);
    case Type::angle:
      return fmt::format("angle {}", v.number);
    case Type::duration:
      return fmt::format("duration {} s", v.number);
    case Type::bits:
      return fmt::format("bit string of {} bits", v.width);
    case Type::symbol:
      return "an input without a value (" + shown(v.extra->parameter.str()) + ")";
    case Type::measured:
      return "an expression of measured bits";
    case Type::qubits:
      return v.single ? "a qubit" : fmt::format("{} qubits", v.width);
    case Type::clbits:
      return v.single ? "a classical bit" : fmt::format("{} classical bits", v.width);
  }
  return "a value";
}

}  // namespace ketmesh::qasm
