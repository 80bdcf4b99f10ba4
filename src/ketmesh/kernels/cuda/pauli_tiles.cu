// Sums of Pauli strings from tiles: amplitudes are read once for all strings of a read, products are formed in double from shared memory.
#include <algorithm>
#include <new>
#include <vector>

#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kThreadBits = 8;
constexpr int kBlocks = 512;  // fixed, so that sums do not depend on the device
constexpr int kTermsAtOnce = 8;
constexpr int kMostTerms = 256;  // of one launch
constexpr int kMostRuns = 32;

/// Up to kTermsAtOnce strings that flip the same bits, all with an even or all with an odd number of y.
struct Group {
  std::uint32_t x;      ///< bits of the tile
  std::uint32_t first;  ///< of its strings
  std::uint32_t count;
  std::uint32_t odd;
};

struct Term {
  std::uint64_t outside;     ///< bits of z that are not the tile's
  std::uint32_t inside;      ///< ... and those that are, by place in the tile
  std::uint32_t iterations;  ///< bit j: parity of the places from kThreadBits up in iteration j
};

struct Geometry {
  Run runs[kMostRuns];  ///< of the number of a tile
  std::int32_t num_runs, tile, rows;
  std::uint64_t tiles, base;
  std::uint8_t bits[16];  ///< of the tile
};

__device__ __forceinline__ double with_sign(double value, unsigned odd) {
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(odd << 31), __double2loint(value));
}

template <typename Real>
__global__ void __launch_bounds__(kThreads, 2) pauli_kernel(const complex_t<Real>* data, const Geometry g, const Group* groups,
                                                            int num_groups, const Term* terms, int num_terms, double* partial) {
  using C = complex_t<Real>;
  extern __shared__ __align__(16) unsigned char memory[];
  C* const tile = reinterpret_cast<C*>(memory);
  std::uint64_t* const rows = reinterpret_cast<std::uint64_t*>(tile + (std::size_t{1} << g.tile));
  const unsigned num_rows = 1u << (g.tile - g.rows), size = 1u << g.tile, row_mask = (1u << g.rows) - 1;
  double* const sums = reinterpret_cast<double*>(rows + num_rows);
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  for (unsigned r = threadIdx.x; r < num_rows; r += kThreads) {
    std::uint64_t at = 0;
    for (int b = g.rows; b < g.tile; ++b) at |= static_cast<std::uint64_t>(r >> (b - g.rows) & 1) << g.bits[b];
    rows[r] = at;
  }
  for (int k = threadIdx.x; k < kWarps * num_terms; k += kThreads) sums[k] = 0;
  for (std::uint64_t number = blockIdx.x; number < g.tiles; number += gridDim.x) {
    const std::uint64_t outside = spread(number, g.runs, g.num_runs);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < size; k += kThreads) tile[k] = data[outside | rows[k >> g.rows] | (k & row_mask)];
    __syncthreads();
    for (int n = 0; n < num_groups; ++n) {
      const Group group = groups[n];
      const Term* const of_group = terms + group.first;
      double sum[kTermsAtOnce] = {};
      unsigned start[kTermsAtOnce], inside[kTermsAtOnce];  // parities that hold for the thread; what is left
#pragma unroll
      for (int u = 0; u < kTermsAtOnce; ++u) {
        const Term term = of_group[u < static_cast<int>(group.count) ? u : 0];
        start[u] = static_cast<unsigned>(__popcll((g.base | outside) & term.outside));
        if (group.x == 0) start[u] += static_cast<unsigned>(__popc(term.inside & threadIdx.x & (kThreads - 1)));
        inside[u] = group.x == 0 ? term.iterations : term.inside;
      }
      if (group.x == 0) {
        for (unsigned k = threadIdx.x, j = 0; k < size; k += kThreads, ++j) {
          const C v = tile[k];
          const double p = static_cast<double>(v.x) * v.x + static_cast<double>(v.y) * v.y;
#pragma unroll
          for (int u = 0; u < kTermsAtOnce; ++u) sum[u] += with_sign(p, inside[u] >> j & 1);
        }
      } else {
        const unsigned bit = static_cast<unsigned>(__ffs(static_cast<int>(group.x))) - 1, below = (1u << bit) - 1;
        for (unsigned k = threadIdx.x; k < size / 2; k += kThreads) {
          const unsigned i = (k & ~below) << 1 | (k & below);
          const C v = tile[i], u = tile[i ^ group.x];
          const double ux = u.x, uy = u.y, vx = v.x, vy = v.y;
          const double w = group.odd != 0 ? ux * vy - uy * vx : ux * vx + uy * vy;
#pragma unroll
          for (int t = 0; t < kTermsAtOnce; ++t)
            if (t < static_cast<int>(group.count)) sum[t] += with_sign(w, static_cast<unsigned>(__popc(i & inside[t])) & 1);
        }
      }
      const double twice = group.x == 0 ? 1.0 : 2.0;
#pragma unroll
      for (int u = 0; u < kTermsAtOnce; ++u) {
        if (u >= static_cast<int>(group.count)) continue;
        double value = with_sign(sum[u], start[u] & 1);
        for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
        if (lane == 0) sums[warp * num_terms + group.first + u] += twice * value;
      }
    }
  }
  __syncthreads();
  for (int t = threadIdx.x; t < num_terms; t += kThreads) {
    double total = 0;
    for (int w = 0; w < kWarps; ++w) total += sums[w * num_terms + t];
    partial[static_cast<std::size_t>(blockIdx.x) * num_terms + t] = total;
  }
}

