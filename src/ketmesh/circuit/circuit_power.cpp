// Powers. A single operation has a closed form where its row has one (rotations and p scale the angle); everything else is
// the principal power of the whole unitary, as OpenQASM 3 defines pow. Global phases are kept: they matter under controls.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/inverse.hpp"
#include "ketmesh/circuit/reach.hpp"
#include "ketmesh/circuit/unitary_power.hpp"

namespace ketmesh {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::size_t kMaxDenseQubits = 8;      // of an eigen-decomposition: 256 x 256 takes seconds
constexpr double kMaxRepeatedOperations = 1e8;  // the limit of any expansion
constexpr double kManyOperations = 4096;        // from here a small matrix is cheaper than repeating

bool is_integer(double v) { return std::floor(v) == v && std::abs(v) < 9e15; }

long long modulo(double value, long long n) {
  const long long r = static_cast<long long>(std::fmod(value, static_cast<double>(n)));
  return r < 0 ? r + n : r;
}

bool has_names(const Operation& op) {
  return std::any_of(op.parameters.begin(), op.parameters.end(), [](const Parameter& p) { return !p.is_number(); });
}

/// Rows e^{-i angle G} whose generator does not depend on the first angle.
bool scales(Gate base) {
  switch (base) {
    case Gate::p:
    case Gate::rx:
    case Gate::ry:
    case Gate::rz:
    case Gate::r:
    case Gate::rxx:
    case Gate::ryy:
    case Gate::rzz:
    case Gate::rzx:
    case Gate::xx_plus_yy:
    case Gate::xx_minus_yy:
    case Gate::rotation:
    case Gate::gphase:
      return true;
    default:
      return false;
  }
}

/// A row that is `eighths` / 4 of X, Y or Z: X^(eighths/4).
struct AxisPower {
  char axis;
  int eighths;
};
std::optional<AxisPower> axis_power(Gate base) {
  switch (base) {
    case Gate::x:
      return AxisPower{'x', 4};
    case Gate::sx:
      return AxisPower{'x', 2};
    case Gate::sxdg:
      return AxisPower{'x', -2};
    case Gate::y:
      return AxisPower{'y', 4};
    case Gate::sy:
      return AxisPower{'y', 2};
    case Gate::sydg:
      return AxisPower{'y', -2};
    case Gate::z:
      return AxisPower{'z', 4};
    case Gate::s:
      return AxisPower{'z', 2};
    case Gate::sdg:
      return AxisPower{'z', -2};
    case Gate::t:
      return AxisPower{'z', 1};
    case Gate::tdg:
      return AxisPower{'z', -1};
    default:
      return std::nullopt;
  }
}

std::optional<Gate> named_axis_power(char axis, long long eighths) {
  if (axis == 'z') {
    static constexpr std::optional<Gate> kZ[8] = {Gate::id, Gate::t, Gate::s, std::nullopt, Gate::z, std::nullopt, Gate::sdg, Gate::tdg};
    return kZ[eighths];
  }
  static constexpr Gate kX[4] = {Gate::id, Gate::sx, Gate::x, Gate::sxdg}, kY[4] = {Gate::id, Gate::sy, Gate::y, Gate::sydg};
  return axis == 'x' ? kX[eighths / 2] : kY[eighths / 2];
}

class Power {
 public:
  Power(Circuit& out, const Operation& op, double exponent) : out_(out), op_(op), gate_(resolve(op)), exponent_(exponent) {}

