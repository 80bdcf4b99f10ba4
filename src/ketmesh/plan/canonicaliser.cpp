#include "ketmesh/plan/canonicaliser.hpp"

#include <algorithm>
#include <numbers>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::plan {
namespace {

constexpr std::uint8_t place(int a, int b = 0) { return static_cast<std::uint8_t>(a + 16 * b); }

bool self_inverse(const Factor& last, const Factor& next) {
  if (last.kind != FactorKind::one || next.kind != FactorKind::one) return false;
  const auto a = static_cast<Gate>(last.gate), b = static_cast<Gate>(next.gate);
  if (a == Gate::unitary) return false;
  const auto& row = gate_row(a);
  if (row.num_parameters != 0) return false;
  return (row.inverse == InverseRule::self && a == b) || (row.inverse == InverseRule::partner && row.partner == b);
}

bool is_real(MatrixShape s) { return s == MatrixShape::real || s == MatrixShape::hadamard || s == MatrixShape::flip; }

MatrixShape product_shape(MatrixShape a, MatrixShape b) {
  if (is_real(a) && is_real(b)) return MatrixShape::real;
  if (a == MatrixShape::rx_like && b == MatrixShape::rx_like) return MatrixShape::rx_like;
  return MatrixShape::general;
}

}  // namespace

Canonicaliser::Canonicaliser(int num_qubits, bool from_zero) {
  out_.num_qubits = num_qubits;
  out_.folds_start = from_zero;
  out_.start.resize(static_cast<std::size_t>(num_qubits));
  fresh_.fill(from_zero ? Fresh::zero : Fresh::used);
}

bool Canonicaliser::drop_known_controls(Controls& controls) const {
  bool holds = true;
  bits::for_each(controls.mask, [&](int w) {
    const auto state = fresh_[static_cast<std::size_t>(w)];
    if (state != Fresh::zero && state != Fresh::one) return;
    if (bits::test(controls.value, w) != (state == Fresh::one)) holds = false;
    controls.mask &= ~bits::one(w);
    controls.value &= ~bits::one(w);
  });
  return holds;
}

// A one-qubit gate on a wire that is still a product goes into the start state.
bool Canonicaliser::fold_one(int wire, const Factor& factor) {
  auto& state = fresh_[static_cast<std::size_t>(wire)];
  if (state == Fresh::used) return false;
  auto folded = factor;
  if (factor.kind == FactorKind::one) folded.place = place(0);  // a phase names its position itself
  out_.pool.append(out_.start[static_cast<std::size_t>(wire)], folded);
  const bool flips = factor.kind == FactorKind::one && static_cast<Gate>(factor.gate) == Gate::x;
  if (flips && state == Fresh::zero)
    state = Fresh::one;
  else if (flips && state == Fresh::one)
    state = Fresh::zero;
  else
    state = Fresh::product;
  return true;
}

void Canonicaliser::fold_phase(int wire, PhaseTerm::Kind kind, Index value, const Factor& term) {
  auto folded = term;
  folded.kind = kind == PhaseTerm::Kind::match ? FactorKind::match_phase : FactorKind::parity_phase;
  folded.place = kind == PhaseTerm::Kind::match ? place(1, value != 0 ? 1 : 0) : place(1);
  fold_one(wire, folded);
}

std::uint32_t Canonicaliser::back(int wire) {
  auto& stack = wires_[static_cast<std::size_t>(wire)];
  while (!stack.empty() && (!gate(stack.back()).alive || !bits::test(gate(stack.back()).action.touched(), wire))) stack.pop_back();
  return stack.empty() ? kNone : stack.back();
}

std::uint32_t Canonicaliser::below(int wire, std::uint32_t upper) {
  const auto& stack = wires_[static_cast<std::size_t>(wire)];
  auto at = stack.rbegin();
  for (int i = 0; at != stack.rend() && *at != upper; ++at)
    if (++i > kLookBack) return kNone;
  if (at == stack.rend()) return kNone;
  for (++at; at != stack.rend(); ++at)
    if (gate(*at).alive && bits::test(gate(*at).action.touched(), wire)) return *at;
  return kNone;
}

bool Canonicaliser::reaches_through_diagonals(int wire, std::uint32_t lower) const {
  const auto& stack = wires_[static_cast<std::size_t>(wire)];
  int seen = 0;
  for (auto at = stack.rbegin(); at != stack.rend() && seen < kLookBack; ++at, ++seen) {
    if (*at == lower) return true;
    if (out_.gates[*at].alive && bits::test(out_.gates[*at].action.targets(), wire)) return false;
  }
  return false;
}

