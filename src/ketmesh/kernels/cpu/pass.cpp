#include "ketmesh/kernels/cpu/pass.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/base/memory.hpp"
#include "ketmesh/kernels/cpu/emit.hpp"
#include "ketmesh/kernels/cpu/execute.hpp"
#include "ketmesh/kernels/cpu/fuse.hpp"
#include "ketmesh/kernels/cpu/lower.hpp"
#include "ketmesh/kernels/cpu/schedule.hpp"

namespace ketmesh::kernels::cpu {
namespace {

template <typename Real>
struct Prepared {
  Runner<Real> runner;
  Program<Real> program;
  std::size_t wide_size = 0;  ///< Reals
};

/// Where the store finds what it writes: source[d] is the tile position of the bit that goes to tile bit d of memory. Moves that put the
/// bits inside a vector into place are appended to the operations.
std::vector<std::uint8_t> plan_store(const Pass& pass, int lane_bits, bool vector_rows, std::vector<TileOp>& ops) {
  const std::size_t t = pass.tile_bits.size();
  std::vector<std::uint8_t> at(t), wanted(t);  // at[p]: loaded bit at position p
  std::iota(at.begin(), at.end(), std::uint8_t{0});
  std::iota(wanted.begin(), wanted.end(), std::uint8_t{0});
  if (!pass.store_bits.empty())
    for (std::size_t j = 0; j < t; ++j) {
      const auto d = std::lower_bound(pass.tile_bits.begin(), pass.tile_bits.end(), pass.store_bits[j]) - pass.tile_bits.begin();
      wanted[static_cast<std::size_t>(d)] = static_cast<std::uint8_t>(j);
    }
  const auto position = [&](std::uint8_t bit) { return static_cast<std::size_t>(std::find(at.begin(), at.end(), bit) - at.begin()); };
  if (vector_rows)
    for (std::size_t d = 0; d < static_cast<std::size_t>(lane_bits); ++d) {
      const std::size_t p = position(wanted[d]);
      if (p == d) continue;
      TileOp op;
      op.kind = OpKind::exchange;
      op.targets = {static_cast<std::uint8_t>(d), static_cast<std::uint8_t>(p)};
      op.moved = std::uint32_t{1} << d | std::uint32_t{1} << p;
      ops.push_back(std::move(op));
      std::swap(at[d], at[p]);
    }
  std::vector<std::uint8_t> source(t);
  for (std::size_t d = 0; d < t; ++d) source[d] = static_cast<std::uint8_t>(position(wanted[d]));
  return source;
}

template <typename Real>
void plan_memory(const Pass& pass, int local_bits, const std::vector<std::uint8_t>& source, Program<Real>& program) {
  const int t = program.tile_bits;
  for (const auto b : pass.tile_bits) program.tile_mask |= bits::one(b);
  for (int b = 0; b < local_bits; ++b)
    if (!bits::test(program.tile_mask, b)) program.outside_bits.push_back(static_cast<std::uint8_t>(b));
  // Tables that follow bits outside are made again when those change: let them change rarely.
  Index slow = 0;
  for (const auto& table : program.dynamic_tables) slow |= table.key_mask;
  std::stable_sort(program.outside_bits.begin(), program.outside_bits.end(),
                   [slow](std::uint8_t a, std::uint8_t b) { return bits::test(slow, a) < bits::test(slow, b); });

  const int row = program.row_bits;
  const std::size_t rows = std::size_t{1} << (t - row);
  const std::span<const std::uint8_t> high_bits = std::span(pass.tile_bits).subspan(static_cast<std::size_t>(row));
  program.row_offset.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) program.row_offset[r] = bits::scatter(r, high_bits);
  const std::span<const std::uint8_t> sources = source;
  if (!program.vector_rows) {
    program.element_source.resize(std::size_t{1} << t);
    for (std::size_t e = 0; e < program.element_source.size(); ++e)
      program.element_source[e] = static_cast<std::uint32_t>(bits::scatter(e, sources));
    return;
  }
  program.row_source.resize(rows);
  for (std::size_t r = 0; r < rows; ++r)
    program.row_source[r] =
        static_cast<std::uint32_t>(bits::scatter(r, sources.subspan(static_cast<std::size_t>(row))) >> program.lane_bits);
  program.in_row_source.resize(std::size_t{1} << (row - program.lane_bits));
  const auto in_row = sources.subspan(static_cast<std::size_t>(program.lane_bits), static_cast<std::size_t>(row - program.lane_bits));
  for (std::size_t v = 0; v < program.in_row_source.size(); ++v)
    program.in_row_source[v] = static_cast<std::uint32_t>(bits::scatter(v, in_row) >> program.lane_bits);
}

/// Buffers of this thread, kept from pass to pass.
template <typename Real>
TileScratch<Real> scratch_of_thread(const Prepared<Real>& prepared) {
  // The planes are kept apart by a few lines so that the same index of both does not fall on the same cache set.
  constexpr std::size_t kGap = 17 * 64 / sizeof(Real);
  const std::size_t plane = place<Real>(std::size_t{1} << prepared.program.padded_bits);
  const std::size_t needed = (2 * plane + 2 * kGap + prepared.program.dynamic_size + prepared.wide_size + kGap) * sizeof(Real);
  static thread_local HostMemory memory;
  if (memory.bytes() < needed) memory = HostMemory(std::max(needed, needed > 64_KiB ? 2_MiB : 64_KiB));
  auto* base = reinterpret_cast<Real*>(memory.data());
  TileScratch<Real> out;
  out.re = base;
  out.im = out.re + plane + kGap;
  out.dynamic = out.im + plane + kGap;
  out.wide = out.dynamic + prepared.program.dynamic_size;
  return out;
}

std::array<std::int8_t, 64> positions_of(const Pass& pass) {
  std::array<std::int8_t, 64> position{};
  position.fill(-1);
  for (std::size_t j = 0; j < pass.tile_bits.size(); ++j) position[pass.tile_bits[j]] = static_cast<std::int8_t>(j);
  return position;
}

/// Returns the Reals of scratch that wide operations need.
template <typename Real>
std::size_t build(const VectorShape& shape, const Pass& pass, const Binding& binding, int local_bits, Program<Real>& program) {
  const int t = static_cast<int>(pass.tile_bits.size());
  if (t > kMaxTileBits) throw Internal("a tile of 2^" + std::to_string(t) + " amplitudes; at most 2^" + std::to_string(kMaxTileBits));
  program.tile_bits = t;
  program.lane_bits = shape.lane_bits;
  program.register_bits = shape.register_bits;
  program.padded_bits = std::max(t, shape.lane_bits + shape.register_bits);
  const auto position = positions_of(pass);
  while (program.row_bits < t && pass.tile_bits[static_cast<std::size_t>(program.row_bits)] == program.row_bits) ++program.row_bits;
  program.vector_rows = program.row_bits >= shape.lane_bits;

  Lowered lowered = lower(pass, binding, position);
  lowered.ops = fuse_pairs(std::move(lowered.ops));
  const auto source = plan_store(pass, shape.lane_bits, program.vector_rows, lowered.ops);
  emit(lowered.ops, schedule(lowered.ops, program.padded_bits, shape), binding, position, program);
  plan_memory(pass, local_bits, source, program);
  std::size_t wide_size = 0;
  for (const auto& wide : program.wides) wide_size = std::max(wide_size, (std::size_t{4} << shape.lane_bits) * wide.offsets.size());
  return wide_size;
}

template <typename Real>
PreparedPass prepare(SimdLevel level, const Pass& pass, const Binding& binding, int local_bits) {
  auto prepared = std::make_shared<Prepared<Real>>();
  prepared->runner = runner<Real>(level);
  prepared->wide_size = build(prepared->runner.shape, pass, binding, local_bits, prepared->program);
  return prepared;
}

template <typename Real>
void run(const DeviceContext& context, const PreparedPass& pass, const Shard& shard, const NormBins* bins) {
  const auto& prepared = *static_cast<const Prepared<Real>*>(pass.get());
  const Program<Real>& program = prepared.program;
  const auto tiles = static_cast<std::int64_t>(shard.size() >> program.tile_bits);
  const int threads = static_cast<int>(std::min<std::int64_t>(std::max(context.threads, 1), tiles));
  const std::span<const std::uint8_t> bin_bits = bins != nullptr ? bins->bits : std::span<const std::uint8_t>();
  if (threads == 1) {
    prepared.runner.run(program, shard, scratch_of_thread(prepared), 0, static_cast<Index>(tiles), bin_bits,
                        bins != nullptr ? bins->sums : nullptr);
    return;
  }
  const std::size_t num_bins = bins != nullptr ? std::size_t{1} << bin_bits.size() : 0;
  std::vector<double> sums(num_bins * static_cast<std::size_t>(threads));
  // One contiguous range a thread: what schedule(static) gives the fills.
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int w = 0; w < threads; ++w)
    prepared.runner.run(program, shard, scratch_of_thread(prepared), static_cast<Index>(tiles * w / threads),
                        static_cast<Index>(tiles * (w + 1) / threads), bin_bits,
                        bins != nullptr ? sums.data() + num_bins * static_cast<std::size_t>(w) : nullptr);
  for (std::size_t i = 0; i < sums.size(); ++i) bins->sums[i % num_bins] += sums[i];
}

}  // namespace