  void append() {
    const GateRow& row = gate_row(op_.gate);
    if (!row.is_unitary && op_.gate != Gate::barrier && op_.gate != Gate::delay)
      throw CircuitError(std::string(row.name) + " has no power: it is not a unitary");
    if (has_no_effect(op_.gate) || exponent_ == 1) return copy();
    if (exponent_ == -1) return append_inverse(out_, op_);
    if (exponent_ == 0) return;
    if (scales(gate_.base)) return scaled();
    if (const auto axis = axis_power(gate_.base)) return on_axis(*axis);
    switch (gate_.base) {
      case Gate::iswap:
        return angles(Gate::xx_plus_yy, {-kPi * exponent_, 0.0});
      case Gate::diagonal:
        return of_diagonal();
      case Gate::dcx:
        return periodic(3);
      case Gate::rc3x:
        return periodic(4);
      case Gate::permutation:
        return of_permutation();
      case Gate::u:
      case Gate::u2:
      case Gate::cu:
        return of_u();
      default:
        break;
    }
    if (row.inverse == InverseRule::self) return of_reflection();
    dense();
  }

 private:
  void copy() { out_.append(op_); }

  void angles(Gate gate, std::initializer_list<Parameter> parameters) {
    out_.append(gate, gate_.targets, std::span(parameters.begin(), parameters.size()), gate_.controls, op_.line);
  }

  void phase(double gamma) { out_.append(Gate::gphase, {}, std::vector<Parameter>{gamma}, gate_.controls, op_.line); }

  void matrix(const std::vector<cdouble>& m) { out_.unitary(m, gate_.targets, gate_.controls); }

  void scaled() {
    std::vector<Parameter> parameters(op_.parameters.begin(), op_.parameters.end());
    parameters[0] = exponent_ * parameters[0];
    out_.append(Operation{op_.gate, op_.line, op_.controls, op_.qubits, parameters, {}, op_.shared_payload});
  }

  void on_axis(AxisPower power) {
    if (is_integer(exponent_)) {
      const long long eighths = power.eighths * modulo(exponent_, 8) % 8;
      if (eighths % 8 == 0) return;
      if (const auto gate = named_axis_power(power.axis, eighths < 0 ? eighths + 8 : eighths)) return angles(*gate, {});
    }
    const double angle = kPi / 4 * power.eighths * exponent_;
    if (power.axis == 'z') return angles(Gate::p, {angle});
    phase(angle / 2);
    angles(power.axis == 'x' ? Gate::rx : Gate::ry, {angle});
  }

  // U^2 = 1: U^e = e^{i pi e/2} (cos(pi e/2) - i sin(pi e/2) U).
  void of_reflection() {
    if (is_integer(exponent_)) {
      if (modulo(exponent_, 2) == 1) copy();
      return;
    }
    const double angle = kPi * exponent_;
    if (gate_.base == Gate::pauli) {
      phase(angle / 2);
      out_.rotation(op_.payload().paulis, op_.qubits, angle, op_.controls);
    } else if (gate_.base == Gate::swap) {  // SWAP = (II + XX + YY + ZZ) / 2
      phase(angle / 4);
      for (const Gate g : {Gate::rxx, Gate::ryy, Gate::rzz}) angles(g, {angle / 2});
    } else {
      std::vector<cdouble> m = target_matrix(op_);
      const cdouble front = std::polar(1.0, angle / 2), factor = front * cdouble{0, -std::sin(angle / 2)};
      for (cdouble& entry : m) entry *= factor;
      const std::size_t n = std::size_t{1} << gate_.targets.size();
      for (std::size_t i = 0; i < n; ++i) m[i * n + i] += front * std::cos(angle / 2);
      matrix(m);
    }
  }

  // U^order = 1.
  void periodic(long long order) {
    if (!is_integer(exponent_)) return dense();
    const long long times = modulo(exponent_, order);
    if (times == order - 1) return append_inverse(out_, op_);
    for (long long i = 0; i < times; ++i) copy();
  }

  void of_diagonal() {
    std::vector<cdouble> entries = op_.payload().values;
    for (cdouble& e : entries) e = phase_power(e, exponent_);
    out_.diagonal(entries, op_.qubits, op_.controls);
  }