std::uint32_t Canonicaliser::push(PlannedGate g) {
  const auto i = static_cast<std::uint32_t>(out_.gates.size());
  g.operation = operation_;
  bits::for_each(g.action.touched(), [&](int w) {
    wires_[static_cast<std::size_t>(w)].push_back(i);
    fresh_[static_cast<std::size_t>(w)] = Fresh::used;
  });
  out_.gates.push_back(g);
  return i;
}

bool Canonicaliser::is_single_matrix(const PlannedGate& g) const {
  return g.kind == StepKind::matrix && g.num_targets == 1 && g.control_mask == 0;
}
bool Canonicaliser::is_single_phase(const PlannedGate& g) const {
  return g.kind == StepKind::phases && g.term != PhaseTerm::Kind::table && bits::count(g.action.z) == 1;
}
bool Canonicaliser::is_block(const PlannedGate& g) const { return g.kind == StepKind::matrix && g.num_targets == 2 && g.control_mask == 0; }
bool Canonicaliser::is_block_on(std::uint32_t i, int a, int b) const {
  return i != kNone && is_block(out_.gates[i]) && out_.gates[i].action.targets() == (bits::one(a) | bits::one(b));
}
bool Canonicaliser::is_pair_phase(std::uint32_t i, Index pair) const {
  if (i == kNone) return false;
  const auto& g = out_.gates[i];
  return g.kind == StepKind::phases && g.term != PhaseTerm::Kind::table && g.action.z == pair && g.control_mask == 0;
}

void Canonicaliser::set_matrix_action(PlannedGate& g) {
  Index targets = 0;
  for (int j = 0; j < g.num_targets; ++j) targets |= bits::one(g.targets[static_cast<std::size_t>(j)]);
  const bool x_like = g.shape == MatrixShape::rx_like || g.shape == MatrixShape::flip;
  g.action = {g.control_mask, x_like ? targets : 0, x_like ? 0 : targets};
}

// ---- phases

// A phase as factors of the matrix that takes it in; its wires are the matrix's.
void Canonicaliser::append_phase_factors(PlannedGate& matrix, const PlannedGate& phase, bool before) {
  int mask = 0, value = 0;
  for (int j = 0; j < matrix.num_targets; ++j) {
    const int w = matrix.targets[static_cast<std::size_t>(j)];
    if (bits::test(phase.mask, w)) mask |= 1 << j;
    if (bits::test(phase.value, w)) value |= 1 << j;
  }
  FactorPool::List list = phase.factors;
  out_.pool.for_each(list, [&](Factor& f) {
    f.kind = phase.term == PhaseTerm::Kind::match ? FactorKind::match_phase : FactorKind::parity_phase;
    f.place = place(mask, value);
  });
  if (before)
    out_.pool.prepend(matrix.factors, list);
  else
    out_.pool.append(matrix.factors, list);
}

void Canonicaliser::emit_match(Index mask, Index value, const Factor& term) {
  Controls c{mask, value};
  if (!drop_known_controls(c)) return;
  if (c.mask == 0) {
    out_.pool.append(out_.global_phase, term);
    return;
  }
  PlannedGate g;
  g.kind = StepKind::phases;
  g.term = PhaseTerm::Kind::match;
  g.mask = c.mask;
  g.value = c.value;
  g.action.z = c.mask;
  emit_phase(g, term);
}

void Canonicaliser::emit_parity(Index mask, Controls controls, const Factor& term) {
  if (!drop_known_controls(controls)) return;
  auto signed_term = term;
  bits::for_each(mask, [&](int w) {
    const auto state = fresh_[static_cast<std::size_t>(w)];
    if (state != Fresh::zero && state != Fresh::one) return;
    mask &= ~bits::one(w);
    if (state == Fresh::one) signed_term.coefficient = -signed_term.coefficient;
  });
  if (mask == 0) {
    emit_match(controls.mask, controls.value, signed_term);
    return;
  }
  PlannedGate g;
  g.kind = StepKind::phases;
  g.term = PhaseTerm::Kind::parity;
  g.mask = mask;
  g.control_mask = controls.mask;
  g.control_value = controls.value;
  g.action.z = mask | controls.mask;
  emit_phase(g, signed_term);
}

