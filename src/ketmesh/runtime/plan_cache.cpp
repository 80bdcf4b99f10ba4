#include "ketmesh/runtime/plan_cache.hpp"

#include <iterator>
#include <tuple>

namespace ketmesh::runtime {
namespace {

auto as_tuple(const PlanOptions& o) {
  return std::tie(o.precision, o.target, o.tile_bits, o.row_bits, o.register_bits, o.shards, o.policy, o.shards_per_rank, o.global_qubits,
                  o.workspace_bytes, o.extra_bytes, o.start_layout, o.start_given, o.full_mesh, o.check_memory);
}

// Where making ready is a part of a run that counts, and what is kept stays small.
bool is_small(const Plan& plan, const Circuit& circuit) {
  constexpr std::uint64_t kSmallState = 1_MiB;
  constexpr std::size_t kSmallCircuit = 8192;
  return plan.placement.num_shards() == 1 && plan.memory.state_bytes <= kSmallState && circuit.size() <= kSmallCircuit;
}

}  // namespace

PlanCache::Found PlanCache::find_or_make(const Circuit& circuit, std::size_t first, std::size_t last, const Machine& machine,
                                         const PlanOptions& options) {
  const std::size_t structure = circuit.structural_hash();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    const bool same = it->structure == structure && it->operations == circuit.size() && it->first == first && it->last == last &&
                      it->qubits == circuit.num_qubits() && as_tuple(it->options) == as_tuple(options) && it->machine == machine;
    if (!same) continue;
    entries_.splice(entries_.begin(), entries_, it);
    return {entries_.front().plan, true, entries_.front().numbers};
  }
  auto plan = std::make_shared<const Plan>(make_plan(circuit, first, last, machine, options));
  if (capacity_ == 0) return {plan, false};
  const auto numbers = is_small(*plan, circuit) ? std::make_shared<Numbers>() : nullptr;
  entries_.push_front({structure, circuit.size(), first, last, circuit.num_qubits(), options, machine, plan, numbers});
  if (entries_.size() > capacity_) entries_.pop_back();
  return {plan, false, numbers};
}

}  // namespace ketmesh::runtime
