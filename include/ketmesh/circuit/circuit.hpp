// A circuit: operations in order over qubits and classical bits. A value: comparable, printable, cheap to walk.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/circuit/classical.hpp"
#include "ketmesh/circuit/gates.hpp"
#include "ketmesh/circuit/parameter.hpp"

namespace ketmesh {

class Circuit;

/// A qubit that must be `value` for the gate to act.
struct Control {
  Qubit qubit : 31;
  Qubit value : 1;
  friend bool operator==(const Control&, const Control&) = default;
};

/// For qubits that are not literals: 31 bits hold every qubit of a circuit.
constexpr Control control_on(Qubit qubit, bool value = true) { return {qubit & 0x7fffffffu, value ? 1u : 0u}; }

/// What a few gates carry beside qubits and parameters. Immutable once in a circuit, shared by its copies.
struct Payload {
  std::vector<cdouble> values;                           ///< unitary: row-major 2^k x 2^k; diagonal, initialize: 2^k
  std::vector<Index> table;                              ///< permutation: 2^k
  std::string paulis;                                    ///< pauli, rotation: one letter of IXYZ a qubit
  std::shared_ptr<const ClassicalExpression> condition;  ///< if_else
  std::vector<Circuit> blocks;  ///< if_else: then, and else when there is one; qubits and bits of the outer circuit
  bool operator==(const Payload&) const;
};

/// A view of one operation; valid while its circuit lives unchanged.
struct Operation {
  Gate gate;
  std::uint32_t line;                 ///< in the source text; 0 when made in code
  std::span<const Control> controls;  ///< added controls, beyond those that the gate's row has
  std::span<const Qubit> qubits;      ///< in the gate's order: its own controls first
  std::span<const Parameter> parameters;
  std::span<const Clbit> clbits;                         ///< measure: one a qubit
  std::shared_ptr<const Payload> const* shared_payload;  ///< nullptr when there is none
  const Payload& payload() const { return **shared_payload; }
};

/// An operation reduced to base gate, targets and all its controls, the form that planning reads.
struct ResolvedGate {
  Gate base;
  std::vector<Qubit> targets;
  std::vector<Control> controls;
};
ResolvedGate resolve(const Operation& op);

/// Row-major 2^k x 2^k matrix on resolve(op).targets, controls left out: of any unitary operation (payload ones too;
/// gphase: 1 x 1). `cu` includes its gamma. Throws CircuitError for an unbound parameter.
std::vector<cdouble> target_matrix(const Operation& op, const ParameterValues& values = {});

class Circuit {
 public:
  /// Grows with use.
  Circuit();
  /// Fixed width: naming a qubit >= num_qubits (or a bit >= num_clbits when that is not 0) throws CircuitError.
  explicit Circuit(std::size_t num_qubits, std::size_t num_clbits = 0);

  /// OpenQASM 2 or 3 from a path, or from text when it holds a ';' or a newline. Throws ParseError, CircuitError, IoError.
  static Circuit from_qasm(std::string_view path_or_text);
  std::string to_qasm(int version = 3) const;

  /// At least 1 for a circuit that grows.
  std::size_t num_qubits() const noexcept { return num_qubits_ == 0 && !fixed_qubits_ ? 1 : num_qubits_; }
  std::size_t num_clbits() const noexcept { return num_clbits_; }
  bool grows() const noexcept { return !fixed_qubits_; }  ///< whether naming a further qubit widens it
  std::size_t size() const noexcept { return records_.size(); }
  bool empty() const noexcept { return records_.empty(); }
  Operation operator[](std::size_t i) const;

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  const std::vector<Register>& quantum_registers() const noexcept { return qregs_; }
  const std::vector<Register>& classical_registers() const noexcept { return cregs_; }
  /// Declares bits; returns the offset of the first. A name taken already throws CircuitError.
  std::size_t add_quantum_register(std::string name, std::size_t size);
  std::size_t add_classical_register(std::string name, std::size_t size);
  /// At least so wide, without a register.
  Circuit& widen(std::size_t num_qubits, std::size_t num_clbits);

  /// Free names in order of first appearance (blocks included).
  std::vector<std::string> parameter_names() const;
  std::size_t depth() const;            ///< longest chain of operations that share qubits or bits; barriers count 0
  std::size_t structural_hash() const;  ///< gates, qubits, controls, payloads, parameter names; not the values of numbers
  /// Qubits that some operation other than barrier, delay and id acts on, ascending.
  std::vector<Qubit> active_qubits() const;
  /// Same operations with qubit q renamed new_qubit[q] (entries for inactive qubits are ignored, with their barriers).
  Circuit remapped(std::span<const Qubit> new_qubit, std::size_t num_qubits) const;
  bool only_gates() const;              ///< nothing but unitary gates, barriers and delays
  bool has_dynamic_operations() const;  ///< measurement that is not at the end, reset or initialize after a gate on its qubits, if_else
  Circuit without_final_measurements() const;
  Circuit mirrored() const;  ///< without its final measurements, followed by its inverse: the identity. Throws as inverse does
  Circuit inverse() const;   ///< throws CircuitError when an operation is not a unitary
  /// Integers repeat; otherwise the principal power of the whole unitary (angles of eigenvalues in (-pi, pi], at most 8
  /// active qubits), but a single rotation or p scales its angle. Throws CircuitError when an operation is not a unitary,
  /// or needs the value of an unbound parameter.
  Circuit power(double exponent) const;
  /// Every operation under these controls, barriers and delays as they are; as wide as the controls need.
  Circuit controlled(std::span<const Control> controls) const;
  Circuit bound(const ParameterValues& values) const;  ///< names replaced; the others stay
  Circuit& compose(const Circuit& other);              ///< appends other's operations, bits and registers by index
  std::string str() const;                             ///< one line a operation

