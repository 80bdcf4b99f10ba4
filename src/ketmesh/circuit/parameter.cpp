#include "ketmesh/circuit/parameter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/expression.hpp"

namespace ketmesh {
namespace {

using Kind = Expression::Kind;

struct Function {
  std::string_view name;
  double (*value)(double);
};
constexpr std::array<Function, 12> kFunctions = {{
    {"sin", [](double v) { return std::sin(v); }},
    {"cos", [](double v) { return std::cos(v); }},
    {"tan", [](double v) { return std::tan(v); }},
    {"arcsin", [](double v) { return std::asin(v); }},
    {"arccos", [](double v) { return std::acos(v); }},
    {"arctan", [](double v) { return std::atan(v); }},
    {"exp", [](double v) { return std::exp(v); }},
    {"log", [](double v) { return std::log(v); }},
    {"sqrt", [](double v) { return std::sqrt(v); }},
    {"floor", [](double v) { return std::floor(v); }},
    {"ceiling", [](double v) { return std::ceil(v); }},
    {"abs", [](double v) { return std::abs(v); }},
}};

const Function& find_function(std::string_view name) {
  for (const Function& f : kFunctions)
    if (f.name == name) return f;
  throw CircuitError("no function '" + std::string(name) + "' of a parameter",
                     "known: sin cos tan arcsin arccos arctan exp log sqrt floor ceiling abs");
}

int depth_of(const Parameter& p) { return p.is_number() ? 0 : p.expression()->depth; }

double apply(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::add:
      return a + b;
    case Kind::subtract:
      return a - b;
    case Kind::multiply:
      return a * b;
    case Kind::divide:
      return a / b;
    case Kind::power:
      return std::pow(a, b);
    case Kind::negate:
      return -a;
    case Kind::name:
    case Kind::function:
      break;
  }
  throw Internal("parameter expression of an unknown kind");
}

double evaluate_tree(const Parameter& p, const ParameterValues& values) {
  if (p.is_number()) return p.number();
  const Expression& e = *p.expression();
  if (e.kind == Kind::name) {
    const auto found = values.find(e.name);
    if (found == values.end()) throw CircuitError("parameter '" + e.name + "' has no value", "bind it: --param " + e.name + "=...");
    return found->second;
  }
  const double a = evaluate_tree(e.a, values);
  if (e.kind == Kind::function) return find_function(e.name).value(a);
  return apply(e.kind, a, evaluate_tree(e.b, values));
}

// Binding strength in OpenQASM 3; a power binds tighter than an unary minus.
enum Strength { kSum = 1, kProduct = 2, kUnary = 3, kPower = 4, kAtom = 5 };

int strength(const Parameter& p) {
  if (p.is_number()) return std::signbit(p.number()) ? kUnary : kAtom;
  switch (p.expression()->kind) {
    case Kind::add:
    case Kind::subtract:
      return kSum;
    case Kind::multiply:
    case Kind::divide:
      return kProduct;
    case Kind::negate:
      return kUnary;
    case Kind::power:
      return kPower;
    case Kind::name:
    case Kind::function:
      return kAtom;
  }
  throw Internal("parameter expression of an unknown kind");
}

// Shortest digits that read back as the same number; always with a point or an exponent, for int / int truncates.
std::string spell(double v) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v);
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

void print(const Parameter& p, int at_least, std::string& out) {
  const bool brackets = strength(p) < at_least;
  if (brackets) out += '(';
  if (p.is_number()) {
    out += spell(p.number());
  } else {
    const Expression& e = *p.expression();
    const auto binary = [&](const char* op, int left, int right) {
      print(e.a, left, out);
      out += op;
      print(e.b, right, out);
    };
    switch (e.kind) {
      case Kind::name:
        out += e.name;
        break;
      case Kind::negate:
        out += '-';
        print(e.a, kPower, out);
        break;
      case Kind::add:
        binary(" + ", kSum, kProduct);
        break;
      case Kind::subtract:
        binary(" - ", kSum, kProduct);
        break;
      case Kind::multiply:
        binary(" * ", kProduct, kUnary);
        break;
      case Kind::divide:
        binary(" / ", kProduct, kUnary);
        break;
      case Kind::power:
        binary(" ** ", kAtom, kPower);
        break;
      case Kind::function:
        out += e.name;
        out += '(';
        print(e.a, kSum, out);
        out += ')';
        break;
    }
  }
  if (brackets) out += ')';
}

}  // namespace

// Parameters are made of expressions and the other way round; only this friend sees both sides.
struct ParameterBuilder {
  static Parameter make(Kind kind, std::string name, const Parameter& a, const Parameter& b) {
    const int depth = 1 + std::max(depth_of(a), depth_of(b));
    if (depth > kMaxExpressionDepth)
      throw CircuitError("a parameter expression is nested deeper than " + std::to_string(kMaxExpressionDepth));
    Parameter p;
    p.expression_ = std::make_shared<const Expression>(Expression{kind, depth, std::move(name), a, b});
    return p;
  }
  static Parameter binary(Kind kind, const Parameter& a, const Parameter& b) {
    if (a.is_number() && b.is_number()) return {apply(kind, a.number(), b.number())};
    return make(kind, {}, a, b);
  }
};

namespace {
bool is_value(const Parameter& p, double v) { return p.is_number() && p.number() == v; }
}  // namespace

Parameter Parameter::named(std::string name) {
  if (name.empty()) throw CircuitError("a parameter needs a name");
  return ParameterBuilder::make(Kind::name, std::move(name), {}, {});
}

