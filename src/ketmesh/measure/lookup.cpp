#include "ketmesh/measure/lookup.hpp"

#include <algorithm>
#include <array>

namespace ketmesh::measure {
namespace {

constexpr std::size_t kStride = 64;  // outcomes that are skipped together when no draw falls on them

/// Eight chains: a fixed order of additions that runs at the speed of the loads.
double stride_sum(std::span<const double> p) {
  std::array<double, 8> s{};
  std::size_t i = 0;
  for (; i + 8 <= p.size(); i += 8)
    for (std::size_t j = 0; j < 8; ++j) s[j] += p[i + j];
  for (std::size_t j = 0; i < p.size(); ++i, ++j) s[j] += p[i];
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

}  // namespace

BlockLookup::BlockLookup(std::span<std::uint64_t> draws, double unit, double origin, Index first_outcome)
    : draws_(draws), unit_(unit), origin_(origin), next_outcome_(first_outcome) {}

void BlockLookup::feed(std::span<const double> probabilities) {
  if (done_ == draws_.size()) return;
  for (std::size_t start = 0; start < probabilities.size(); start += kStride) {
    const auto stride = probabilities.subspan(start, std::min(kStride, probabilities.size() - start));
    const double after = sum_ + stride_sum(stride);
    if (done_ < draws_.size() && target(done_) < after) {
      double running = sum_;
      for (std::size_t i = 0; i < stride.size(); ++i) {
        if (!(stride[i] > 0)) continue;
        running += stride[i];
        last_possible_ = next_outcome_ + start + i;
        any_ = true;
        while (done_ < draws_.size() && target(done_) < running) draws_[done_++] = last_possible_;
        if (done_ == draws_.size()) return;
        if (target(done_) >= after) break;
      }
      // The sum in order may stay below the sum in chains by rounding.
      while (done_ < draws_.size() && any_ && target(done_) < after) draws_[done_++] = last_possible_;
      if (done_ == draws_.size()) return;
    }
    sum_ = after;
  }
  const auto last = std::find_if(probabilities.rbegin(), probabilities.rend(), [](double p) { return p > 0; });
  if (last != probabilities.rend()) {
    any_ = true;
    last_possible_ = next_outcome_ + static_cast<Index>(probabilities.rend() - last - 1);
  }
  next_outcome_ += probabilities.size();
}

bool BlockLookup::finish() {
  if (!any_) return done_ == draws_.size();
  while (done_ < draws_.size()) draws_[done_++] = last_possible_;
  return true;
}

}  // namespace ketmesh::measure
