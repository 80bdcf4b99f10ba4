#include "ketmesh/runtime/shot_ranges.hpp"

#include <algorithm>

#include "ketmesh/base/error.hpp"

namespace ketmesh::runtime {

OutcomeTable::OutcomeTable(std::span<const double> probabilities)
    : probabilities_(probabilities.begin(), probabilities.end()), cumulative_(probabilities.size()) {
  double sum = 0;
  for (std::size_t i = 0; i < probabilities_.size(); ++i) {
    sum += probabilities_[i];
    cumulative_[i] = sum;
    if (probabilities_[i] > 0) last_possible_ = i;
  }
  if (!(sum > 0)) throw Internal("a measurement of a state of norm 0");
}

OutcomeTable::Drawn OutcomeTable::at(double u) const {
  const double target = u * total();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), target);
  const Index value = std::min(static_cast<Index>(found - cumulative_.begin()), last_possible_);
  const double below = value == 0 ? 0.0 : cumulative_[value - 1];
  return {value, std::clamp((target - below) / probabilities_[value], 0.0, 1.0 - 0x1p-53)};
}

std::vector<ShotGroup> divide(const ShotRanges& shots, const OutcomeTable& table,
                              const std::function<double(std::uint64_t, std::uint64_t)>& draw, bool keep_draws) {
  std::map<Index, ShotGroup> groups;
  std::uint64_t place = 0;
  for (const auto& range : shots.ranges())
    for (std::uint64_t shot = range.first; shot < range.first + range.count; ++shot, ++place) {
      const auto drawn = table.at(draw(shot, place));
      ShotGroup& group = groups[drawn.value];
      group.value = drawn.value;
      group.shots.append(shot);
      if (keep_draws) group.draws.push_back(drawn.rest);
    }
  std::vector<ShotGroup> out;
  out.reserve(groups.size());
  for (auto& [value, group] : groups) out.push_back(std::move(group));
  std::stable_sort(out.begin(), out.end(), [](const ShotGroup& a, const ShotGroup& b) { return a.shots.size() < b.shots.size(); });
  return out;
}

}  // namespace ketmesh::runtime
