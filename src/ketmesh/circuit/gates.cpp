#include "ketmesh/circuit/gates.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

struct Aliases {
  Gate gate;
  std::array<std::string_view, 4> names;  // empty ones are not there
};

// Names that other programs write for a row. Names whose meaning depends on the language version (U) are the reader's.
constexpr std::array<Aliases, 15> kAliases = {{
    {Gate::id, {"u0", "i", "iden"}},
    {Gate::p, {"phase"}},
    {Gate::sx, {"sqrtx"}},
    {Gate::sdg, {"sdag"}},
    {Gate::tdg, {"tdag"}},
    {Gate::sxdg, {"sxdag"}},
    {Gate::csxdg, {"csxdag"}},
    {Gate::cx, {"cnot", "CX"}},
    {Gate::cp, {"cphase"}},
    {Gate::ccx, {"toffoli", "ccnot"}},
    {Gate::cswap, {"fredkin"}},
    {Gate::c3sqrtx, {"c3sx"}},
    {Gate::rc3x, {"rcccx"}},
    {Gate::mcp, {"mcphase", "mcu1"}},
    {Gate::gphase, {"global_phase"}},
}};

std::span<const std::string_view> aliases_of(Gate gate) {
  for (const Aliases& a : kAliases) {
    if (a.gate != gate) continue;
    const auto used = std::find(a.names.begin(), a.names.end(), std::string_view{});
    return {a.names.data(), static_cast<std::size_t>(used - a.names.begin())};
  }
  return {};
}

struct Partners {
  Gate a, b;
};
constexpr std::array<Partners, 6> kPartners = {{{Gate::s, Gate::sdg},
                                                {Gate::t, Gate::tdg},
                                                {Gate::sx, Gate::sxdg},
                                                {Gate::sy, Gate::sydg},
                                                {Gate::cs, Gate::csdg},
                                                {Gate::csx, Gate::csxdg}}};

constexpr std::array kNegated = {Gate::p,   Gate::rx,  Gate::ry,  Gate::rz,  Gate::u1,  Gate::cp,       Gate::crx,    Gate::cry, Gate::crz,
                                 Gate::cu1, Gate::rxx, Gate::ryy, Gate::rzz, Gate::rzx, Gate::rotation, Gate::gphase, Gate::mcp};
constexpr std::array kSpecial = {Gate::r,           Gate::u,       Gate::u2,      Gate::u3,       Gate::cu,
                                 Gate::cu3,         Gate::c3sqrtx, Gate::dcx,     Gate::iswap,    Gate::xx_plus_yy,
                                 Gate::xx_minus_yy, Gate::rc3x,    Gate::unitary, Gate::diagonal, Gate::permutation};
constexpr std::array kNotUnitary = {Gate::initialize, Gate::measure, Gate::reset, Gate::barrier, Gate::delay, Gate::if_else};
constexpr std::array kWithPayload = {Gate::pauli,       Gate::rotation,   Gate::unitary, Gate::diagonal,
                                     Gate::permutation, Gate::initialize, Gate::if_else};

template <std::size_t N>
constexpr bool holds(const std::array<Gate, N>& list, Gate gate) {
  return std::find(list.begin(), list.end(), gate) != list.end();
}

void complete(GateRow& row) {
  row.aliases = aliases_of(row.gate);
  row.is_unitary = !holds(kNotUnitary, row.gate);
  row.has_payload = holds(kWithPayload, row.gate);
  row.partner = row.gate;
  row.inverse = !row.is_unitary             ? InverseRule::none
                : holds(kNegated, row.gate) ? InverseRule::negate
                : holds(kSpecial, row.gate) ? InverseRule::special
                                            : InverseRule::self;
  for (const Partners& pair : kPartners) {
    if (pair.a != row.gate && pair.b != row.gate) continue;
    row.inverse = InverseRule::partner;
    row.partner = pair.a == row.gate ? pair.b : pair.a;
  }
}

std::vector<GateRow> make_table() {
  std::vector<GateRow> rows;
  const auto add = [&](Gate gate, std::string_view name, int qubits, int controls, int parameters, Gate base,
                       std::string_view parameter_names, std::string_view summary) {
    rows.push_back(
        GateRow{gate, name, qubits, controls, parameters, base, parameter_names, summary, {}, InverseRule::self, gate, true, false});
    complete(rows.back());
  };
#define KETMESH_GATE(name, qubits, controls, parameters, base, names, summary) \
  add(Gate::name, #name, qubits, controls, parameters, Gate::base, names, summary);
#define KETMESH_SPECIAL(name, qubits, parameters, names, summary) add(Gate::name, #name, qubits, 0, parameters, Gate::name, names, summary);
#include "ketmesh/circuit/gate_list.inc"
#undef KETMESH_GATE
#undef KETMESH_SPECIAL
  return rows;
}

}  // namespace

std::span<const GateRow> gate_table() {
  static const std::vector<GateRow> table = make_table();
  return table;
}

const GateRow& gate_row(Gate gate) {
  static const std::span<const GateRow> table = gate_table();
  const auto i = static_cast<std::size_t>(gate);
  if (i >= table.size()) throw Internal("gate number " + std::to_string(i) + " is not in the table");
  return table[i];
}

std::string_view to_string(Gate gate) { return gate_row(gate).name; }

std::optional<Gate> find_gate(std::string_view name) {
  static const auto names = [] {
    std::unordered_map<std::string_view, Gate> map;
    for (const GateRow& row : gate_table()) {
      map.emplace(row.name, row.gate);
      for (const std::string_view alias : row.aliases) map.emplace(alias, row.gate);
    }
    return map;
  }();
  const auto found = names.find(name);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

}  // namespace ketmesh