template <typename Real, SimdLevel kLevel>
PreparedPass PassKernels<Real, kLevel>::prepare_pass(const DeviceContext&, const Pass& pass, const Binding& binding, int local_bits) {
  return prepare<Real>(kLevel, pass, binding, local_bits);
}

template <typename Real, SimdLevel kLevel>
void PassKernels<Real, kLevel>::run_pass(const DeviceContext& context, const PreparedPass& pass, const Shard& shard, const NormBins* bins) {
  run<Real>(context, pass, shard, bins);
}

namespace {

template <typename Real>
struct PreparedAdjoint {
  Runner<Real> runner;
  std::vector<AdjointPart<Real>> parts;
  bool stores = true;
  std::size_t wide_size = 0, dynamic_size = 0, num_probes = 0;  ///< sizes in Reals
};

TileProbe probe_of(const CrossTerm& term, const std::array<std::int8_t, 64>& position) {
  TileProbe out;
  const auto split = [&](Index mask, std::uint32_t& tile, Index& outside) {
    bits::for_each(mask, [&](int b) {
      if (position[static_cast<std::size_t>(b)] >= 0)
        tile |= std::uint32_t{1} << position[static_cast<std::size_t>(b)];
      else
        outside |= bits::one(b);
    });
  };
  Index moved = 0;
  split(term.masks.x, out.x, moved);
  if (moved != 0) throw Internal("a matrix element that flips bits outside the tile of its pass");
  split(term.masks.z, out.z, out.outside_parity);
  split(term.control_mask, out.control_mask, out.condition.mask);
  split(term.control_value, out.control_value, out.condition.value);
  // Im(i^y s): the imaginary or the real part of s, with a sign from y = 2 on.
  const int y = term.masks.num_y() % 4;
  out.real_part = (y & 1) != 0;
  out.factor = y < 2 ? 1 : -1;
  return out;
}

/// Two tiles and what the programs need beside them, of this thread.
template <typename Real>
std::array<TileScratch<Real>, 2> adjoint_scratch(const PreparedAdjoint<Real>& prepared) {
  constexpr std::size_t kGap = 17 * 64 / sizeof(Real);
  const std::size_t plane = place<Real>(std::size_t{1} << prepared.parts.back().program.padded_bits) + kGap;
  static thread_local HostMemory memory;
  const std::size_t needed = (4 * plane + prepared.dynamic_size + prepared.wide_size + kGap) * sizeof(Real);
  if (memory.bytes() < needed) memory = HostMemory(std::max(needed, std::size_t{2_MiB}));
  auto* base = reinterpret_cast<Real*>(memory.data());
  std::array<TileScratch<Real>, 2> out;
  for (std::size_t k = 0; k < 2; ++k) {
    out[k].re = base + 2 * k * plane;
    out[k].im = out[k].re + plane;
    out[k].dynamic = base + 4 * plane;
    out[k].wide = out[k].dynamic + prepared.dynamic_size;
  }
  return out;
}

}  // namespace