void Canonicaliser::emit_phase(PlannedGate phase, const Factor& term) {
  const int first = bits::lowest(phase.action.z);
  const int wires = bits::count(phase.action.z);
  if (wires == 1 && fresh_[static_cast<std::size_t>(first)] != Fresh::used) {
    fold_phase(first, phase.term, phase.value, term);
    return;
  }
  phase.factors = out_.pool.make(term);
  const auto last = back(first);
  if (last != kNone) {
    auto& g = gate(last);
    const bool same = g.kind == StepKind::phases && g.term == phase.term && g.mask == phase.mask && g.value == phase.value &&
                      g.control_mask == phase.control_mask && g.control_value == phase.control_value;
    bool open = same;  // nothing but diagonals since then on any of its wires
    if (same) bits::for_each(phase.action.z, [&](int w) { open = open && reaches_through_diagonals(w, last); });
    if (open) {
      out_.pool.append(g.factors, phase.factors);
      return;
    }
    const bool takes = g.action.g != 0 && g.shape == MatrixShape::general && phase.control_mask == 0;
    if (takes && wires == 1 && (is_single_matrix(g) || is_block(g))) {
      append_phase_factors(g, phase, false);
      return;
    }
    if (takes && wires == 2 && is_block(g) && g.action.g == phase.action.z &&
        back(bits::lowest(phase.action.z & (phase.action.z - 1))) == last) {
      append_phase_factors(g, phase, false);
      return;
    }
  }
  push(phase);
}

void Canonicaliser::emit_table(std::span<const std::uint8_t> wires, Controls controls, const Factor& table) {
  if (!drop_known_controls(controls)) return;
  PlannedGate g;
  g.kind = StepKind::phases;
  g.term = PhaseTerm::Kind::table;
  g.num_targets = static_cast<std::uint8_t>(wires.size());
  std::copy(wires.begin(), wires.end(), g.targets.begin());
  g.control_mask = controls.mask;
  g.control_value = controls.value;
  g.action.z = controls.mask;
  for (const auto w : wires) g.action.z |= bits::one(w);
  g.factors = out_.pool.make(table);
  push(g);
}

// ---- one wire

void Canonicaliser::merge_single(std::uint32_t into, MatrixShape shape, const Factor& factor) {
  auto& g = gate(into);
  if (self_inverse(out_.pool.last(g.factors), factor)) {
    out_.pool.pop_last(g.factors);
    if (g.factors.empty()) {
      kill(into);
      return;
    }
    // A phase that the two cancelled gates carried aside: each pair's phases are opposite, or the gates have none.
    set_matrix_action(g);
    return;
  }
  out_.pool.append(g.factors, factor);
  g.shape = product_shape(g.shape, shape);
  set_matrix_action(g);
}

void Canonicaliser::emit_one(int wire, MatrixShape shape, Controls controls, Factor factor) {
  if (!drop_known_controls(controls)) return;
  factor.place = place(0);
  if (controls.mask == 0) {
    if (fold_one(wire, factor)) return;
    const auto last = back(wire);
    auto base = last;
    // Through one-wire phases to a matrix: a run with two matrices and phases between becomes one.
    while (base != kNone && is_single_phase(gate(base))) base = below(wire, base);
    if (base != kNone && is_single_matrix(gate(base))) {
      auto& m = gate(base);
      const bool flip_and_rx = (m.shape == MatrixShape::flip && shape == MatrixShape::rx_like) ||
                               (m.shape == MatrixShape::rx_like && shape == MatrixShape::flip);
      if (base == last && !flip_and_rx) {
        merge_single(base, shape, factor);
        return;
      }
      if (base != last && shape != MatrixShape::flip && m.shape != MatrixShape::flip) {
        std::array<std::uint32_t, kLookBack> between{};
        int count = 0;
        auto at = last;
        for (; at != base && count < kLookBack; at = below(wire, at)) between[static_cast<std::size_t>(count++)] = at;
        if (at == base) {
          while (count-- > 0) {
            append_phase_factors(m, gate(between[static_cast<std::size_t>(count)]), false);
            kill(between[static_cast<std::size_t>(count)]);
          }
          m.shape = MatrixShape::general;
          merge_single(base, MatrixShape::general, factor);
          return;
        }
      }
    }
    if (last != kNone && is_block(gate(last)) && gate(last).action.g != 0) {
      auto& block = gate(last);
      factor.place = place(block.targets[0] == wire ? 0 : 1);
      out_.pool.append(block.factors, factor);
      if (!(is_real(block.shape) && is_real(shape))) block.shape = MatrixShape::general;
      return;
    }
  }
  PlannedGate g;
  g.shape = shape;
  g.num_targets = 1;
  g.targets[0] = static_cast<std::uint8_t>(wire);
  g.control_mask = controls.mask;
  g.control_value = controls.value;
  g.factors = out_.pool.make(factor);
  set_matrix_action(g);
  push(g);
}

