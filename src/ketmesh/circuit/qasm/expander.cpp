#include "ketmesh/circuit/qasm/expander.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ketmesh/circuit/inverse.hpp"

namespace ketmesh::qasm {
namespace {

using Kind = GateRef::Kind;
constexpr int kMaxFractionalDepth = 64;  // powers of gates that are powers of gates ...: each is a matrix of its own
constexpr double kMaxRepeat = 1e15;

}  // namespace

Expander::Expander(const Sources& sources, const Names& names, GateTable& gates, Evaluator& evaluator, Budget& budget)
    : sources_(sources), names_(names), gates_(gates), evaluator_(evaluator), budget_(budget) {}

Expander::Applied Expander::evaluated(std::span<const Modifier> modifiers, std::span<const Value> locals) {
  Applied applied;
  double product = 1;
  for (const Modifier& m : modifiers) {
    const Context at{sources_, m.place};
    if (m.kind == Modifier::Kind::ctrl || m.kind == Modifier::Kind::negctrl) {
      const std::int64_t n = m.argument.empty() ? 1 : to_index(evaluator_.run(m.argument, locals), at, "number of controls");
      if (n < 1 || n > static_cast<std::int64_t>(kMaxDeclaredQubits))
        sources_.circuit_error(m.place, fmt::format("{} controls; expected 1 to {}", n, kMaxDeclaredQubits));
      applied.control_values.insert(applied.control_values.end(), static_cast<std::size_t>(n), m.kind == Modifier::Kind::ctrl);
      if (applied.control_values.size() > kMaxDeclaredQubits)
        sources_.circuit_error(m.place, fmt::format("more than {} controls", kMaxDeclaredQubits));
      continue;
    }
    double power = -1;
    if (m.kind == Modifier::Kind::pow) {
      const Value v = evaluator_.run(m.argument, locals);
      if (!v.is_numeric()) sources_.circuit_error(m.place, "exponent of pow: expected a number, found " + describe(v));
      power = as_double(v);
      if (!std::isfinite(power)) sources_.circuit_error(m.place, "exponent of pow is not finite");
    }
    applied.fractional = applied.fractional || power != std::floor(power);
    applied.powers.push_back(power);
    product *= power;
  }
  std::reverse(applied.powers.begin(), applied.powers.end());
  if (!applied.fractional) {
    if (std::fabs(product) > kMaxRepeat)
      sources_.circuit_error(modifiers[0].place, fmt::format("a gate repeated {} times exceeds the limit", product));
    applied.inverse = product < 0;
    applied.repeat = static_cast<std::uint64_t>(std::fabs(product));
  }
  return applied;
}

void Expander::check_distinct(std::span<const Qubit> qubits, const GateRef& gate, Place place) {
  const auto complain = [&](Qubit q) {
    sources_.circuit_error(place, fmt::format("gate '{}': qubit {} is given twice; the qubits of one gate must be distinct",
                                              shown(names_.text(gate.name)), q));
  };
  constexpr std::size_t kFew = 12;
  if (qubits.size() <= kFew) {
    for (std::size_t i = 1; i < qubits.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (qubits[i] == qubits[j]) complain(qubits[i]);
      }
    }
    return;
  }
  sorted_.assign(qubits.begin(), qubits.end());
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
  if (twice != sorted_.end()) complain(*twice);
}

void Expander::apply(const GateRef& gate, std::span<const Value> angles, const Applied& applied, std::span<const Qubit> qubits,
                     Place place) {
  const std::size_t num_controls = applied.control_values.size();
  if (qubits.size() < num_controls) {
    sources_.circuit_error(place, fmt::format("{} controls of gate '{}' need as many qubits, got {}", num_controls,
                                              shown(names_.text(gate.name)), qubits.size()));
  }
  gates_.check_counts(gate, angles.size(), qubits.size() - num_controls, place);
  check_distinct(qubits, gate, place);
  const std::size_t a = angles_.size(), q = qubits_.size(), c = controls_.size();
  angles_.insert(angles_.end(), angles.begin(), angles.end());
  for (std::size_t i = 0; i < num_controls; ++i) controls_.push_back(control_on(qubits[i], applied.control_values[i]));
  qubits_.insert(qubits_.end(), qubits.begin() + static_cast<std::ptrdiff_t>(num_controls), qubits.end());
  const std::size_t floor = frames_.size();
  start(gate, applied, false, a, q, c, place);
  run(floor);
}

