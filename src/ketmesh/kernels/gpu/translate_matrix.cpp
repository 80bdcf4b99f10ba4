// Matrices and permutations as ops.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/translator.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr double kRounding = 4e-15;

bool close(cdouble a, cdouble b) { return std::abs(a - b) < kRounding * (1 + std::abs(b)); }

std::size_t reals_of(OpKind kind) {
  switch (kind) {
    case OpKind::flip:
      return 0;
    case OpKind::rotation:
    case OpKind::reflection:
    case OpKind::rx:
      return 1;
    case OpKind::lift:
      return 2;
    case OpKind::lift_phase:
    case OpKind::dense1:
      return 8;
    default:
      throw Internal("not a layer of one-target gates");
  }
}

std::vector<double> reals(std::initializer_list<cdouble> values) {
  std::vector<double> out;
  for (const cdouble v : values) out.insert(out.end(), {v.real(), v.imag()});
  return out;
}

}  // namespace

/// Divided by its first entry a unitary needs fewer multiplications. Not where that entry is so small that others would overflow.
OneTarget lifted(const cdouble* m) {
  if (std::norm(m[0]) < 0x1p-20) return {OpKind::dense1, reals({m[0], m[1], m[2], m[3]}), 1};
  const cdouble a = m[1] / m[0], b = m[2] / m[0], s = m[3] / m[0];
  if (close(s, 1) && close(b, -std::conj(a))) {
    if (std::abs(b.imag()) < kRounding) return {OpKind::rotation, {b.real()}, m[0]};
    if (std::abs(b.real()) < kRounding) return {OpKind::rx, {b.imag()}, m[0]};
    return {OpKind::lift, reals({a}), m[0]};
  }
  if (close(s, -1) && close(a, b) && std::abs(a.imag()) < kRounding) return {OpKind::reflection, {a.real()}, m[0]};
  return {OpKind::lift_phase, reals({a, b, s, 0}), m[0]};
}

Translator::Controls Translator::controls(Index mask, Index value, bool with_registers) const {
  Controls c;
  bits::for_each(mask, [&](int b) {
    const int j = tile_of_[static_cast<std::size_t>(b)];
    const bool on = bits::test(value, b);
    if (j < 0) {
      c.outside_mask |= bits::one(b);
      if (on) c.outside_value |= bits::one(b);
      return;
    }
    const int r = with_registers ? register_of(j) : -1;
    (r < 0 ? c.thread_mask : c.reg_mask) |= 1u << (r < 0 ? j : r);
    if (on) (r < 0 ? c.thread_value : c.reg_value) |= 1u << (r < 0 ? j : r);
  });
  return c;
}

/// The op is pushed next: its guard names it by number.
void Translator::set(Op& op, const Controls& c) {
  op.thread_mask = static_cast<std::uint16_t>(c.thread_mask);
  op.thread_value = static_cast<std::uint16_t>(c.thread_value);
  op.reg_mask = c.reg_mask & 31u;
  op.reg_value = c.reg_value & 31u;
  if (c.outside_mask != 0) guards_.push_back({c.outside_mask, c.outside_value, static_cast<std::uint32_t>(ops_.size()), 0, 0});
}

void Translator::translate_step(const std::vector<Step>& steps, std::size_t i) {
  const Step& step = steps[i];
  switch (step.kind) {
    case StepKind::phases:
      return phases(step);
    case StepKind::permutation:
      return any_op(step);
    case StepKind::matrix:
      if (small_ || step.targets.size() > 2) return any_op(step);
      return register_matrix(steps, i);
  }
  throw Internal("a step of an unknown kind");
}

/// The residency was advice: takes the targets of this step and of those after it into registers.
void Translator::make_resident(const std::vector<Step>& steps, std::size_t i) {
  const auto resident = [&](std::uint8_t b) { return register_of(tile_of_[b]) >= 0; };
  if (std::all_of(steps[i].targets.begin(), steps[i].targets.end(), resident)) return;
  std::vector<std::uint8_t> set;
  for (std::size_t k = i; k < steps.size() && set.size() < static_cast<std::size_t>(register_bits_); ++k) {
    if (steps[k].kind != StepKind::matrix || steps[k].targets.size() > 2) continue;
    std::vector<std::uint8_t> more(set);
    for (const std::uint8_t b : steps[k].targets)
      if (std::find(more.begin(), more.end(), b) == more.end()) more.push_back(b);
    if (more.size() > static_cast<std::size_t>(register_bits_)) break;
    set = std::move(more);
  }
  want_registers(set);
}

