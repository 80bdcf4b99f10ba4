// Circuits made from circuits: inverse, controlled, remapped, compose, bound. (power: circuit_power.cpp)
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/circuit_draft.hpp"
#include "ketmesh/circuit/inverse.hpp"
#include "ketmesh/circuit/reach.hpp"

namespace ketmesh {
namespace {

constexpr double kPi = std::numbers::pi;

// rc3x is no simple row's inverse: the reversed sequence of its definition (Maslov 2016), under the same controls.
void append_rc3x_inverse(Circuit& out, const Operation& op) {
  const Qubit a = op.qubits[0], b = op.qubits[1], c = op.qubits[2], d = op.qubits[3];
  const auto one = [&](Gate gate) { out.append(gate, std::span(&d, 1), {}, op.controls, op.line); };
  const auto cx = [&](Qubit control) {
    const Qubit pair[2] = {control, d};
    out.append(Gate::cx, pair, {}, op.controls, op.line);
  };
  one(Gate::h), one(Gate::t), cx(c), one(Gate::tdg), one(Gate::h);
  one(Gate::t), cx(b), one(Gate::tdg), cx(a), one(Gate::t), cx(b), one(Gate::tdg), cx(a);
  one(Gate::h), one(Gate::t), cx(c), one(Gate::tdg), one(Gate::h);
}

void append_special_inverse(Circuit& out, const Operation& op) {
  const auto same_row = [&](std::vector<Parameter> parameters) { out.append(op.gate, op.qubits, parameters, op.controls, op.line); };
  const auto p = [&](std::size_t i) -> const Parameter& { return op.parameters[i]; };
  switch (op.gate) {
    case Gate::u:
    case Gate::u3:
    case Gate::cu3:
      return same_row({-p(0), -p(2), -p(1)});
    case Gate::cu:
      return same_row({-p(0), -p(2), -p(1), -p(3)});
    case Gate::u2:
      return same_row({kPi - p(1), -p(0) - kPi});  // u(-pi/2, -l, -p)
    case Gate::r:
    case Gate::xx_plus_yy:
    case Gate::xx_minus_yy:
      return same_row({-p(0), p(1)});
    case Gate::dcx: {
      const Qubit swapped[2] = {op.qubits[1], op.qubits[0]};
      out.append(Gate::dcx, swapped, {}, op.controls, op.line);
      return;
    }
    case Gate::iswap: {
      const Parameter angles[2] = {kPi, 0.0};
      out.append(Gate::xx_plus_yy, op.qubits, angles, op.controls, op.line);
      return;
    }
    case Gate::c3sqrtx: {
      const ResolvedGate gate = resolve(op);
      out.append(Gate::sxdg, gate.targets, {}, gate.controls, op.line);
      return;
    }
    case Gate::rc3x:
      return append_rc3x_inverse(out, op);
    case Gate::unitary: {
      const std::vector<cdouble>& m = op.payload().values;
      const std::size_t n = std::size_t{1} << op.qubits.size();
      std::vector<cdouble> adjoint(m.size());
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) adjoint[c * n + r] = std::conj(m[r * n + c]);
      out.unitary(adjoint, op.qubits, op.controls);
      return;
    }
    case Gate::diagonal: {
      std::vector<cdouble> entries = op.payload().values;
      for (cdouble& e : entries) e = std::conj(e);
      out.diagonal(entries, op.qubits, op.controls);
      return;
    }
    case Gate::permutation: {
      const std::vector<Index>& table = op.payload().table;
      std::vector<Index> back(table.size());
      for (std::size_t i = 0; i < table.size(); ++i) back[table[i]] = i;
      out.permutation(back, op.qubits, op.controls);
      return;
    }
    default:
      throw Internal("row " + std::string(to_string(op.gate)) + " has no inverse");
  }
}

// Which qubits stay, and where they go.
struct Renaming {
  std::span<const Qubit> new_qubit;
  std::vector<bool> stays;
  bool has(Qubit q) const { return q < stays.size() && stays[q]; }
};

void append_renamed(Circuit& out, const Operation& op, const Renaming& names, std::vector<Qubit>& qubits, std::vector<Control>& controls) {
  qubits.clear();
  controls.clear();
  for (const Qubit q : op.qubits) {
    if (names.has(q)) qubits.push_back(names.new_qubit[q]);
  }
  if (has_no_effect(op.gate)) {
    if (qubits.empty()) return;
    for (const Control c : op.controls)  // of an id: one that is gone makes no difference
      if (names.has(c.qubit)) controls.push_back(control_on(names.new_qubit[c.qubit], c.value != 0));
    out.append(op.gate, qubits, op.parameters, controls, op.line);
    return;
  }
  for (const Control c : op.controls) controls.push_back(control_on(names.new_qubit[c.qubit], c.value != 0));
  if (op.gate != Gate::if_else) {
    const Operation renamed{op.gate, op.line, controls, qubits, op.parameters, op.clbits, op.shared_payload};
    out.append(renamed);
    return;
  }
  std::vector<Circuit> blocks;
  for (const Circuit& block : op.payload().blocks) {
    Circuit& renamed = blocks.emplace_back();
    for (const Operation inner : block) append_renamed(renamed, inner, names, qubits, controls);
  }
  out.set_line(op.line);
  if (blocks.size() == 1)
    out.if_else(*op.payload().condition, std::move(blocks[0]));
  else
    out.if_else(*op.payload().condition, std::move(blocks[0]), std::move(blocks[1]));
  out.set_line(0);
}

}  // namespace

