// Adding operations: every check happens before anything is changed. Cost: proportional to the operands, amortised.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/circuit_draft.hpp"
#include "ketmesh/circuit/reach.hpp"

namespace ketmesh {
namespace {

static_assert(sizeof(Control) == sizeof(std::uint32_t), "controls are stored as words");

std::string count_of(std::size_t n, std::string_view thing) { return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s"); }

[[noreturn]] void throw_counts(const GateRow& row, std::size_t qubits, std::size_t parameters) {
  const std::string name(row.name);
  if (row.num_qubits >= 0 && qubits != static_cast<std::size_t>(row.num_qubits))
    throw CircuitError(name + " takes " + count_of(static_cast<std::size_t>(row.num_qubits), "qubit") + ", got " + std::to_string(qubits));
  if (parameters == static_cast<std::size_t>(row.num_parameters)) throw CircuitError(name + " takes at least 1 qubit, got 0");
  std::string wanted = count_of(static_cast<std::size_t>(row.num_parameters), "parameter");
  if (!row.parameter_names.empty()) wanted += " (" + std::string(row.parameter_names) + ")";
  throw CircuitError(name + " takes " + wanted + ", got " + std::to_string(parameters));
}

void check_counts(const GateRow& row, std::size_t qubits, std::size_t parameters) {
  const bool right_qubits =
      row.num_qubits >= 0 ? qubits == static_cast<std::size_t>(row.num_qubits) : qubits > 0 || row.gate == Gate::barrier;
  if (!right_qubits || parameters != static_cast<std::size_t>(row.num_parameters)) throw_counts(row, qubits, parameters);
}

std::string_view nth_name(std::string_view comma_list, std::size_t n) {
  for (; n > 0; --n) comma_list.remove_prefix(comma_list.find(',') + 1);
  return comma_list.substr(0, comma_list.find(','));
}

void check_finite(const GateRow& row, std::span<const Parameter> parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].is_number() && !std::isfinite(parameters[i].number()))
      throw CircuitError(std::string(row.name) + ": parameter " + std::string(nth_name(row.parameter_names, i)) + " is " +
                         std::to_string(parameters[i].number()) + "; it must be finite");
}

void check_duration(std::span<const Parameter> parameters) {
  for (const Parameter& p : parameters)
    if (p.is_number() && p.number() < 0) throw CircuitError("delay: duration is " + std::to_string(p.number()) + "; it must be 0 or more");
}

// What limits the operands of one kind, and how many of them the circuit needs to have.
struct Range {
  std::string_view thing;
  bool fixed;
  std::size_t size;    // when fixed
  std::size_t needed;  // grows
  void take(std::string_view gate, std::size_t index) {
    if (index < needed) return;
    const std::size_t limit = fixed ? size : kMaxDeclaredQubits;
    if (index >= limit)
      throw CircuitError(std::string(gate) + ": " + std::string(thing) + " " + std::to_string(index) +
                         (limit == 0 ? ", but the circuit has none" : " is outside 0.." + std::to_string(limit - 1)));
    needed = index + 1;
  }
};

[[noreturn]] void throw_twice(std::string_view gate, Qubit qubit) {
  throw CircuitError(std::string(gate) + ": qubit " + std::to_string(qubit) +
                     " is given twice; the qubits and controls of one gate must differ");
}

constexpr std::size_t kSmall = 12;  // up to here comparing all pairs beats sorting a copy

void check_distinct(std::string_view gate, std::span<const Control> controls, std::span<const Qubit> qubits) {
  const std::size_t n = controls.size() + qubits.size();
  const auto at = [&](std::size_t i) -> Qubit { return i < controls.size() ? controls[i].qubit : qubits[i - controls.size()]; };
  if (n <= kSmall) {
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (at(i) == at(j)) throw_twice(gate, at(i));
    return;
  }
  std::vector<Qubit> sorted(qubits.begin(), qubits.end());
  for (const Control c : controls) sorted.push_back(c.qubit);
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw_twice(gate, *twice);
}

template <typename T, typename U>
bool lies_in(std::span<const T> operands, const std::vector<U>& arena) {
  const void* p = operands.data();
  const void* begin = arena.data();
  const void* end = arena.data() + arena.size();
  return !operands.empty() && std::less_equal<>()(begin, p) && std::less<>()(p, end);
}

}  // namespace