  void of_permutation() {
    if (!is_integer(exponent_)) return dense();
    const std::vector<Index>& table = op_.payload().table;
    std::vector<Index> result(table.size());
    std::vector<bool> done(table.size());
    std::vector<Index> cycle;
    for (std::size_t start = 0; start < table.size(); ++start) {
      if (done[start]) continue;
      cycle.clear();
      for (Index i = start; !done[i]; i = table[i]) {
        done[i] = true;
        cycle.push_back(i);
      }
      const auto length = static_cast<long long>(cycle.size());
      const long long step = modulo(exponent_, length);
      for (long long i = 0; i < length; ++i)
        result[cycle[static_cast<std::size_t>(i)]] = cycle[static_cast<std::size_t>((i + step) % length)];
    }
    out_.permutation(result, op_.qubits, op_.controls);
  }

  void of_u() {
    if (!has_names(op_)) return dense();
    if (!is_integer(exponent_))
      throw CircuitError(std::string(to_string(op_.gate)) + " with unbound parameters has no power " + Parameter(exponent_).str() +
                             ": only integer powers are possible before its parameters are bound",
                         "bind the parameters first");
    if (std::abs(exponent_) > kMaxRepeatedOperations)
      throw CircuitError(std::string(to_string(op_.gate)) + " with unbound parameters has no power " + Parameter(exponent_).str() +
                         "; at most 100000000 are possible");
    for (double i = 0; i < std::abs(exponent_); ++i) exponent_ < 0 ? append_inverse(out_, op_) : copy();
  }

  void dense() {
    if (gate_.targets.size() > kMaxDenseQubits)
      throw CircuitError(std::string(to_string(op_.gate)) + " on " + std::to_string(gate_.targets.size()) + " targets has no power " +
                         Parameter(exponent_).str() + ": at most " + std::to_string(kMaxDenseQubits) + " targets are possible");
    matrix(unitary_power(target_matrix(op_), exponent_));
  }

  Circuit& out_;
  const Operation& op_;
  ResolvedGate gate_;
  double exponent_;
};

}  // namespace

Circuit Circuit::power(double exponent) const {
  if (!std::isfinite(exponent)) throw CircuitError("the exponent of a power is " + std::to_string(exponent) + "; it must be finite");
  Circuit out = empty_copy();
  std::size_t acting = 0;
  for (const Operation op : *this) {
    if (!gate_row(op.gate).is_unitary && op.gate != Gate::barrier && op.gate != Gate::delay)
      throw CircuitError(std::string(to_string(op.gate)) + " has no power: it is not a unitary");
    acting += has_no_effect(op.gate) ? 0 : 1;
  }
  if (acting <= 1) {
    for (const Operation op : *this) Power(out, op, exponent).append();
    return out;
  }
  const bool integer = is_integer(exponent);
  const std::vector<Qubit> qubits = active_qubits();
  const bool can_be_dense = qubits.size() <= kMaxDenseQubits && !qubits.empty() && parameter_names().empty();
  const double operations = std::abs(exponent) * static_cast<double>(size());
  const bool repeat = integer && (operations <= kManyOperations || !can_be_dense || qubits.size() > 4);
  if (repeat) {
    if (operations > kMaxRepeatedOperations)
      throw CircuitError("power " + Parameter(exponent).str() + " of a circuit of " + std::to_string(size()) +
                         " operations would have more than 100000000");
    const Circuit one = exponent < 0 ? inverse() : *this;
    for (double i = 0; i < std::abs(exponent); ++i)
      for (const Operation op : one) out.append(op);
    return out;
  }
  if (!can_be_dense)
    throw CircuitError("power " + Parameter(exponent).str() + " of " + std::to_string(size()) + " operations on " +
                       std::to_string(qubits.size()) + " qubits: a power that is not an integer needs at most " +
                       std::to_string(kMaxDenseQubits) + " qubits and no unbound parameter");
  out.unitary(unitary_power(circuit_matrix(*this, qubits), exponent), qubits);
  return out;
}

}  // namespace ketmesh
