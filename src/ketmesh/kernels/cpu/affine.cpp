#include "ketmesh/kernels/cpu/affine.hpp"

#include <algorithm>
#include <bit>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::cpu {
namespace {

using Rows = std::vector<Index>;  // row r: which input bits output bit r adds up

int weight(const Rows& rows) {
  int sum = 0;
  for (const Index r : rows) sum += std::popcount(r);
  return sum;
}

/// The row operation (to += from) that lowers the weight most, if one does.
std::optional<AffineMoves::Move> best_reduction(const Rows& rows) {
  std::optional<AffineMoves::Move> best;
  int gain = 0;
  for (std::size_t to = 0; to < rows.size(); ++to)
    for (std::size_t from = 0; from < rows.size(); ++from) {
      if (from == to) continue;
      const int g = std::popcount(rows[to]) - std::popcount(rows[to] ^ rows[from]);
      if (g > gain) {
        gain = g;
        best = AffineMoves::Move{static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(to)};
      }
    }
  return best;
}

/// Plain elimination to the identity.
void eliminate(Rows& rows, std::vector<AffineMoves::Move>& operations) {
  const auto add = [&](std::size_t from, std::size_t to) {
    rows[to] ^= rows[from];
    operations.push_back({static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(to)});
  };
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (!bits::test(rows[c], static_cast<int>(c)))
      for (std::size_t r = c + 1; r < rows.size(); ++r)
        if (bits::test(rows[r], static_cast<int>(c))) {
          add(r, c);
          break;
        }
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (r != c && bits::test(rows[r], static_cast<int>(c))) add(c, r);
  }
}

}  // namespace

std::optional<AffineMoves> decompose_affine(const std::vector<Index>& table) {
  const int k = std::countr_zero(table.size());
  const Index constant = table[0];
  std::vector<Index> columns(static_cast<std::size_t>(k));
  for (int j = 0; j < k; ++j) columns[static_cast<std::size_t>(j)] = table[bits::one(j)] ^ constant;
  for (Index i = 1; i < table.size(); ++i) {
    const Index low = i & (~i + 1);
    if (table[i] != (table[i ^ low] ^ columns[static_cast<std::size_t>(bits::lowest(low))])) return std::nullopt;
  }
  Rows rows(static_cast<std::size_t>(k));
  for (int r = 0; r < k; ++r)
    for (int c = 0; c < k; ++c)
      if (bits::test(columns[static_cast<std::size_t>(c)], r)) rows[static_cast<std::size_t>(r)] |= bits::one(c);
  AffineMoves out;
  while (weight(rows) > k) {
    const auto move = best_reduction(rows);
    if (!move) break;
    rows[move->to] ^= rows[move->from];
    out.moves.push_back(*move);
  }
  eliminate(rows, out.moves);
  // Operations that turn the matrix into the identity, in reverse, make it.
  std::reverse(out.moves.begin(), out.moves.end());
  bits::for_each(constant, [&](int b) { out.flips.push_back(static_cast<std::uint8_t>(b)); });
  return out;
}

}  // namespace ketmesh::kernels::cpu