/// Consecutive bits that are not the tile's, as runs of the number of a tile.
int runs_outside(int local_bits, std::uint64_t tile, Run* runs) {
  int count = 0, number = 0;
  for (int b = 0; b < local_bits; ++b) {
    if ((tile >> b & 1) != 0) continue;
    if (count > 0 && runs[count - 1].to + runs[count - 1].length == b)
      ++runs[count - 1].length;
    else
      runs[count++] = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(b), 1, 0};
    ++number;
  }
  return count;
}

template <typename Real>
int pauli_read_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* bits, std::int32_t tile_bits,
                  std::int32_t rows, const std::uint64_t* x, const std::uint64_t* z, std::uint64_t count, double* sums) {
  KETMESH_ON(context);
  const cudaStream_t stream = stream_of(context);
  Geometry g{};
  std::uint64_t tile = 0;
  for (int k = 0; k < tile_bits; ++k) {
    tile |= std::uint64_t{1} << bits[k];
    g.bits[k] = bits[k];
  }
  g.num_runs = runs_outside(shard->local_bits, tile, g.runs);
  g.tile = tile_bits;
  g.rows = rows;
  g.tiles = std::uint64_t{1} << (shard->local_bits - tile_bits);
  g.base = shard->base;
  const std::uint64_t local = (std::uint64_t{1} << shard->local_bits) - 1;
  const auto place = [&](std::uint64_t mask) {
    std::uint32_t out = 0;
    for (int k = 0; k < tile_bits; ++k) out |= static_cast<std::uint32_t>(mask >> bits[k] & 1) << k;
    return out;
  };
  std::vector<std::uint64_t> order(count);
  for (std::uint64_t t = 0; t < count; ++t) order[t] = t;
  const auto odd = [&](std::uint64_t t) { return static_cast<std::uint32_t>(__builtin_popcountll(x[t] & z[t]) & 1); };
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t xa = x[a] & local, xb = x[b] & local;
    return xa != xb ? xa < xb : odd(a) < odd(b);
  });
  for (std::uint64_t begin = 0; begin < count; begin += kMostTerms) {
    const std::uint64_t end = begin + kMostTerms < count ? begin + kMostTerms : count;
    const int here = static_cast<int>(end - begin);
    std::vector<Group> groups;
    std::vector<Term> terms;
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::uint64_t t = order[k];
      const std::uint32_t flips = place(x[t]);
      if (groups.empty() || groups.back().x != flips || groups.back().odd != odd(t) || groups.back().count == kTermsAtOnce)
        groups.push_back({flips, static_cast<std::uint32_t>(k - begin), 0, odd(t)});
      ++groups.back().count;
      Term term{z[t] & ~tile, place(z[t]), 0};
      for (std::uint32_t j = 0; j < 32; ++j)
        term.iterations |= static_cast<std::uint32_t>(__builtin_popcount(term.inside >> kThreadBits & j) & 1) << j;
      terms.push_back(term);
    }
    const std::size_t group_bytes = groups.size() * sizeof(Group), term_bytes = terms.size() * sizeof(Term);
    const Scratch lists(stream, term_bytes + group_bytes), partial(stream, static_cast<std::size_t>(kBlocks) * here * sizeof(double));
    KETMESH_TRY(lists.error());
    KETMESH_TRY(partial.error());
    Term* const device_terms = lists.as<Term>();
    Group* const device_groups = reinterpret_cast<Group*>(device_terms + terms.size());
    KETMESH_TRY(cudaMemcpyAsync(device_terms, terms.data(), term_bytes, cudaMemcpyHostToDevice, stream));
    KETMESH_TRY(cudaMemcpyAsync(device_groups, groups.data(), group_bytes, cudaMemcpyHostToDevice, stream));
    const std::size_t shared = (std::size_t{1} << tile_bits) * sizeof(complex_t<Real>) +
                               (std::size_t{1} << (tile_bits - rows)) * sizeof(std::uint64_t) +
                               static_cast<std::size_t>(kWarps) * here * sizeof(double);
    KETMESH_TRY(cudaFuncSetAttribute(pauli_kernel<Real>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
    pauli_kernel<Real><<<kBlocks, kThreads, shared, stream>>>(static_cast<const complex_t<Real>*>(shard->data), g, device_groups,
                                                              static_cast<int>(groups.size()), device_terms, here, partial.as<double>());
    KETMESH_TRY(cudaGetLastError());
    std::vector<double> host(static_cast<std::size_t>(kBlocks) * here);
    KETMESH_TRY(cudaMemcpyAsync(host.data(), partial.as<double>(), host.size() * sizeof(double), cudaMemcpyDeviceToHost, stream));
    KETMESH_TRY(cudaStreamSynchronize(stream));
    for (int k = 0; k < here; ++k) {
      const std::uint64_t t = order[begin + static_cast<std::uint64_t>(k)];
      double total = 0;
      for (int b = 0; b < kBlocks; ++b) total += host[static_cast<std::size_t>(b) * here + k];
      sums[2 * t + odd(t)] += total;
    }
  }
  return 0;
}

}  // namespace

int pauli_read(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* bits, std::int32_t tile_bits,
               std::int32_t rows, const std::uint64_t* x, const std::uint64_t* z, std::uint64_t count, double* sums) {
  return KETMESH_BY_PRECISION(pauli_read_of, context, shard, bits, tile_bits, rows, x, z, count, sums);
}

}  // namespace ketmesh::kernels::cuda
