// |a|^2: marginals over any bits, and groups of single probabilities.
#include <array>
#include <vector>

#include "ketmesh/kernels/cpu/measure_kernels.hpp"

namespace ketmesh::kernels::cpu {
namespace {

/// Adds neighbours that differ in `bit` for every bit of [0, bits) that `keep` lacks, from the highest; what is left lies contiguous.
template <typename Real>
void fold(const VectorOps<Real>& ops, double* x, int bits, Index keep) {
  int current = bits;
  for (int bit = bits - 1; bit >= 0; --bit) {
    if (bits::test(keep, bit)) continue;
    const Index half = bits::one(bit), segments = bits::one(current - bit - 1);
    if (half >= 8) {
      for (Index s = 0; s < segments; ++s) ops.add_halves(x + 2 * s * half, half, x + s * half);
    } else {
      for (Index s = 0; s < segments; ++s)
        for (Index i = 0; i < half; ++i) x[s * half + i] = x[2 * s * half + i] + x[2 * s * half + half + i];
    }
    --current;
  }
}

/// sums[j] = sum of |a|^2 over the elements of a block whose bits in `keep` are j (kept bits in ascending order). `sums` has room for 2^bits.
template <typename Real>
void block_sums(const VectorOps<Real>& ops, const Real* a, int bits, Index keep, double* sums) {
  if (keep == 0) {
    sums[0] = ops.square_sum(a, bits::one(bits));
    return;
  }
  const int run_bits = bits::lowest(keep);
  if (run_bits < 3) {
    ops.squares(a, bits::one(bits), sums);
    fold(ops, sums, bits, keep);
    return;
  }
  const Index run = bits::one(run_bits);
  for (Index r = 0; r < bits::one(bits - run_bits); ++r) sums[r] = ops.square_sum(a + 2 * r * run, run);
  fold(ops, sums, bits - run_bits, keep >> run_bits);
}

/// Where the bits of a marginal lie: in a block, in the number of the block, or in the number of the shard.
struct Split {
  int block_bits = 0;
  Index keep = 0;                                            ///< listed bits inside a block
  std::vector<Index> element_bin;                            ///< out index of each combination of them
  std::vector<std::uint8_t> block_positions, block_outputs;  ///< listed bits of the block number, and their bits of the out index
  Index other_blocks = 0;                                    ///< bits of the block number that are not listed
  Index constant = 0;                                        ///< out bits that the shard's number fixes
};

Split split_bits(const Shard& shard, std::span<const std::uint8_t> listed) {
  Split s;
  s.block_bits = std::min(kBlockBits, shard.local_bits);
  s.other_blocks = bits::low_mask(shard.local_bits - s.block_bits);
  std::array<int, 64> output_of{};
  for (std::size_t j = 0; j < listed.size(); ++j) {
    const int bit = listed[j];
    if (bit < s.block_bits) {
      s.keep |= bits::one(bit);
      output_of[static_cast<std::size_t>(bit)] = static_cast<int>(j);
    } else if (bit < shard.local_bits) {
      s.block_positions.push_back(static_cast<std::uint8_t>(bit - s.block_bits));
      s.block_outputs.push_back(static_cast<std::uint8_t>(j));
      s.other_blocks &= ~bits::one(bit - s.block_bits);
    } else if (bits::test(shard.base, bit)) {
      s.constant |= bits::one(static_cast<int>(j));
    }
  }
  s.element_bin.assign(bits::one(bits::count(s.keep)), 0);
  Index half = 1;
  bits::for_each(s.keep, [&](int bit) {
    for (Index i = 0; i < half; ++i) s.element_bin[half + i] = s.element_bin[i] | bits::one(output_of[static_cast<std::size_t>(bit)]);
    half <<= 1;
  });
  return s;
}

}  // namespace

template <typename Real>
void marginals(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& shard, std::span<const std::uint8_t> listed,
               double* out) {
  const Split s = split_bits(shard, listed);
  const Index bins = bits::one(static_cast<int>(s.block_positions.size()));  // blocks of different bins add to different entries of out
  const Index blocks_per_bin = bits::one(bits::count(s.other_blocks));
  const Index units_per_bin = bins >= kSumUnits ? 1 : std::min(blocks_per_bin, kSumUnits / bins);
  const Index per_unit = blocks_per_bin / units_per_bin, width = s.element_bin.size();
  std::vector<double> partial(units_per_bin == 1 ? 0 : bins * units_per_bin * width);
  const auto units = static_cast<std::int64_t>(bins * units_per_bin);
#pragma omp parallel num_threads(context.threads) if (worth_threads(context, shard.size()))
  {
    std::vector<double> sums(s.keep == 0 ? 1 : bits::one(s.block_bits)), total(width);
#pragma omp for schedule(static)
    for (std::int64_t unit = 0; unit < units; ++unit) {
      const Index bin = static_cast<Index>(unit) / units_per_bin, first = (static_cast<Index>(unit) % units_per_bin) * per_unit;
      const Index block_of_bin = bits::scatter(bin, std::span<const std::uint8_t>(s.block_positions));
      std::fill(total.begin(), total.end(), 0.0);
      for (Index k = first; k < first + per_unit; ++k) {
        const Index block = block_of_bin | bits::deposit(k, s.other_blocks);
        block_sums(ops, reals<Real>(shard) + 2 * (block << s.block_bits), s.block_bits, s.keep, sums.data());
        for (Index j = 0; j < width; ++j) total[j] += sums[j];
      }
      if (units_per_bin == 1) {
        double* to = out + (s.constant | bits::scatter(bin, std::span<const std::uint8_t>(s.block_outputs)));
        for (Index j = 0; j < width; ++j) to[s.element_bin[j]] += total[j];
      } else {
        std::copy(total.begin(), total.end(), partial.begin() + unit * static_cast<std::int64_t>(width));
      }
    }
  }
  if (units_per_bin == 1) return;
  for (Index unit = 0; unit < static_cast<Index>(units); ++unit) {
    double* to = out + (s.constant | bits::scatter(unit / units_per_bin, std::span<const std::uint8_t>(s.block_outputs)));
    for (Index j = 0; j < width; ++j) to[s.element_bin[j]] += partial[unit * width + j];
  }
}

namespace {

/// Where index bits of a group lie in memory: a piece of the free bits, in tables over both of its halves.
struct Place {
  Index physical = 0, element = 0;
};

Place place_of(Index value, std::span<const std::uint8_t> physical, std::span<const std::uint8_t> element) {
  return {bits::scatter(value, physical), bits::scatter(value, element)};
}

/// Groups that differ only in bits inside a row of memory: they are read together.
struct Bundle {
  std::size_t first = 0, last = 0;  // of the groups
};

constexpr int kRowBits = 5;
constexpr int kTableBits = 10;

}  // namespace

template <typename Real>
void probabilities(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& shard, std::span<const std::uint8_t> free,
                   std::span<const Index> fixed, double* out) {
  const int free_bits = static_cast<int>(free.size());
  // Contiguous in memory and in the output: long runs.
  int run_bits = 0;
  while (run_bits < free_bits && free[static_cast<std::size_t>(run_bits)] == run_bits && run_bits < std::min(shard.local_bits, kBlockBits))
    ++run_bits;
  const bool direct = run_bits >= std::min(3, shard.local_bits);
  const int row_bits = direct ? run_bits : std::min(kRowBits, shard.local_bits);

  Index row_free = 0, free_mask = 0, shard_element = 0;
  std::vector<std::uint8_t> high_physical, high_element;
  std::array<Index, 1 << kRowBits> row_element{};
  for (std::size_t j = 0; j < free.size(); ++j) {
    const int bit = free[j];
    free_mask |= bits::one(bit);
    if (bit < row_bits) {
      row_free |= bits::one(bit);
      if (!direct)
        for (Index e = 0; e < bits::one(row_bits); ++e)
          if (bits::test(e, bit)) row_element[e] |= bits::one(static_cast<int>(j));
    } else if (bit < shard.local_bits) {
      high_physical.push_back(static_cast<std::uint8_t>(bit));
      high_element.push_back(static_cast<std::uint8_t>(j));
    } else if (bits::test(shard.base, bit)) {
      shard_element |= bits::one(static_cast<int>(j));
    }
  }
  const Index row_fixed = bits::low_mask(row_bits) & ~row_free, local = bits::low_mask(shard.local_bits);
  const Index shard_fixed = ~local & ~free_mask;  // bits that must agree with the shard's number
  std::vector<Bundle> bundles;
  for (std::size_t g = 0; g < fixed.size(); ++g) {
    if (((fixed[g] ^ shard.base) & shard_fixed) != 0) continue;
    // Ascending within a bundle, so that no two groups are the same one.
    const bool joins =
        !bundles.empty() && bundles.back().last == g && fixed[g] > fixed[g - 1] && ((fixed[g] ^ fixed[g - 1]) & ~row_fixed) == 0;
    if (joins)
      ++bundles.back().last;
    else
      bundles.push_back({g, g + 1});
  }
  const int high_bits = static_cast<int>(high_physical.size()), table_bits = std::min(high_bits, kTableBits);
  std::vector<Place> table(bits::one(table_bits));
  for (Index h = 0; h < table.size(); ++h) table[h] = place_of(h, high_physical, high_element);
  const Index pieces = bits::one(high_bits - table_bits);
  const auto tasks = static_cast<std::int64_t>(bundles.size() * pieces);
  const bool threads = tasks > 1 && worth_threads(context, static_cast<Index>(tasks) << (table_bits + row_bits));
#pragma omp parallel for schedule(static) num_threads(context.threads) if (threads)
  for (std::int64_t task = 0; task < tasks; ++task) {
    const Bundle& bundle = bundles[static_cast<std::size_t>(task) / pieces];
    const Place piece = place_of((static_cast<Index>(task) % pieces) << table_bits, high_physical, high_element);
    const Index origin = (fixed[bundle.first] & local & ~row_fixed) | piece.physical;
    if (direct) {
      double* to = out + (static_cast<Index>(bundle.first) << free_bits) + (shard_element | piece.element);
      for (const Place& p : table) ops.squares(reals<Real>(shard) + 2 * (origin | p.physical), bits::one(row_bits), to + p.element);
      continue;
    }
    // Of each element of a row: its place in the output, or nothing when no group of the bundle holds it.
    constexpr Index kNone = ~Index{0};
    std::array<Index, 1 << kRowBits> to{};
    to.fill(kNone);
    for (std::size_t g = bundle.first; g < bundle.last; ++g)
      for (Index e = 0; e < bits::one(row_bits); ++e)
        if ((e & row_fixed) == (fixed[g] & row_fixed))
          to[e] = (static_cast<Index>(g) << free_bits) + (shard_element | piece.element | row_element[e]);
    std::array<double, 1 << kRowBits> row{};
    for (const Place& p : table) {
      ops.squares(reals<Real>(shard) + 2 * (origin | p.physical), bits::one(row_bits), row.data());
      for (Index e = 0; e < bits::one(row_bits); ++e)
        if (to[e] != kNone) out[to[e] + p.element] = row[e];
    }
  }
}

template void marginals<float>(const VectorOps<float>&, const DeviceContext&, const Shard&, std::span<const std::uint8_t>, double*);
template void marginals<double>(const VectorOps<double>&, const DeviceContext&, const Shard&, std::span<const std::uint8_t>, double*);
template void probabilities<float>(const VectorOps<float>&, const DeviceContext&, const Shard&, std::span<const std::uint8_t>,
                                   std::span<const Index>, double*);
template void probabilities<double>(const VectorOps<double>&, const DeviceContext&, const Shard&, std::span<const std::uint8_t>,
                                    std::span<const Index>, double*);

}  // namespace ketmesh::kernels::cpu
