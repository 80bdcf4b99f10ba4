// Outcomes of sorted draws: one read of the amplitudes, the same additions in the same order as the lookup of the host, so the same outcomes for the same
// probabilities. A warp looks a block of outcomes up: eight lanes sum a stride of 64 in eight chains, four strides at a time.
#include <algorithm>
#include <vector>

#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr int kWarps = 16, kThreads = 32 * kWarps;
constexpr int kStride = 64, kStrides = 4, kGroup = kStride * kStrides;
constexpr int kMiddleBit = 6, kTopBit = 15, kMiddle = 1 << (kTopBit - kMiddleBit);
constexpr std::uint64_t kOrphan = ~std::uint64_t{0};

struct Places {
  std::uint8_t block_place[64];  ///< bit k of a block's position in the order of memory: its bit in the block's number
  std::uint8_t block_bit[64];    ///< ... and in the physical index
  std::uint8_t outcome_bit[64];  ///< physical bit of bit k of an outcome within the block
  std::int32_t block_bits, outcome_bits;
};

/// How many of the sorted draws are below the border, in units: probes of a warp.
__device__ std::uint64_t below(const std::uint64_t* draws, std::uint64_t count, double unit, double border) {
  std::uint64_t low = 0, high = count;  // draws before low are below, from high on are not
  const unsigned lane = threadIdx.x & 31;
  while (low < high) {
    const std::uint64_t step = (high - low + 31) / 32, at = low + step * lane + step - 1;
    const bool is_below = at < high && static_cast<double>(draws[at]) * unit < border;
    const int probes = __popc(__ballot_sync(0xffffffffu, is_below));
    const std::uint64_t first = low + step * static_cast<std::uint64_t>(probes);
    low = first < high ? first : high;
    const std::uint64_t next = low + step - 1;  // the probe that was not below, if there was one
    high = next < high ? next : high;
  }
  return low;
}

template <typename Real>
__global__ void __launch_bounds__(kThreads)
    search_kernel(const complex_t<Real>* data, const Places places, const double* running, std::uint64_t last_possible, double unit,
                  const std::uint64_t* draws, std::uint64_t count, std::uint64_t* outcomes) {
  __shared__ double probabilities[kWarps][kGroup];
  extern __shared__ std::uint64_t offsets[];  // of the low six bits of an outcome, of the nine after them, of the others
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32, chain = lane & 7, stride_of_lane = lane >> 3;
  const std::uint64_t size = std::uint64_t{1} << places.outcome_bits;
  const std::uint64_t* const middle = offsets + kStride;
  const std::uint64_t* const top = middle + kMiddle;
  const unsigned tops = places.outcome_bits > kTopBit ? 1u << (places.outcome_bits - kTopBit) : 1u;
  for (unsigned k = threadIdx.x; k < kStride + kMiddle + tops; k += kThreads) {
    const std::uint64_t outcome = k < kStride             ? k
                                  : k < kStride + kMiddle ? std::uint64_t{k - kStride} << kMiddleBit
                                                          : std::uint64_t{k - kStride - kMiddle} << kTopBit;
    std::uint64_t at = 0;
    for (int b = 0; b < places.outcome_bits; ++b) at |= (outcome >> b & 1) << places.outcome_bit[b];
    offsets[k] = at;
  }
  __syncthreads();
  const std::uint64_t blocks = std::uint64_t{1} << places.block_bits;
  for (std::uint64_t position = std::uint64_t{blockIdx.x} * kWarps + warp; position < blocks;
       position += std::uint64_t{gridDim.x} * kWarps) {
    std::uint64_t block = 0, base = 0;
    for (int k = 0; k < places.block_bits; ++k) {
      block |= (position >> k & 1) << places.block_place[k];
      base |= (position >> k & 1) << places.block_bit[k];
    }
    const double origin = running[block], border = running[block + 1];
    if (block > last_possible || (border <= origin && block != last_possible)) continue;
    std::uint64_t done = below(draws, count, unit, origin);
    const std::uint64_t end = block == last_possible ? count : below(draws, count, unit, border);
    if (done >= end) continue;
    double* const p = probabilities[warp];
    double sum = 0;
    std::uint64_t last = kOrphan;  // outcome that is possible
    for (std::uint64_t first = 0; first < size && done < end; first += kGroup) {
      double partial = 0;
      const std::uint64_t mine = first + stride_of_lane * kStride;
      const std::uint64_t rest = base | middle[mine >> kMiddleBit & (kMiddle - 1)] | top[mine >> kTopBit];
      std::uint64_t latest = kOrphan;
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned inside = i * 8 + chain;
        const complex_t<Real> a = data[rest | offsets[inside]];
        // Rounded as on the host: a product and a sum, no fused step.
        const double x = a.x, y = a.y, value = __dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y));
        p[stride_of_lane * kStride + inside] = value;
        partial = __dadd_rn(partial, value);
        if (value > 0) latest = mine + inside;
      }
      partial = __dadd_rn(partial, __shfl_xor_sync(0xffffffffu, partial, 4));
      partial = __dadd_rn(partial, __shfl_xor_sync(0xffffffffu, partial, 1));
      partial = __dadd_rn(partial, __shfl_xor_sync(0xffffffffu, partial, 2));
      __syncwarp();
      for (unsigned g = 0; g < kStrides && done < end; ++g) {
        const double after = __dadd_rn(sum, __shfl_sync(0xffffffffu, partial, static_cast<int>(8 * g)));
        // All lanes walk alike; the memory that they read is the same.
        if (__dsub_rn(__dmul_rn(static_cast<double>(draws[done]), unit), origin) < after) {
          double walk = sum;
          for (unsigned i = 0; i < kStride; ++i) {
            const double value = p[g * kStride + i];
            if (!(value > 0)) continue;
            walk = __dadd_rn(walk, value);
            last = first + g * kStride + i;
            while (done < end && __dsub_rn(__dmul_rn(static_cast<double>(draws[done]), unit), origin) < walk) {
              if (lane == 0) outcomes[done] = (block << places.outcome_bits) + last;
              ++done;
            }
            if (done == end || __dsub_rn(__dmul_rn(static_cast<double>(draws[done]), unit), origin) >= after) break;
          }
          // The sum in order may stay below the sum in chains by rounding.
          while (done < end && last != kOrphan && __dsub_rn(__dmul_rn(static_cast<double>(draws[done]), unit), origin) < after) {
            if (lane == 0) outcomes[done] = (block << places.outcome_bits) + last;
            ++done;
          }
        }
        sum = after;
      }
      // The last outcome that is possible so far; kOrphan is the largest number, so it is left out of the maximum.
      for (int d = 16; d > 0; d /= 2) {
        const std::uint64_t other = __shfl_xor_sync(0xffffffffu, latest, d);
        if (latest == kOrphan || (other != kOrphan && other > latest)) latest = other;
      }
      if (done < end && latest != kOrphan) last = latest;
      __syncwarp();
    }
    for (std::uint64_t k = done + lane; k < end; k += 32) outcomes[k] = last == kOrphan ? kOrphan : (block << places.outcome_bits) + last;
  }
}

