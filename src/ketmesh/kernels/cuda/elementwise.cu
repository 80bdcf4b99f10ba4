// Kernels that touch each amplitude once and need no other: fills, collapse, Pauli products, sums of states, packing.
#include <type_traits>

#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr int kThreads = 256;

/// out(i) for all i below n, a grid-stride loop.
template <typename F>
__global__ void __launch_bounds__(kThreads) each(std::uint64_t n, const F f) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += std::uint64_t{gridDim.x} * kThreads) f(i);
}

template <typename F>
int for_each(const KetmeshCudaContext* context, std::uint64_t n, const F& f) {
  if (n == 0) return 0;
  const std::uint64_t blocks = (n + kThreads - 1) / kThreads;
  each<<<static_cast<unsigned>(blocks < (1u << 22) ? blocks : (1u << 22)), kThreads, 0, stream_of(context)>>>(n, f);
  KETMESH_TRY(cudaGetLastError());
  return 0;
}

template <typename Real>
complex_t<Real>* amplitudes(const KetmeshCudaShard* shard) {
  return static_cast<complex_t<Real>*>(shard->data);
}

std::uint64_t size_of(const KetmeshCudaShard* shard) { return std::uint64_t{1} << shard->local_bits; }

struct Factors {
  double2 of[62][2];
};

/// Index of element k of the sub-block whose bits `mask` equal `value`.
struct BlockIndex {
  std::uint64_t value;
  Run runs[kMaxRuns * 2];
  int count;
  __device__ std::uint64_t operator()(std::uint64_t k) const { return value | spread(k, runs, count); }
};

BlockIndex block_index(int local_bits, std::uint64_t mask, std::uint64_t value) {
  BlockIndex out{value, {}, 0};
  int k = 0;
  for (int b = 0; b < local_bits; ++b) {
    if ((mask >> b & 1) != 0) continue;
    if (out.count > 0 && out.runs[out.count - 1].to + out.runs[out.count - 1].length == b) {
      ++out.runs[out.count - 1].length;
    } else {
      out.runs[out.count++] = {static_cast<std::uint8_t>(k), static_cast<std::uint8_t>(b), 1, 0};
    }
    ++k;
  }
  return out;
}

}  // namespace

int fill_zero(const KetmeshCudaContext* context, const KetmeshCudaShard* shard) {
  KETMESH_ON(context);
  KETMESH_TRY(cudaMemsetAsync(shard->data, 0, size_of(shard) * 2 * static_cast<std::size_t>(context->precision), stream_of(context)));
  return 0;
}

namespace {

template <typename Real>
int set_amplitude_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t local, double re, double im) {
  KETMESH_ON(context);
  auto* const to = amplitudes<Real>(shard) + local;
  const complex_t<Real> value{static_cast<Real>(re), static_cast<Real>(im)};
  return for_each(context, 1, [=] __device__(std::uint64_t) { *to = value; });
}

}  // namespace

int set_amplitude(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t local, double re, double im) {
  return KETMESH_BY_PRECISION(set_amplitude_of, context, shard, local, re, im);
}

