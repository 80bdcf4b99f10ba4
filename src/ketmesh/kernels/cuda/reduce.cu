// Sums in double over a shard: marginals, probabilities of groups, Pauli sums, inner products.
#include <type_traits>
#include <vector>

#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 2048;  // fixed, so that sums do not depend on the device
constexpr int kTermsAtOnce = 8;

struct Bits {
  std::int32_t count;
  std::uint8_t at[32];
  __device__ std::uint64_t gather(std::uint64_t index) const {
    std::uint64_t out = 0;
    for (int k = 0; k < count; ++k) out |= (index >> at[k] & 1) << k;
    return out;
  }
  __device__ std::uint64_t scatter(std::uint64_t value) const {
    std::uint64_t out = 0;
    for (int k = 0; k < count; ++k) out |= (value >> k & 1) << at[k];
    return out;
  }
};

Bits bits_of(const std::uint8_t* bits, std::int32_t count) {
  Bits out{count, {}};
  for (int k = 0; k < count; ++k) out.at[k] = bits[k];
  return out;
}

template <typename C>
__device__ double square(C a) {
  return static_cast<double>(a.x) * a.x + static_cast<double>(a.y) * a.y;
}

/// Sum of a block's values, in thread 0.
__device__ double block_sum(double value) {
  __shared__ double partial[kThreads / 32];
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0)
    for (double p : partial) sum += p;
  return sum;
}

/// partial[w * blocks + block] = block's part of sum w of the W values that f adds for each index.
template <int W, typename F>
__global__ void __launch_bounds__(kThreads) sums_kernel(std::uint64_t n, double* partial, const F f) {
  double sum[W] = {};
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += std::uint64_t{gridDim.x} * kThreads) f(i, sum);
  for (int w = 0; w < W; ++w) {
    const double s = block_sum(sum[w]);
    if (threadIdx.x == 0) partial[w * gridDim.x + blockIdx.x] = s;
  }
}

/// Adds the W sums to `out`, block by block in order: the same bits every time.
template <int W, typename F>
int add_sums(const KetmeshCudaContext* context, std::uint64_t n, double* out, const F& f) {
  const cudaStream_t stream = stream_of(context);
  const Scratch partial(stream, W * kBlocks * sizeof(double));
  KETMESH_TRY(partial.error());
  sums_kernel<W><<<kBlocks, kThreads, 0, stream>>>(n, partial.as<double>(), f);
  KETMESH_TRY(cudaGetLastError());
  double host[W * kBlocks];
  KETMESH_TRY(cudaMemcpyAsync(host, partial.as<double>(), sizeof host, cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  for (int w = 0; w < W; ++w)
    for (int b = 0; b < kBlocks; ++b) out[w] += host[w * kBlocks + b];
  return 0;
}

template <typename Real>
__global__ void __launch_bounds__(kThreads)
    histogram(const complex_t<Real>* data, std::uint64_t n, std::uint64_t base, const NormTarget target) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += std::uint64_t{gridDim.x} * kThreads)
    add_norm(target, base | i, square(data[i]));
}

std::uint64_t size_of(const KetmeshCudaShard* shard) { return std::uint64_t{1} << shard->local_bits; }

}  // namespace

namespace {

template <typename Real>
int marginals_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* bits, std::int32_t count,
                 double* out) {
  KETMESH_ON(context);
  using C = complex_t<Real>;
  const C* const data = static_cast<const C*>(shard->data);
  if (count == 0)
    return add_sums<1>(context, size_of(shard), out, [=] __device__(std::uint64_t i, double* sum) { sum[0] += square(data[i]); });
  NormTarget target{};
  target.count = count;
  for (int k = 0; k < count; ++k) target.bits[k] = bits[k];
  const std::size_t bins = std::size_t{1} << count;
  const cudaStream_t stream = stream_of(context);
  const Scratch sums(stream, bins * sizeof(double));
  KETMESH_TRY(sums.error());
  KETMESH_TRY(cudaMemsetAsync(sums.as<double>(), 0, bins * sizeof(double), stream));
  target.sums = sums.as<double>();
  const std::uint64_t n = size_of(shard), blocks = (n + kThreads - 1) / kThreads;
  histogram<Real><<<static_cast<unsigned>(blocks < 8192 ? blocks : 8192), kThreads, 0, stream>>>(data, n, shard->base, target);
  KETMESH_TRY(cudaGetLastError());
  std::vector<double> host(bins);
  KETMESH_TRY(cudaMemcpyAsync(host.data(), sums.as<double>(), bins * sizeof(double), cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  for (std::size_t k = 0; k < bins; ++k) out[k] += host[k];
  return 0;
}

}  // namespace

int marginals(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* bits, std::int32_t count, double* out) {
  return KETMESH_BY_PRECISION(marginals_of, context, shard, bits, count, out);
}

namespace {

template <typename Real>
__global__ void __launch_bounds__(kThreads) groups(const complex_t<Real>* data, std::uint64_t size, std::uint64_t base, const Bits free,
                                                   const std::uint64_t* fixed, std::uint64_t count, double* out) {
  const std::uint64_t total = count << free.count;
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; k < total; k += std::uint64_t{gridDim.x} * kThreads) {
    const std::uint64_t index = fixed[k >> free.count] | free.scatter(k & ((std::uint64_t{1} << free.count) - 1));
    if (index >= base && index - base < size) out[k] = square(data[index - base]);
  }
}

}  // namespace

