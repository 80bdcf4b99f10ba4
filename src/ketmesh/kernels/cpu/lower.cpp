#include "ketmesh/kernels/cpu/lower.hpp"

#include <algorithm>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/cpu/affine.hpp"
#include "ketmesh/kernels/cpu/cross.hpp"

namespace ketmesh::kernels::cpu {
namespace {

/// A mask of physical bits split into tile bits and bits outside.
struct Split {
  std::uint32_t tile = 0;
  Index outside = 0;
};

class Lowering {
 public:
  Lowering(const Binding& binding, const std::array<std::int8_t, 64>& position, Lowered& out)
      : binding_(binding), position_(position), out_(out) {}

  void step(const Step& step) {
    switch (step.kind) {
      case StepKind::phases:
        return phases(step);
      case StepKind::permutation:
        return permutation(step);
      case StepKind::matrix:
        return matrix(step);
    }
    throw Internal("a step of no known kind");
  }

 private:
  /// Place of a bit in the tile, negative for a bit outside.
  int position(std::size_t bit) const { return static_cast<int>(position_[bit]); }

  Split split(Index mask) const {
    Split out;
    bits::for_each(mask, [&](int b) {
      const int p = position(static_cast<std::size_t>(b));
      if (p >= 0)
        out.tile |= std::uint32_t{1} << p;
      else
        out.outside |= bits::one(b);
    });
    return out;
  }

  std::uint8_t target(const Step& step, std::size_t j) const {
    const int p = position(step.targets[j]);
    if (p < 0) throw Internal("target bit " + std::to_string(step.targets[j]) + " of a step is not in the tile of its pass");
    return static_cast<std::uint8_t>(p);
  }

  TileOp controlled(const Step& step, OpKind kind) const {
    TileOp op;
    op.kind = kind;
    const Split mask = split(step.control_mask), value = split(step.control_value);
    op.control_mask = mask.tile;
    op.control_value = value.tile;
    op.condition.mask = mask.outside;
    op.condition.value = value.outside;
    return op;
  }

  void phases(const Step& step) {
    for (const auto& term : step.terms) {
      TileOp op;
      TileTerm& t = op.term;
      Index mask = step.control_mask, value = step.control_value;
      const Index own_mask = term.kind == PhaseTerm::Kind::match ? term.mask : term.control_mask;
      const Index own_value = term.kind == PhaseTerm::Kind::match ? term.value : term.control_value;
      if (((value ^ own_value) & mask & own_mask) != 0) continue;  // never both
      mask |= own_mask;
      value |= own_value;
      if ((value & ~mask) != 0) continue;
      const Split m = split(mask), v = split(value);
      t.mask = m.tile;
      t.value = v.tile;
      t.condition.mask = m.outside;
      t.condition.value = v.outside;
      if (term.kind == PhaseTerm::Kind::table) {
        Index all = 0;
        for (const auto b : term.bits) all |= bits::one(b);
        const Split read = split(all);
        t.table = &term;
        t.table_bits = read.tile;
        t.outside_table = read.outside;
      } else {
        t.angle = binding_.angles[term.angle];
        if (t.angle == 0) continue;
        if (term.kind == PhaseTerm::Kind::parity) {
          const Split p = split(term.mask);
          t.parity_mask = p.tile;
          t.outside_parity = p.outside;
        }
      }
      out_.ops.push_back(std::move(op));
    }
  }

  void flip(const Step& step, std::uint8_t target_bit, std::uint32_t extra_control) {
    TileOp op = controlled(step, OpKind::flip);
    op.targets[0] = target_bit;
    op.moved = std::uint32_t{1} << target_bit;
    op.control_mask |= extra_control;
    op.control_value |= extra_control;
    out_.ops.push_back(std::move(op));
  }

  void permutation(const Step& step) {
    const auto affine = decompose_affine(step.table);
    if (!affine) return wide(step, true);
    for (const auto& move : affine->moves) flip(step, target(step, move.to), std::uint32_t{1} << target(step, move.from));
    for (const auto j : affine->flips) flip(step, target(step, j), 0);
  }

  void matrix(const Step& step) {
    const std::size_t k = step.targets.size();
    if (k > 2) return wide(step, false);
    if (k == 1 && step.shape == MatrixShape::flip) return flip(step, target(step, 0), 0);
    const cdouble* m = binding_.matrices.data() + step.matrix;
    if (k == 1 && m[0] == 0.0 && m[3] == 0.0 && m[1] == 1.0 && m[2] == 1.0) return flip(step, target(step, 0), 0);
    if (k == 2)
      if (const auto form = cross_form(m)) return cross(step, *form);
    TileOp op = controlled(step, k == 1 ? OpKind::matrix1 : OpKind::matrix2);
    for (std::size_t j = 0; j < k; ++j) {
      op.targets[j] = target(step, j);
      op.moved |= std::uint32_t{1} << op.targets[j];
    }
    std::copy(m, m + (std::size_t{1} << (2 * k)), op.matrix.begin());
    out_.ops.push_back(std::move(op));
  }

  void cross(const Step& step, const CrossForm& form) {
    TileOp op = controlled(step, OpKind::cross2);
    for (std::size_t j = 0; j < 2; ++j) {
      op.targets[j] = target(step, j);
      op.moved |= std::uint32_t{1} << op.targets[j];
    }
    append_cross(form, op, out_.ops);
  }

  void wide(const Step& step, bool permutation) {
    TileOp op = controlled(step, OpKind::wide);
    const std::size_t k = step.targets.size(), size = std::size_t{1} << k;
    for (std::size_t j = 0; j < k; ++j) op.moved |= std::uint32_t{1} << target(step, j);
    op.wide = std::make_shared<WideOp>();
    op.wide->permutation = permutation;
    op.wide->control_value = op.control_value;
    op.wide->offsets.resize(size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < k; ++j)
        if (bits::test(i, static_cast<int>(j))) op.wide->offsets[i] |= std::uint32_t{1} << target(step, j);
    if (permutation)
      op.wide->table.assign(step.table.begin(), step.table.end());
    else
      op.wide->matrix.assign(binding_.matrices.begin() + step.matrix,
                             binding_.matrices.begin() + step.matrix + static_cast<std::ptrdiff_t>(size * size));
    out_.ops.push_back(std::move(op));
  }

  const Binding& binding_;
  const std::array<std::int8_t, 64>& position_;
  Lowered& out_;
};

}  // namespace

Lowered lower(const Pass& pass, const Binding& binding, const std::array<std::int8_t, 64>& position) {
  Lowered out;
  std::size_t count = 2 * pass.tile_bits.size();  // room for the moves of the store
  for (const auto& residency : pass.residencies)
    for (const auto& step : residency.steps) count += std::max<std::size_t>(1, step.terms.size());
  out.ops.reserve(count);
  Lowering lowering(binding, position, out);
  for (const auto& residency : pass.residencies)
    for (const auto& step : residency.steps) lowering.step(step);
  return out;
}

}  // namespace ketmesh::kernels::cpu