namespace {

constexpr int kStretchBits = 13, kLowBits = 6;

/// A block writes 2^13 amplitudes: products over the low 6 bits, and over the next 7 and what lies above them.
template <typename Real>
__global__ void __launch_bounds__(kThreads)
    product_stretches(complex_t<Real>* data, int local_bits, const __grid_constant__ Factors f, double2 fixed) {
  constexpr unsigned kLow = 1u << kLowBits, kHigh = 1u << (kStretchBits - kLowBits);
  __shared__ double2 low[kLow], high[kHigh], above;
  const unsigned t = threadIdx.x;
  if (t < kHigh) {
    double2 v{1, 0};
    for (int b = kLowBits; b < kStretchBits; ++b) v = times(v, f.of[b][t >> (b - kLowBits) & 1]);
    high[t] = v;
  } else if (t < kHigh + kLow) {
    double2 v{1, 0};
    for (int b = 0; b < kLowBits; ++b) v = times(v, f.of[b][t >> b & 1]);
    low[t - kHigh] = v;
  } else if (t == kThreads - 1) {
    double2 v = fixed;
    for (int b = kStretchBits; b < local_bits; ++b) v = times(v, f.of[b][blockIdx.x >> (b - kStretchBits) & 1]);
    above = v;
  }
  __syncthreads();
  constexpr unsigned kPerThread = 16 / sizeof(complex_t<Real>);  // 16 bytes a store
  complex_t<Real>* const to = data + (std::uint64_t{blockIdx.x} << kStretchBits);
  const unsigned first = t * kPerThread, column = first % kLow;
  double2 mine[kPerThread];
#pragma unroll
  for (unsigned k = 0; k < kPerThread; ++k) mine[k] = times(low[column + k], above);
#pragma unroll 4
  for (unsigned i = first; i < 1u << kStretchBits; i += kThreads * kPerThread) {
    alignas(16) complex_t<Real> out[kPerThread];
#pragma unroll
    for (unsigned k = 0; k < kPerThread; ++k) {
      const double2 v = times(mine[k], high[i >> kLowBits]);
      out[k] = {static_cast<Real>(v.x), static_cast<Real>(v.y)};
    }
    __stcs(reinterpret_cast<float4*>(to + i), *reinterpret_cast<const float4*>(out));
  }
}

template <typename Real>
int fill_product_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const double* factors, std::int32_t bits, double re,
                    double im) {
  KETMESH_ON(context);
  Factors f{};
  for (int b = 0; b < bits; ++b)
    for (int v = 0; v < 2; ++v) f.of[b][v] = {factors[4 * b + 2 * v], factors[4 * b + 2 * v + 1]};
  double2 fixed{re, im};  // the global bits are the same for the whole shard
  for (int b = shard->local_bits; b < bits; ++b) {
    const double2 w = f.of[b][shard->base >> b & 1];
    fixed = {fixed.x * w.x - fixed.y * w.y, fixed.x * w.y + fixed.y * w.x};
  }
  const int local = shard->local_bits;
  auto* const data = amplitudes<Real>(shard);
  if (local >= kStretchBits) {
    product_stretches<Real><<<1u << (local - kStretchBits), kThreads, 0, stream_of(context)>>>(data, local, f, fixed);
    KETMESH_TRY(cudaGetLastError());
    return 0;
  }
  return for_each(context, size_of(shard), [=] __device__(std::uint64_t i) {
    double2 v = fixed;
    for (int b = 0; b < local; ++b) v = times(v, f.of[b][i >> b & 1]);
    data[i] = {static_cast<Real>(v.x), static_cast<Real>(v.y)};
  });
}

}  // namespace

int fill_product(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const double* factors, std::int32_t bits, double re,
                 double im) {
  return KETMESH_BY_PRECISION(fill_product_of, context, shard, factors, bits, re, im);
}

namespace {

template <typename Real>
int collapse_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t mask, std::uint64_t value, double re,
                double im) {
  KETMESH_ON(context);
  auto* const data = amplitudes<Real>(shard);
  const std::uint64_t base = shard->base;
  const complex_t<Real> factor{static_cast<Real>(re), static_cast<Real>(im)};
  return for_each(context, size_of(shard), [=] __device__(std::uint64_t i) {
    data[i] = ((base | i) & mask) == value ? times(data[i], factor) : complex_t<Real>{0, 0};
  });
}

}  // namespace

int collapse(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t mask, std::uint64_t value, double re,
             double im) {
  return KETMESH_BY_PRECISION(collapse_of, context, shard, mask, value, re, im);
}

namespace {

template <typename Real>
int read_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint64_t* physical, std::uint64_t count,
            double* out) {
  KETMESH_ON(context);
  const cudaStream_t stream = stream_of(context);
  const Scratch indices(stream, count * sizeof(std::uint64_t)), values(stream, count * sizeof(double2));
  KETMESH_TRY(indices.error());
  KETMESH_TRY(values.error());
  auto* const from = indices.as<std::uint64_t>();
  auto* const to = values.as<double2>();
  KETMESH_TRY(cudaMemcpyAsync(from, physical, count * sizeof(std::uint64_t), cudaMemcpyHostToDevice, stream));
  KETMESH_TRY(cudaMemcpyAsync(to, out, count * sizeof(double2), cudaMemcpyHostToDevice, stream));  // those of other shards stay
  const std::uint64_t base = shard->base, size = size_of(shard);

  auto* const data = amplitudes<Real>(shard);
  const int code = for_each(context, count, [=] __device__(std::uint64_t i) {
    const std::uint64_t at = from[i] - base;
    if (from[i] >= base && at < size) to[i] = {static_cast<double>(data[at].x), static_cast<double>(data[at].y)};
  });
  if (code != 0) return code;
  KETMESH_TRY(cudaMemcpyAsync(out, to, count * sizeof(double2), cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  return 0;
}

}  // namespace

int read(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint64_t* physical, std::uint64_t count,
         double* out) {
  return KETMESH_BY_PRECISION(read_of, context, shard, physical, count, out);
}

namespace {

template <typename Real>
int apply_pauli_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t x, std::uint64_t z, double re,
                   double im) {
  KETMESH_ON(context);
  // P|i> = i^{#Y} (-1)^{|i & z|} |i ^ x>
  const int quarter = __builtin_popcountll(x & z) & 3;
  double2 f{re, im};
  for (int k = 0; k < quarter; ++k) f = {-f.y, f.x};
  auto* const data = amplitudes<Real>(shard);
  const std::uint64_t base = shard->base;
  const complex_t<Real> factor{static_cast<Real>(f.x), static_cast<Real>(f.y)};
  return for_each(context, size_of(shard), [=] __device__(std::uint64_t i) {
    const std::uint64_t j = i ^ x;
    if (j < i) return;
    const auto sign = [&](std::uint64_t k, complex_t<Real> v) {
      return (__popcll((base | k) & z) & 1) != 0 ? complex_t<Real>{-v.x, -v.y} : v;
    };
    const complex_t<Real> u = times(sign(i, data[i]), factor), v = times(sign(j, data[j]), factor);
    data[j] = u;
    data[i] = v;
  });
}

}  // namespace