// Operands lie on top of the arenas, above a, q and c. Afterwards they are gone, or belong to a new frame.
void Expander::start(const GateRef& gate, const Applied& applied, bool inverse, std::size_t a, std::size_t q, std::size_t c, Place place) {
  budget_.spend(1, place);
  const bool inverted = inverse != applied.inverse;
  if (applied.fractional) {
    emit_fractional(gate, applied, inverse, a, q, c, place);
  } else if (applied.repeat > 0 && gate.kind == Kind::defined) {
    const GateDefinition& definition = gates_.definition(gate);
    if (!definition.body.empty()) {
      frames_.push_back(Frame{&definition, inverted, applied.repeat, 0, a, q, c});
      return;
    }
  } else if (applied.repeat > 0) {
    emit(Call{gate, std::span(angles_).subspan(a), std::span(qubits_).subspan(q), std::span(controls_).subspan(c), inverted, applied.repeat,
              place});
  }
  angles_.resize(a);
  qubits_.resize(q);
  controls_.resize(c);
}

void Expander::run(std::size_t floor) {
  while (frames_.size() > floor) {
    Frame& frame = frames_.back();
    const std::vector<BodyOp>& body = frame.definition->body;
    if (frame.next == body.size()) {
      if (--frame.repeat > 0) {
        frame.next = 0;
        continue;
      }
      angles_.resize(frame.angles);
      qubits_.resize(frame.qubits);
      controls_.resize(frame.controls);
      frames_.pop_back();
      continue;
    }
    const BodyOp& op = body[frame.inverse ? body.size() - 1 - frame.next : frame.next];
    ++frame.next;
    const Frame f = frame;  // the stack may move
    const std::size_t a = angles_.size(), q = qubits_.size(), c = controls_.size();
    const std::span<const Value> locals = std::span<const Value>(angles_).subspan(f.angles, f.definition->num_parameters);
    Applied applied;
    if (!op.modifiers.empty()) applied = evaluated(op.modifiers, locals);
    if (angles_.capacity() < a + op.arguments.size()) angles_.reserve(2 * (a + op.arguments.size()));  // views stay valid
    const std::span<const Value> parameters = std::span<const Value>(angles_).subspan(f.angles, f.definition->num_parameters);
    for (const Code& code : op.arguments) {
      Value v = evaluator_.run(code, parameters);
      if (v.type != Type::symbol && !(v.type == Type::real)) v = Value::of_real(to_parameter(v, Context{sources_, op.place}).number());
      angles_.push_back(std::move(v));
    }
    for (std::size_t i = f.controls; i < c; ++i) controls_.push_back(Control(controls_[i]));
    const std::size_t own = applied.control_values.size();
    for (std::size_t i = 0; i < own; ++i) controls_.push_back(control_on(qubits_[f.qubits + op.qubits[i]], applied.control_values[i]));
    for (std::size_t i = own; i < op.qubits.size(); ++i) qubits_.push_back(Qubit(qubits_[f.qubits + op.qubits[i]]));
    start(op.gate, applied, f.inverse, a, q, c, op.place);
  }
}

void Expander::emit_fractional(const GateRef& gate, const Applied& applied, bool inverse, std::size_t a, std::size_t q, std::size_t c,
                               Place place) {
  if (fractional_depth_ >= kMaxFractionalDepth)
    sources_.circuit_error(place, fmt::format("fractional powers nested deeper than {}", kMaxFractionalDepth));
  const std::vector<Qubit> wires(qubits_.begin() + static_cast<std::ptrdiff_t>(q), qubits_.end());
  const std::vector<Control> controls(controls_.begin() + static_cast<std::ptrdiff_t>(c), controls_.end());
  // The unitary on wires 0 .. k-1, without the controls around it: a power of a controlled gate is its controlled power.
  Circuit matrix;
  Circuit* outer = std::exchange(out, &matrix);
  ++fractional_depth_;
  std::vector<Qubit> local(wires.size());
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = static_cast<Qubit>(i);
  const std::vector<Value> angles(angles_.begin() + static_cast<std::ptrdiff_t>(a), angles_.end());
  apply(gate, angles, Applied{}, local, place);
  --fractional_depth_;
  out = outer;
  for (const double power : applied.powers) matrix = power == -1 ? matrix.inverse() : matrix.power(power);
  if (inverse) matrix = matrix.inverse();
  std::size_t width = 1;
  for (const Qubit w : wires) width = std::max<std::size_t>(width, std::size_t{w} + 1);
  const Circuit placed = matrix.remapped(wires, width);
  budget_.spend(placed.size(), place);
  for (const Operation op : placed) out->append(op, controls);
}

std::vector<double> Expander::numbers(const Call& call) {
  std::vector<double> out_numbers;
  out_numbers.reserve(call.angles.size());
  for (const Value& v : call.angles) {
    const Parameter p = to_parameter(v, Context{sources_, call.place});
    if (!p.is_number())
      sources_.circuit_error(call.place, fmt::format("'{}' takes numbers, found {}", shown(names_.text(call.gate.name)), describe(v)));
    out_numbers.push_back(p.number());
  }
  return out_numbers;
}

