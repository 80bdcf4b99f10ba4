// The tile loop: load, sweeps, store. Included once a SIMD target.
#if defined(KETMESH_CPU_EXECUTE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KETMESH_CPU_EXECUTE_INL
#undef KETMESH_CPU_EXECUTE_INL
#else
#define KETMESH_CPU_EXECUTE_INL
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/cpu/execute.hpp"
#include "ketmesh/kernels/cpu/registers-inl.hpp"
#include "ketmesh/kernels/cpu/tables-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ketmesh::kernels::cpu::HWY_NAMESPACE {

/// Addresses of the vectors of a block: few enough to stay in general registers.
template <typename Real>
struct BlockAddress {
  std::array<std::size_t, kRegisterBits> stride;
  HWY_INLINE explicit BlockAddress(const Sweep& sweep) {
    for (std::size_t b = 0; b < kRegisterBits; ++b) stride[b] = place<Real>(hn::Lanes(Tag<Real>()) << sweep.positions[b]);
  }
  template <class F, std::size_t... kVector>
  HWY_INLINE void for_each(Real* first, const F& f, std::index_sequence<kVector...>) const {
    const std::size_t s0 = stride[0], s1 = stride[1], s01 = s0 + s1;
    Real* const base[2] = {first, kRegisterBits > 2 ? first + stride[kRegisterBits - 1] : first};
    (f(base[kVector >> 2] + ((kVector & 3) == 0 ? 0 : (kVector & 3) == 1 ? s0 : (kVector & 3) == 2 ? s1 : s01), kVector), ...);
  }
};

template <typename Real>
HWY_NOINLINE void run_sweep(Real* HWY_RESTRICT re, Real* HWY_RESTRICT im, const Sweep& sweep, std::uint32_t outer,
                            const ActiveOp<Real>* ops, std::size_t num_ops) {
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d);
  using Sequence = std::make_index_sequence<kVectors>;
  const BlockAddress<Real> block(sweep);
  const ActiveOp<Real>* const end = ops + num_ops;
  std::uint32_t inner = 0;
  do {
    const std::uint32_t base = outer | inner;
    const std::size_t at = place<Real>(base * lanes);
    Registers<Real> g;
    block.for_each(
        re + at, [&](const Real* p, std::size_t v) HWY_ATTR { g.re[v] = hn::Load(d, p); }, Sequence());
    block.for_each(
        im + at, [&](const Real* p, std::size_t v) HWY_ATTR { g.im[v] = hn::Load(d, p); }, Sequence());
    for (const ActiveOp<Real>* op = ops; op != end; ++op)
      if ((base & op->block_mask) == op->block_value) apply(g, *op, base);
    block.for_each(
        re + at, [&](Real* p, std::size_t v) HWY_ATTR { hn::Store(g.re[v], d, p); }, Sequence());
    block.for_each(
        im + at, [&](Real* p, std::size_t v) HWY_ATTR { hn::Store(g.im[v], d, p); }, Sequence());
    inner = (inner - sweep.inner_mask) & sweep.inner_mask;
  } while (inner != 0);
}

/// One wide operation: the 2^k amplitudes of as many bases at a time as a vector has lanes.
template <typename Real>
HWY_NOINLINE void run_wide(const WideOp& op, const TileScratch<Real>& tile) {
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d), size = op.offsets.size();
  Real* in_re = tile.wide;
  Real* in_im = in_re + size * lanes;
  Real* out_re = in_im + size * lanes;
  Real* out_im = out_re + size * lanes;
  std::uint32_t free = 0;
  bool more = true;
  while (more) {
    std::uint32_t base[64];
    std::size_t count = 0;
    while (count < lanes && more) {
      base[count++] = free | op.control_value;
      free = (free - op.free_mask) & op.free_mask;
      more = free != 0;
    }
    for (std::size_t s = 0; s < size; ++s)
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t at = place<Real>(op.offsets[s] | base[std::min(l, count - 1)]);
        in_re[s * lanes + l] = tile.re[at];
        in_im[s * lanes + l] = tile.im[at];
      }
    if (op.permutation) {
      for (std::size_t s = 0; s < size; ++s)
        for (std::size_t l = 0; l < count; ++l) {
          const std::size_t at = place<Real>(op.offsets[op.table[s]] | base[l]);
          tile.re[at] = in_re[s * lanes + l];
          tile.im[at] = in_im[s * lanes + l];
        }
      continue;
    }
    for (std::size_t r = 0; r < size; ++r) {
      auto re = hn::Zero(d), im = hn::Zero(d);
      const std::complex<double>* row = op.matrix.data() + r * size;
      for (std::size_t c = 0; c < size; ++c)
        add_product(re, im, hn::Set(d, static_cast<Real>(row[c].real())), hn::Set(d, static_cast<Real>(row[c].imag())),
                    hn::Load(d, in_re + c * lanes), hn::Load(d, in_im + c * lanes));
      hn::Store(re, d, out_re + r * lanes);
      hn::Store(im, d, out_im + r * lanes);
    }
    for (std::size_t s = 0; s < size; ++s)
      for (std::size_t l = 0; l < count; ++l) {
        const std::size_t at = place<Real>(op.offsets[s] | base[l]);
        tile.re[at] = out_re[s * lanes + l];
        tile.im[at] = out_im[s * lanes + l];
      }
  }
}

