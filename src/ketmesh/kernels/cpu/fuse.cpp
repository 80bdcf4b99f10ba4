#include "ketmesh/kernels/cpu/fuse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ketmesh/kernels/cpu/cross.hpp"
#include "ketmesh/kernels/cpu/lift.hpp"

namespace ketmesh::kernels::cpu {
namespace {

using Matrix4 = std::array<cdouble, 16>;

cdouble times(cdouble a, cdouble b) { return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()}; }

Matrix4 multiply(const Matrix4& a, const Matrix4& b) {
  Matrix4 out{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t c = 0; c < 4; ++c) out[4 * r + c] += times(a[4 * r + k], b[4 * k + c]);
  return out;
}

/// `m` (2 x 2) on matrix bit `bit`.
Matrix4 widen(const std::array<cdouble, 16>& m, int bit) {
  Matrix4 out{};
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned c = 0; c < 4; ++c)
      if (((r ^ c) & ~(1U << bit)) == 0) out[4 * r + c] = m[2 * ((r >> bit) & 1) + ((c >> bit) & 1)];
  return out;
}

/// A block with its matrix bits in the order of `targets`.
struct Block {
  std::array<std::uint8_t, 2> targets{};
  Matrix4 matrix{};
  std::vector<std::uint32_t> before;  ///< one-target matrices that may be taken in
  std::size_t parts = 1;
  int bit_of(std::uint8_t target) const { return targets[0] == target ? 0 : 1; }
  std::uint32_t mask() const { return std::uint32_t{1} << targets[0] | std::uint32_t{1} << targets[1]; }
};

class Fuser {
 public:
  explicit Fuser(std::vector<TileOp> ops) : ops_(std::move(ops)), dead_(ops_.size()), block_at_(ops_.size(), -1) { open_.fill(-1); }

