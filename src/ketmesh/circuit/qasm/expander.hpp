// Gate calls to operations of the circuit. Definitions are walked with a stack of their own, so a gate may be defined
// through any number of earlier ones.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/qasm/evaluator.hpp"
#include "ketmesh/circuit/qasm/gates.hpp"

namespace ketmesh::qasm {

class Expander {
 public:
  Expander(const Sources& sources, const Names& names, GateTable& gates, Evaluator& evaluator, Budget& budget);

  /// Where operations go.
  Circuit* out = nullptr;

  /// The modifiers of a call with their values: controls from the left, powers and inverses from the right.
  struct Applied {
    std::vector<bool> control_values;
    std::vector<double> powers;  ///< innermost first; -1 for inv
    bool fractional = false;
    bool inverse = false;  ///< product of the powers, when all are whole
    std::uint64_t repeat = 1;
  };
  Applied evaluated(std::span<const Modifier> modifiers, std::span<const Value> locals);

  /// One call on qubits (those of the modifiers' controls first). Throws CircuitError with the place.
  void apply(const GateRef& gate, std::span<const Value> angles, const Applied& applied, std::span<const Qubit> qubits, Place place);

 private:
  struct Frame {
    const GateDefinition* definition;
    bool inverse;
    std::uint64_t repeat;
    std::size_t next, angles, qubits, controls;  // sizes of the arenas below the frame
  };
  struct Call {
    const GateRef& gate;
    std::span<const Value> angles;
    std::span<const Qubit> qubits;      // without controls of modifiers
    std::span<const Control> controls;  // all
    bool inverse;
    std::uint64_t repeat;
    Place place;
  };
  void start(const GateRef& gate, const Applied& applied, bool inverse, std::size_t angles, std::size_t qubits, std::size_t controls,
             Place place);
  void run(std::size_t floor);
  void emit(const Call& call);
  void emit_once(const Call& call, Circuit& to);
  void emit_payload(const Call& call, Circuit& to);
  void emit_fractional(const GateRef& gate, const Applied& applied, bool inverse, std::size_t angles, std::size_t qubits,
                       std::size_t controls, Place place);
  void check_distinct(std::span<const Qubit> qubits, const GateRef& gate, Place place);
  std::vector<double> numbers(const Call& call);

  const Sources& sources_;
  const Names& names_;
  GateTable& gates_;
  Evaluator& evaluator_;
  Budget& budget_;
  std::vector<Frame> frames_;
  std::vector<Value> angles_;
  std::vector<Qubit> qubits_;
  std::vector<Control> controls_;
  std::vector<Parameter> parameters_;
  std::vector<Qubit> sorted_;
  int fractional_depth_ = 0;
};

}  // namespace ketmesh::qasm
