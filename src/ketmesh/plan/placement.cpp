// Shards over devices: how many, and whose.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/plan/memory.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh {
namespace {

// States up to this size are not worth a second device; a user may still ask for shards.
constexpr int kSmallStateQubits = 16;
constexpr double kMostOverEqualShare = 1.25;

struct Slot {
  Placement::Owner owner;
  std::uint64_t capacity;
};

std::vector<Slot> slots_of(const Machine& machine) {
  std::vector<Slot> out;
  for (std::size_t r = 0; r < machine.ranks.size(); ++r)
    for (std::size_t d = 0; d < machine.ranks[r].devices.size(); ++d)
      out.push_back({{static_cast<int>(r), static_cast<int>(d)}, machine.ranks[r].devices[d].memory_bytes});
  return out;
}

class Rule {
 public:
  Rule(int num_qubits, int widest, const Machine& machine, const PlanOptions& options)
      : n_(num_qubits), options_(options), slots_(slots_of(machine)), ranks_(machine.ranks.size()) {
    most_bits_ = std::max(0, n_ - std::max(1, widest));
    most_bits_ = std::min(most_bits_, 24);
  }

  Placement run() const {
    if (slots_.empty()) throw OptionError("the machine has no device");
    if (!options_.shards_per_rank.empty() || options_.policy == PlacementPolicy::explicit_counts) return explicit_counts();
    if (options_.shards != 0) return with_shards(shard_bits_asked());
    if (!options_.global_qubits.empty()) return with_shards(static_cast<int>(options_.global_qubits.size()));
    if (options_.policy == PlacementPolicy::automatic && (slots_.size() == 1 || n_ <= kSmallStateQubits)) {
      auto one = with_shards(0);
      if (fits(counts(0), 0) || most_bits_ == 0) return one;
    }
    return smallest_that_fits();
  }

 private:
  int shard_bits_asked() const {
    const auto s = options_.shards;
    if (s < 1 || (s & (s - 1)) != 0) throw OptionError("shards = " + std::to_string(s) + ": a power of two, 1 or more, is needed");
    int log = 0;
    while ((1 << log) < s) ++log;
    if (log > n_ - 1)
      throw OptionError("shards = " + std::to_string(s) + ": a state of " + std::to_string(n_) + " qubits has at most " +
                        std::to_string(std::uint64_t{1} << std::max(0, n_ - 1)));
    if (log > most_bits_)
      throw OptionError("shards = " + std::to_string(s) + " leave " + std::to_string(n_ - log) + " local qubits: the widest gate needs " +
                        std::to_string(n_ - most_bits_) + "; at most " + std::to_string(1 << most_bits_) + " shards are possible");
    return log;
  }

  std::uint64_t bytes(std::uint64_t shards_held, int shard_bits) const { return plan::device_bytes(n_, shard_bits, shards_held, options_); }

  // Shards of each device when 2^s are spread as evenly as capacities allow; capacity is ignored for what cannot be placed.
  std::vector<std::uint64_t> counts(int shard_bits) const {
    const std::uint64_t total = std::uint64_t{1} << shard_bits;
    std::vector<std::uint64_t> held(slots_.size(), 0);
    if (shard_bits == 0) {
      held[first_that_fits()] = 1;
      return held;
    }
    std::vector<std::uint64_t> most(slots_.size(), total);
    if (options_.policy == PlacementPolicy::automatic)
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        std::uint64_t k = 0;
        const auto shard = plan::shard_bytes(n_, shard_bits, options_.precision);
        const auto fixed = bytes(0, shard_bits);
        if (slots_[i].capacity > fixed) k = (slots_[i].capacity - fixed) / shard;
        most[i] = std::min(k, total);
      }
    std::uint64_t left = total;
    if (std::accumulate(most.begin(), most.end(), std::uint64_t{0}) < total) std::fill(most.begin(), most.end(), total);
    while (left != 0) {  // level by level over the devices that still have room
      const auto open = static_cast<std::uint64_t>(
          std::count_if(held.begin(), held.end(), [&](const auto& h) { return h < most[static_cast<std::size_t>(&h - held.data())]; }));
      const std::uint64_t each = std::max<std::uint64_t>(1, left / open);
      for (std::size_t i = 0; i < held.size() && left != 0; ++i) {
        const auto more = std::min({each, most[i] - held[i], left});
        held[i] += more;
        left -= more;
      }
    }
    return held;
  }