template <typename Real>
HWY_INLINE void load_tile(const Program<Real>& program, const TileScratch<Real>& tile, const Real* data) {
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t row = std::size_t{1} << program.row_bits;
  if (!program.vector_rows) {
    for (std::size_t r = 0, to = 0; r < program.row_offset.size(); ++r)
      for (std::size_t j = 0; j < row; ++j, ++to) {
        tile.re[place<Real>(to)] = data[2 * (program.row_offset[r] + j)];
        tile.im[place<Real>(to)] = data[2 * (program.row_offset[r] + j) + 1];
      }
    return;
  }
  std::size_t to = 0;
  for (const Index offset : program.row_offset) {
    const Real* from = data + 2 * offset;
    for (std::size_t j = 0; j < row; j += lanes, to += lanes) {
      hn::Vec<decltype(d)> x, y;
      hn::LoadInterleaved2(d, from + 2 * j, x, y);
      hn::Store(x, d, tile.re + place<Real>(to));
      hn::Store(y, d, tile.im + place<Real>(to));
    }
  }
}

template <typename Real>
HWY_INLINE void store_tile(const Program<Real>& program, const TileScratch<Real>& tile, std::complex<double> scale, Real* data) {
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t row = std::size_t{1} << program.row_bits;
  const Real sr = static_cast<Real>(scale.real()), si = static_cast<Real>(scale.imag());
  if (!program.vector_rows) {
    for (std::size_t r = 0, e = 0; r < program.row_offset.size(); ++r)
      for (std::size_t j = 0; j < row; ++j, ++e) {
        const std::size_t at = place<Real>(program.element_source[e]);
        const Real x = tile.re[at], y = tile.im[at];
        data[2 * (program.row_offset[r] + j)] = sr * x - si * y;
        data[2 * (program.row_offset[r] + j) + 1] = sr * y + si * x;
      }
    return;
  }
  const auto vr = hn::Set(d, sr), vi = hn::Set(d, si);
  for (std::size_t r = 0; r < program.row_offset.size(); ++r) {
    Real* to = data + 2 * program.row_offset[r];
    const std::size_t source = program.row_source[r];
    for (std::size_t j = 0, v = 0; j < row; j += lanes, ++v) {
      const std::size_t at = place<Real>((source + program.in_row_source[v]) * lanes);
      const auto x = hn::Load(d, tile.re + at), y = hn::Load(d, tile.im + at);
      hn::StoreInterleaved2(hn::NegMulAdd(vi, y, hn::Mul(vr, x)), hn::MulAdd(vi, x, hn::Mul(vr, y)), d, to + 2 * j);
    }
  }
}

/// |a|^2 of a tile just stored.
template <typename Real>
HWY_NOINLINE void add_norms(const Program<Real>& program, const Real* data, Index first, std::span<const std::uint8_t> bits, double* sums) {
  const std::size_t row = std::size_t{1} << program.row_bits;
  const bool whole_rows = std::all_of(bits.begin(), bits.end(), [&](std::uint8_t b) { return b >= program.row_bits; });
  for (const Index offset : program.row_offset) {
    const Real* a = data + 2 * offset;
    if (!whole_rows) {
      for (std::size_t j = 0; j < row; ++j) {
        const double x = a[2 * j], y = a[2 * j + 1];
        sums[ketmesh::bits::gather(first + offset + j, bits)] += x * x + y * y;
      }
      continue;
    }
    double part[4] = {0, 0, 0, 0};  // a chain of additions each
    for (std::size_t j = 0; j < 2 * row; j += 2) {
      const double x = a[j], y = a[j + 1];
      part[(j >> 1) & 3] += x * x + y * y;
    }
    sums[ketmesh::bits::gather(first + offset, bits)] += (part[0] + part[1]) + (part[2] + part[3]);
  }
}

