// Numbers for a plan: walks its recipe words once.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "ketmesh/base/error.hpp"
#include "ketmesh/plan/derivatives.hpp"
#include "ketmesh/plan/planner.hpp"
#include "ketmesh/plan/recipe.hpp"

namespace ketmesh {
namespace {

using plan::Factor;
using plan::FactorKind;
using plan::RecipeWhat;

class Binder {
 public:
  Binder(const Circuit& circuit, const ParameterValues& values, Binding& out, std::span<const double> angles = {})
      : circuit_(circuit), values_(values), out_(out), angles_(angles) {
    // Parameters of a circuit lie one after the other, in its order: a distance between them numbers them.
    for (std::size_t k = 0; !angles.empty() && first_ == nullptr && k < circuit.size(); ++k)
      if (const auto parameters = circuit[k].parameters; !parameters.empty()) first_ = parameters.data();
  }

  void run(const Plan& plan) {
    walk(plan, [](auto...) {});
  }

  plan::Derivatives derive(const Plan& plan) {
    plan::Derivatives out;
    walk(plan, [&](const plan::RecipeHead& head, const std::uint64_t* factors, std::size_t slot) {
      if (head.what == RecipeWhat::matrix) derive_matrix(factors, head.factors, head.k, slot, out);
      if (head.what == RecipeWhat::angle) derive_angle(factors, head.factors, slot, out);
    });
    return out;
  }

 private:
  // Binds recipe by recipe; visit(head, factors, first slot) comes after each.
  template <typename Visit>
  void walk(const Plan& plan, Visit&& visit) {
    out_.matrices.clear();
    out_.angles.clear();
    out_.global_phase = 0;
    out_.matrices.reserve(plan.num_matrix_entries);
    out_.angles.reserve(plan.num_angles);
    const auto& words = plan.recipe_words;
    for (std::size_t at = 0; at < words.size();) {
      const auto head = plan::decode_head(words[at++]);
      const auto* factors = words.data() + at;
      at += std::size_t{2} * head.factors;
      if (at > words.size()) throw Internal("recipe words end inside a recipe");
      const std::size_t slot = head.what == RecipeWhat::angle ? out_.angles.size() : out_.matrices.size();
      switch (head.what) {
        case RecipeWhat::matrix:
          matrix(factors, head.factors, head.k, std::size_t{1} << head.k);
          break;
        case RecipeWhat::column:
          matrix(factors, head.factors, head.k, 1);
          break;
        case RecipeWhat::angle:
          angle(factors, head.factors, head.k);
          break;
        case RecipeWhat::global_phase:
          out_.global_phase += sum(factors, head.factors);
          break;
      }
      visit(head, factors, slot);
    }
  }

  Factor factor(const std::uint64_t* words, std::uint32_t i) const { return plan::decode_factor(words[2 * i], words[2 * i + 1]); }

  Operation operation(const Factor& f) const {
    if (f.operation >= circuit_.size()) throw Internal("the plan is of another circuit: it names operation " + std::to_string(f.operation));
    return circuit_[f.operation];
  }

  double number(const Parameter& p) const {
    if (p.is_number()) return p.number();
    if (first_ == nullptr) return p.evaluate(values_);
    const auto k = static_cast<std::size_t>(&p - first_);
    if (k >= angles_.size()) throw Internal("angle " + std::to_string(k) + " of " + std::to_string(angles_.size()));
    return angles_[k];
  }

  double parameter(const Operation& op, std::size_t i) const {
    const double value = number(op.parameters[i]);
    return i == shifted_ ? value + shift_ : value;
  }

  double value(const Factor& f) const {
    if (f.parameter == Factor::kConstant) return f.coefficient;
    const double angle = f.coefficient * number(operation(f).parameters[f.parameter]);
    return f.parameter == shifted_ ? angle + shift_ : angle;
  }