void Canonicaliser::emit_flip(int wire, Controls controls) {
  if (!drop_known_controls(controls)) return;
  Factor x;
  x.gate = static_cast<std::uint16_t>(Gate::x);
  x.operation = operation_;
  if (controls.mask != 0 && bits::count(controls.mask) == 1 && controls.value != 0) {
    const int control = bits::lowest(controls.mask);
    const auto last = back(wire);
    if (is_block_on(last, wire, control) && gate(last).action.g != 0 && back(control) == last) {
      x.kind = FactorKind::controlled;
      x.place = gate(last).targets[0] == wire ? place(0, 1) : place(1, 0);
      out_.pool.append(gate(last).factors, x);
      return;
    }
  }
  if (controls.mask != 0 && cancel_flip(wire, controls)) return;
  emit_one(wire, MatrixShape::flip, controls, x);
}

// ---- cancelling controlled flips across what they only conjugate: cx-rz-cx, parity networks

bool Canonicaliser::commutes_with_flip(std::uint32_t i, int target, Controls controls) const {
  const auto& g = out_.gates[i];
  if (bits::test(g.action.x, target)) return true;
  if (g.kind != StepKind::phases || bits::count(controls.mask) != 1 || controls.value == 0) return false;
  if (g.term == PhaseTerm::Kind::parity) return !bits::test(g.control_mask, target);
  return g.term == PhaseTerm::Kind::match && g.mask == bits::one(target);
}

// phase i becomes CX phase CX.
void Canonicaliser::conjugate_by_flip(std::uint32_t i, int control, int target) {
  auto& g = gate(i);
  if (g.kind != StepKind::phases) return;
  if (g.term == PhaseTerm::Kind::match) {  // angle [b = v] = angle / 2 -+ angle / 2 (-1)^b
    const double sign = g.value != 0 ? -0.5 : 0.5;
    FactorPool::List halves;
    std::vector<Factor> terms;
    out_.pool.for_each(g.factors, [&](Factor& f) {
      auto half = f;
      half.coefficient *= 0.5;
      terms.push_back(half);
      f.coefficient *= sign;
    });
    for (const auto& t : terms) out_.pool.append(halves, t);
    out_.pool.append(out_.global_phase, halves);
    g.term = PhaseTerm::Kind::parity;
    g.value = 0;
  }
  if (!bits::test(g.mask, target)) return;
  const bool touched = bits::test(g.action.z, control);
  g.mask ^= bits::one(control);
  g.action.z = g.mask | g.control_mask;
  if (!touched) wires_[static_cast<std::size_t>(control)].push_back(i);
}

bool Canonicaliser::cancel_flip(int target, Controls controls) {
  std::uint32_t found = kNone;
  std::array<std::uint32_t, kLookBack> crossed{};
  std::size_t count = 0;
  const auto& stack = wires_[static_cast<std::size_t>(target)];
  for (auto at = stack.rbegin(); at != stack.rend() && count < kLookBack; ++at) {
    const auto& g = gate(*at);
    if (!g.alive || !bits::test(g.action.touched(), target)) continue;
    if (g.kind == StepKind::matrix && g.shape == MatrixShape::flip && g.targets[0] == target && g.control_mask == controls.mask &&
        g.control_value == controls.value) {
      found = *at;
      break;
    }
    if (!commutes_with_flip(*at, target, controls)) return false;
    crossed[count++] = *at;
  }
  if (found == kNone) return false;
  bool clear = true;
  bits::for_each(controls.mask, [&](int c) {
    const auto& wire = wires_[static_cast<std::size_t>(c)];
    int seen = 0;
    for (auto at = wire.rbegin(); at != wire.rend() && *at != found; ++at) {
      const auto& g = gate(*at);
      if (!g.alive) continue;
      if (bits::test(g.action.targets(), c) || ++seen > kLookBack) clear = false;
      if (!clear) return;
    }
  });
  if (!clear) return false;
  kill(found);
  for (std::size_t i = 0; i < count; ++i) conjugate_by_flip(crossed[i], bits::lowest(controls.mask), target);
  return true;
}

// ---- more wires

