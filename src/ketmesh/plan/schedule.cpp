#include "ketmesh/plan/schedule.hpp"

#include <algorithm>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::plan {
namespace {

constexpr SequenceEffort kStageEffort{4, 4, 4, true};
constexpr SequenceEffort kPassEffort{4, 4, 4, true};
constexpr SequenceEffort kResidencyEffort{1, 1, 1, false};

using GateList = std::vector<std::uint32_t>;

// Positions of gates with targets in an order, and between which of them each diagonal must lie.
class Order {
 public:
  explicit Order(const CanonicalCircuit& circuit) : gates_(circuit.gates), position_(gates_.size(), 0) {}

  void set_position(std::uint32_t gate, int position) { position_[gate] = position; }
  int position(std::uint32_t gate) const { return position_[gate]; }

  // For diagonals in `list` (ascending gate numbers): f(gate, lo, hi): it may run just before any position in [lo, hi];
  // gates before the list count as -1, after it as `end`.
  template <typename F>
  void for_each_diagonal(const GateList& list, int end, F&& f) {
    low_.resize(list.size());
    std::array<int, kMaxQubits> edge{};
    edge.fill(-1);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& g = gates_[list[i]];
      const Index targets = g.action.targets();
      int low = -1;
      if (targets == 0) bits::for_each(g.action.z, [&](int w) { low = std::max(low, edge[static_cast<std::size_t>(w)]); });
      low_[i] = low + 1;
      bits::for_each(targets, [&](int w) {
        auto& e = edge[static_cast<std::size_t>(w)];
        e = std::max(e, position_[list[i]]);
      });
    }
    edge.fill(end);
    for (std::size_t i = list.size(); i-- > 0;) {
      const auto& g = gates_[list[i]];
      const Index targets = g.action.targets();
      if (targets == 0) {
        int high = end;
        bits::for_each(g.action.z, [&](int w) { high = std::min(high, edge[static_cast<std::size_t>(w)]); });
        f(list[i], low_[i], high);
      }
      bits::for_each(targets, [&](int w) {
        auto& e = edge[static_cast<std::size_t>(w)];
        e = std::min(e, position_[list[i]]);
      });
    }
  }

 private:
  const std::vector<PlannedGate>& gates_;
  std::vector<int> position_;
  std::vector<int> low_;
};

class Scheduler {
 public:
  Scheduler(const CanonicalCircuit& circuit, const Levels& levels) : circuit_(circuit), levels_(levels), order_(circuit) {}

