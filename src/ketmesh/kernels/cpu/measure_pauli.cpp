// Expectation values of many Pauli strings in few reads. A read pass loads tiles that hold the flipped bits of as many strings as fit; inside a
// tile, strings that flip the same bits share their products, and all sign patterns are summed by one butterfly that leaves out unused branches.
#include <algorithm>
#include <vector>

#include "ketmesh/kernels/cpu/measure_kernels.hpp"

namespace ketmesh::kernels::cpu {
namespace {

constexpr int kTileBits = 14;       // planes of doubles, products and scratch stay in the second cache
constexpr int kTileRowBits = 4;     // 128 bytes of single precision
constexpr int kFewestPairBits = 3;  // a half tile is walked in runs of at least so many elements

/// One sign pattern over the bits of a tile; the sums of a group's patterns are stored in their order.
struct Signs {
  Index mask = 0;
  std::uint32_t slot = 0;
};

struct TermOfGroup {
  std::size_t term = 0;    // in the caller's list
  std::uint32_t slot = 0;  // of its sign pattern
  Index outer_signs = 0;   // z outside the tile
};

/// Terms that flip the same bits and whose partner elements have the same relative sign.
struct Group {
  Index x = 0;       // local bits
  bool odd = false;  // parity of x & z: the sum over a pair is imaginary
  std::vector<TermOfGroup> terms;
  // In the tile of the pass:
  Index flip = 0;             // x as tile bits
  int pair_bit = -1;          // only elements with this tile bit 0 are taken, each for its pair; -1: all elements
  std::vector<Signs> signs;   // ascending masks
  std::size_t first_sum = 0;  // of its terms in the sums of the pass
};

struct ReadPass {
  Index tile = 0;     // physical bits of the tile
  Index partner = 0;  // local bits outside the tile in which the partner tile differs
  std::vector<Group> groups;
  std::size_t num_sums = 0;
};

std::vector<Group> group_terms(std::span<const PauliMasks> terms, Index local) {
  std::vector<std::size_t> order(terms.size());
  for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
  const auto odd = [&](std::size_t t) { return bits::parity(terms[t].x & terms[t].z); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return terms[a].x != terms[b].x ? (terms[a].x & local) < (terms[b].x & local) : odd(a) < odd(b);
  });
  std::vector<Group> groups;
  for (const auto t : order) {
    if (groups.empty() || groups.back().x != (terms[t].x & local) || groups.back().odd != odd(t))
      groups.push_back({.x = terms[t].x & local, .odd = odd(t)});
    groups.back().terms.push_back({.term = t});
  }
  return groups;
}

/// Distributes the groups over as few passes as a greedy choice finds, lowest flipped bits first.
std::vector<ReadPass> plan_passes(std::vector<Group> pending, int local_bits) {
  const int tile_bits = std::min(kTileBits, local_bits);
  const Index rows = bits::low_mask(std::min(kTileRowBits, tile_bits));
  std::vector<ReadPass> passes;
  while (!pending.empty()) {
    ReadPass pass;
    if (bits::count(pending.front().x | rows) > tile_bits) {
      pass.tile = bits::low_mask(tile_bits);
      pass.partner = pending.front().x & ~pass.tile;
    } else {
      pass.tile = rows;
      for (const auto& group : pending)
        if (bits::count(pass.tile | group.x) <= tile_bits) pass.tile |= group.x;
      for (int bit = 0; bits::count(pass.tile) < tile_bits; ++bit) pass.tile |= bits::one(bit);
    }
    const auto taken = [&](const Group& group) { return (group.x & ~pass.tile) == pass.partner; };
    for (auto& group : pending)
      if (taken(group)) pass.groups.push_back(group);
    std::erase_if(pending, taken);
    passes.push_back(std::move(pass));
  }
  return passes;
}

/// Tile coordinates of a pass's groups.
void place_in_tile(ReadPass& pass, std::span<const PauliMasks> terms, bool cross) {
  for (auto& group : pass.groups) {
    group.flip = bits::extract(group.x & pass.tile, pass.tile);
    if (!cross && group.flip >= bits::one(kFewestPairBits)) group.pair_bit = 63 - std::countl_zero(group.flip);
    std::vector<Index> masks;
    for (auto& term : group.terms) {
      const Index z = terms[term.term].z;
      Index mask = bits::extract(z & pass.tile, pass.tile);
      if (group.pair_bit >= 0) mask = bits::extract(mask, ~bits::one(group.pair_bit));
      masks.push_back(mask);
      term.outer_signs = z & ~pass.tile;
    }
    auto distinct = masks;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::size_t k = 0; k < distinct.size(); ++k) group.signs.push_back({distinct[k], static_cast<std::uint32_t>(k)});
    for (std::size_t t = 0; t < masks.size(); ++t)
      group.terms[t].slot = static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), masks[t]) - distinct.begin());
    group.first_sum = pass.num_sums;
    pass.num_sums += group.terms.size();
  }
}

