// The gate table: names, operands, matrices. One row a gate (gate_list.inc).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

enum class Gate : std::uint16_t {
#define KETMESH_GATE(name, qubits, controls, parameters, base, names, summary) name,
#define KETMESH_SPECIAL(name, qubits, parameters, names, summary) name,
#include "ketmesh/circuit/gate_list.inc"
#undef KETMESH_GATE
#undef KETMESH_SPECIAL
};

/// What the inverse of a gate is.
enum class InverseRule : std::uint8_t {
  self,     ///< h, x, swap ...
  partner,  ///< s <-> sdg
  negate,   ///< all parameters change sign (rx, p, ...)
  special,  ///< u, u2, r, cu, xx_plus_yy, dcx, iswap ... : Circuit::inverse knows
  none,     ///< not a unitary
};

struct GateRow {
  Gate gate;
  std::string_view name;
  int num_qubits;    ///< -1: any number
  int num_controls;  ///< leading qubits that control `base`; -1: all but the last
  int num_parameters;
  Gate base;
  std::string_view parameter_names;  ///< comma list
  std::string_view summary;
  std::span<const std::string_view> aliases;
  InverseRule inverse;
  Gate partner;     ///< for InverseRule::partner
  bool is_unitary;  ///< false for initialize, measure, reset, barrier, delay, if_else
  bool has_payload;
};

std::span<const GateRow> gate_table();
const GateRow& gate_row(Gate gate);
std::string_view to_string(Gate gate);

/// By name or alias ("cnot", "toffoli", "phase", "cphase", "u0", "sqrtx", "mcphase", "fredkin", ...); exact case.
std::optional<Gate> find_gate(std::string_view name);

/// Row-major matrix, 2^k x 2^k, of a row's base on its targets (own controls left out); the first target is the
/// least significant bit of the matrix index. For rows without payload. Throws CircuitError for a wrong number of parameters.
std::vector<cdouble> base_matrix(Gate gate, std::span<const double> parameters);

}  // namespace ketmesh
