// Shots: draws are made, sorted, looked up in one read of the amplitudes and counted. The same draws and the same additions in the same order as on the
// host, so the same outcomes for the same probabilities. A warp looks a block of outcomes up: eight lanes sum a stride of 64 in eight chains, four
// strides at a time.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <vector>

#include "ketmesh/kernels/cuda/plugin.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr int kWarps = 4, kThreads = 32 * kWarps;
constexpr int kStride = 64, kStrides = 4, kGroup = kStride * kStrides;
constexpr int kMiddleBit = 6, kTopBit = 15, kMiddle = 1 << (kTopBit - kMiddleBit);
constexpr int kDrawBits = 53;
constexpr std::uint64_t kOrphan = ~std::uint64_t{0};

struct Places {
  std::uint8_t block_place[64];  ///< bit k of a block's position in the order of memory: its bit in the block's number
  std::uint8_t block_bit[64];    ///< ... and in the physical index
  std::uint8_t outcome_bit[64];  ///< physical bit of bit k of an outcome within the block
  std::int32_t block_bits, outcome_bits;
};

/// Philox4x32-10 (Salmon et al., SC 2011) keyed by the seed; the counter is the shot, ordinal 0 and the purpose, as in base/random.
__global__ void draw_kernel(std::uint64_t seed, std::uint32_t purpose, std::uint64_t first, std::uint64_t count, std::uint64_t* draws) {
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < count; k += std::uint64_t{gridDim.x} * blockDim.x) {
    std::uint32_t c[4] = {static_cast<std::uint32_t>(first + k), static_cast<std::uint32_t>((first + k) >> 32), 0, purpose << 24};
    std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const std::uint32_t high0 = __umulhi(0xD2511F53u, c[0]), low0 = 0xD2511F53u * c[0];
      const std::uint32_t high1 = __umulhi(0xCD9E8D57u, c[2]), low1 = 0xCD9E8D57u * c[2];
      c[0] = high1 ^ c[1] ^ key[0];
      c[1] = low1;
      c[2] = high0 ^ c[3] ^ key[1];
      c[3] = low0;
      key[0] += 0x9E3779B9u;
      key[1] += 0xBB67AE85u;
    }
    draws[k] = ((static_cast<std::uint64_t>(c[1]) << 32) | c[0]) >> (64 - kDrawBits);
  }
}

__global__ void pair_kernel(const std::uint64_t* outcomes, const std::uint32_t* counts, std::uint64_t n, std::uint64_t* pairs) {
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < n; k += std::uint64_t{gridDim.x} * blockDim.x) {
    pairs[2 * k] = outcomes[k];
    pairs[2 * k + 1] = counts[k];
  }
}

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
__global__ void __launch_bounds__(kThreads, sizeof(Real) == 4 ? 8 : 5)  // all warps of a large state at once
    search_kernel(const complex_t<Real>* data, const Places places, const double* running, std::uint64_t last_possible, double unit,
                  const std::uint64_t* draws, std::uint64_t count, std::uint64_t* outcomes, std::uint64_t* orphans) {
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
    const auto target = [&](std::uint64_t k) { return __dsub_rn(__dmul_rn(static_cast<double>(draws[k]), unit), origin); };
    double sum = 0, next = target(done);
    std::uint64_t latest = kOrphan;  // outcome that is possible, of this lane
    complex_t<Real> ahead[8];
    const auto load = [&](std::uint64_t first) {
      const std::uint64_t mine = first + stride_of_lane * kStride;
      const std::uint64_t rest = base | middle[mine >> kMiddleBit & (kMiddle - 1)] | top[mine >> kTopBit];
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) ahead[i] = data[rest | offsets[i * 8 + chain]];
    };
    load(0);
    for (std::uint64_t first = 0; first < size && done < end; first += kGroup) {
      double partial = 0;
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned inside = stride_of_lane * kStride + i * 8 + chain;
        // Rounded as on the host: a product and a sum, no fused step.
        const double x = ahead[i].x, y = ahead[i].y, value = __dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y));
        p[inside] = value;
        partial = __dadd_rn(partial, value);
        if (value > 0) latest = first + inside;
      }
      if (first + kGroup < size) load(first + kGroup);
      partial = __dadd_rn(partial, __shfl_xor_sync(0xffffffffu, partial, 4));
      partial = __dadd_rn(partial, __shfl_xor_sync(0xffffffffu, partial, 1));
      partial = __dadd_rn(partial, __shfl_xor_sync(0xffffffffu, partial, 2));
      __syncwarp();
#pragma unroll
      for (unsigned g = 0; g < kStrides; ++g) {
        const double after = __dadd_rn(sum, __shfl_sync(0xffffffffu, partial, static_cast<int>(8 * g)));
        // All lanes walk alike; the memory that they read is the same.
        if (done < end && next < after) {
          double walk = sum;
          std::uint64_t last = kOrphan;
          for (unsigned i = 0; i < kStride; ++i) {
            const double value = p[g * kStride + i];
            if (!(value > 0)) continue;
            walk = __dadd_rn(walk, value);
            last = first + g * kStride + i;
            while (done < end && next < walk) {
              if (lane == 0) outcomes[done] = (block << places.outcome_bits) + last;
              if (++done < end) next = target(done);
            }
            if (done == end || next >= after) break;
          }
          // The sum in order may stay below the sum in chains by rounding.
          while (done < end && last != kOrphan && next < after) {
            if (lane == 0) outcomes[done] = (block << places.outcome_bits) + last;
            if (++done < end) next = target(done);
          }
        }
        sum = after;
      }
      __syncwarp();
    }
    // What rounding left takes the last outcome that is possible; kOrphan is the largest number, so it is left out of the maximum.
    for (int d = 16; d > 0; d /= 2) {
      const std::uint64_t other = __shfl_xor_sync(0xffffffffu, latest, d);
      if (latest == kOrphan || (other != kOrphan && other > latest)) latest = other;
    }
    if (done < end && latest == kOrphan) *orphans = 1;
    for (std::uint64_t k = done + lane; k < end; k += 32)
      outcomes[k] = latest == kOrphan ? kOrphan : (block << places.outcome_bits) + latest;
  }
}