  // Long runs of phases add up to many turns. A double of thousands of radians is right to 1e-12 only, so the sum and its reduction to one
  // turn are carried out with more bits.
  double sum(const std::uint64_t* words, std::uint32_t count) const {
    if (count == 1) return value(factor(words, 0));
    long double total = 0;
    for (std::uint32_t i = 0; i < count; ++i) total += static_cast<long double>(value(factor(words, i)));
    return static_cast<double>(std::remainder(total, 2 * std::numbers::pi_v<long double>));
  }

  void angle(const std::uint64_t* words, std::uint32_t count, int k) {
    if (count == 0 || factor(words, 0).kind != FactorKind::table) {
      out_.angles.push_back(sum(words, count));
      return;
    }
    const auto op = operation(factor(words, 0));
    const auto& entries = op.payload().values;
    const std::size_t dim = std::size_t{1} << k;
    for (std::size_t i = 0; i < dim; ++i)  // a diagonal lists its entries, a unitary the whole matrix
      out_.angles.push_back(std::arg(op.gate == Gate::unitary ? entries[i * dim + i] : entries[i]));
  }

  // The base gates that most circuits consist of; the table of gates knows the rest.
  void one_qubit(const Factor& f, std::array<cdouble, 4>& m) const {
    const auto gate = static_cast<Gate>(f.gate);
    constexpr double kHalf = std::numbers::sqrt2 / 2;
    switch (gate) {
      case Gate::x:
        m = {0, 1, 1, 0};
        return;
      case Gate::h:
        m = {kHalf, kHalf, kHalf, -kHalf};
        return;
      case Gate::sx:
      case Gate::sxdg:
      case Gate::sy:
      case Gate::sydg:
        return root(gate, f.coefficient, m);
      default:
        break;
    }
    const auto op = operation(f);
    if (gate == Gate::rx || gate == Gate::ry) {
      const double half = parameter(op, 0) / 2, c = std::cos(half), s = std::sin(half);
      if (gate == Gate::rx)
        m = {c, cdouble(0, -s), cdouble(0, -s), c};
      else
        m = {c, -s, s, c};
    } else if (gate == Gate::u) {
      const double half = parameter(op, 0) / 2, phi = parameter(op, 1), lambda = parameter(op, 2), c = std::cos(half), s = std::sin(half);
      const auto at = [](double radius, double angle) { return cdouble(radius * std::cos(angle), radius * std::sin(angle)); };
      m = {c, at(-s, lambda), at(s, phi), at(c, phi + lambda)};
    } else {
      const auto general = gate == Gate::unitary ? target_matrix(op, values_) : base_matrix(gate, parameters(op));
      std::copy_n(general.begin(), 4, m.begin());
    }
  }

  // exp(i pi / 4) exp(-i pi P / 4) and inverses, times exp(i coefficient): exactly real or rx-like when that takes the phase away.
  static void root(Gate gate, double coefficient, std::array<cdouble, 4>& m) {
    constexpr double kHalf = std::numbers::sqrt2 / 2;
    const bool inverse = gate == Gate::sxdg || gate == Gate::sydg;
    const double s = inverse ? -kHalf : kHalf;
    if (gate == Gate::sx || gate == Gate::sxdg)
      m = {kHalf, cdouble(0, -s), cdouble(0, -s), kHalf};
    else
      m = {kHalf, -s, s, kHalf};
    const double rest = coefficient + (inverse ? -1 : 1) * std::numbers::pi / 4;
    if (rest == 0) return;
    for (auto& v : m) v *= std::polar(1.0, rest);
  }

