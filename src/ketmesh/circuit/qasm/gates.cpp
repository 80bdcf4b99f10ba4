#include "ketmesh/circuit/qasm/gates.hpp"

#include <fmt/format.h>

#include <utility>

namespace ketmesh::qasm {
namespace {

using Kind = GateRef::Kind;

GateRef row_ref(Gate gate) {
  const GateRow& row = gate_row(gate);
  GateRef ref;
  ref.gate = gate;
  ref.num_parameters = row.num_parameters;
  ref.num_qubits = row.num_qubits;
  return ref;
}

GateRef special(Kind kind, Gate gate, int parameters, int qubits) {
  GateRef ref;
  ref.kind = kind;
  ref.gate = gate;
  ref.num_parameters = parameters;
  ref.num_qubits = qubits;
  return ref;
}

bool pauli_letters(std::string_view letters) { return !letters.empty() && letters.find_first_not_of("IXYZ") == std::string_view::npos; }

// Spellings of the writer for operations that the language has no gate for.
std::optional<GateRef> payload_gate(std::string_view name) {
  if (name.starts_with("pauli_") && pauli_letters(name.substr(6)))
    return special(Kind::payload, Gate::pauli, 0, static_cast<int>(name.size() - 6));
  if (name.starts_with("rotation_") && pauli_letters(name.substr(9)))
    return special(Kind::payload, Gate::rotation, 1, static_cast<int>(name.size() - 9));
  for (const Gate gate : {Gate::unitary, Gate::diagonal, Gate::permutation, Gate::initialize}) {
    if (name == to_string(gate)) return special(Kind::payload, gate, -1, -1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<GateRef> known_gate(std::string_view name, int version) {
  if (name == "U") return version >= 3 ? special(Kind::builtin_u, Gate::u, 3, 1) : row_ref(Gate::u);
  if (name == "gphase" && version >= 3) return special(Kind::gphase, Gate::gphase, 1, 0);
  if (name == "u0") return special(Kind::identity, Gate::id, 1, 1);
  if (name == "cu2") return special(Kind::cu2, Gate::u2, 2, 2);
  if (name == "delay" && version < 3) return special(Kind::delay, Gate::delay, 1, 1);
  if ((name == "phase" || name == "cphase") && version < 3) return std::nullopt;
  if (const std::optional<Gate> gate = find_gate(name)) {
    const GateRow& row = gate_row(*gate);
    if (row.is_unitary && !row.has_payload && row.gate != Gate::gphase) return row_ref(*gate);
  }
  return payload_gate(name);
}

GateTable::GateTable(const Sources& sources, const Names& names, const int& version)
    : sources_(sources), names_(names), version_(version) {}

GateTable::Entry& GateTable::entry(Name name) {
  if (name >= entries_.size()) entries_.resize(names_.size());
  Entry& e = entries_[name];
  if (!e.known) {
    e.known = true;
    if (const std::optional<GateRef> gate = known_gate(names_.text(name), version_)) {
      e.found = true;
      e.gate = *gate;
      e.gate.name = name;
    }
  }
  return e;
}

bool GateTable::is_defined_in_text(Name name) const { return name < entries_.size() && entries_[name].in_text; }

const GateRef& GateTable::find(Name name, Place place) {
  if (name == current_)
    sources_.parse_error(place, fmt::format("gate '{}' is defined through itself: recursion is not possible", shown(names_.text(name))));
  const Entry& e = entry(name);
  if (!e.found) {
    sources_.parse_error(place,
                         fmt::format("'{}' is not defined; expected a gate that is known or defined before", shown(names_.text(name))));
  }
  if (e.gate.kind == Kind::opaque) {
    sources_.circuit_error(
        place, fmt::format("gate '{}' is opaque (line {}): it has no body and cannot be applied", shown(names_.text(name)), e.place.line));
  }
  return e.gate;
}

void GateTable::begin(Name name, Place place) {
  const Entry& e = entry(name);
  if (e.in_text && e.gate.kind != Kind::opaque) {
    sources_.parse_error(place, fmt::format("gate '{}' is defined already, in line {}", shown(names_.text(name)), e.place.line));
  }
  current_ = name;
}

void GateTable::declare_opaque(Name name, std::size_t parameters, std::size_t qubits, Place place) {
  Entry& e = entry(name);
  if (e.in_text) return;  // vendor files repeat themselves; a body stays
  e.in_text = e.found = true;
  e.place = place;
  e.gate = special(Kind::opaque, Gate::id, static_cast<int>(parameters), static_cast<int>(qubits));
  e.gate.name = name;
}

void GateTable::define(GateDefinition definition) {
  Entry& e = entry(definition.name);
  e.in_text = e.found = true;
  e.place = definition.place;
  e.gate = special(Kind::defined, Gate::id, static_cast<int>(definition.num_parameters), static_cast<int>(definition.num_qubits));
  e.gate.name = definition.name;
  e.gate.definition = static_cast<std::uint32_t>(definitions_.size());
  definitions_.push_back(std::move(definition));
}

void GateTable::check_counts(const GateRef& gate, std::size_t angles, std::size_t qubits, Place place) const {
  const auto complain = [&](int wanted, std::size_t got, std::string_view thing) {
    sources_.circuit_error(
        place, fmt::format("gate '{}' takes {} {}{}, got {}", shown(names_.text(gate.name)), wanted, thing, wanted == 1 ? "" : "s", got));
  };
  if (gate.num_parameters >= 0 && angles != static_cast<std::size_t>(gate.num_parameters)) complain(gate.num_parameters, angles, "angle");
  if (gate.num_qubits >= 0 && qubits != static_cast<std::size_t>(gate.num_qubits)) complain(gate.num_qubits, qubits, "qubit");
  if (gate.num_qubits < 0 && qubits == 0) complain(1, qubits, "qubit");
}

}  // namespace ketmesh::qasm