  std::vector<ScheduledStage> run(const FixedStart& start) {
    const Index all = bits::low_mask(circuit_.num_qubits);
    GateList list(circuit_.gates.size());
    for (std::uint32_t i = 0; i < list.size(); ++i) list[i] = i;
    std::vector<ResidentSet> sets;
    if (levels_.local < circuit_.num_qubits) {
      const SequenceLimits limits{all, levels_.local, 0, start.local, start.local != 0};
      sets = split(list, limits, kStageEffort);
    }
    if (sets.empty()) sets.push_back({start.local != 0 ? start.local : bits::low_mask(levels_.local), targets_of(list)});
    const auto lists = divide(list, sets);
    std::vector<ScheduledStage> stages;
    Index before = start.row;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Index next = i + 1 < sets.size() ? sets[i + 1].qubits : sets[i].qubits;
      stages.push_back(stage(sets[i].qubits, lists[i], before));
      if (!stages.back().passes.empty()) {
        before = stages.back().passes.back().tile & next;
      } else {  // no pass moved the wires at row bits: partners take the places of those that leave
        for (const auto& pair : exchange_pairs(sets[i].qubits, next))
          if (bits::test(before, pair.leaves)) before |= bits::one(pair.enters);
        before &= next;
      }
    }
    place_diagonals(list, stages);
    return stages;
  }

 private:
  std::vector<ResidentSet> split(const GateList& list, const SequenceLimits& limits, const SequenceEffort& effort) {
    actions_.clear();
    for (const auto g : list) actions_.push_back(circuit_.gates[g].action);
    auto sets = sequence(actions_, limits, effort);
    for (auto& s : sets)
      for (auto& g : s.gates) g = list[g];
    return sets;
  }

  GateList targets_of(const GateList& list) const {
    GateList out;
    for (const auto g : list)
      if (circuit_.gates[g].action.targets() != 0) out.push_back(g);
    return out;
  }

  // The gates of each set in program order, with the diagonals that lie between two of them.
  std::vector<GateList> divide(const GateList& list, const std::vector<ResidentSet>& sets) {
    std::vector<GateList> out(sets.size());
    if (sets.size() == 1) {
      out[0] = list;
      return out;
    }
    for (std::size_t s = 0; s < sets.size(); ++s) {
      out[s] = sets[s].gates;
      for (const auto g : sets[s].gates) order_.set_position(g, static_cast<int>(s));
    }
    order_.for_each_diagonal(list, static_cast<int>(sets.size()), [&](std::uint32_t gate, int lo, int hi) {
      if (lo - 1 == hi) out[static_cast<std::size_t>(hi)].push_back(gate);
    });
    for (auto& l : out) std::sort(l.begin(), l.end());
    return out;
  }

  ScheduledStage stage(Index local, const GateList& list, Index before) {
    ScheduledStage out{local, {}};
    const int tile = std::min(levels_.tile, levels_.local);
    SequenceLimits limits{local, tile, levels_.row, before, false};
    if (before != 0) limits.shared = std::min(levels_.row, bits::count(before));
    const auto sets = split(list, limits, kPassEffort);
    const auto lists = divide(list, sets);
    for (std::size_t i = 0; i < sets.size(); ++i) out.passes.push_back(pass(sets[i].qubits, lists[i]));
    return out;
  }

  ScheduledPass pass(Index tile, const GateList& list) {
    ScheduledPass out{tile, {}};
    int widest = levels_.registers;
    for (const auto g : list) widest = std::max(widest, bits::count(circuit_.gates[g].action.targets()));
    const auto sets = split(list, {tile, widest, 0, 0, false}, kResidencyEffort);
    for (const auto& s : sets) {
      ScheduledResidency r{s.qubits, {}};
      for (const auto g : s.gates) r.items.push_back({false, g, {}});
      out.residencies.push_back(std::move(r));
    }
    return out;
  }

  // As few layers as possible: intervals of positions, stabbed greedily from the earliest right end.
  void place_diagonals(const GateList& list, std::vector<ScheduledStage>& stages) {
    struct Interval {
      std::uint32_t gate;
      int lo, hi;
    };
    int count = 0;
    for (auto& s : stages)
      for (auto& p : s.passes)
        for (auto& r : p.residencies)
          for (auto& item : r.items) order_.set_position(item.gate, count++);
    std::vector<Interval> intervals;
    order_.for_each_diagonal(list, count, [&](std::uint32_t gate, int lo, int hi) { intervals.push_back({gate, lo, hi}); });
    if (intervals.empty()) return;
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.hi != b.hi ? a.hi < b.hi : a.gate < b.gate; });
    std::vector<std::pair<int, GateList>> layers;
    for (const auto& i : intervals) {
      if (layers.empty() || layers.back().first < i.lo) layers.push_back({i.hi, {}});
      layers.back().second.push_back(i.gate);
    }
    insert_layers(layers, count, stages);
  }

  void insert_layers(std::vector<std::pair<int, GateList>>& layers, int count, std::vector<ScheduledStage>& stages) {
    if (count == 0) {  // diagonals only
      const int tile = std::min(levels_.tile, levels_.local);
      Index wires = 0;
      bits::for_each(stages[0].local, [&](int w) {
        if (bits::count(wires) < tile) wires |= bits::one(w);
      });
      stages[0].passes.push_back({wires, {{0, {}}}});
    }
    std::size_t next = 0;
    int position = 0;
    ScheduledResidency* last = nullptr;
    for (auto& s : stages)
      for (auto& p : s.passes)
        for (auto& r : p.residencies) {
          std::vector<ScheduledItem> items;
          for (auto& item : r.items) {
            if (next < layers.size() && layers[next].first == position) items.push_back({true, 0, std::move(layers[next++].second)});
            items.push_back(std::move(item));
            ++position;
          }
          r.items = std::move(items);
          last = &r;
        }
    if (next < layers.size()) last->items.push_back({true, 0, std::move(layers[next].second)});
  }

  const CanonicalCircuit& circuit_;
  Levels levels_;
  Order order_;
  std::vector<Action> actions_;
};

}  // namespace

std::vector<WirePair> exchange_pairs(Index local, Index next_local) {
  std::vector<WirePair> out;
  Index enters = next_local & ~local;
  bits::for_each(local & ~next_local, [&](int leaves) {
    out.push_back({leaves, bits::lowest(enters)});
    enters &= enters - 1;
  });
  return out;
}

std::vector<ScheduledStage> schedule(const CanonicalCircuit& circuit, const Levels& levels, const FixedStart& start) {
  return Scheduler(circuit, levels).run(start);
}

}  // namespace ketmesh::plan