  std::vector<double> parameters(const Operation& op) const {
    std::vector<double> out(op.parameters.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = parameter(op, i);
    return out;
  }

  void matrix(const std::uint64_t* words, std::uint32_t count, int k, std::size_t columns) {
    if (count == 1 && factor(words, 0).kind == FactorKind::whole) {
      shifted_ = chosen_ == 0 ? chosen_parameter_ : kNone;
      const auto op = operation(factor(words, 0));
      const bool by_table = !gate_row(op.gate).has_payload && !op.parameters.empty();
      const auto m = by_table ? base_matrix(op.gate, parameters(op)) : target_matrix(op, values_);
      const std::size_t stride = std::size_t{1} << k;
      for (std::size_t r = 0; r < stride; ++r)
        for (std::size_t c = 0; c < columns; ++c) out_.matrices.push_back(m[r * stride + c]);
      shifted_ = kNone;
      return;
    }
    const std::size_t rows = std::size_t{1} << k;
    const std::size_t at = out_.matrices.size();
    out_.matrices.resize(at + rows * columns);
    auto* acc = out_.matrices.data() + at;
    for (std::size_t i = 0; i < columns; ++i) acc[i * columns + i] = 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      shifted_ = chosen_ == i ? chosen_parameter_ : kNone;
      apply(factor(words, i), acc, rows, columns);
    }
    shifted_ = kNone;
  }

  // acc <- factor * acc
  void apply(const Factor& f, cdouble* acc, std::size_t rows, std::size_t columns) const {
    const auto a = static_cast<std::size_t>(f.place & 15), b = static_cast<std::size_t>(f.place >> 4);
    switch (f.kind) {
      case FactorKind::one:
      case FactorKind::controlled: {
        std::array<cdouble, 4> m;
        one_qubit(f, m);
        const std::size_t bit = std::size_t{1} << a;
        const std::size_t control = f.kind == FactorKind::controlled ? std::size_t{1} << b : 0;
        for (std::size_t r = 0; r < rows; ++r) {
          if ((r & bit) != 0 || (r & control) != control) continue;
          for (std::size_t c = 0; c < columns; ++c) {
            auto &lo = acc[r * columns + c], &hi = acc[(r | bit) * columns + c];
            const auto x = lo, y = hi;
            lo = m[0] * x + m[1] * y;
            hi = m[2] * x + m[3] * y;
          }
        }
        return;
      }
      case FactorKind::two:
        return apply_two(f, a, b, acc, columns);
      case FactorKind::match_phase:
      case FactorKind::parity_phase: {
        const auto phase = std::polar(1.0, value(f));
        for (std::size_t r = 0; r < rows; ++r) {
          const bool odd = (std::popcount(r & a) & 1) != 0;
          if (f.kind == FactorKind::match_phase && (r & a) != b) continue;
          const auto by = f.kind == FactorKind::parity_phase && odd ? std::conj(phase) : phase;
          for (std::size_t c = 0; c < columns; ++c) acc[r * columns + c] *= by;
        }
        return;
      }
      case FactorKind::whole:
      case FactorKind::angle:
      case FactorKind::table:
        break;
    }
    throw Internal("a factor that is no part of a matrix");
  }

  void apply_two(const Factor& f, std::size_t a, std::size_t b, cdouble* acc, std::size_t columns) const {
    const auto op = operation(f);
    const auto gate = static_cast<Gate>(f.gate);
    std::array<cdouble, 16> m{};
    if (gate == Gate::rxx || gate == Gate::ryy) {
      const double half = parameter(op, 0) / 2, c = std::cos(half), s = std::sin(half);
      const double sign = gate == Gate::rxx ? 1 : -1;
      m[0] = m[5] = m[10] = m[15] = c;
      m[3] = m[12] = cdouble(0, -s * sign);
      m[6] = m[9] = cdouble(0, -s);
    } else {
      const auto general = gate == Gate::unitary ? target_matrix(op, values_) : base_matrix(gate, parameters(op));
      std::copy_n(general.begin(), 16, m.begin());
    }
    std::array<std::size_t, 4> row{};
    for (std::size_t i = 0; i < 4; ++i) row[i] = ((i & 1) << a) | ((i >> 1) << b);
    for (std::size_t c = 0; c < columns; ++c) {
      std::array<cdouble, 4> in;
      for (std::size_t i = 0; i < 4; ++i) in[i] = acc[row[i] * columns + c];
      for (std::size_t i = 0; i < 4; ++i)
        acc[row[i] * columns + c] = m[4 * i] * in[0] + m[4 * i + 1] * in[1] + m[4 * i + 2] * in[2] + m[4 * i + 3] * in[3];
    }
  }