namespace {

template <typename Real>
int probabilities_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* free_bits,
                     std::int32_t free_count, const std::uint64_t* fixed, std::uint64_t fixed_count, double* out) {
  KETMESH_ON(context);
  const cudaStream_t stream = stream_of(context);
  const std::uint64_t total = fixed_count << free_count;
  const Scratch where(stream, fixed_count * sizeof(std::uint64_t)), values(stream, total * sizeof(double));
  KETMESH_TRY(where.error());
  KETMESH_TRY(values.error());
  KETMESH_TRY(cudaMemcpyAsync(where.as<std::uint64_t>(), fixed, fixed_count * sizeof(std::uint64_t), cudaMemcpyHostToDevice, stream));
  KETMESH_TRY(
      cudaMemcpyAsync(values.as<double>(), out, total * sizeof(double), cudaMemcpyHostToDevice, stream));  // those of other shards stay
  const std::uint64_t blocks = (total + kThreads - 1) / kThreads;

  using C = complex_t<Real>;
  groups<Real><<<static_cast<unsigned>(blocks < (1u << 20) ? blocks : (1u << 20)), kThreads, 0, stream>>>(
      static_cast<const C*>(shard->data), size_of(shard), shard->base, bits_of(free_bits, free_count), where.as<std::uint64_t>(),
      fixed_count, values.as<double>());
  const int code = status(cudaGetLastError(), "probabilities");
  if (code != 0) return code;
  KETMESH_TRY(cudaMemcpyAsync(out, values.as<double>(), total * sizeof(double), cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  return 0;
}

}  // namespace

int probabilities(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* free_bits, std::int32_t free_count,
                  const std::uint64_t* fixed, std::uint64_t fixed_count, double* out) {
  return KETMESH_BY_PRECISION(probabilities_of, context, shard, free_bits, free_count, fixed, fixed_count, out);
}

namespace {

struct SignMasks {
  std::uint64_t z[kTermsAtOnce];
  std::int32_t count;
};

}  // namespace

namespace {

template <typename Real>
int pauli_sums_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const KetmeshCudaShard* partner, const std::uint64_t* x,
                  const std::uint64_t* z, std::uint64_t count, double* sums) {
  KETMESH_ON(context);
  for (std::uint64_t first = 0; first < count;) {  // terms of one x-mask share a read
    SignMasks masks{};
    while (masks.count < kTermsAtOnce && first + static_cast<std::uint64_t>(masks.count) < count &&
           x[first + static_cast<std::uint64_t>(masks.count)] == x[first]) {
      masks.z[masks.count] = z[first + static_cast<std::uint64_t>(masks.count)];
      ++masks.count;
    }
    const std::uint64_t base = shard->base, flip = x[first] & (size_of(shard) - 1);
    double out[2 * kTermsAtOnce] = {};

    using C = complex_t<Real>;
    const C* const a = static_cast<const C*>(shard->data);
    const C* const b = static_cast<const C*>(partner->data);
    const int code = add_sums<2 * kTermsAtOnce>(context, size_of(shard), out, [=] __device__(std::uint64_t i, double* sum) {
      const C u = b[i ^ flip], v = a[i];
      const double re = static_cast<double>(u.x) * v.x + static_cast<double>(u.y) * v.y,
                   im = static_cast<double>(u.x) * v.y - static_cast<double>(u.y) * v.x;
#pragma unroll
      for (int k = 0; k < kTermsAtOnce; ++k) {
        const bool odd = (__popcll((base | i) & masks.z[k]) & 1) != 0;
        sum[2 * k] += odd ? -re : re;
        sum[2 * k + 1] += odd ? -im : im;
      }
    });
    if (code != 0) return code;
    for (int k = 0; k < masks.count; ++k) {
      sums[2 * (first + static_cast<std::uint64_t>(k))] += out[2 * k];
      sums[2 * (first + static_cast<std::uint64_t>(k)) + 1] += out[2 * k + 1];
    }
    first += static_cast<std::uint64_t>(masks.count);
  }
  return 0;
}

}  // namespace

int pauli_sums(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const KetmeshCudaShard* partner, const std::uint64_t* x,
               const std::uint64_t* z, std::uint64_t count, double* sums) {
  return KETMESH_BY_PRECISION(pauli_sums_of, context, shard, partner, x, z, count, sums);
}

namespace {

template <typename Real>
int inner_product_of(const KetmeshCudaContext* context, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double* out) {
  KETMESH_ON(context);
  using C = complex_t<Real>;
  const C* const left = static_cast<const C*>(a->data);
  const C* const right = static_cast<const C*>(b->data);
  return add_sums<2>(context, size_of(a), out, [=] __device__(std::uint64_t i, double* sum) {
    const C u = left[i], v = right[i];
    sum[0] += static_cast<double>(u.x) * v.x + static_cast<double>(u.y) * v.y;
    sum[1] += static_cast<double>(u.x) * v.y - static_cast<double>(u.y) * v.x;
  });
}

}  // namespace

int inner_product(const KetmeshCudaContext* context, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double* out) {
  return KETMESH_BY_PRECISION(inner_product_of, context, a, b, out);
}

}  // namespace ketmesh::kernels::cuda