template <typename Real>
int sample_of(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const KetmeshCudaSample* sample, KetmeshCudaRoom room,
              void* user) {
  KETMESH_ON(context);
  const cudaStream_t stream = stream_of(context);
  const std::uint8_t* const bits = sample->bits;
  const std::int32_t outcome_bits = sample->block_bits;
  const std::uint64_t count = sample->count;
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
      out(stream, count * sizeof(std::uint64_t)), counts(stream, count * sizeof(std::uint32_t)),
      distinct(stream, 2 * sizeof(std::uint64_t));
  std::size_t sort_bytes = 0, encode_bytes = 0;
  KETMESH_TRY(cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, out.as<std::uint64_t>(), in.as<std::uint64_t>(), count, 0, 64, stream));
  KETMESH_TRY(cub::DeviceRunLengthEncode::Encode(nullptr, encode_bytes, out.as<std::uint64_t>(), in.as<std::uint64_t>(),
                                                 counts.as<std::uint32_t>(), distinct.as<std::uint64_t>(), static_cast<std::int64_t>(count),
                                                 stream));
  const Scratch workspace(stream, std::max(sort_bytes, encode_bytes));
  for (const Scratch* scratch : {&sums, &in, &out, &counts, &distinct, &workspace}) KETMESH_TRY(scratch->error());
  KETMESH_TRY(cudaMemcpyAsync(sums.as<double>(), sample->running, (blocks + 1) * sizeof(double), cudaMemcpyHostToDevice, stream));
  KETMESH_TRY(cudaMemsetAsync(distinct.as<std::uint64_t>(), 0, 2 * sizeof(std::uint64_t), stream));
  draw_kernel<<<1024, 256, 0, stream>>>(sample->seed, sample->purpose, sample->first_shot, count, out.as<std::uint64_t>());
  KETMESH_TRY(cudaGetLastError());
  KETMESH_TRY(cub::DeviceRadixSort::SortKeys(workspace.as<void>(), sort_bytes, out.as<std::uint64_t>(), in.as<std::uint64_t>(), count, 0,
                                             kDrawBits, stream));
  const std::uint64_t wanted = (blocks + kWarps - 1) / kWarps;
  const std::size_t tops = outcome_bits > kTopBit ? std::size_t{1} << (outcome_bits - kTopBit) : 1;
  const std::size_t shared = (kStride + kMiddle + tops) * sizeof(std::uint64_t);
  KETMESH_TRY(cudaFuncSetAttribute(search_kernel<Real>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  search_kernel<Real><<<static_cast<unsigned>(std::min<std::uint64_t>(wanted, 1u << 20)), kThreads, shared, stream>>>(
      static_cast<const complex_t<Real>*>(shard->data), places, sums.as<double>(), sample->last_possible, sample->unit,
      in.as<std::uint64_t>(), count, out.as<std::uint64_t>(), distinct.as<std::uint64_t>() + 1);
  KETMESH_TRY(cudaGetLastError());
  std::uint64_t orphans = 0;
  KETMESH_TRY(cudaMemcpyAsync(&orphans, distinct.as<std::uint64_t>() + 1, sizeof orphans, cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  if (orphans != 0) {  // else outcomes ascend as their draws do
    KETMESH_TRY(cub::DeviceRadixSort::SortKeys(workspace.as<void>(), sort_bytes, out.as<std::uint64_t>(), in.as<std::uint64_t>(), count, 0,
                                               64, stream));
    KETMESH_TRY(cudaMemcpyAsync(out.as<void>(), in.as<void>(), count * sizeof(std::uint64_t), cudaMemcpyDeviceToDevice, stream));
  }
  KETMESH_TRY(cub::DeviceRunLengthEncode::Encode(workspace.as<void>(), encode_bytes, out.as<std::uint64_t>(), in.as<std::uint64_t>(),
                                                 counts.as<std::uint32_t>(), distinct.as<std::uint64_t>(), static_cast<std::int64_t>(count),
                                                 stream));
  std::uint64_t found = 0;
  KETMESH_TRY(cudaMemcpyAsync(&found, distinct.as<std::uint64_t>(), sizeof found, cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  const Scratch pairs(stream, found * 2 * sizeof(std::uint64_t));
  KETMESH_TRY(pairs.error());
  pair_kernel<<<1024, 256, 0, stream>>>(in.as<std::uint64_t>(), counts.as<std::uint32_t>(), found, pairs.as<std::uint64_t>());
  KETMESH_TRY(cudaGetLastError());
  void* const to = room(user, found);
  if (to == nullptr) {
    error_text() = "no host memory for " + std::to_string(found) + " outcomes";
    return KETMESH_CUDA_OUT_OF_MEMORY;
  }
  KETMESH_TRY(cudaMemcpyAsync(to, pairs.as<void>(), found * 2 * sizeof(std::uint64_t), cudaMemcpyDeviceToHost, stream));
  KETMESH_TRY(cudaStreamSynchronize(stream));
  return 0;
}

}  // namespace

int sample(const KetmeshCudaContext* context, const KetmeshCudaShard* shard, const KetmeshCudaSample* sample, KetmeshCudaRoom room,
           void* user) {
  return KETMESH_BY_PRECISION(sample_of, context, shard, sample, room, user);
}

}  // namespace ketmesh::kernels::cuda