  // ---- derivatives

  void derive_angle(const std::uint64_t* words, std::uint32_t count, std::size_t slot, plan::Derivatives& out) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Factor f = factor(words, i);
      if (f.kind == FactorKind::table || f.parameter == Factor::kConstant || operation(f).parameters[f.parameter].is_number()) continue;
      out.angles.push_back({static_cast<std::uint32_t>(slot), f.operation, f.parameter, f.coefficient});
    }
  }

  // The product rule: one factor at a time is replaced by its derivative.
  void derive_matrix(const std::uint64_t* words, std::uint32_t count, int k, std::size_t slot, plan::Derivatives& out) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Factor f = factor(words, i);
      const bool phase = f.kind == FactorKind::match_phase || f.kind == FactorKind::parity_phase;
      if (phase && f.parameter == Factor::kConstant) continue;
      const auto op = operation(f);
      const std::size_t first = phase ? f.parameter : 0, last = phase ? first + 1 : op.parameters.size();
      for (std::size_t p = first; p < last; ++p) {
        if (op.parameters[p].is_number()) continue;
        plan::MatrixDerivative d{static_cast<std::uint32_t>(slot), f.operation, static_cast<std::uint32_t>(p), {}};
        d.entries.assign(std::size_t{1} << (2 * k), 0);
        for (const auto& [radians, weight] : kShifts) {
          add_shifted(words, count, k, i, p, radians, weight, d.entries);
          add_shifted(words, count, k, i, p, -radians, -weight, d.entries);
        }
        if (phase)
          for (auto& entry : d.entries) entry *= f.coefficient;
        out.matrices.push_back(std::move(d));
      }
    }
  }

  void add_shifted(const std::uint64_t* words, std::uint32_t count, int k, std::uint32_t which, std::size_t parameter, double radians,
                   double weight, std::vector<cdouble>& sum) {
    const std::size_t at = out_.matrices.size();
    chosen_ = which;
    chosen_parameter_ = parameter;
    shift_ = radians;
    matrix(words, count, k, std::size_t{1} << k);
    chosen_ = kNone;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * out_.matrices[at + i];
    out_.matrices.resize(at);
  }

  // sum over shifts of weight * (f(x + s) - f(x - s)) is f'(x) for f = exp(i w x) with w = 1/2 and w = 1.
  static constexpr std::array<std::pair<double, double>, 2> kShifts = {
      {{std::numbers::pi / 2, 0.5}, {std::numbers::pi, 0.25 - std::numbers::sqrt2 / 4}}};
  static constexpr std::size_t kNone = ~std::size_t{0};

  const Circuit& circuit_;
  const ParameterValues& values_;
  Binding& out_;
  std::span<const double> angles_;                     // of all parameters, when they were given so
  const Parameter* first_ = nullptr;                   // of the circuit, then
  std::size_t chosen_ = kNone, chosen_parameter_ = 0;  // the factor and the parameter of it that are shifted
  std::size_t shifted_ = kNone;                        // that parameter while that factor is made
  double shift_ = 0;
};

}  // namespace

void bind(const Plan& plan, const Circuit& circuit, const ParameterValues& values, Binding& reuse) {
  Binder(circuit, values, reuse).run(plan);
}

plan::Derivatives plan::derivatives(const Plan& plan, const Circuit& circuit, const ParameterValues& values) {
  Binding scratch;
  return Binder(circuit, values, scratch).derive(plan);
}

void bind(const Plan& plan, const Circuit& circuit, std::span<const double> angles, Binding& reuse) {
  const ParameterValues none;
  Binder(circuit, none, reuse, angles).run(plan);
}

Binding bind(const Plan& plan, const Circuit& circuit, const ParameterValues& values) {
  Binding out;
  bind(plan, circuit, values, out);
  return out;
}

}  // namespace ketmesh