void Translator::register_matrix(const std::vector<Step>& steps, std::size_t i) {
  room(36, 1);
  make_resident(steps, i);
  if (steps[i].targets.size() == 2) return two_targets(steps[i]);
  one_target(steps[i]);
}

void Translator::one_target(const Step& step) {
  const Controls c = controls(step.control_mask, step.control_value, true);
  const int reg = register_of(tile_of_[step.targets[0]]);
  const cdouble* m = binding_.matrices.data() + step.matrix;
  if (step.shape == MatrixShape::flip) return flip(c, reg);
  if (c.none()) {
    const OneTarget one = lifted(m);
    layer(one.kind, reg, one.reals);
    phased_ |= one.scale.imag() != 0;
    scale_ *= one.scale;
    return rescale_if_small();
  }
  Op op{};
  op.kind = OpKind::dense1;
  op.registers = static_cast<std::uint8_t>(1u << reg);
  std::vector<double> slots(static_cast<std::size_t>(8 * register_bits_));
  const std::vector<double> entries = reals({m[0], m[1], m[2], m[3]});
  std::copy(entries.begin(), entries.end(), slots.begin() + 8 * reg);
  op.data = coefficients(slots);
  set(op, c);
  push(op, op.registers | c.reg_mask);
}

void Translator::flip(const Controls& c, int reg) {
  if (c.none()) return layer(OpKind::flip, reg, {});
  const bool one_register = std::popcount(c.reg_mask) == 1;
  Op op{};
  Controls rest = c;
  if (one_register) {
    op.kind = OpKind::cx;
    op.reg0 = static_cast<std::uint8_t>(std::countr_zero(c.reg_mask)) & 7u;
    op.reg1 = static_cast<std::uint8_t>(reg) & 7u;
    rest.reg_mask = rest.reg_value = 0;
  } else {
    op.kind = OpKind::flip;
    op.registers = static_cast<std::uint8_t>(1u << reg);
  }
  set(op, rest);
  push(op, 1u << reg | c.reg_mask);
  if (one_register && c.reg_value == 0) flip(rest, reg);  // where the control is 0: both, where it is 1: twice
}

/// Joins an uncontrolled gate to an earlier layer of its kind, past ops that leave its bit alone. Every bit of a layer has a slot of
/// coefficients, so that joining moves nothing.
void Translator::layer(OpKind kind, int reg, std::span<const double> reals) {
  const unsigned bit = 1u << reg;
  const std::size_t slot = reals_of(kind), size = static_cast<std::size_t>(real_bytes_);
  const auto write = [&](std::uint32_t at) {
    for (std::size_t k = 0; k < reals.size(); ++k) put(coefficients_, at + (static_cast<std::size_t>(reg) * slot + k) * size, reals[k]);
  };
  for (std::size_t k = ops_.size(); k-- > epoch_;) {
    Op& other = ops_[k];
    const bool guarded = !guards_.empty() && std::any_of(guards_.begin(), guards_.end(), [&](const Guard& g) { return g.op == k; });
    if (other.kind == kind && other.thread_mask == 0 && other.reg_mask == 0 && !guarded && (other.registers & bit) == 0) {
      other.registers = static_cast<std::uint8_t>(other.registers | bit);
      touches_[k] |= bit;
      return write(other.data);
    }
    if ((touches_[k] & bit) != 0) break;
  }
  Op op{};
  op.kind = kind;
  op.registers = static_cast<std::uint8_t>(bit);
  op.data = coefficients(std::vector<double>(static_cast<std::size_t>(register_bits_) * slot));
  write(op.data);
  push(op, bit);
}

/// Amplitudes grow while the scale waits: not out of range.
void Translator::rescale_if_small() {
  const double size = std::abs(scale_);
  if (size > (real_bytes_ == 4 ? 0x1p-40 : 0x1p-400)) return;
  Op op{};
  op.kind = OpKind::rescale;
  op.data = coefficients(std::array{size});
  push(op, 0);
  scale_ /= size;
}

