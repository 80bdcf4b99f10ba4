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
constexpr int kIterations = 32;  // of a thread over the largest tile
constexpr int kMostRuns = 32;

/// Up to kTermsAtOnce strings that flip the same bits, all with an even or all with an odd number of y.
struct Group {
  std::uint32_t x;      ///< bits of the tile
  std::uint32_t first;  ///< of its strings
  std::uint32_t count;
  std::uint32_t odd;
};

struct Term {
  std::uint64_t outside;  ///< bits of z that are not the tile's
  std::uint32_t inside;   ///< ... and those that are, by place in the tile
  std::uint32_t unused;
};

struct Geometry {
  Run runs[kMostRuns];  ///< of the number of a tile
  std::int32_t num_runs, tile, rows;
  std::uint64_t tiles, base;
  std::uint16_t
      diagonal[kIterations +
               1];        ///< strings that flip nothing, by the part of z that tells the iterations of a thread apart: the first of each
  std::uint8_t bits[16];  ///< of the tile
};

__device__ __forceinline__ double with_sign(double value, unsigned odd) {
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(odd << 31), __double2loint(value));
}

/// The sum of a warp added to one of its places.
__device__ __forceinline__ void add_of_warp(double value, double* to) {
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  if ((threadIdx.x & 31) == 0) *to += value;
}

/// All strings that flip nothing: a Walsh-Hadamard transform over the iterations of a thread gives each pattern of signs its sum.
template <typename C>
__device__ __forceinline__ void add_diagonal(const C* tile, unsigned size, const Geometry& g, std::uint64_t index, const Term* terms,
                                             double* sums) {
  double s[kIterations];
#pragma unroll
  for (int j = 0; j < kIterations; ++j) {
    const unsigned k = threadIdx.x + j * kThreads;
    const C v = k < size ? tile[k] : C{0, 0};
    s[j] = static_cast<double>(v.x) * v.x + static_cast<double>(v.y) * v.y;
  }
#pragma unroll
  for (int h = 1; h < kIterations; h *= 2)
#pragma unroll
    for (int j = 0; j < kIterations; ++j)
      if ((j & h) == 0) {
        const double a = s[j], b = s[j | h];
        s[j] = a + b;
        s[j | h] = a - b;
      }
#pragma unroll
  for (int u = 0; u < kIterations; ++u)
    for (unsigned t = g.diagonal[u]; t < g.diagonal[u + 1]; ++t) {
      const unsigned odd = static_cast<unsigned>(__popcll(index & terms[t].outside) + __popc(terms[t].inside & threadIdx.x)) & 1;
      add_of_warp(with_sign(s[u], odd), sums + t);
    }
}

/// Strings that flip the same bits: each pair of amplitudes once.
template <int kCount, typename C>
__device__ __forceinline__ void add_pairs(const C* tile, unsigned size, const Group& group, std::uint64_t index, const Term* terms,
                                          double* sums) {
  double sum[kCount] = {};
  unsigned inside[kCount];
#pragma unroll
  for (int t = 0; t < kCount; ++t) inside[t] = terms[t < static_cast<int>(group.count) ? t : 0].inside;
  const unsigned bit = static_cast<unsigned>(__ffs(static_cast<int>(group.x))) - 1, below = (1u << bit) - 1;
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < size / 2; k += kThreads) {
    const unsigned i = (k & ~below) << 1 | (k & below);
    const C v = tile[i], u = tile[i ^ group.x];
    const double ux = u.x, uy = u.y, vx = v.x, vy = v.y;
    const double w = group.odd != 0 ? ux * vy - uy * vx : ux * vx + uy * vy;
#pragma unroll
    for (int t = 0; t < kCount; ++t) sum[t] += with_sign(w, static_cast<unsigned>(__popc(i & inside[t])) & 1);
  }
#pragma unroll
  for (int t = 0; t < kCount; ++t) {
    if (t >= static_cast<int>(group.count)) continue;
    add_of_warp(2 * with_sign(sum[t], static_cast<unsigned>(__popcll(index & terms[t].outside)) & 1), sums + t);
  }
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
  double* const of_warp = sums + threadIdx.x / 32 * num_terms;
  for (unsigned r = threadIdx.x; r < num_rows; r += kThreads) {
    std::uint64_t at = 0;
    for (int b = g.rows; b < g.tile; ++b) at |= static_cast<std::uint64_t>(r >> (b - g.rows) & 1) << g.bits[b];
    rows[r] = at;
  }
  for (int k = threadIdx.x; k < kWarps * num_terms; k += kThreads) sums[k] = 0;
  for (std::uint64_t number = blockIdx.x; number < g.tiles; number += gridDim.x) {
    const std::uint64_t outside = spread(number, g.runs, g.num_runs);
    __syncthreads();
#pragma unroll 8
    for (unsigned k = threadIdx.x; k < size; k += kThreads) tile[k] = data[outside | rows[k >> g.rows] | (k & row_mask)];
    __syncthreads();
    if (g.diagonal[kIterations] > 0) add_diagonal(tile, size, g, g.base | outside, terms, of_warp);
    for (int n = 0; n < num_groups; ++n) {
      const Group group = groups[n];
      if (group.count == 1)
        add_pairs<1>(tile, size, group, g.base | outside, terms + group.first, of_warp + group.first);
      else
        add_pairs<kTermsAtOnce>(tile, size, group, g.base | outside, terms + group.first, of_warp + group.first);
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
    if (xa != xb) return xa < xb;
    return xa == 0 ? place(z[a]) >> kThreadBits < place(z[b]) >> kThreadBits : odd(a) < odd(b);
  });
  for (std::uint64_t begin = 0; begin < count; begin += kMostTerms) {
    const std::uint64_t end = begin + kMostTerms < count ? begin + kMostTerms : count;
    const int here = static_cast<int>(end - begin);
    std::vector<Group> groups;
    std::vector<Term> terms;
    std::fill(std::begin(g.diagonal), std::end(g.diagonal), std::uint16_t{0});
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::uint64_t t = order[k];
      const std::uint32_t flips = place(x[t]);
      terms.push_back({z[t] & ~tile, place(z[t]), 0});
      if (flips == 0) {  // the first ones, by pattern
        for (std::uint32_t u = (terms.back().inside >> kThreadBits) + 1; u <= kIterations; ++u) ++g.diagonal[u];
        continue;
      }
      if (groups.empty() || groups.back().x != flips || groups.back().odd != odd(t) || groups.back().count == kTermsAtOnce)
        groups.push_back({flips, static_cast<std::uint32_t>(k - begin), 0, odd(t)});
      ++groups.back().count;
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
