// Draws are uniform, so one counting sort by their leading bits gives small buckets of about equal size, and a second one inside each bucket
// leaves almost nothing to do.
#include "ketmesh/measure/draws.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "ketmesh/base/random.hpp"

namespace ketmesh::measure {
namespace {

constexpr int kDrawBits = 53;
constexpr int kMaxBucketBits = 12;    // more buckets would not stay in the first cache while they are filled
constexpr int kBucketSizeBits = 8;    // wanted size of a bucket
constexpr std::size_t kBlock = 1024;  // draws made at once

std::uint64_t draw(std::uint64_t seed, std::uint64_t shot) {
  return draw_bits(seed, DrawPurpose::terminal_sampling, shot, 0) >> (64 - kDrawBits);
}

/// Sorts numbers whose bits from `bits` up are equal; `scratch` is as long.
void sort_bucket(std::uint64_t* values, std::uint64_t* scratch, std::size_t count, int bits) {
  constexpr std::size_t kSmall = 24;
  constexpr int kMaxDigitBits = 10;
  if (count > kSmall && bits > 0) {
    const int digit_bits = std::min({static_cast<int>(std::bit_width(count)) - 1, kMaxDigitBits, bits}), shift = bits - digit_bits;
    std::array<std::uint32_t, (1 << kMaxDigitBits) + 1> ends{};
    const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
    for (std::size_t i = 0; i < count; ++i) ++ends[((values[i] >> shift) & mask) + 1];
    for (std::size_t d = 0; d <= mask; ++d) ends[d + 1] += ends[d];
    for (std::size_t i = 0; i < count; ++i) scratch[ends[(values[i] >> shift) & mask]++] = values[i];
    std::copy_n(scratch, count, values);
    if (count > (std::size_t{64} << kMaxDigitBits)) {  // far larger than wanted: digits are crowded
      std::sort(values, values + count);
      return;
    }
  }
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t value = values[i];
    std::size_t j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

}  // namespace

std::vector<std::uint64_t> sorted_draws(std::uint64_t seed, std::uint64_t first_shot, std::uint64_t count, int threads) {
  const int bucket_bits = std::clamp(static_cast<int>(std::bit_width(count)) - kBucketSizeBits, 0, kMaxBucketBits),
            shift = kDrawBits - bucket_bits;
  const std::size_t buckets = std::size_t{1} << bucket_bits;
  const std::size_t blocks = (count + kBlock - 1) / kBlock;
  const std::size_t parts = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), std::max<std::size_t>(blocks, 1));
  std::vector<std::uint64_t> draws(count), sorted(count);
  std::vector<std::uint32_t> places(parts * buckets);  // of each part's next draw of a bucket; a chunk of draws is shorter than 2^32
  const auto begin = [&](std::size_t part) { return std::min<std::size_t>(blocks * part / parts * kBlock, count); };
#pragma omp parallel for schedule(static) num_threads(threads) if (parts > 1)
  for (std::size_t part = 0; part < parts; ++part) {
    std::uint32_t* counts = places.data() + part * buckets;
    for (std::size_t i = begin(part); i < begin(part + 1); ++i) {
      draws[i] = draw(seed, first_shot + i);
      ++counts[draws[i] >> shift];
    }
  }
  std::uint32_t place = 0;
  std::vector<std::uint32_t> first(buckets + 1);
  for (std::size_t b = 0; b < buckets; ++b) {
    first[b] = place;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::uint32_t size = places[part * buckets + b];
      places[part * buckets + b] = place;
      place += size;
    }
  }
  first[buckets] = place;
#pragma omp parallel for schedule(static) num_threads(threads) if (parts > 1)
  for (std::size_t part = 0; part < parts; ++part) {
    std::uint32_t* next = places.data() + part * buckets;
    for (std::size_t i = begin(part); i < begin(part + 1); ++i) sorted[next[draws[i] >> shift]++] = draws[i];
  }
#pragma omp parallel for schedule(static) num_threads(threads) if (parts > 1)
  for (std::size_t b = 0; b < buckets; ++b) sort_bucket(sorted.data() + first[b], draws.data() + first[b], first[b + 1] - first[b], shift);
  return sorted;
}

}  // namespace ketmesh::measure