template <typename Real>
int search_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* bits, std::int32_t outcome_bits,
              const double* running, std::uint64_t last_possible, double unit, std::uint64_t* draws, std::uint64_t count) {
  KETMESH_ON(context);
  const cudaStream_t stream = stream_of(context);
  Places places{};
  places.outcome_bits = outcome_bits;
  places.block_bits = shard->local_bits - outcome_bits;
  for (int k = 0; k < outcome_bits; ++k) places.outcome_bit[k] = bits[k];
  // Positions follow memory: neighbouring warps read neighbouring amplitudes.
  std::vector<int> order(static_cast<std::size_t>(places.block_bits));
  for (int k = 0; k < places.block_bits; ++k) order[static_cast<std::size_t>(k)] = k;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return bits[outcome_bits + a] < bits[outcome_bits + b]; });
  for (int k = 0; k < places.block_bits; ++k) {
    places.block_place[k] = static_cast<std::uint8_t>(order[static_cast<std::size_t>(k)]);
    places.block_bit[k] = bits[outcome_bits + order[static_cast<std::size_t>(k)]];
  }
  const std::uint64_t blocks = std::uint64_t{1} << places.block_bits;
  const Scratch sums(stream, (blocks + 1) * sizeof(double)), in(stream, count * sizeof(std::uint64_t)),
      out(stream, count * sizeof(std::uint64_t));
  KETMESH_TRY(sums.error());
  KETMESH_TRY(in.error());
  KETMESH_TRY(out.error());
  KETMESH_TRY(cudaMemcpyAsync(sums.as<double>(), running, (blocks + 1) * sizeof(double), cudaMemcpyHostToDevice, stream));
  KETMESH_TRY(cudaMemcpyAsync(in.as<std::uint64_t>(), draws, count * sizeof(std::uint64_t), cudaMemcpyHostToDevice, stream));
  const std::uint64_t wanted = (blocks + kWarps - 1) / kWarps;
  const std::size_t tops = outcome_bits > kTopBit ? std::size_t{1} << (outcome_bits - kTopBit) : 1;
  const std::size_t shared = (kStride + kMiddle + tops) * sizeof(std::uint64_t);
  KETMESH_TRY(cudaFuncSetAttribute(search_kernel<Real>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  search_kernel<Real><<<static_cast<unsigned>(std::min<std::uint64_t>(wanted, 1u << 20)), kThreads, shared, stream>>>(
      static_cast<const complex_t<Real>*>(shard->data), places, sums.as<double>(), last_possible, unit, in.as<std::uint64_t>(), count,
      out.as<std::uint64_t>());
  KETMESH_TRY(cudaGetLastError());
  KETMESH_TRY(cudaMemcpyAsync(draws, out.as<std::uint64_t>(), count * sizeof(std::uint64_t), cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  return 0;
}

}  // namespace

int search(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const std::uint8_t* bits, std::int32_t outcome_bits,
           const double* running, std::uint64_t last_possible, double unit, std::uint64_t* draws, std::uint64_t count) {
  return KETMESH_BY_PRECISION(search_of, context, shard, bits, outcome_bits, running, last_possible, unit, draws, count);
}

}  // namespace ketmesh::kernels::cuda