  std::size_t first_that_fits() const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (bytes(1, 0) <= slots_[i].capacity) return i;
    std::size_t best = 0;
    for (std::size_t i = 1; i < slots_.size(); ++i)
      if (slots_[i].capacity > slots_[best].capacity) best = i;
    return best;
  }

  bool fits(const std::vector<std::uint64_t>& held, int shard_bits) const {
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i] != 0 && bytes(held[i], shard_bits) > slots_[i].capacity) return false;
    return true;
  }

  // The largest share that no finer division could lower, as capacities allow.
  double best_share() const {
    const auto held = counts(most_bits_);
    return static_cast<double>(*std::max_element(held.begin(), held.end())) / static_cast<double>(std::uint64_t{1} << most_bits_);
  }

  Placement smallest_that_fits() const {
    const double goal = std::max(best_share(), 1.0 / static_cast<double>(slots_.size())) * kMostOverEqualShare;
    // Who asks for an even division wants every device at work, as far as there are shards.
    int first = 0;
    if (options_.policy != PlacementPolicy::automatic)
      while (first < most_bits_ && (std::size_t{1} << first) < slots_.size()) ++first;
    for (int s = first; s <= most_bits_; ++s) {
      const auto held = counts(s);
      const double largest = static_cast<double>(*std::max_element(held.begin(), held.end())) / static_cast<double>(std::uint64_t{1} << s);
      if (largest <= goal && fits(held, s)) return with_counts(held, s);
    }
    int s = 0;  // nothing fits: the division that says best by how much
    while (s < most_bits_ && (std::size_t{1} << s) < slots_.size()) ++s;
    return with_shards(s);
  }

  Placement with_shards(int shard_bits) const {
    if (options_.policy == PlacementPolicy::round_robin) {
      Placement p = named(shard_bits);
      for (std::size_t i = 0; i < (std::size_t{1} << shard_bits); ++i) p.owners.push_back(slots_[i % slots_.size()].owner);
      return with_share(p);
    }
    return with_counts(counts(shard_bits), shard_bits);
  }

  Placement with_counts(const std::vector<std::uint64_t>& held, int shard_bits) const {
    if (options_.policy == PlacementPolicy::round_robin) return with_shards(shard_bits);
    Placement p = named(shard_bits);
    for (std::size_t i = 0; i < held.size(); ++i)
      for (std::uint64_t k = 0; k < held[i]; ++k) p.owners.push_back(slots_[i].owner);
    return with_share(p);
  }

  Placement explicit_counts() const {
    const auto& per_rank = options_.shards_per_rank;
    if (per_rank.size() != ranks_)
      throw OptionError("placement explicit names " + std::to_string(per_rank.size()) + " ranks; there are " + std::to_string(ranks_));
    std::uint64_t total = 0;
    for (const auto k : per_rank) {
      if (k < 0) throw OptionError("placement explicit: " + std::to_string(k) + " shards; 0 or more are needed");
      total += static_cast<std::uint64_t>(k);
    }
    if (total == 0 || (total & (total - 1)) != 0)
      throw OptionError("placement explicit: " + std::to_string(total) + " shards in all; a power of two is needed");
    if (options_.shards != 0 && static_cast<std::uint64_t>(options_.shards) != total)
      throw OptionError("placement explicit: " + std::to_string(total) + " shards in all, but shards = " + std::to_string(options_.shards));
    int log = 0;
    while ((std::uint64_t{1} << log) < total) ++log;
    if (log > most_bits_)
      throw OptionError("placement explicit: " + std::to_string(total) + " shards are too many for " + std::to_string(n_) +
                        " qubits and the widest gate; at most " + std::to_string(1 << most_bits_) + " are possible");
    Placement p = named(log);
    for (std::size_t r = 0; r < ranks_; ++r) {
      std::vector<Placement::Owner> devices;
      for (const auto& s : slots_)
        if (s.owner.rank == static_cast<int>(r)) devices.push_back(s.owner);
      const auto mine = static_cast<std::size_t>(per_rank[r]);
      if (mine != 0 && devices.empty()) throw OptionError("placement explicit: rank " + std::to_string(r) + " has no device");
      for (std::size_t k = 0; k < mine; ++k) p.owners.push_back(devices[k * devices.size() / mine]);
    }
    return with_share(p);
  }

  Placement named(int shard_bits) const {
    Placement p;
    p.num_qubits = n_;
    p.shard_bits = shard_bits;
    switch (options_.policy) {
      case PlacementPolicy::automatic:
        p.policy = options_.shards_per_rank.empty() ? "auto" : "explicit";
        break;
      case PlacementPolicy::equal:
        p.policy = "equal";
        break;
      case PlacementPolicy::round_robin:
        p.policy = "round_robin";
        break;
      case PlacementPolicy::explicit_counts:
        p.policy = "explicit";
        break;
    }
    return p;
  }

  Placement with_share(Placement p) const {
    std::size_t most = 0;
    for (const auto& s : slots_) most = std::max(most, static_cast<std::size_t>(std::count(p.owners.begin(), p.owners.end(), s.owner)));
    p.largest_share = static_cast<double>(most) / static_cast<double>(p.owners.size());
    return p;
  }

  int n_;
  const PlanOptions& options_;
  std::vector<Slot> slots_;
  std::size_t ranks_;
  int most_bits_ = 0;
};

}  // namespace

Placement PlacementPlanner::place(int num_qubits, int widest_gate, const Machine& machine, const PlanOptions& options) const {
  if (num_qubits < 1 || num_qubits > kMaxQubits)
    throw OptionError("a state of " + std::to_string(num_qubits) + " qubits was asked for; a state has 1 to " + std::to_string(kMaxQubits));
  return Rule(num_qubits, widest_gate, machine, options).run();
}

}  // namespace ketmesh
