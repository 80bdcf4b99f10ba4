// What a name in a gate call means: a row of the gate table, a gate that the text defines, or one of a few special ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ketmesh/circuit/gates.hpp"
#include "ketmesh/circuit/qasm/code.hpp"
#include "ketmesh/circuit/qasm/names.hpp"
#include "ketmesh/circuit/qasm/statement.hpp"

namespace ketmesh::qasm {

struct GateRef {
  enum class Kind : std::uint8_t {
    row,      ///< `gate`
    defined,  ///< definition number `definition`
    opaque,
    builtin_u,  ///< version 3: e^{i theta/2} u(theta, phi, lambda)
    identity,   ///< u0: a duration as its only angle
    cu2,
    gphase,
    payload,  ///< pauli, rotation, unitary, ...: `gate`; Pauli letters stand in the name
    barrier,  ///< in gate bodies
    delay,
  };
  Kind kind = Kind::row;
  Gate gate = Gate::id;
  std::uint32_t definition = 0;
  int num_parameters = 0;  ///< -1: any number
  int num_qubits = 0;      ///< -1: any number
  Name name = 0;
};

/// One statement of a gate body. Names are resolved: codes refer to parameters by number or hold constants.
struct BodyOp {
  GateRef gate;
  std::vector<Code> arguments;
  std::vector<Modifier> modifiers;
  std::vector<std::uint32_t> qubits;  ///< of the gate that is defined
  Place place;
};

struct GateDefinition {
  Name name = 0;
  std::uint32_t num_parameters = 0, num_qubits = 0;
  std::vector<BodyOp> body;
  Place place;
};

/// Names known without an include.
std::optional<GateRef> known_gate(std::string_view name, int version);

class GateTable {
 public:
  GateTable(const Sources& sources, const Names& names, const int& version);
  /// Throws ParseError for a name that is nothing, CircuitError for an opaque gate.
  const GateRef& find(Name name, Place place);
  bool is_defined_in_text(Name name) const;
  void declare_opaque(Name name, std::size_t parameters, std::size_t qubits, Place place);
  void define(GateDefinition definition);
  const GateDefinition& definition(const GateRef& gate) const { return definitions_[gate.definition]; }
  /// The gate whose body is being read: calling it is a recursion.
  void begin(Name name, Place place);
  void end() { current_ = kNone; }
  /// CircuitError unless the numbers of angles and qubits are right.
  void check_counts(const GateRef& gate, std::size_t angles, std::size_t qubits, Place place) const;

 private:
  static constexpr Name kNone = ~Name{0};
  struct Entry {
    bool known = false, found = false, in_text = false;
    GateRef gate;
    Place place;
  };
  Entry& entry(Name name);

  const Sources& sources_;
  const Names& names_;
  const int& version_;
  Name current_ = kNone;
  std::vector<Entry> entries_;  // by name
  std::vector<GateDefinition> definitions_;
};

}  // namespace ketmesh::qasm
