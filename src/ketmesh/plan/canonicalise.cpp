#include <numbers>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/plan/canonicaliser.hpp"

namespace ketmesh::plan {
namespace {

constexpr double kPi = std::numbers::pi;
using Wires = std::array<std::uint8_t, kMaxQubits>;

Factor constant(double radians) {
  Factor f;
  f.kind = FactorKind::angle;
  f.parameter = Factor::kConstant;
  f.coefficient = radians;
  return f;
}

// Reads operations one after the other and says each in the kinds of the Canonicaliser.
class Reader {
 public:
  Reader(const Circuit& circuit, bool from_zero) : circuit_(circuit), out_(static_cast<int>(circuit.num_qubits()), from_zero) {
    for (std::size_t q = 0; q < circuit.num_qubits(); ++q) wire_of_[q] = static_cast<std::uint8_t>(q);
  }

  void read(std::size_t number) {
    const auto op = circuit_[number];
    const auto& row = gate_row(op.gate);
    if (op.gate == Gate::barrier || op.gate == Gate::delay || op.gate == Gate::id) return;
    if (!row.is_unitary) refuse(op, number);
    ++operations_;
    operation_ = static_cast<std::uint32_t>(number);
    out_.set_operation(operation_);
    std::size_t own = static_cast<std::size_t>(row.num_controls < 0 ? 0 : row.num_controls);
    if (row.num_controls < 0) own = op.qubits.size() - 1;
    Controls controls;
    for (std::size_t i = 0; i < own; ++i) add_control(controls, op.qubits[i], true);
    for (const auto& c : op.controls) add_control(controls, c.qubit, c.value != 0);
    num_targets_ = op.qubits.size() - own;
    for (std::size_t i = 0; i < num_targets_; ++i) target_[i] = wire_of_[op.qubits[own + i]];
    emit(op, row.base, controls);
  }

  CanonicalCircuit finish() {
    auto out = out_.finish();
    out.wire_of.assign(wire_of_.begin(), wire_of_.begin() + static_cast<std::ptrdiff_t>(circuit_.num_qubits()));
    out.operations = operations_;
    return out;
  }

 private:
  [[noreturn]] static void refuse(const Operation& op, std::size_t number) {
    throw CircuitError("operation " + std::to_string(number) + " (" + std::string(to_string(op.gate)) + ", line " +
                       std::to_string(op.line) + ") is not a unitary gate: only unitary gates can be planned");
  }

  void add_control(Controls& c, Qubit qubit, bool value) const {
    const Index bit = bits::one(wire_of_[qubit]);
    c.mask |= bit;
    if (value) c.value |= bit;
  }

  Index bit(std::size_t i) const { return bits::one(target_[i]); }
  std::span<const std::uint8_t> targets() const { return {target_.data(), num_targets_}; }

  Factor parameter(double coefficient, std::uint8_t which = 0) const {
    Factor f = constant(coefficient);
    f.operation = operation_;
    f.parameter = which;
    return f;
  }
  Factor base_gate(Gate gate) const {
    Factor f;
    f.operation = operation_;
    f.gate = static_cast<std::uint16_t>(gate);
    return f;
  }

  void one(std::size_t i, Gate gate, MatrixShape shape, Controls c) { out_.emit_one(target_[i], shape, c, base_gate(gate)); }
  // Gates whose determinant is not 1 as exp(i phase) times a matrix of a cheap shape; the phase is global or a controls' own.
  void one_with_phase(std::size_t i, Gate gate, MatrixShape shape, Controls c, double phase) {
    auto f = base_gate(gate);
    f.coefficient = -phase;
    out_.emit_one(target_[i], shape, c, f);
    out_.emit_match(c.mask, c.value, constant(phase));
  }
  void phase_on_one(std::size_t i, Controls c, const Factor& angle) { out_.emit_match(c.mask | bit(i), c.value | bit(i), angle); }
  void two(Gate gate, bool x_like, Controls c) { out_.emit_two(target_[0], target_[1], x_like, MatrixShape::general, c, base_gate(gate)); }
  void y(std::size_t i, Controls c) {  // Y = i X Z
    phase_on_one(i, c, constant(kPi));
    out_.emit_flip(target_[i], c);
    out_.emit_match(c.mask, c.value, constant(kPi / 2));
  }
  void letter(std::size_t i, char which, Controls c) {
    if (which == 'X') out_.emit_flip(target_[i], c);
    if (which == 'Y') y(i, c);
    if (which == 'Z') phase_on_one(i, c, constant(kPi));
  }

