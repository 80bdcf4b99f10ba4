// Gate angles: a number, or an expression of named parameters that are bound when a circuit runs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ketmesh {

struct Expression;  // immutable tree, shared

using ParameterValues = std::map<std::string, double, std::less<>>;

/// A regular value: a finite number, or an expression such as 2 * theta + 0.1. Radians where it is an angle.
class Parameter {
 public:
  Parameter(double value = 0.0) : value_(value) {}  // NOLINT(google-explicit-constructor): rx(q, 0.3)
  static Parameter named(std::string name);

  bool is_number() const noexcept { return expression_ == nullptr; }
  double number() const noexcept { return value_; }  ///< only when is_number()

  /// The value with every name bound. Throws CircuitError that names the first unbound parameter, or a value that is not finite.
  double evaluate(const ParameterValues& values) const;
  void collect_names(std::vector<std::string>& names) const;  ///< adds each new name in order of appearance
  /// The names that `values` has replaced; a number when none is left. Not checked to be finite.
  Parameter bound(const ParameterValues& values) const;
  /// d(value)/d(name), again an expression; exact.
  Parameter derivative(std::string_view name) const;
  std::string str() const;  ///< OpenQASM 3 spelling; numbers with all 17 digits where needed

  friend Parameter operator+(const Parameter& a, const Parameter& b);
  friend Parameter operator-(const Parameter& a, const Parameter& b);
  friend Parameter operator*(const Parameter& a, const Parameter& b);
  friend Parameter operator/(const Parameter& a, const Parameter& b);
  Parameter operator-() const;
  static Parameter power(const Parameter& base, const Parameter& exponent);
  /// name: sin cos tan arcsin arccos arctan exp log sqrt floor ceiling abs. Throws CircuitError for another.
  static Parameter function(std::string_view name, const Parameter& argument);
  friend bool operator==(const Parameter& a, const Parameter& b);

  const std::shared_ptr<const Expression>& expression() const noexcept { return expression_; }

 private:
  friend struct ParameterBuilder;
  double value_ = 0.0;
  std::shared_ptr<const Expression> expression_;
};

}  // namespace ketmesh