Circuit& Circuit::push(const Draft& draft) {
  // Operands that are views into this very circuit would dangle while it grows.
  if (lies_in(draft.controls, words_) || lies_in(draft.qubits, words_) || lies_in(draft.clbits, words_) ||
      lies_in(draft.parameters, parameters_)) {
    const std::vector<Control> controls(draft.controls.begin(), draft.controls.end());
    const std::vector<Qubit> qubits(draft.qubits.begin(), draft.qubits.end());
    const std::vector<Parameter> parameters(draft.parameters.begin(), draft.parameters.end());
    const std::vector<Clbit> clbits(draft.clbits.begin(), draft.clbits.end());
    return push({draft.gate, controls, qubits, parameters, clbits, draft.payload, draft.line});
  }
  const GateRow& row = gate_row(draft.gate);
  check_counts(row, draft.qubits.size(), draft.parameters.size());
  check_finite(row, draft.parameters);
  if (draft.gate == Gate::delay) check_duration(draft.parameters);
  if (!draft.controls.empty() && !row.is_unitary)
    throw CircuitError(std::string(row.name) + " cannot be under controls: it is not a unitary");
  if (draft.controls.size() > 0xffff)
    throw CircuitError(std::string(row.name) + " is under " + std::to_string(draft.controls.size()) +
                       " controls; at most 65535 are possible");
  Range qubit_range{"qubit", fixed_qubits_, num_qubits_, num_qubits_};
  Range bit_range{"classical bit", fixed_clbits_, num_clbits_, num_clbits_};
  if (draft.gate == Gate::if_else) {
    const Operation op{draft.gate, 0, {}, {}, {}, {}, &draft.payload};
    visit_operands(
        op, [&](Qubit q) { qubit_range.take(row.name, q); }, [&](Clbit b, bool) { bit_range.take(row.name, b); });
  }
  for (const Control c : draft.controls) qubit_range.take(row.name, c.qubit);
  for (const Qubit q : draft.qubits) qubit_range.take(row.name, q);
  for (const Clbit b : draft.clbits) bit_range.take(row.name, b);
  check_distinct(row.name, draft.controls, draft.qubits);

  Record record{};
  record.gate = draft.gate;
  record.num_controls = static_cast<std::uint16_t>(draft.controls.size());
  record.line = draft.line != 0 ? draft.line : line_;
  record.num_qubits = static_cast<std::uint32_t>(draft.qubits.size());
  record.num_parameters = static_cast<std::uint32_t>(draft.parameters.size());
  record.num_clbits = static_cast<std::uint32_t>(draft.clbits.size());
  record.words = words_.size();
  record.parameters = parameters_.size();
  record.payload = draft.payload ? static_cast<std::int32_t>(payloads_.size()) : -1;
  for (const Control c : draft.controls) words_.push_back(std::bit_cast<std::uint32_t>(c));
  words_.insert(words_.end(), draft.qubits.begin(), draft.qubits.end());
  words_.insert(words_.end(), draft.clbits.begin(), draft.clbits.end());
  parameters_.insert(parameters_.end(), draft.parameters.begin(), draft.parameters.end());
  if (draft.payload) payloads_.push_back(draft.payload);
  records_.push_back(record);
  num_qubits_ = qubit_range.needed;
  num_clbits_ = bit_range.needed;
  return *this;
}

Circuit& Circuit::append(Gate gate, std::span<const Qubit> qubits, std::span<const Parameter> parameters, std::span<const Control> controls,
                         std::uint32_t line) {
  const GateRow& row = gate_row(gate);
  if (row.has_payload || gate == Gate::measure)
    throw CircuitError(std::string(row.name) + " needs more than qubits and parameters; it has a method of its own");
  return push({.gate = gate, .controls = controls, .qubits = qubits, .parameters = parameters, .line = line});
}

Circuit& Circuit::append(Gate gate, std::initializer_list<Qubit> qubits, std::initializer_list<Parameter> parameters,
                         std::initializer_list<Control> controls) {
  return append(gate, std::span(qubits.begin(), qubits.size()), std::span(parameters.begin(), parameters.size()),
                std::span(controls.begin(), controls.size()));
}

Circuit& Circuit::append(const Operation& op, std::span<const Control> more_controls) {
  std::vector<Control> controls(more_controls.begin(), more_controls.end());
  controls.insert(controls.end(), op.controls.begin(), op.controls.end());
  return push({.gate = op.gate,
               .controls = controls,
               .qubits = op.qubits,
               .parameters = op.parameters,
               .clbits = op.clbits,
               .payload = op.shared_payload != nullptr ? *op.shared_payload : nullptr,
               .line = line_ != 0 ? line_ : op.line});
}

Circuit& Circuit::mcx(std::span<const Qubit> controls, Qubit target) {
  std::vector<Qubit> qubits(controls.begin(), controls.end());
  qubits.push_back(target);
  return append(Gate::mcx, qubits);
}

Circuit& Circuit::mcp(Parameter lambda, std::span<const Qubit> controls, Qubit target) {
  std::vector<Qubit> qubits(controls.begin(), controls.end());
  qubits.push_back(target);
  return append(Gate::mcp, qubits, std::span(&lambda, 1));
}

Circuit& Circuit::gphase(Parameter gamma, std::span<const Control> controls) {
  return append(Gate::gphase, {}, std::span(&gamma, 1), controls);
}

Circuit& Circuit::measure(Qubit qubit, Clbit bit) { return measure(std::span(&qubit, 1), std::span(&bit, 1)); }

Circuit& Circuit::measure(std::span<const Qubit> qubits, std::span<const Clbit> bits) {
  if (qubits.size() != bits.size())
    throw CircuitError("measure takes one classical bit for each qubit, got " + std::to_string(qubits.size()) + " qubits and " +
                       std::to_string(bits.size()) + " bits");
  if (qubits.empty()) return *this;
  return push({.gate = Gate::measure, .qubits = qubits, .clbits = bits});
}

Circuit& Circuit::measure_all() {
  std::vector<Qubit> all(num_qubits());
  for (std::size_t q = 0; q < all.size(); ++q) all[q] = static_cast<Qubit>(q);
  return measure(all, all);
}

Circuit& Circuit::reset(std::span<const Qubit> qubits) {
  if (qubits.empty()) return *this;
  return append(Gate::reset, qubits);
}

Circuit& Circuit::reset(Qubit qubit) { return reset(std::span(&qubit, 1)); }

Circuit& Circuit::barrier(std::span<const Qubit> qubits) {
  if (!qubits.empty()) return append(Gate::barrier, qubits);
  std::vector<Qubit> all(num_qubits_);
  for (std::size_t q = 0; q < all.size(); ++q) all[q] = static_cast<Qubit>(q);
  return append(Gate::barrier, all);
}

Circuit& Circuit::delay(std::span<const Qubit> qubits, Parameter duration) {
  if (qubits.empty()) return *this;
  return append(Gate::delay, qubits, std::span(&duration, 1));
}

}  // namespace ketmesh