  std::vector<TileOp> run() {
    for (std::uint32_t i = 0; i < ops_.size(); ++i) visit(i);
    for (auto& block : blocks_)
      if (block.parts > 1 || !block.before.empty()) decide(block);
    std::vector<TileOp> out;
    out.reserve(ops_.size());
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      if (dead_[i]) continue;
      const std::int32_t b = block_at_[i];
      if (ops_[i].kind == OpKind::matrix1 && is_free(ops_[i]) && split(ops_[i], out)) continue;
      if (b < 0 || blocks_[static_cast<std::size_t>(b)].parts == 1)
        out.push_back(std::move(ops_[i]));
      else
        append(blocks_[static_cast<std::size_t>(b)], out);
    }
    return out;
  }

 private:
  static bool is_free(const TileOp& op) { return op.control_mask == 0 && op.condition.always(); }

  static void append_phase(std::uint32_t bit_mask, double angle, std::vector<TileOp>& out) {
    if (angle == 0) return;
    TileOp op;
    op.term.mask = op.term.value = bit_mask;
    op.term.angle = angle;
    out.push_back(std::move(op));
  }

  /// A one-target unitary without a lifted form as diagonal * real rotation * diagonal: the rotation costs two multiply-adds an
  /// amplitude and the diagonals join the phases around.
  static bool split(const TileOp& op, std::vector<TileOp>& out) {
    const auto& m = op.matrix;
    if (lift(m.data()) || std::abs(m[0]) < 1e-3 || std::abs(m[1]) < 1e-3) return false;
    // m = e^{i a} [[c, -s e^{i g}], [s e^{i b}, c e^{i (b + g)}]]
    const double c = std::abs(m[0]), s = std::abs(m[2]), a = std::arg(m[0]);
    const double b = std::arg(m[2]) - a, g = std::arg(-m[1]) - a;
    const cdouble last = std::polar(c, a + b + g);
    if (std::abs(last - m[3]) > 1e-14 || std::abs(std::abs(m[1]) - s) > 1e-14) return false;  // not unitary to rounding
    append_phase(op.moved, g, out);
    TileOp rotation = op;
    rotation.matrix = {c, -s, s, c};
    out.push_back(std::move(rotation));
    append_phase(op.moved, b, out);
    append_phase(0, a, out);
    return true;
  }

  Block* common_block(std::uint32_t mask) {
    std::int32_t found = -1;
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const std::int32_t b = open_[static_cast<std::size_t>(std::countr_zero(m))];
      if (b < 0 || (found >= 0 && b != found)) return nullptr;
      found = b;
    }
    return found < 0 ? nullptr : &blocks_[static_cast<std::size_t>(found)];
  }

  /// Ends the blocks and runs that touch these bits.
  void close(std::uint32_t mask) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(m));
      tail_[bit].clear();
      const std::int32_t b = open_[bit];
      if (b < 0) continue;
      for (const auto t : blocks_[static_cast<std::size_t>(b)].targets) open_[t] = -1;
    }
  }

  void visit(std::uint32_t i) {
    const TileOp& op = ops_[i];
    if (op.kind == OpKind::term) return term(i);
    if (is_free(op) && op.kind == OpKind::matrix1) {
      if (Block* block = common_block(op.moved)) return take(*block, i, widen(op.matrix, block->bit_of(op.targets[0])));
      tail_[op.targets[0]].push_back(i);
      return;
    }
    if (is_free(op) && (op.kind == OpKind::matrix2 || op.kind == OpKind::cross2)) return pair(i);
    close(op.moved | op.control_mask);
  }

  void take(Block& block, std::uint32_t i, const Matrix4& matrix) {
    block.matrix = multiply(matrix, block.matrix);
    ++block.parts;
    dead_[i] = true;
  }

  void term(std::uint32_t i) {
    const TileTerm& t = ops_[i].term;
    if (t.bits() == 0) return;
    Block* block = t.is_static() && t.table == nullptr ? common_block(t.bits()) : nullptr;
    if (block == nullptr) return close(t.bits());
    Matrix4 diagonal{};
    for (std::uint32_t x = 0; x < 4; ++x) {
      const std::uint32_t index = ((x & 1) << block->targets[0]) | ((x >> 1) << block->targets[1]);
      double angle = (index & t.mask) == t.value ? t.angle : 0.0;
      if ((std::popcount(index & t.parity_mask) & 1) != 0) angle = -angle;
      diagonal[5 * x] = {std::cos(angle), std::sin(angle)};
    }
    take(*block, i, diagonal);
  }

  void pair(std::uint32_t i) {
    const TileOp& op = ops_[i];
    Matrix4 m = op.kind == OpKind::cross2 ? cross_matrix(op) : op.matrix;
    if (Block* block = common_block(op.moved)) {
      if (block->targets[0] != op.targets[0]) {  // the other order of the same pair
        const auto exchanged = [](std::size_t x) { return (x & 1) << 1 | x >> 1; };
        Matrix4 other{};
        for (std::size_t r = 0; r < 4; ++r)
          for (std::size_t c = 0; c < 4; ++c) other[4 * r + c] = m[4 * exchanged(r) + exchanged(c)];
        m = other;
      }
      return take(*block, i, m);
    }
    Block block{op.targets, m, {}, 1};
    for (const auto t : op.targets) block.before.insert(block.before.end(), tail_[t].begin(), tail_[t].end());
    close(op.moved);
    block_at_[i] = static_cast<std::int32_t>(blocks_.size());
    for (const auto t : op.targets) open_[t] = block_at_[i];
    blocks_.push_back(std::move(block));
  }

  /// A dense block takes the matrices before it in for nothing; a cross would lose its form.
  void decide(Block& block) {
    if (cross_form(block.matrix.data())) return;
    for (auto b = block.before.rbegin(); b != block.before.rend(); ++b) {
      block.matrix = multiply(block.matrix, widen(ops_[*b].matrix, block.bit_of(ops_[*b].targets[0])));
      ++block.parts;
      dead_[*b] = true;
    }
  }

  static void append(const Block& block, std::vector<TileOp>& out) {
    TileOp op;
    op.kind = OpKind::matrix2;
    op.targets = block.targets;
    op.moved = block.mask();
    op.matrix = block.matrix;
    if (const auto form = cross_form(block.matrix.data()))
      append_cross(*form, op, out);
    else
      out.push_back(std::move(op));
  }

  std::vector<TileOp> ops_;
  std::vector<bool> dead_;
  std::vector<std::int32_t> block_at_;
  std::vector<Block> blocks_;
  std::array<std::int32_t, 32> open_{};
  std::array<std::vector<std::uint32_t>, 32> tail_;
};

}  // namespace

std::vector<TileOp> fuse_pairs(std::vector<TileOp> ops) {
  const bool changes = std::any_of(ops.begin(), ops.end(), [](const TileOp& op) {
    return op.kind == OpKind::matrix2 || op.kind == OpKind::cross2 || (op.kind == OpKind::matrix1 && !lift(op.matrix.data()));
  });
  if (!changes) return ops;
  return Fuser(std::move(ops)).run();
}

}  // namespace ketmesh::kernels::cpu