void Expander::emit_payload(const Call& call, Circuit& to) {
  const std::string_view name = names_.text(call.gate.name);
  const std::size_t k = call.qubits.size();
  const std::vector<double> values = call.gate.gate == Gate::rotation ? std::vector<double>() : numbers(call);
  const auto expect = [&](std::size_t n) {
    if (values.size() != n)
      sources_.circuit_error(call.place, fmt::format("'{}' on {} qubits takes {} numbers, got {}", name, k, n, values.size()));
  };
  const auto complex_values = [&] {
    std::vector<cdouble> entries;
    for (std::size_t i = 0; i < values.size(); i += 2) entries.emplace_back(values[i], values[i + 1]);
    return entries;
  };
  if (call.gate.gate == Gate::pauli) {
    to.pauli(name.substr(6), call.qubits, call.controls);
  } else if (call.gate.gate == Gate::rotation) {
    to.rotation(name.substr(9), call.qubits, to_parameter(call.angles[0], Context{sources_, call.place}), call.controls);
  } else {
    if (k > kMaxDenseTargets) sources_.circuit_error(call.place, fmt::format("'{}' on {} qubits; at most {}", name, k, kMaxDenseTargets));
    const std::size_t size = std::size_t{1} << k;
    if (call.gate.gate == Gate::permutation) {
      expect(size);
      std::vector<Index> table;
      for (const double v : values) {
        if (v < 0 || v != std::floor(v) || v >= static_cast<double>(size))
          sources_.circuit_error(call.place, fmt::format("entry {} of a permutation is out of range; expected 0 to {}", v, size - 1));
        table.push_back(static_cast<Index>(v));
      }
      to.permutation(table, call.qubits, call.controls);
      return;
    }
    expect(call.gate.gate == Gate::unitary ? 2 * size * size : 2 * size);
    if (call.gate.gate == Gate::unitary) {
      to.unitary(complex_values(), call.qubits, call.controls);
    } else if (call.gate.gate == Gate::diagonal) {
      to.diagonal(complex_values(), call.qubits, call.controls);
    } else {
      if (!call.controls.empty()) sources_.circuit_error(call.place, "initialize cannot be under controls: it is not a unitary");
      to.initialize(complex_values(), call.qubits);
    }
  }
}

void Expander::emit_once(const Call& call, Circuit& to) {
  parameters_.clear();
  if (call.gate.kind != Kind::payload) {
    for (const Value& v : call.angles)
      parameters_.push_back(v.type == Type::real ? Parameter(v.number) : to_parameter(v, Context{sources_, call.place}));
  }
  const std::uint32_t line = call.place.line;
  switch (call.gate.kind) {
    case Kind::row:
      to.append(call.gate.gate, call.qubits, parameters_, call.controls, line);
      return;
    case Kind::builtin_u: {
      to.append(Gate::u, call.qubits, parameters_, call.controls, line);
      const Parameter half = parameters_[0] / Parameter(2.0);
      if (!half.is_number() || half.number() != 0) to.gphase(half, call.controls);
      return;
    }
    case Kind::identity:
      to.append(Gate::id, call.qubits, {}, call.controls, line);
      return;
    case Kind::cu2: {
      std::vector<Control> controls(call.controls.begin(), call.controls.end());
      controls.push_back(control_on(call.qubits[0]));
      to.append(Gate::u2, call.qubits.subspan(1), parameters_, controls, line);
      return;
    }
    case Kind::gphase:
      to.gphase(parameters_[0], call.controls);
      return;
    case Kind::payload:
      emit_payload(call, to);
      return;
    case Kind::barrier:
      if (!call.qubits.empty()) to.barrier(call.qubits);
      return;
    case Kind::delay:
      to.delay(call.qubits, parameters_[0]);
      return;
    case Kind::defined:
    case Kind::opaque:
      break;
  }
  sources_.circuit_error(call.place, fmt::format("gate '{}' cannot be applied", shown(names_.text(call.gate.name))));
}

void Expander::emit(const Call& call) {
  out->set_line(call.place.line);
  if (call.gate.kind == Kind::barrier || call.gate.kind == Kind::delay || (!call.inverse && call.repeat == 1)) return emit_once(call, *out);
  Circuit one;
  one.set_line(call.place.line);
  emit_once(call, one);
  if (call.repeat > 1) one = one.power(static_cast<double>(call.repeat));
  budget_.spend(one.size(), call.place);
  if (call.inverse) {
    Circuit reversed;
    for (std::size_t i = one.size(); i-- > 0;) append_inverse(reversed, one[i]);
    one = std::move(reversed);
  }
  for (const Operation op : one) out->append(op);
}

}  // namespace ketmesh::qasm