/// out[slot] = sum_i (-1)^{parity(i & (mask - base))} x_i for ascending masks; scratch has room for 2^bits.
template <typename Real>
void signed_sums(const VectorOps<Real>& ops, const double* x, int bits, Index base, std::span<const Signs> signs, double* scratch,
                 double* out) {
  if (signs.empty()) return;
  if (signs.size() == 1 && signs[0].mask == base) {
    out[signs[0].slot] = ops.sum(x, bits::one(bits));
    return;
  }
  if (bits <= 2) {
    for (const auto& s : signs) {
      double total = 0;
      for (Index i = 0; i < bits::one(bits); ++i) total += bits::parity(i & (s.mask - base)) ? -x[i] : x[i];
      out[s.slot] = total;
    }
    return;
  }
  const Index half = bits::one(bits - 1);
  const auto middle = std::partition_point(signs.begin(), signs.end(), [&](const Signs& s) { return s.mask - base < half; });
  const auto even = signs.first(static_cast<std::size_t>(middle - signs.begin())), odd = signs.subspan(even.size());
  if (!even.empty()) {
    ops.add_halves(x, half, scratch);
    signed_sums(ops, scratch, bits - 1, base, even, scratch + half, out);
  }
  if (!odd.empty()) {
    ops.subtract_halves(x, half, scratch);
    signed_sums(ops, scratch, bits - 1, base + half, odd, scratch + half, out);
  }
}

/// The buffers of one thread.
struct Workspace {
  int bits = 0;
  std::vector<double> a_re, a_im, b_re, b_im, product_re, product_im, scratch, sums_re, sums_im;
  Workspace(int tile_bits, bool cross, std::size_t most_signs) : bits(tile_bits) {
    const std::size_t size = bits::one(tile_bits);
    for (auto* v : {&a_re, &a_im, &product_re, &product_im, &scratch}) v->resize(size);
    if (cross)
      for (auto* v : {&b_re, &b_im}) v->resize(size);
    sums_re.resize(most_signs);
    sums_im.resize(most_signs);
  }
};

/// Loads a tile as planes, row by row: the lowest bits of a tile are contiguous.
template <typename Real>
void load_tile(const VectorOps<Real>& ops, const Shard& shard, Index origin, Index tile, double* re, double* im) {
  const int row_bits = std::countr_one(tile);
  const Index row = bits::one(row_bits), rest = tile & ~bits::low_mask(row_bits);
  Index offset = 0;
  do {
    ops.split(reals<Real>(shard) + 2 * (origin | offset), row, re, im);
    re += row;
    im += row;
    offset = (offset - rest) & rest;  // the next combination of the bits of rest
  } while (offset != 0);
}

/// The sums of a group's sign patterns over one tile, into the workspace.
template <typename Real>
void group_sums(const VectorOps<Real>& ops, const Group& group, bool cross, bool both_parts, Workspace& w) {
  const double *b_re = cross ? w.b_re.data() : w.a_re.data(), *b_im = cross ? w.b_im.data() : w.a_im.data();
  const bool want_re = both_parts || !group.odd, want_im = both_parts || group.odd;
  const bool plain = group.signs.size() == 1 && group.signs[0].mask == 0;
  // All elements in one run, or each run whose pair bit is 0 with the one whose pair bit is 1.
  const int run_bits = group.pair_bit < 0 ? w.bits : group.pair_bit;
  const Index run = bits::one(run_bits), step = group.pair_bit < 0 ? run : 2 * run, offset = group.pair_bit < 0 ? 0 : run;
  const Index flip = group.flip & (run - 1);
  cdouble total = 0;
  double *re = w.product_re.data(), *im = w.product_im.data();
  for (Index i = 0; i < bits::one(w.bits); i += step) {
    if (plain) {
      total += ops.pair_sum(w.a_re.data() + i, w.a_im.data() + i, b_re + i + offset, b_im + i + offset, run, flip);
    } else {
      ops.pair_products(w.a_re.data() + i, w.a_im.data() + i, b_re + i + offset, b_im + i + offset, run, flip, want_re ? re : nullptr,
                        want_im ? im : nullptr);
      re += run;
      im += run;
    }
  }
  if (plain) {
    w.sums_re[0] = total.real();
    w.sums_im[0] = total.imag();
    return;
  }
  const int bits = group.pair_bit < 0 ? w.bits : w.bits - 1;
  if (want_re) signed_sums(ops, w.product_re.data(), bits, 0, group.signs, w.scratch.data(), w.sums_re.data());
  if (want_im) signed_sums(ops, w.product_im.data(), bits, 0, group.signs, w.scratch.data(), w.sums_im.data());
}