/// The operations of every sweep that run on the tile at physical index `outside`, one after the other; counts[s] of sweep s.
template <typename Real>
void activate(const Program<Real>& program, const TileScratch<Real>& scratch, Index outside, std::vector<ActiveOp<Real>>& active,
              std::vector<std::uint32_t>& counts) {
  active.clear();
  counts.clear();
  for (const auto& sweep : program.sweeps) {
    const std::size_t before = active.size();
    for (std::uint32_t o = sweep.first_op; o < sweep.first_op + sweep.num_ops; ++o) {
      const MicroOp& op = program.ops[o];
      if (op.condition >= 0 && !program.conditions[static_cast<std::size_t>(op.condition)].holds(outside)) continue;
      const Real* table = op.dynamic >= 0 ? scratch.dynamic + program.dynamic_tables[static_cast<std::size_t>(op.dynamic)].scratch
                                          : program.tables.data() + op.table;
      active.push_back({op.code, op.bit, op.vectors, op.block_mask, op.block_value, program.coefficients.data() + op.coefficients,
                        program.shuffles.data() + op.shuffle, table, program.compactions.data() + op.compaction,
                        op.register_offset.data()});
    }
    counts.push_back(static_cast<std::uint32_t>(active.size() - before));
  }
}

/// Asks for the rows of the next tile a few lines at a time, between sweeps: memory is read while this tile computes.
template <typename Real>
class Prefetcher {
 public:
  Prefetcher(const Program<Real>& program, const Real* next)
      : program_(program), next_(next), lines_(std::max<std::size_t>(1, (std::size_t{2} << program.row_bits) * sizeof(Real) / 64)) {
    std::size_t calls = 0;
    for (const auto& group : program.groups)
      if (group.wide < 0) calls += std::size_t{group.num_sweeps} << std::popcount(group.outer_mask);
    step_ = calls == 0 ? 0 : (program.row_offset.size() * lines_ + calls - 1) / calls;
  }
  HWY_INLINE void some() { ask(step_); }
  void rest() { ask(program_.row_offset.size() * lines_); }

 private:
  HWY_INLINE void ask(std::size_t count) {
    if (next_ == nullptr) return;
    for (; count != 0 && row_ < program_.row_offset.size(); --count) {
      __builtin_prefetch(next_ + 2 * program_.row_offset[row_] + line_ * (64 / sizeof(Real)), 0, 2);
      if (++line_ == lines_) {
        line_ = 0;
        ++row_;
      }
    }
  }
  const Program<Real>& program_;
  const Real* next_;
  std::size_t lines_, step_ = 0, row_ = 0, line_ = 0;
};

/// The operations of one program, tile after tile.
template <typename Real>
class TileOps {
 public:
  TileOps(const Program<Real>& program, Real* dynamic) : program_(program), keys_(program.dynamic_tables.size(), ~Index{0}) {
    tables_.dynamic = dynamic;
  }

