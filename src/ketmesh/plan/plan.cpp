#include "ketmesh/plan/plan.hpp"

namespace ketmesh {

std::size_t Plan::num_passes() const {
  std::size_t total = 0;
  for (const auto& s : stages) total += s.passes.size();
  return total;
}

std::size_t Plan::num_exchanges() const {
  std::size_t total = 0;
  for (const auto& s : stages) total += s.exchange.pairs.empty() ? 0 : 1;
  return total;
}

std::uint64_t Plan::bytes_exchanged_total() const {
  std::uint64_t total = 0;
  for (const auto& s : stages) total += s.exchange.bytes;
  return total;
}

std::uint64_t Plan::bytes_exchanged_max_rank() const {
  std::uint64_t total = 0;
  for (const auto& s : stages) total += s.exchange.bytes_max_rank;
  return total;
}

std::uint64_t Plan::bytes_between_ranks() const {
  std::uint64_t total = 0;
  for (const auto& s : stages) total += s.exchange.bytes_between_ranks;
  return total;
}

}  // namespace ketmesh
