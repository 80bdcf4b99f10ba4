// Which shots share a branch, and how their draws divide them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh::runtime {

/// Ascending shot numbers as ranges.
class ShotRanges {
 public:
  struct Range {
    std::uint64_t first, count;
  };
  ShotRanges() = default;
  ShotRanges(std::uint64_t first, std::uint64_t count) {
    if (count > 0) ranges_.push_back({first, count});
    total_ = count;
  }
  void append(std::uint64_t shot) {
    if (!ranges_.empty() && ranges_.back().first + ranges_.back().count == shot)
      ++ranges_.back().count;
    else
      ranges_.push_back({shot, 1});
    ++total_;
  }
  std::uint64_t size() const noexcept { return total_; }
  std::span<const Range> ranges() const noexcept { return ranges_; }

 private:
  std::vector<Range> ranges_;
  std::uint64_t total_ = 0;
};

/// Inverse transform over a table of probabilities that need not add up to 1.
class OutcomeTable {
 public:
  explicit OutcomeTable(std::span<const double> probabilities);
  struct Drawn {
    Index value;
    double rest;  ///< where in the outcome's interval the draw fell, [0, 1): a uniform draw of its own
  };
  Drawn at(double u) const;  ///< u in [0, 1)
  double probability(Index value) const { return probabilities_[value]; }
  double total() const { return cumulative_.back(); }

 private:
  std::vector<double> probabilities_, cumulative_;
  Index last_possible_ = 0;
};

/// Shots with one outcome; `draws` (one a shot) only when asked for: what is left of their draws.
struct ShotGroup {
  Index value = 0;
  ShotRanges shots;
  std::vector<double> draws;
};

/// Divides shots by their draws; groups ascend by number of shots, equal ones by value.
std::vector<ShotGroup> divide(const ShotRanges& shots, const OutcomeTable& table,
                              const std::function<double(std::uint64_t shot, std::uint64_t place)>& draw, bool keep_draws);

}  // namespace ketmesh::runtime
