#include "ketmesh/plan/cost.hpp"

#include <algorithm>
#include <vector>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::plan {
namespace {

constexpr std::uint64_t kComplexMultiply = 6;

std::uint64_t flops_per_amplitude(const Step& step) {
  if (step.kind == StepKind::phases) return kComplexMultiply;
  if (step.kind == StepKind::permutation) return 0;
  const std::uint64_t terms = std::uint64_t{1} << step.targets.size();
  switch (step.shape) {
    case MatrixShape::flip:
      return 0;
    case MatrixShape::hadamard:
      return 4;  // add, subtract, scale
    case MatrixShape::real:
    case MatrixShape::rx_like:
      return 4 * terms - 2;  // real times complex: 2 multiplications; sums of `terms`
    case MatrixShape::general:
      return 8 * terms - 2;
  }
  return 0;
}

// Devices in (rank, device) order.
std::vector<std::size_t> first_device_of_rank(const Machine& machine) {
  std::vector<std::size_t> out;
  std::size_t next = 0;
  for (const auto& r : machine.ranks) {
    out.push_back(next);
    next += r.devices.size();
  }
  return out;
}

}  // namespace

std::uint64_t step_flops(const Step& step, int num_qubits) {
  const int free_bits = num_qubits - bits::count(step.control_mask);
  return flops_per_amplitude(step) << free_bits;
}

void count_exchange(Exchange& exchange, const Placement& placement, Precision precision) {
  if (exchange.pairs.empty()) return;
  const auto q = exchange.pairs.size();
  const std::uint64_t block = ((std::uint64_t{1} << placement.local_bits()) * bytes_per_amplitude(precision)) >> q;
  const int local = placement.local_bits();
  std::vector<std::uint64_t> per_rank;
  for (std::size_t s = 0; s < placement.owners.size(); ++s) {
    const auto rank = static_cast<std::size_t>(placement.owners[s].rank);
    if (per_rank.size() <= rank) per_rank.resize(rank + 1, 0);
    for (std::size_t other = 1; other < (std::size_t{1} << q); ++other) {
      std::size_t partner = s;
      for (std::size_t i = 0; i < q; ++i)
        if ((other >> i) & 1) partner ^= std::size_t{1} << (exchange.pairs[i].global_bit - local);
      exchange.bytes += block;
      per_rank[rank] += block;
      if (placement.owners[partner].rank != placement.owners[s].rank) exchange.bytes_between_ranks += block;
    }
  }
  exchange.bytes_max_rank = *std::max_element(per_rank.begin(), per_rank.end());
}

void count(Plan& plan) {
  const std::uint64_t state = (std::uint64_t{1} << plan.num_qubits) * bytes_per_amplitude(plan.precision);
  for (auto& stage : plan.stages) {
    for (auto& pass : stage.passes) {
      pass.flops = 0;
      for (const auto& r : pass.residencies)
        for (const auto& step : r.steps) pass.flops += step_flops(step, plan.num_qubits);
      plan.flops += pass.flops;
      plan.bytes_local += 2 * state;
    }
    count_exchange(stage.exchange, plan.placement, plan.precision);
  }
}

double exchange_seconds(const Exchange& exchange, const Placement& placement, Precision precision, const Machine& machine) {
  const auto& pairs = exchange.pairs;
  if (pairs.empty()) return 0;
  const auto first = first_device_of_rank(machine);
  const int local = placement.local_bits();
  const double block = static_cast<double>(((std::uint64_t{1} << local) * bytes_per_amplitude(precision)) >> pairs.size());
  std::vector<double> busy(machine.num_devices(), 0.0);
  for (std::size_t s = 0; s < placement.owners.size(); ++s) {
    const auto& me = placement.owners[s];
    const auto from = first[static_cast<std::size_t>(me.rank)] + static_cast<std::size_t>(me.device);
    for (std::size_t other = 1; other < (std::size_t{1} << pairs.size()); ++other) {
      std::size_t partner = s;
      for (std::size_t i = 0; i < pairs.size(); ++i)
        if ((other >> i) & 1) partner ^= std::size_t{1} << (pairs[i].global_bit - local);
      const auto& them = placement.owners[partner];
      const auto link = machine.link(from, first[static_cast<std::size_t>(them.rank)] + static_cast<std::size_t>(them.device));
      busy[from] += link.latency + block / link.bandwidth;
    }
  }
  return *std::max_element(busy.begin(), busy.end());
}

std::vector<int> bits_by_link(const Placement& placement, Precision precision, const Machine& machine) {
  constexpr double kAlike = 1e-9;
  const int local = placement.local_bits();
  std::vector<std::pair<double, int>> seconds;
  for (int bit = local; bit < placement.num_qubits; ++bit) {
    Exchange alone;
    alone.pairs = {{static_cast<std::uint8_t>(local - 1), static_cast<std::uint8_t>(bit)}};
    seconds.emplace_back(exchange_seconds(alone, placement, precision, machine), bit);
  }
  if (seconds.empty()) return {};
  const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  if (slowest->first - fastest->first <= kAlike * slowest->first) return {};
  std::stable_sort(seconds.begin(), seconds.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> bits;
  bits.reserve(seconds.size());
  for (const auto& [time, bit] : seconds) bits.push_back(bit);
  return bits;
}

void predict_seconds(Plan& plan, const Machine& machine) {
  const auto first = first_device_of_rank(machine);
  std::vector<double> share(machine.num_devices(), 0.0);
  const double shards = static_cast<double>(plan.placement.owners.size());
  for (const auto& o : plan.placement.owners)
    share[first[static_cast<std::size_t>(o.rank)] + static_cast<std::size_t>(o.device)] += 1 / shards;
  // A rank's CPU devices share its cores and run in turn; GPUs run at once. On a GPU arithmetic hides behind memory.
  double slowest = 0;
  const double bytes = static_cast<double>(plan.bytes_local), flops = static_cast<double>(plan.flops);
  for (std::size_t r = 0; r < machine.ranks.size(); ++r) {
    double in_turn = 0;
    for (std::size_t d = 0; d < machine.ranks[r].devices.size(); ++d) {
      const auto& device = machine.ranks[r].devices[d];
      const double mine = share[first[r] + d];
      const double memory = mine * bytes / device.memory_bandwidth;
      const double arithmetic = mine * flops / (plan.precision == Precision::single ? device.flops_single : device.flops_double);
      if (device.kind == DeviceKind::cpu)
        in_turn += memory + arithmetic;
      else
        slowest = std::max(slowest, std::max(memory, arithmetic));
    }
    slowest = std::max(slowest, in_turn);
  }
  plan.seconds_evolve = slowest;
  plan.seconds_exchange = 0;
  for (const auto& stage : plan.stages) plan.seconds_exchange += exchange_seconds(stage.exchange, plan.placement, plan.precision, machine);
  plan.seconds_total = plan.seconds_evolve + plan.seconds_exchange;
}

}  // namespace ketmesh::plan