// What lies directly before a general block on its two wires moves into it.
void Canonicaliser::absorb_before(std::uint32_t at) {
  auto& block = gate(at);
  const int a = block.targets[0], b = block.targets[1];
  for (bool changed = true; changed;) {
    changed = false;
    for (int j = 0; j < 2; ++j) {
      const int w = block.targets[static_cast<std::size_t>(j)];
      const auto under = below(w, at);
      if (under == kNone) continue;
      auto& g = gate(under);
      if (is_single_matrix(g)) {
        out_.pool.for_each(g.factors, [&](Factor& f) {
          f.place = f.kind == FactorKind::match_phase    ? place(1 << j, (f.place >> 4) != 0 ? 1 << j : 0)
                    : f.kind == FactorKind::parity_phase ? place(1 << j)
                                                         : place(j);
        });
        out_.pool.prepend(block.factors, g.factors);
      } else if (is_single_phase(g)) {
        append_phase_factors(block, g, true);
      } else if (is_pair_phase(under, bits::one(a) | bits::one(b)) && below(a, at) == under && below(b, at) == under) {
        append_phase_factors(block, g, true);
      } else {
        continue;
      }
      block.shape = MatrixShape::general;
      kill(under);
      changed = true;
    }
  }
}

void Canonicaliser::emit_two(int low, int high, bool x_like, MatrixShape shape, Controls controls, Factor factor) {
  if (!drop_known_controls(controls)) return;
  factor.kind = FactorKind::two;
  if (controls.mask == 0) {
    const Index pair = bits::one(low) | bits::one(high);
    auto base = back(low);
    const bool through_phase = is_pair_phase(base, pair) && back(high) == base;
    const auto phase = base;
    if (through_phase) base = below(low, phase) == below(high, phase) ? below(low, phase) : kNone;
    if (is_block_on(base, low, high) && (through_phase || back(high) == base)) {
      auto& block = gate(base);
      if (through_phase) {
        append_phase_factors(block, gate(phase), false);
        kill(phase);
      }
      factor.place = block.targets[0] == low ? place(0, 1) : place(1, 0);
      out_.pool.append(block.factors, factor);
      block.shape = MatrixShape::general;
      if (through_phase || !(x_like && block.action.g == 0)) {
        block.action = {0, 0, pair};
        absorb_before(base);
      }
      return;
    }
  }
  PlannedGate g;
  g.shape = shape;
  g.num_targets = 2;
  g.targets[0] = static_cast<std::uint8_t>(low);
  g.targets[1] = static_cast<std::uint8_t>(high);
  g.control_mask = controls.mask;
  g.control_value = controls.value;
  factor.place = place(0, 1);
  g.factors = out_.pool.make(factor);
  set_matrix_action(g);
  if (x_like) std::swap(g.action.x, g.action.g);
  const auto at = push(g);
  if (controls.mask == 0 && !x_like) absorb_before(at);
}

void Canonicaliser::emit_whole(std::span<const std::uint8_t> wires, MatrixShape shape, Controls controls) {
  if (!drop_known_controls(controls)) return;
  PlannedGate g;
  g.shape = shape;
  g.num_targets = static_cast<std::uint8_t>(wires.size());
  std::copy(wires.begin(), wires.end(), g.targets.begin());
  g.control_mask = controls.mask;
  g.control_value = controls.value;
  Factor f;
  f.kind = FactorKind::whole;
  f.operation = operation_;
  g.factors = out_.pool.make(f);
  set_matrix_action(g);
  push(g);
}

void Canonicaliser::emit_permutation(std::span<const std::uint8_t> wires, Controls controls) {
  if (!drop_known_controls(controls)) return;
  PlannedGate g;
  g.kind = StepKind::permutation;
  g.num_targets = static_cast<std::uint8_t>(wires.size());
  std::copy(wires.begin(), wires.end(), g.targets.begin());
  g.control_mask = controls.mask;
  g.control_value = controls.value;
  set_matrix_action(g);
  push(g);
}

CanonicalCircuit Canonicaliser::finish() {
  auto& gates = out_.gates;
  gates.erase(std::remove_if(gates.begin(), gates.end(), [](const PlannedGate& g) { return !g.alive; }), gates.end());
  for (const auto& g : gates) {
    const int width = bits::count(g.action.targets());
    if (width <= out_.widest) continue;
    out_.widest = width;
    out_.widest_operation = g.operation;
  }
  return std::move(out_);
}

}  // namespace ketmesh::plan