template <typename Real>
void run_read_pass(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& shard, const Shard& partner, bool other_shard,
                   const ReadPass& pass, cdouble* sums) {
  const int tile_bits = bits::count(pass.tile);
  const bool cross = other_shard || pass.partner != 0;
  // Tiles of one shard that are each other's partners are taken once, at the one whose highest partner bit is 0.
  Index outer = bits::low_mask(shard.local_bits) & ~pass.tile;
  if (!other_shard && pass.partner != 0) outer &= ~bits::one(63 - std::countl_zero(pass.partner));
  const Index tiles = bits::one(bits::count(outer));
  // Few sums a unit when there are many terms: the partial sums stay small beside the state.
  const Index most_units =
      std::max<Index>(8, std::min(kSumUnits, std::bit_floor((Index{1} << 20) / std::max<std::size_t>(1, pass.num_sums) + 1)));
  const Index units = std::min(tiles, most_units), per_unit = tiles / units;
  std::size_t most_signs = 1;
  for (const auto& group : pass.groups) most_signs = std::max(most_signs, group.signs.size());
  std::vector<cdouble> partial(units * pass.num_sums);
#pragma omp parallel num_threads(context.threads) if (worth_threads(context, shard.size()) && units > 1)
  {
    Workspace w(tile_bits, cross, most_signs);
#pragma omp for schedule(static)
    for (std::int64_t unit = 0; unit < static_cast<std::int64_t>(units); ++unit) {
      cdouble* unit_sums = partial.data() + static_cast<std::size_t>(unit) * pass.num_sums;
      for (Index t = static_cast<Index>(unit) * per_unit; t < (static_cast<Index>(unit) + 1) * per_unit; ++t) {
        const Index origin = bits::deposit(t, outer);
        load_tile(ops, shard, origin, pass.tile, w.a_re.data(), w.a_im.data());
        if (cross) load_tile(ops, partner, origin ^ pass.partner, pass.tile, w.b_re.data(), w.b_im.data());
        for (const auto& group : pass.groups) {
          group_sums(ops, group, cross, other_shard, w);
          const bool re = other_shard || !group.odd, im = other_shard || group.odd;
          for (std::size_t k = 0; k < group.terms.size(); ++k) {
            const auto& term = group.terms[k];
            const cdouble sum(re ? w.sums_re[term.slot] : 0.0, im ? w.sums_im[term.slot] : 0.0);
            unit_sums[group.first_sum + k] += bits::parity((shard.base + origin) & term.outer_signs) ? -sum : sum;
          }
        }
      }
    }
  }
  for (const auto& group : pass.groups)
    for (std::size_t k = 0; k < group.terms.size(); ++k) {
      cdouble sum = 0;
      for (Index unit = 0; unit < units; ++unit) sum += partial[unit * pass.num_sums + group.first_sum + k];
      const bool halved = group.pair_bit >= 0 || (cross && !other_shard);
      sums[group.terms[k].term] += halved ? 2.0 * sum : sum;
    }
}

}  // namespace

template <typename Real>
void pauli_sums(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& shard, const Shard& partner,
                std::span<const PauliMasks> terms, cdouble* sums) {
  const bool other_shard = partner.data != shard.data;
  for (auto& pass : plan_passes(group_terms(terms, bits::low_mask(shard.local_bits)), shard.local_bits)) {
    place_in_tile(pass, terms, other_shard || pass.partner != 0);
    run_read_pass(ops, context, shard, partner, other_shard, pass, sums);
  }
}

template void pauli_sums<float>(const VectorOps<float>&, const DeviceContext&, const Shard&, const Shard&, std::span<const PauliMasks>,
                                cdouble*);
template void pauli_sums<double>(const VectorOps<double>&, const DeviceContext&, const Shard&, const Shard&, std::span<const PauliMasks>,
                                 cdouble*);

}  // namespace ketmesh::kernels::cpu
