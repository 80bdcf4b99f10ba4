// Parameters: arithmetic, names, spelling, derivatives.
#include "ketmesh/circuit/parameter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

const Parameter a = Parameter::named("a"), b = Parameter::named("b");
const ParameterValues kValues = {{"a", 0.7}, {"b", 1.9}};

TEST(Parameter, NumbersStayNumbers) {
  EXPECT_TRUE((Parameter(2.0) * 3.0 + 1.0).is_number());
  EXPECT_EQ((Parameter(2.0) * 3.0 + 1.0).number(), 7.0);
  EXPECT_EQ(Parameter::function("sqrt", 4.0), Parameter(2.0));
  EXPECT_EQ(0.0 * a, Parameter(0.0));
  EXPECT_EQ(a + 0.0, a);
  EXPECT_EQ(-(-a), a);
  EXPECT_FALSE(a == b);
  EXPECT_EQ(2.0 * a + b, 2.0 * a + b);
}

TEST(Parameter, EvaluatesAndNamesWhatIsMissing) {
  const Parameter p = Parameter::power(a, 2.0) - b / 3.0 + Parameter::function("sin", a);
  EXPECT_DOUBLE_EQ(p.evaluate(kValues), 0.49 - 1.9 / 3 + std::sin(0.7));
  try {
    p.evaluate({{"a", 1.0}});
    FAIL();
  } catch (const CircuitError& e) {
    EXPECT_NE(std::string(e.what()).find("'b'"), std::string::npos);
  }
  EXPECT_THROW((1.0 / a).evaluate({{"a", 0.0}}), CircuitError);
  EXPECT_THROW(Parameter(std::numeric_limits<double>::infinity()).evaluate({}), CircuitError);
  EXPECT_THROW(Parameter::function("sinh", a), CircuitError);
  std::vector<std::string> names;
  (b * a + b).collect_names(names);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a"}));
}

TEST(Parameter, SpellsOpenQasm) {
  EXPECT_EQ(Parameter(0.1).str(), "0.1");
  EXPECT_EQ(Parameter(3.0).str(), "3.0");  // int / int would truncate
  EXPECT_EQ(Parameter(1e-30).str(), "1e-30");
  EXPECT_EQ(Parameter(1.0 / 3).str(), "0.3333333333333333");
  EXPECT_EQ((2.0 * a + 0.5).str(), "2.0 * a + 0.5");
  EXPECT_EQ((2.0 * (a + 0.5)).str(), "2.0 * (a + 0.5)");
  EXPECT_EQ((a - (b - 1.0)).str(), "a - (b - 1.0)");
  EXPECT_EQ((a / (b * a)).str(), "a / (b * a)");
  EXPECT_EQ((a + -0.5 * b).str(), "a + -0.5 * b");
  EXPECT_EQ((a * Parameter(-0.5)).str(), "a * -0.5");
  EXPECT_EQ((-(a * b)).str(), "-(a * b)");
  EXPECT_EQ(Parameter::power(-a, b).str(), "(-a) ** b");
  EXPECT_EQ(Parameter::power(Parameter::power(a, b), a).str(), "(a ** b) ** a");
  EXPECT_EQ(Parameter::power(a, Parameter::power(b, a)).str(), "a ** b ** a");
  EXPECT_EQ((-Parameter::power(a, b)).str(), "-a ** b");
  EXPECT_EQ(Parameter::function("cos", a + b).str(), "cos(a + b)");
}

TEST(Parameter, NumbersReadBackExactly) {
  EXPECT_TRUE(rc::check("spelling keeps every bit", [] {
    const double v = *rc::gen::arbitrary<double>();
    RC_PRE(std::isfinite(v));
    RC_ASSERT(std::strtod(Parameter(v).str().c_str(), nullptr) == v);
  }));
}

TEST(Parameter, DerivativesAgreeWithDifferences) {
  const auto f = [](const char* name, const Parameter& p) { return Parameter::function(name, p); };
  const std::vector<Parameter> all = {a * a * b,
                                      a / b,
                                      b / a,
                                      Parameter::power(a, 3.0),
                                      Parameter::power(a, b),
                                      Parameter::power(2.0, a),
                                      f("sin", 2.0 * a),
                                      f("cos", a),
                                      f("tan", a),
                                      f("arcsin", a),
                                      f("arccos", a),
                                      f("arctan", a * b),
                                      f("exp", -a),
                                      f("log", a),
                                      f("sqrt", a),
                                      f("abs", -a),
                                      f("floor", a),
                                      f("ceiling", a * 0.1),
                                      -f("sin", f("cos", a)),
                                      b,
                                      Parameter(4.0),
                                      a - b};
  for (const Parameter& p : all) {
    const double h = 1e-6;
    const double slope = (p.evaluate({{"a", 0.7 + h}, {"b", 1.9}}) - p.evaluate({{"a", 0.7 - h}, {"b", 1.9}})) / (2 * h);
    EXPECT_NEAR(p.derivative("a").evaluate(kValues), slope, 1e-8) << p.str() << " -> " << p.derivative("a").str();
  }
  EXPECT_EQ(Parameter::power(-1.0 * a, 2.0).derivative("a").evaluate(kValues), 1.4);  // no log of a negative base
}

TEST(Parameter, BoundInParts) {
  const Parameter p = 2.0 * a + Parameter::function("cos", b);
  EXPECT_EQ(p.bound({{"a", 1.5}}).str(), "3.0 + cos(b)");
  EXPECT_EQ(p.bound(kValues), Parameter(p.evaluate(kValues)));
  EXPECT_EQ(p.bound({}), p);
}

TEST(Parameter, DepthIsLimited) {
  Parameter deep = a;
  EXPECT_THROW(for (int i = 0; i < 20'000; ++i) deep = deep + a, CircuitError);
  EXPECT_NO_THROW(deep.evaluate(kValues));
}

}  // namespace
}  // namespace ketmesh