  void set_tile(Index outside) {
    if (fresh_ || !program_.conditions.empty()) activate(program_, tables_, outside, active_, counts_);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const DynamicTable& table = program_.dynamic_tables[i];
      const Index key = outside & table.key_mask;
      if (!fresh_ && keys_[i] == key) continue;
      keys_[i] = key;
      fill_dynamic(program_, table, outside, tables_.dynamic + table.scratch);
    }
    outside_ = outside;
    fresh_ = false;
  }

  HWY_INLINE void run(const TileScratch<Real>& scratch, Prefetcher<Real>& prefetcher) const {
    std::size_t next_op = 0, next_sweep = 0;
    for (const auto& group : program_.groups) {
      if (group.wide >= 0) {
        const WideOp& wide = program_.wides[static_cast<std::size_t>(group.wide)];
        if (wide.condition < 0 || program_.conditions[static_cast<std::size_t>(wide.condition)].holds(outside_)) run_wide(wide, scratch);
        continue;
      }
      std::uint32_t outer = 0;
      std::size_t used = 0;
      do {
        used = 0;
        for (std::uint32_t s = 0; s < group.num_sweeps; ++s) {
          const std::size_t count = counts_[next_sweep + s];
          if (count != 0)
            run_sweep(scratch.re, scratch.im, program_.sweeps[group.first_sweep + s], outer, active_.data() + next_op + used, count);
          used += count;
          prefetcher.some();
        }
        outer = (outer - group.outer_mask) & group.outer_mask;
      } while (outer != 0);
      next_op += used;
      next_sweep += group.num_sweeps;
    }
  }

 private:
  const Program<Real>& program_;
  TileScratch<Real> tables_;  // only the dynamic tables
  std::vector<ActiveOp<Real>> active_;
  std::vector<std::uint32_t> counts_;
  std::vector<Index> keys_;
  Index outside_ = 0;
  bool fresh_ = true;
};

template <typename Real>
void clear_padding(const Program<Real>& program, const TileScratch<Real>& scratch) {
  const std::size_t padded = std::size_t{1} << program.padded_bits, size = std::size_t{1} << program.tile_bits;
  if (padded <= size) return;
  std::fill(scratch.re + place<Real>(size), scratch.re + place<Real>(padded), Real{0});
  std::fill(scratch.im + place<Real>(size), scratch.im + place<Real>(padded), Real{0});
}

template <typename Real>
void run_tiles(const Program<Real>& program, const Shard& shard, const TileScratch<Real>& scratch, Index first, Index last,
               std::span<const std::uint8_t> bits, double* sums) {
  TileOps<Real> ops(program, scratch.dynamic);
  Real* const data = static_cast<Real*>(shard.data);
  clear_padding(program, scratch);
  const std::span<const std::uint8_t> outside_bits = program.outside_bits;
  for (Index t = first; t < last; ++t) {
    const Index tile = ketmesh::bits::scatter(t, outside_bits);
    const Index outside = shard.base | tile;
    ops.set_tile(outside);
    load_tile(program, scratch, data + 2 * tile);
    Prefetcher<Real> prefetcher(program, t + 1 < last ? data + 2 * ketmesh::bits::scatter(t + 1, outside_bits) : nullptr);
    ops.run(scratch, prefetcher);
    prefetcher.rest();
    store_tile(program, scratch, program.scale, data + 2 * tile);
    if (sums != nullptr) add_norms(program, data + 2 * tile, outside, bits, sums);
  }
}

/// The sum of a probe over two tiles, without its factor and the sign of the bits outside. Runs of vectors are summed in the working precision and
/// joined in double.
template <typename Real, bool kReal>
HWY_NOINLINE double probe_tile(const Program<Real>& program, const TileProbe& probe, const TileScratch<Real>& bra,
                               const TileScratch<Real>& ket) {
  constexpr std::uint32_t kRun = 64;
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto lane_mask = static_cast<std::uint32_t>(lanes - 1);
  using ShuffleIndex = typename Program<Real>::ShuffleIndex;
  HWY_ALIGN Real weight[64 / sizeof(Real)];
  HWY_ALIGN ShuffleIndex from[64 / sizeof(Real)];
  const std::uint32_t x_lane = probe.x & lane_mask;
  for (std::uint32_t l = 0; l < lanes; ++l) {
    const bool in = ((l ^ probe.control_value) & probe.control_mask & lane_mask) == 0;
    weight[l] = in ? ((std::popcount(l & probe.z) & 1) != 0 ? Real{-1} : Real{1}) : Real{0};
    from[l] = static_cast<ShuffleIndex>(l ^ x_lane);
  }
  const auto shuffle = hn::SetTableIndices(d, from);
  const auto weights = hn::Load(d, weight);
  const std::uint32_t vectors = (1u << std::max(program.tile_bits, program.lane_bits)) >> program.lane_bits;
  const std::uint32_t x = probe.x >> program.lane_bits, z = probe.z >> program.lane_bits;
  const std::uint32_t fixed = probe.control_mask >> program.lane_bits, value = probe.control_value >> program.lane_bits;
  const std::uint32_t free = (vectors - 1) & ~fixed;
  double total = 0;
  auto sum = hn::Zero(d);
  std::uint32_t v = 0, seen = 0;
  do {
    const std::size_t a = place<Real>((v | value) * lanes), b = place<Real>(((v | value) ^ x) * lanes);
    const auto ar = hn::Load(d, ket.re + a), ai = hn::Load(d, ket.im + a);
    auto br = hn::Load(d, bra.re + b), bi = hn::Load(d, bra.im + b);
    if (x_lane != 0) {
      br = hn::TableLookupLanes(br, shuffle);
      bi = hn::TableLookupLanes(bi, shuffle);
    }
    const auto term = kReal ? hn::MulAdd(bi, ai, hn::Mul(br, ar)) : hn::NegMulAdd(bi, ar, hn::Mul(br, ai));
    sum = (std::popcount((v | value) & z) & 1) != 0 ? hn::Sub(sum, term) : hn::Add(sum, term);
    if (++seen % kRun == 0) {
      total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Mul(sum, weights))));
      sum = hn::Zero(d);
    }
    v = (v - free) & free;
  } while (v != 0);
  return total + static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Mul(sum, weights))));
}