int apply_pauli(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t x, std::uint64_t z, double re, double im) {
  return KETMESH_BY_PRECISION(apply_pauli_of, context, shard, x, z, re, im);
}

namespace {

template <typename Real>
int add_of(const KetmeshCudaContext* context, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double re, double im) {
  KETMESH_ON(context);
  auto* const to = amplitudes<Real>(a);
  const auto* const from = amplitudes<Real>(b);
  const complex_t<Real> factor{static_cast<Real>(re), static_cast<Real>(im)};
  return for_each(context, size_of(a), [=] __device__(std::uint64_t i) {
    const complex_t<Real> v = times(from[i], factor);
    to[i] = {to[i].x + v.x, to[i].y + v.y};
  });
}

}  // namespace

int add(const KetmeshCudaContext* context, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double re, double im) {
  return KETMESH_BY_PRECISION(add_of, context, a, b, re, im);
}

namespace {

template <typename Real>
int pack_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t mask, std::uint64_t value, std::uint64_t first,
            std::uint64_t count, void* out) {
  KETMESH_ON(context);
  const BlockIndex index = block_index(shard->local_bits, mask, value);
  using C = complex_t<Real>;
  const C* const data = amplitudes<Real>(shard);
  C* const to = static_cast<C*>(out);
  return for_each(context, count, [=] __device__(std::uint64_t k) { to[k] = data[index(first + k)]; });
}

}  // namespace

int pack(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t mask, std::uint64_t value, std::uint64_t first,
         std::uint64_t count, void* out) {
  return KETMESH_BY_PRECISION(pack_of, context, shard, mask, value, first, count, out);
}

namespace {

template <typename Real>
int unpack_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t mask, std::uint64_t value,
              std::uint64_t first, std::uint64_t count, const void* in) {
  KETMESH_ON(context);
  const BlockIndex index = block_index(shard->local_bits, mask, value);
  using C = complex_t<Real>;
  C* const data = amplitudes<Real>(shard);
  const C* const from = static_cast<const C*>(in);
  return for_each(context, count, [=] __device__(std::uint64_t k) { data[index(first + k)] = from[k]; });
}

}  // namespace

int unpack(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, std::uint64_t mask, std::uint64_t value, std::uint64_t first,
           std::uint64_t count, const void* in) {
  return KETMESH_BY_PRECISION(unpack_of, context, shard, mask, value, first, count, in);
}

namespace {

template <typename Real>
int swap_blocks_of(const KetmeshCudaContext* context, const KetmeshCudaShard* a, const KetmeshCudaShard* b, std::uint64_t mask,
                   std::uint64_t value_a, std::uint64_t value_b) {
  KETMESH_ON(context);
  const BlockIndex at = block_index(a->local_bits, mask, 0);
  using C = complex_t<Real>;
  C* const in_a = amplitudes<Real>(a);
  C* const in_b = amplitudes<Real>(b);
  return for_each(context, size_of(a) >> __builtin_popcountll(mask), [=] __device__(std::uint64_t k) {
    const std::uint64_t rest = at(k);
    const C u = in_a[rest | value_a], v = in_b[rest | value_b];
    in_a[rest | value_a] = v;
    in_b[rest | value_b] = u;
  });
}

}  // namespace

int swap_blocks(const KetmeshCudaContext* context, const KetmeshCudaShard* a, const KetmeshCudaShard* b, std::uint64_t mask,
                std::uint64_t value_a, std::uint64_t value_b) {
  return KETMESH_BY_PRECISION(swap_blocks_of, context, a, b, mask, value_a, value_b);
}

}  // namespace ketmesh::kernels::cuda