double Parameter::evaluate(const ParameterValues& values) const {
  const double v = evaluate_tree(*this, values);
  if (!std::isfinite(v)) throw CircuitError("parameter " + str() + " is " + std::to_string(v) + "; it must be finite");
  return v;
}

void Parameter::collect_names(std::vector<std::string>& names) const {
  if (is_number()) return;
  if (expression_->kind == Kind::name) {
    if (std::find(names.begin(), names.end(), expression_->name) == names.end()) names.push_back(expression_->name);
    return;
  }
  expression_->a.collect_names(names);
  expression_->b.collect_names(names);
}

Parameter Parameter::bound(const ParameterValues& values) const {
  if (is_number()) return *this;
  const Expression& e = *expression_;
  if (e.kind == Kind::name) {
    const auto found = values.find(e.name);
    return found == values.end() ? *this : Parameter(found->second);
  }
  const Parameter a = e.a.bound(values);
  switch (e.kind) {
    case Kind::negate:
      return -a;
    case Kind::function:
      return function(e.name, a);
    case Kind::add:
      return a + e.b.bound(values);
    case Kind::subtract:
      return a - e.b.bound(values);
    case Kind::multiply:
      return a * e.b.bound(values);
    case Kind::divide:
      return a / e.b.bound(values);
    case Kind::power:
      return power(a, e.b.bound(values));
    case Kind::name:
      break;
  }
  throw Internal("parameter expression of an unknown kind");
}

Parameter Parameter::derivative(std::string_view name) const {
  if (is_number()) return 0.0;
  const Parameter& a = expression_->a;
  const Parameter& b = expression_->b;
  switch (expression_->kind) {
    case Kind::name:
      return expression_->name == name ? 1.0 : 0.0;
    case Kind::negate:
      return -a.derivative(name);
    case Kind::add:
      return a.derivative(name) + b.derivative(name);
    case Kind::subtract:
      return a.derivative(name) - b.derivative(name);
    case Kind::multiply:
      return a.derivative(name) * b + a * b.derivative(name);
    case Kind::divide:
      return a.derivative(name) / b - a * b.derivative(name) / (b * b);
    case Kind::power: {
      // A constant exponent must not meet log(a), which has no value for a negative base.
      const Parameter da = a.derivative(name), db = b.derivative(name);
      Parameter sum = 0.0;
      if (!is_value(da, 0.0)) sum = b * power(a, b - 1.0) * da;
      if (!is_value(db, 0.0)) sum = sum + *this * function("log", a) * db;
      return sum;
    }
    case Kind::function:
      break;
  }
  const Parameter da = a.derivative(name);
  const std::string& f = expression_->name;
  if (is_value(da, 0.0) || f == "floor" || f == "ceiling") return 0.0;
  if (f == "sin") return function("cos", a) * da;
  if (f == "cos") return -function("sin", a) * da;
  if (f == "tan") return da / power(function("cos", a), 2.0);
  if (f == "arcsin") return da / function("sqrt", 1.0 - a * a);
  if (f == "arccos") return -da / function("sqrt", 1.0 - a * a);
  if (f == "arctan") return da / (1.0 + a * a);
  if (f == "exp") return *this * da;
  if (f == "log") return da / a;
  if (f == "sqrt") return da / (2.0 * *this);
  if (f == "abs") return a / *this * da;
  throw Internal("no derivative of function '" + f + "'");
}

std::string Parameter::str() const {
  std::string out;
  print(*this, kSum, out);
  return out;
}

// Neutral elements are dropped, so that derivatives and bindings stay small.
Parameter operator+(const Parameter& a, const Parameter& b) {
  if (is_value(a, 0.0)) return b;
  if (is_value(b, 0.0)) return a;
  return ParameterBuilder::binary(Kind::add, a, b);
}

Parameter operator-(const Parameter& a, const Parameter& b) {
  if (is_value(b, 0.0)) return a;
  if (is_value(a, 0.0)) return -b;
  return ParameterBuilder::binary(Kind::subtract, a, b);
}

Parameter operator*(const Parameter& a, const Parameter& b) {
  if (is_value(a, 1.0)) return b;
  if (is_value(b, 1.0)) return a;
  if ((is_value(a, 0.0) && !b.is_number()) || (is_value(b, 0.0) && !a.is_number())) return 0.0;
  if (is_value(a, -1.0)) return -b;
  if (is_value(b, -1.0)) return -a;
  return ParameterBuilder::binary(Kind::multiply, a, b);
}

Parameter operator/(const Parameter& a, const Parameter& b) {
  if (is_value(b, 1.0)) return a;
  return ParameterBuilder::binary(Kind::divide, a, b);
}

Parameter Parameter::operator-() const {
  if (is_number()) return -value_;
  if (expression_->kind == Kind::negate) return expression_->a;
  return ParameterBuilder::make(Kind::negate, {}, *this, {});
}

Parameter Parameter::power(const Parameter& base, const Parameter& exponent) {
  if (is_value(exponent, 1.0)) return base;
  return ParameterBuilder::binary(Kind::power, base, exponent);
}

Parameter Parameter::function(std::string_view name, const Parameter& argument) {
  const Function& f = find_function(name);
  if (argument.is_number()) return f.value(argument.number());
  return ParameterBuilder::make(Kind::function, std::string(name), argument, {});
}

bool operator==(const Parameter& a, const Parameter& b) {
  if (a.is_number() || b.is_number()) return a.is_number() && b.is_number() && a.value_ == b.value_;
  if (a.expression_ == b.expression_) return true;
  const Expression& x = *a.expression_;
  const Expression& y = *b.expression_;
  return x.kind == y.kind && x.depth == y.depth && x.name == y.name && x.a == y.a && x.b == y.b;
}

}  // namespace ketmesh