template <typename Real>
void run_adjoint_tiles(std::span<const AdjointPart<Real>> parts, bool stores, const Shard& bra, const Shard& ket,
                       const TileScratch<Real>& bra_scratch, const TileScratch<Real>& ket_scratch, Index first, Index last, double* sums) {
  std::vector<TileOps<Real>> ops;
  ops.reserve(parts.size());
  for (const auto& part : parts) ops.emplace_back(part.program, ket_scratch.dynamic + part.dynamic_offset);
  const Program<Real>& program = parts.back().program;
  Real* const bra_data = static_cast<Real*>(bra.data);
  Real* const ket_data = static_cast<Real*>(ket.data);
  clear_padding(program, bra_scratch);
  clear_padding(program, ket_scratch);
  const std::span<const std::uint8_t> outside_bits = program.outside_bits;
  for (Index t = first; t < last; ++t) {
    const Index tile = ketmesh::bits::scatter(t, outside_bits);
    const Index outside = ket.base | tile;
    load_tile(program, bra_scratch, bra_data + 2 * tile);
    load_tile(program, ket_scratch, ket_data + 2 * tile);
    // The next tiles are asked for while the last level runs.
    const Index next = t + 1 < last ? ketmesh::bits::scatter(t + 1, outside_bits) : 0;
    Prefetcher<Real> idle(program, nullptr), next_bra(program, t + 1 < last ? bra_data + 2 * next : nullptr),
        next_ket(program, t + 1 < last ? ket_data + 2 * next : nullptr);
    std::complex<double> scale = 1;  // kept aside by the programs so far, in both states
    double* sum = sums;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (const TileProbe& probe : parts[p].probes) {
        double* const to = sum++;
        if (!probe.condition.holds(outside)) continue;
        const double found = probe.real_part ? probe_tile<Real, true>(program, probe, bra_scratch, ket_scratch)
                                             : probe_tile<Real, false>(program, probe, bra_scratch, ket_scratch);
        const bool odd = (std::popcount(outside & probe.outside_parity) & 1) != 0;
        *to += (odd ? -1 : 1) * probe.factor * std::norm(scale) * found;
      }
      if (p + 1 == parts.size() && !stores) break;
      ops[p].set_tile(outside);
      const bool at_end = p + 1 == parts.size();
      ops[p].run(bra_scratch, at_end ? next_bra : idle);
      ops[p].run(ket_scratch, at_end ? next_ket : idle);
      scale *= parts[p].program.scale;
    }
    if (!stores) continue;
    next_bra.rest();
    next_ket.rest();
    store_tile(program, bra_scratch, scale, bra_data + 2 * tile);
    store_tile(program, ket_scratch, scale, ket_data + 2 * tile);
  }
}

template <typename Real>
Runner<Real> make_runner() {
  const int lane_bits = std::countr_zero(hn::Lanes(Tag<Real>()));
  // 16 KiB of a first cache of 32 KiB: both planes.
  const int vector_bytes_bits = lane_bits + (sizeof(Real) == 4 ? 2 : 3);
  return {{lane_bits, kRegisterBits, 13 - vector_bytes_bits}, &run_tiles<Real>, &run_adjoint_tiles<Real>};
}

}  // namespace ketmesh::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