template <typename Real, SimdLevel kLevel>
PreparedPass PassKernels<Real, kLevel>::prepare_adjoint(const DeviceContext&, std::span<const AdjointLevel> levels, const Binding& binding,
                                                        int local_bits, bool stores) {
  auto prepared = std::make_shared<PreparedAdjoint<Real>>();
  prepared->runner = runner<Real>(kLevel);
  prepared->stores = stores;
  for (const auto& level : levels) {
    auto& part = prepared->parts.emplace_back();
    prepared->wide_size = std::max(prepared->wide_size, build(prepared->runner.shape, *level.pass, binding, local_bits, part.program));
    part.dynamic_offset = prepared->dynamic_size;
    prepared->dynamic_size += (part.program.dynamic_size + 15) / 16 * 16;  // whole lines
    const auto position = positions_of(*level.pass);
    for (const auto& term : level.terms) part.probes.push_back(probe_of(term, position));
    prepared->num_probes += part.probes.size();
  }
  // Tiles are visited in one order, that of the last level: all levels have the same bits outside.
  return prepared;
}

template <typename Real, SimdLevel kLevel>
void PassKernels<Real, kLevel>::run_adjoint(const DeviceContext& context, const PreparedPass& pass, const Shard& bra, const Shard& ket,
                                            double* sums) {
  const auto& prepared = *static_cast<const PreparedAdjoint<Real>*>(pass.get());
  const auto tiles = static_cast<std::int64_t>(ket.size() >> prepared.parts.back().program.tile_bits);
  const int threads = static_cast<int>(std::min<std::int64_t>(std::max(context.threads, 1), tiles));
  std::vector<double> part(prepared.num_probes * static_cast<std::size_t>(threads));
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int w = 0; w < threads; ++w) {
    const auto scratch = adjoint_scratch(prepared);
    prepared.runner.run_adjoint(prepared.parts, prepared.stores, bra, ket, scratch[0], scratch[1], static_cast<Index>(tiles * w / threads),
                                static_cast<Index>(tiles * (w + 1) / threads),
                                part.data() + prepared.num_probes * static_cast<std::size_t>(w));
  }
  for (std::size_t i = 0; i < part.size(); ++i) sums[i % prepared.num_probes] += part[i];
}

template struct PassKernels<float, SimdLevel::avx512>;
template struct PassKernels<float, SimdLevel::avx2>;
template struct PassKernels<float, SimdLevel::sse4>;
template struct PassKernels<float, SimdLevel::neon>;
template struct PassKernels<float, SimdLevel::scalar>;
template struct PassKernels<double, SimdLevel::avx512>;
template struct PassKernels<double, SimdLevel::avx2>;
template struct PassKernels<double, SimdLevel::sse4>;
template struct PassKernels<double, SimdLevel::neon>;
template struct PassKernels<double, SimdLevel::scalar>;

}  // namespace ketmesh::kernels::cpu