  // ---- building. Every call checks: number of operands and parameters, range, duplicates, finite numbers, unitarity (1e-8 a entry), lengths.
  /// Any row without payload. Qubits in the row's order.
  Circuit& append(Gate gate, std::span<const Qubit> qubits, std::span<const Parameter> parameters = {},
                  std::span<const Control> controls = {}, std::uint32_t line = 0);
  Circuit& append(Gate gate, std::initializer_list<Qubit> qubits, std::initializer_list<Parameter> parameters = {},
                  std::initializer_list<Control> controls = {});
  /// A copy of an operation of another circuit, with more controls in front.
  Circuit& append(const Operation& op, std::span<const Control> more_controls = {});

  // Fluent methods x(q), rx(q, theta), cx(c, t), u(q, theta, phi, lambda), ... one for each row with a fixed number of qubits.
#include "ketmesh/circuit/gate_methods.inc"

  Circuit& mcx(std::span<const Qubit> controls, Qubit target);
  Circuit& mcp(Parameter lambda, std::span<const Qubit> controls, Qubit target);
  Circuit& pauli(std::string_view letters, std::span<const Qubit> qubits, std::span<const Control> controls = {});
  Circuit& rotation(std::string_view letters, std::span<const Qubit> qubits, Parameter theta, std::span<const Control> controls = {});
  Circuit& unitary(std::span<const cdouble> matrix, std::span<const Qubit> qubits, std::span<const Control> controls = {});
  Circuit& diagonal(std::span<const cdouble> entries, std::span<const Qubit> qubits, std::span<const Control> controls = {});
  Circuit& permutation(std::span<const Index> table, std::span<const Qubit> qubits, std::span<const Control> controls = {});
  Circuit& gphase(Parameter gamma, std::span<const Control> controls = {});
  Circuit& initialize(std::span<const cdouble> amplitudes, std::span<const Qubit> qubits);  ///< norm 1 within 1e-8
  Circuit& measure(Qubit qubit, Clbit bit);
  Circuit& measure(std::span<const Qubit> qubits, std::span<const Clbit> bits);  ///< jointly, one draw
  Circuit& measure_all();                                                        ///< qubit q into bit q, for all qubits
  Circuit& reset(std::span<const Qubit> qubits);
  Circuit& reset(Qubit qubit);
  Circuit& barrier(std::span<const Qubit> qubits = {});
  Circuit& delay(std::span<const Qubit> qubits, Parameter duration);
  Circuit& if_else(ClassicalExpression condition, Circuit then_block);
  Circuit& if_else(ClassicalExpression condition, Circuit then_block, Circuit else_block);
  /// Line of the source text for operations appended from now on.
  void set_line(std::uint32_t line) noexcept { line_ = line; }

  friend bool operator==(const Circuit& a, const Circuit& b);  ///< same width, registers and operations (lines left out)

 private:
  struct Record {  // 40 bytes; operands lie in the arenas below
    Gate gate;
    std::uint16_t num_controls;
    std::uint32_t line;
    std::uint32_t num_qubits;
    std::uint32_t num_parameters;
    std::uint64_t words;       // offset into words_: controls, qubits, clbits
    std::uint64_t parameters;  // offset into parameters_
    std::int32_t payload;      // index into payloads_, -1: none
    std::uint32_t num_clbits;
  };
  struct Draft;  // operands of an operation that is about to be added
  Circuit& push(const Draft& draft);
  Circuit& push_payload(Gate gate, Payload&& payload, std::span<const Qubit> qubits, std::span<const Control> controls,
                        std::span<const Parameter> parameters = {});
  Circuit empty_copy() const;  // same width and registers, no operations

  std::size_t num_qubits_ = 0, num_clbits_ = 0;
  bool fixed_qubits_ = false, fixed_clbits_ = false;
  std::uint32_t line_ = 0;
  std::vector<Register> qregs_, cregs_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> words_;
  std::vector<Parameter> parameters_;
  std::vector<std::shared_ptr<const Payload>> payloads_;
};

inline Operation Circuit::operator[](std::size_t i) const {
  const Record& r = records_[i];
  const std::uint32_t* words = words_.data() + r.words;
  // Controls were stored word by word with bit_cast; a Control is its one word.
  return {r.gate,
          r.line,
          {reinterpret_cast<const Control*>(words), r.num_controls},
          {words + r.num_controls, r.num_qubits},
          {parameters_.data() + r.parameters, r.num_parameters},
          {words + r.num_controls + r.num_qubits, r.num_clbits},
          r.payload >= 0 ? &payloads_[static_cast<std::size_t>(r.payload)] : nullptr};
}

class Circuit::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Operation;
  using difference_type = std::ptrdiff_t;
  Iterator() = default;
  Iterator(const Circuit* circuit, std::size_t i) : circuit_(circuit), i_(i) {}
  Operation operator*() const { return (*circuit_)[i_]; }
  Iterator& operator++() {
    ++i_;
    return *this;
  }
  Iterator operator++(int) {
    Iterator old = *this;
    ++i_;
    return old;
  }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const Circuit* circuit_ = nullptr;
  std::size_t i_ = 0;
};

}  // namespace ketmesh

template <>
struct std::hash<ketmesh::Circuit> {
  std::size_t operator()(const ketmesh::Circuit& c) const noexcept { return c.structural_hash(); }
};