  void swap_wires() {
    for (std::size_t q = 0; q < circuit_.num_qubits(); ++q) {
      if (wire_of_[q] == target_[0])
        wire_of_[q] = target_[1];
      else if (wire_of_[q] == target_[1])
        wire_of_[q] = target_[0];
    }
  }
  void swap(Controls c) {
    if (c.mask == 0)
      swap_wires();
    else
      out_.emit_permutation(targets(), c);
  }
  void iswap(Controls c) {  // i on odd parity, then a swap
    out_.emit_parity(bit(0) | bit(1), c, constant(-kPi / 4));
    out_.emit_match(c.mask, c.value, constant(kPi / 4));
    swap(c);
  }
  void dcx(Controls c) {
    out_.emit_flip(target_[1], {c.mask | bit(0), c.value | bit(0)});
    out_.emit_flip(target_[0], {c.mask | bit(1), c.value | bit(1)});
  }

  // exp(-i theta P / 2)
  void rotation(const Operation& op, Controls c) {
    const auto& letters = op.payload().paulis;
    Index support = 0;
    std::array<std::size_t, 2> at{};
    std::size_t weight = 0;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == 'I') continue;
      if (weight < 2) at[weight] = i;
      ++weight;
      support |= bit(i);
    }
    const bool pair = weight == 2 && letters[at[0]] == letters[at[1]] && letters[at[0]] != 'Z';
    if (weight == 1 && letters[at[0]] == 'X') return one(at[0], Gate::rx, MatrixShape::rx_like, c);
    if (weight == 1 && letters[at[0]] == 'Y') return one(at[0], Gate::ry, MatrixShape::real, c);
    if (pair) {
      const bool xx = letters[at[0]] == 'X';
      return out_.emit_two(target_[at[0]], target_[at[1]], xx, MatrixShape::general, c, base_gate(xx ? Gate::rxx : Gate::ryy));
    }
    basis_change(letters, Gate::sx, -kPi / 4);
    out_.emit_parity(support, c, parameter(-0.5));
    basis_change(letters, Gate::sxdg, kPi / 4);
  }
  // h maps X to Z; rx(pi/2) maps Y to Z, and back.
  void basis_change(const std::string& letters, Gate for_y, double phase) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      auto f = base_gate(letters[i] == 'X' ? Gate::h : for_y);
      if (letters[i] == 'Y') f.coefficient = phase;
      if (letters[i] == 'X') out_.emit_one(target_[i], MatrixShape::hadamard, {}, f);
      if (letters[i] == 'Y') out_.emit_one(target_[i], MatrixShape::rx_like, {}, f);
    }
  }

  void unitary(const Operation& op, Controls c) {
    const auto& m = op.payload().values;
    const std::size_t dim = std::size_t{1} << num_targets_;
    bool diagonal = true, real = true;
    for (std::size_t i = 0; i < m.size(); ++i) {
      if (i / dim != i % dim && m[i] != 0.0) diagonal = false;
      if (m[i].imag() != 0) real = false;
    }
    const bool rx_like = num_targets_ == 1 && m[0].imag() == 0 && m[3].imag() == 0 && m[1].real() == 0 && m[2].real() == 0;
    if (diagonal) return table(c);
    const auto shape = real ? MatrixShape::real : rx_like && m[0] == m[3] && m[1] == m[2] ? MatrixShape::rx_like : MatrixShape::general;
    if (num_targets_ == 1) return one(0, Gate::unitary, shape, c);
    if (num_targets_ == 2) return out_.emit_two(target_[0], target_[1], false, shape, c, base_gate(Gate::unitary));
    out_.emit_whole(targets(), shape, c);
  }
  void table(Controls c) {
    Factor f;
    f.kind = FactorKind::table;
    f.operation = operation_;
    out_.emit_table(targets(), c, f);
  }

  void emit(const Operation& op, Gate base, Controls c) {
    switch (base) {
      case Gate::x:
        return out_.emit_flip(target_[0], c);
      case Gate::y:
        return y(0, c);
      case Gate::z:
        return phase_on_one(0, c, constant(kPi));
      case Gate::s:
        return phase_on_one(0, c, constant(kPi / 2));
      case Gate::sdg:
        return phase_on_one(0, c, constant(-kPi / 2));
      case Gate::t:
        return phase_on_one(0, c, constant(kPi / 4));
      case Gate::tdg:
        return phase_on_one(0, c, constant(-kPi / 4));
      case Gate::p:
        return phase_on_one(0, c, parameter(1));
      case Gate::rz:
        return out_.emit_parity(bit(0), c, parameter(-0.5));
      case Gate::rzz:
        return out_.emit_parity(bit(0) | bit(1), c, parameter(-0.5));
      case Gate::gphase:
        return out_.emit_match(c.mask, c.value, parameter(1));
      case Gate::h:
        return one(0, Gate::h, MatrixShape::hadamard, c);
      case Gate::sx:
        return one_with_phase(0, Gate::sx, MatrixShape::rx_like, c, kPi / 4);
      case Gate::sxdg:
        return one_with_phase(0, Gate::sxdg, MatrixShape::rx_like, c, -kPi / 4);
      case Gate::sy:
        return one_with_phase(0, Gate::sy, MatrixShape::real, c, kPi / 4);
      case Gate::sydg:
        return one_with_phase(0, Gate::sydg, MatrixShape::real, c, -kPi / 4);
      case Gate::rx:
        return one(0, Gate::rx, MatrixShape::rx_like, c);
      case Gate::ry:
        return one(0, Gate::ry, MatrixShape::real, c);
      case Gate::rxx:
        return two(base, true, c);
      case Gate::swap:
        return swap(c);
      case Gate::iswap:
        return iswap(c);
      case Gate::dcx:
        return dcx(c);
      case Gate::pauli:
        for (std::size_t i = 0; i < num_targets_; ++i) letter(i, op.payload().paulis[i], c);
        return;
      case Gate::rotation: {
        const auto& letters = op.payload().paulis;
        if (letters.find_first_not_of('I') == std::string::npos) return out_.emit_match(c.mask, c.value, parameter(-0.5));
        return rotation(op, c);
      }
      case Gate::unitary:
        return unitary(op, c);
      case Gate::diagonal:
        return table(c);
      case Gate::permutation:
        return out_.emit_permutation(targets(), c);
      default:  // every other unitary row: a dense matrix on its targets
        if (num_targets_ == 1) return one(0, base, MatrixShape::general, c);
        if (num_targets_ == 2) return two(base, false, c);
        return out_.emit_whole(targets(), MatrixShape::general, c);
    }
  }

  const Circuit& circuit_;
  Canonicaliser out_;
  std::array<std::uint8_t, kMaxQubits> wire_of_{};
  Wires target_{};
  std::size_t num_targets_ = 0;
  std::uint32_t operation_ = 0;
  std::size_t operations_ = 0;
};

}  // namespace

CanonicalCircuit canonicalise(const Circuit& circuit, std::size_t first, std::size_t last, bool from_zero) {
  if (circuit.num_qubits() > static_cast<std::size_t>(kMaxQubits))
    throw OptionError("a state of " + std::to_string(circuit.num_qubits()) + " qubits was asked for; a state has 1 to " +
                      std::to_string(kMaxQubits));
  Reader reader(circuit, from_zero);
  for (auto i = first; i < last; ++i) reader.read(i);
  return reader.finish();
}

}  // namespace ketmesh::plan
