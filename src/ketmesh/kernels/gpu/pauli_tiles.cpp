#include "ketmesh/kernels/gpu/pauli_tiles.hpp"

#include <algorithm>
#include <numeric>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels {
namespace {

PauliReads plan_with_rows(std::span<const PauliMasks> terms, int local_bits, int tile_bits, int rows) {
  const Index local = bits::low_mask(local_bits), row_mask = bits::low_mask(rows);
  std::vector<std::size_t> left(terms.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  // By highest flipped bit: strings of neighbouring bits share a tile.
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return (terms[a].x & local) < (terms[b].x & local); });
  PauliReads out;
  while (!left.empty()) {
    Index tile = row_mask;
    PauliRead read;
    read.rows = rows;
    std::vector<std::size_t> later;
    for (const std::size_t t : left) {
      const Index with = tile | (terms[t].x & local);
      if (bits::count(with) <= tile_bits) {
        tile = with;
        read.terms.push_back(t);
      } else {
        later.push_back(t);
      }
    }
    if (read.terms.empty()) {
      out.alone = later;
      break;
    }
    for (int b = 0; b < local_bits && bits::count(tile) < std::min(tile_bits, local_bits); ++b) tile |= bits::one(b);
    bits::for_each(tile, [&](int b) { read.tile.push_back(static_cast<std::uint8_t>(b)); });
    out.reads.push_back(std::move(read));
    left = std::move(later);
  }
  return out;
}

}  // namespace

PauliReads plan_pauli_reads(std::span<const PauliMasks> terms, int local_bits, int tile_bits, int rows) {
  const int tile = std::min(tile_bits, local_bits), most = std::min(rows, tile);
  PauliReads best = plan_with_rows(terms, local_bits, tile, most);
  if (most < 2) return best;
  PauliReads shorter = plan_with_rows(terms, local_bits, tile, most - 1);
  const auto cost = [](const PauliReads& r) { return r.reads.size() + 2 * r.alone.size(); };
  return cost(shorter) < cost(best) ? shorter : best;
}

}  // namespace ketmesh::kernels