void Translator::two_targets(const Step& step) {
  const Controls c = controls(step.control_mask, step.control_value, true);
  const cdouble* m = binding_.matrices.data() + step.matrix;
  const int r0 = register_of(tile_of_[step.targets[0]]), r1 = register_of(tile_of_[step.targets[1]]);
  const std::array<int, 4> order = r0 < r1 ? std::array{0, 1, 2, 3} : std::array{0, 2, 1, 3};
  const auto entry = [&](int r, int col) { return m[4 * order[static_cast<std::size_t>(r)] + order[static_cast<std::size_t>(col)]]; };
  bool odd = close(entry(0, 0), entry(3, 3)) && std::norm(entry(0, 0)) > 0x1p-20;  // the same number where the bits agree
  for (int r = 0; r < 4; ++r)
    for (int col = 0; col < 4; ++col)
      if (r != col && r + col != 3) odd = odd && std::abs(entry(r, col)) < kRounding;
  odd = odd && std::abs(entry(0, 3)) < kRounding && std::abs(entry(3, 0)) < kRounding && (c.none() || close(entry(0, 0), 1));
  Op op{};
  op.reg0 = static_cast<std::uint8_t>(std::min(r0, r1)) & 7u;
  op.reg1 = static_cast<std::uint8_t>(std::max(r0, r1)) & 7u;
  std::vector<double> entries;
  if (odd) {
    op.kind = OpKind::odd2;
    const cdouble scale = c.none() ? entry(0, 0) : 1;
    const cdouble same = entry(1, 1) / scale, other = entry(1, 2) / scale;
    entries = reals({same, other, entry(2, 1) / scale, entry(2, 2) / scale});
    if (std::norm(same) > 0x1p-20 && close(entry(2, 2), entry(1, 1)) && close(entry(2, 1), entry(1, 2))) {
      const cdouble t = other / same;
      if (std::abs(t.real()) < kRounding * (1 + std::abs(t))) {
        entries.push_back(t.imag());
        op.extra = 1;
      }
    }
    phased_ |= scale.imag() != 0;
    scale_ *= scale;
  } else {
    op.kind = OpKind::dense2;
    for (int r = 0; r < 4; ++r)
      for (int col = 0; col < 4; ++col) entries.insert(entries.end(), {entry(r, col).real(), entry(r, col).imag()});
  }
  op.data = coefficients(entries);
  set(op, c);
  push(op, 1u << r0 | 1u << r1 | c.reg_mask);
}

/// Before amplitudes of several threads are mixed. In an op of its own: a guard may drop the op that mixes.
void Translator::settle() {
  if (!pending_) return;
  Op op{};
  op.kind = OpKind::settle;
  push(op, 0);
  pending_ = false;
}

/// Matrices of three and more targets, permutations, and everything of a small tile: through shared memory.
void Translator::any_op(const Step& step) {
  room(0, 1);
  settle();
  Op op{};
  const Controls c = controls(step.control_mask, step.control_value, false);
  Map map{};
  for (std::size_t k = 0; k < step.targets.size(); ++k) map.bit[k] = static_cast<std::uint8_t>(tile_of_[step.targets[k]]);
  maps_.push_back(map);
  op.data = static_cast<std::uint32_t>(maps_.size() - 1);
  op.count = static_cast<std::uint8_t>(step.targets.size());
  const std::size_t size = std::size_t{1} << step.targets.size();
  if (step.kind == StepKind::permutation) {
    op.kind = OpKind::permute_any;
    std::vector<std::byte>& tables = out_.back().tables;
    const std::size_t at = (tables.size() + 15) / 16 * 16;
    tables.resize(at + size * sizeof(std::uint32_t));
    for (std::size_t k = 0; k < size; ++k) {
      const auto from = static_cast<std::uint32_t>(k);
      std::memcpy(tables.data() + at + step.table[k] * sizeof from, &from, sizeof from);
    }
    op.extra = static_cast<std::uint32_t>(at / 16);
  } else {
    op.kind = OpKind::matrix_any;
    op.extra = table(std::span(binding_.matrices).subspan(step.matrix, size * size));
  }
  set(op, c);
  push(op, (1u << register_bits_) - 1);
}

}  // namespace ketmesh::kernels::cuda