void append_inverse(Circuit& out, const Operation& op) {
  const GateRow& row = gate_row(op.gate);
  switch (row.inverse) {
    case InverseRule::self:
      out.append(op);
      return;
    case InverseRule::partner:
      out.append(row.partner, op.qubits, {}, op.controls, op.line);
      return;
    case InverseRule::negate: {
      const Parameter negated = -op.parameters[0];
      const Operation inverse{op.gate, op.line, op.controls, op.qubits, std::span(&negated, 1), {}, op.shared_payload};
      out.append(inverse);
      return;
    }
    case InverseRule::special:
      append_special_inverse(out, op);
      return;
    case InverseRule::none:
      break;
  }
  if (op.gate != Gate::barrier && op.gate != Gate::delay)
    throw CircuitError(std::string(row.name) + " has no inverse: it is not a unitary");
  out.append(op);
}

Circuit Circuit::inverse() const {
  Circuit out = empty_copy();
  for (std::size_t i = size(); i-- > 0;) append_inverse(out, (*this)[i]);
  return out;
}

Circuit Circuit::controlled(std::span<const Control> controls) const {
  Circuit out = empty_copy();
  for (const Control c : controls)
    if (c.qubit < kMaxDeclaredQubits) out.num_qubits_ = std::max<std::size_t>(out.num_qubits_, std::size_t{c.qubit} + 1);
  for (const Operation op : *this)
    if (op.gate == Gate::barrier || op.gate == Gate::delay)
      out.append(op);
    else
      out.append(op, controls);
  return out;
}

Circuit Circuit::remapped(std::span<const Qubit> new_qubit, std::size_t num_qubits) const {
  Renaming names{new_qubit, std::vector<bool>(this->num_qubits())};
  std::vector<bool> taken(num_qubits);
  for (const Qubit q : active_qubits()) {
    if (q >= new_qubit.size())
      throw CircuitError("qubit " + std::to_string(q) + " has no new place; " + std::to_string(new_qubit.size()) + " are given");
    const Qubit to = new_qubit[q];
    if (to >= num_qubits)
      throw CircuitError("qubit " + std::to_string(q) + " would become " + std::to_string(to) +
                         (num_qubits == 0 ? ", but there is none" : ", outside 0.." + std::to_string(num_qubits - 1)));
    if (taken[to]) throw CircuitError("two qubits would become qubit " + std::to_string(to));
    taken[to] = true;
    names.stays[q] = true;
  }
  Circuit out(num_qubits);
  out.num_clbits_ = num_clbits_;
  out.fixed_clbits_ = fixed_clbits_;
  out.cregs_ = cregs_;
  std::vector<Qubit> qubits;
  std::vector<Control> controls;
  for (const Operation op : *this) append_renamed(out, op, names, qubits, controls);
  return out;
}

Circuit Circuit::mirrored() const {
  Circuit out = without_final_measurements();
  const Circuit back = out.inverse();
  for (const Operation op : back) out.append(op);
  return out;
}

Circuit& Circuit::compose(const Circuit& other) {
  if (this == &other) return compose(Circuit(other));
  if (fixed_qubits_ && other.num_qubits_ > num_qubits_)
    throw CircuitError("compose: " + std::to_string(other.num_qubits_) + " qubits do not fit a circuit of " + std::to_string(num_qubits_));
  if (fixed_clbits_ && other.num_clbits_ > num_clbits_)
    throw CircuitError("compose: " + std::to_string(other.num_clbits_) + " classical bits do not fit a circuit of " +
                       std::to_string(num_clbits_));
  // Registers over bits that are new here come along; a name that is taken is left out, its bits stay.
  const auto known = [&](const Register& r) {
    const auto same = [&](const Register& mine) { return mine.name == r.name; };
    return std::any_of(qregs_.begin(), qregs_.end(), same) || std::any_of(cregs_.begin(), cregs_.end(), same);
  };
  for (const Register& r : other.qregs_)
    if (r.offset >= num_qubits_ && !known(r)) qregs_.push_back(r);
  for (const Register& r : other.cregs_)
    if (r.offset >= num_clbits_ && !known(r)) cregs_.push_back(r);
  num_qubits_ = std::max(num_qubits_, other.num_qubits_);
  num_clbits_ = std::max(num_clbits_, other.num_clbits_);
  for (const Operation op : other) append(op);
  return *this;
}

Circuit Circuit::bound(const ParameterValues& values) const {
  Circuit out = *this;
  for (std::size_t i = 0; i < size(); ++i) {
    const Operation op = (*this)[i];
    for (std::size_t j = 0; j < op.parameters.size(); ++j) {
      if (op.parameters[j].is_number()) continue;
      Parameter& p = out.parameters_[records_[i].parameters + j];
      p = p.bound(values);
      if (p.is_number() && !std::isfinite(p.number()))
        throw CircuitError(std::string(to_string(op.gate)) + ": parameter " + op.parameters[j].str() + " becomes " +
                           std::to_string(p.number()) + "; it must be finite");
    }
    if (op.gate != Gate::if_else) continue;
    Payload payload = op.payload();
    for (Circuit& block : payload.blocks) block = block.bound(values);
    out.payloads_[static_cast<std::size_t>(records_[i].payload)] = std::make_shared<const Payload>(std::move(payload));
  }
  return out;
}

}  // namespace ketmesh
