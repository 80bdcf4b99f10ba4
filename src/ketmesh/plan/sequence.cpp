#include "ketmesh/plan/sequence.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::plan {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

// A vertex whose predecessors have run but whose targets are not resident.
struct Waiting {
  Index targets;
  std::uint32_t vertex;
};

// A partial sequence: its last set, and what ran in it.
struct Node {
  std::uint32_t parent = kNone;
  int depth = 0;
  Index qubits = 0;
  std::uint32_t done = 0;  // vertices run since the beginning
  std::vector<std::uint32_t> ran;
  std::vector<Waiting> waiting;
};

// A set that grows.
struct Partial {
  Index qubits = 0;
  std::uint32_t done = 0;
  std::vector<std::uint32_t> ran;
  std::vector<Waiting> waiting;
};

// Growth of a partial set by some qubits, with what it lets run: ranges of two pools.
struct Option {
  double key;
  Index qubits;
  std::uint32_t partial;
  std::uint32_t ran_begin, ran_end, waiting_begin, waiting_end;
};

// Set of masks for one growth step, emptied in O(1).
class MaskSet {
 public:
  void clear() { ++stamp_; }
  bool insert(Index mask) {
    auto h = static_cast<std::uint32_t>((mask * 0x9e3779b97f4a7c15U) >> 52);
    for (;; h = (h + 1) & 4095) {
      if (stamps_[h] != stamp_) {
        stamps_[h] = stamp_;
        masks_[h] = mask;
        return true;
      }
      if (masks_[h] == mask) return false;
    }
  }

 private:
  std::array<Index, 4096> masks_{};
  std::array<std::uint32_t, 4096> stamps_{};
  std::uint32_t stamp_ = 1;
};

class Search {
 public:
  Search(const Dependencies& graph, const SequenceLimits& limits, const SequenceEffort& effort)
      : graph_(graph), limits_(limits), effort_(effort), missing_(graph.predecessors) {
    limits_.capacity = std::min(limits_.capacity, bits::count(limits_.qubits));
    if (limits_.capacity == bits::count(limits_.qubits)) limits_.shared = 0;  // every set is all
  }

  // Gives up (empty) once more than `most` sets would be needed.
  std::vector<ResidentSet> run(int most) {
    begin();
    if (nodes_[0].done == graph_.size()) return finish(0);
    std::vector<std::uint32_t> beam{0};
    for (int depth = 1; depth <= most; ++depth) {
      children_.clear();
      for (const auto node : beam) expand(node);
      const auto order = ranked_children();
      beam.clear();
      for (const auto c : order) {
        if (static_cast<int>(beam.size()) >= effort_.width) break;
        beam.push_back(static_cast<std::uint32_t>(nodes_.size()));
        nodes_.push_back(std::move(children_[c]));
        if (nodes_.back().done == graph_.size()) return finish(beam.back());
      }
    }
    return {};
  }

 private:
  void run_vertex(std::uint32_t v) {
    for (auto e = graph_.first[v]; e < graph_.first[v + 1]; ++e) --missing_[graph_.next[e]];
  }
  void unrun_vertex(std::uint32_t v) {
    for (auto e = graph_.first[v]; e < graph_.first[v + 1]; ++e) ++missing_[graph_.next[e]];
  }

  // Runs what `qubits` lets run, beginning with ran[from..) that has not been counted yet; leaves missing_ changed.
  void close(Index qubits, std::vector<std::uint32_t>& ran, std::size_t from, std::vector<Waiting>& waiting) {
    for (auto i = from; i < ran.size(); ++i) {
      const auto v = ran[i];
      for (auto e = graph_.first[v]; e < graph_.first[v + 1]; ++e) {
        const auto w = graph_.next[e];
        if (--missing_[w] != 0) continue;
        if ((graph_.targets[w] & ~qubits) == 0)
          ran.push_back(w);
        else
          waiting.push_back({graph_.targets[w], w});
      }
    }
  }

  // What needs no residency runs at once, and what a resident start lets run.
  void begin() {
    Node root;
    root.qubits = limits_.start;
    const Index resident = limits_.start_is_resident ? limits_.start : 0;
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      if (graph_.predecessors[v] != 0) continue;
      if ((graph_.targets[v] & ~resident) == 0)
        root.ran.push_back(v);
      else
        root.waiting.push_back({graph_.targets[v], v});
    }
    close(resident, root.ran, 0, root.waiting);
    root.done = static_cast<std::uint32_t>(root.ran.size());
    nodes_.push_back(std::move(root));
    at_ = 0;
  }

  // Moves missing_ to the state after `node`.
  void go_to(std::uint32_t node) {
    path_.clear();
    auto a = at_, b = node;
    while (a != b) {
      if (nodes_[a].depth >= nodes_[b].depth) {
        for (const auto v : nodes_[a].ran) unrun_vertex(v);
        a = nodes_[a].parent;
      } else {
        path_.push_back(b);
        b = nodes_[b].parent;
      }
    }
    for (auto i = path_.size(); i-- > 0;)
      for (const auto v : nodes_[path_[i]].ran) run_vertex(v);
    at_ = node;
  }

  bool allowed(Index qubits, Index last) const {
    return bits::count(qubits) <= limits_.capacity && (last == 0 || bits::count(qubits & ~last) <= limits_.capacity - limits_.shared);
  }

  void expand(std::uint32_t node) {
    go_to(node);
    const Index last = nodes_[node].qubits;  // 0 at a free start
    partials_.clear();
    partials_.push_back({0, nodes_[node].done, {}, nodes_[node].waiting});
    grown_.clear();
    while (!partials_.empty()) grow_once(last);
    const auto wanted = std::min<std::size_t>(grown_.size(), static_cast<std::size_t>(effort_.children));
    std::partial_sort(grown_.begin(), grown_.begin() + static_cast<std::ptrdiff_t>(wanted), grown_.end(),
                      [](const Partial& a, const Partial& b) { return a.done != b.done ? a.done > b.done : a.qubits < b.qubits; });
    for (std::size_t i = 0; i < wanted; ++i) {
      auto& p = grown_[i];
      children_.push_back({node, nodes_[node].depth + 1, filled(p, last), p.done, std::move(p.ran), std::move(p.waiting)});
    }
  }

  // One more gate's targets for every partial set; those that cannot grow are grown_.
  void grow_once(Index last) {
    options_.clear();
    ran_pool_.clear();
    waiting_pool_.clear();
    seen_.clear();
    for (std::uint32_t p = 0; p < partials_.size(); ++p) {
      const auto& partial = partials_[p];
      bool can_grow = false;
      bool entered = false;
      for (const auto& w : partial.waiting) {
        const Index qubits = partial.qubits | w.targets;
        if (!allowed(qubits, last)) continue;
        can_grow = true;
        if (options_.size() >= kMaxOptions || !seen_.insert(qubits)) continue;
        if (!entered)
          for (const auto v : partial.ran) run_vertex(v);
        entered = true;
        try_option(p, qubits, last);
      }
      if (entered)
        for (const auto v : partial.ran) unrun_vertex(v);
      if (!can_grow) grown_.push_back(std::move(partials_[p]));
    }
    keep_best_options();
  }

  void try_option(std::uint32_t p, Index qubits, Index last) {
    const auto& partial = partials_[p];
    Option o{0, qubits, p, 0, 0, 0, 0};
    o.ran_begin = static_cast<std::uint32_t>(ran_pool_.size());
    o.waiting_begin = static_cast<std::uint32_t>(waiting_pool_.size());
    for (const auto& w : partial.waiting) {
      if ((w.targets & ~qubits) == 0)
        ran_pool_.push_back(w.vertex);
      else
        waiting_pool_.push_back(w);
    }
    close(qubits, ran_pool_, o.ran_begin, waiting_pool_);
    for (auto i = o.ran_begin; i < ran_pool_.size(); ++i) unrun_vertex(ran_pool_[i]);
    o.ran_end = static_cast<std::uint32_t>(ran_pool_.size());
    o.waiting_end = static_cast<std::uint32_t>(waiting_pool_.size());
    // A qubit more must earn its place; qubits of the last set come without the limit on new ones.
    o.key =
        partial.done + (o.ran_end - o.ran_begin) - kPricePerQubit * bits::count(qubits) - kPricePerNewQubit * bits::count(qubits & ~last);
    options_.push_back(o);
  }

  void keep_best_options() {
    const auto kept = std::min<std::size_t>(options_.size(), static_cast<std::size_t>(effort_.growth));
    std::partial_sort(options_.begin(), options_.begin() + static_cast<std::ptrdiff_t>(kept), options_.end(),
                      [](const Option& a, const Option& b) { return a.key != b.key ? a.key > b.key : a.qubits < b.qubits; });
    next_partials_.clear();
    for (std::size_t i = 0; i < kept; ++i) {
      const auto& o = options_[i];
      const auto& from = partials_[o.partial];
      Partial p;
      p.qubits = o.qubits;
      p.done = from.done + (o.ran_end - o.ran_begin);
      p.ran.reserve(from.ran.size() + (o.ran_end - o.ran_begin));
      p.ran = from.ran;
      p.ran.insert(p.ran.end(), ran_pool_.begin() + o.ran_begin, ran_pool_.begin() + o.ran_end);
      p.waiting.assign(waiting_pool_.begin() + o.waiting_begin, waiting_pool_.begin() + o.waiting_end);
      next_partials_.push_back(std::move(p));
    }
    std::swap(partials_, next_partials_);
  }

  // The set with its free slots given to what waits, in order, then to what was there, then to any qubit.
  Index filled(const Partial& p, Index last) const {
    Index qubits = p.qubits;
    const auto add = [&](Index more) {
      bits::for_each(more & ~qubits, [&](int q) {
        if (allowed(qubits | bits::one(q), last)) qubits |= bits::one(q);
      });
    };
    for (const auto& w : p.waiting) add(w.targets);
    add(last);
    add(limits_.qubits);
    return qubits;
  }

  std::vector<std::uint32_t> ranked_children() const {
    std::vector<std::uint32_t> order(children_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return children_[a].done > children_[b].done; });
    std::vector<std::uint32_t> out;
    for (const auto c : order) {
      const auto same = [&](std::uint32_t o) {
        return children_[o].done == children_[c].done && children_[o].qubits == children_[c].qubits;
      };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(c);
    }
    return out;
  }

  std::vector<ResidentSet> finish(std::uint32_t leaf) const {
    std::vector<ResidentSet> out;
    for (auto node = leaf; node != kNone; node = nodes_[node].parent) {
      if (node == 0 && !limits_.start_is_resident) break;
      ResidentSet r{nodes_[node].qubits, {}};
      for (const auto v : nodes_[node].ran)
        if (graph_.gate[v] != Dependencies::kNoGate) r.gates.push_back(graph_.gate[v]);
      out.push_back(std::move(r));
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  static constexpr std::size_t kMaxOptions = 2048;  // of 4096 slots in seen_
  static constexpr double kPricePerQubit = 0.5;
  static constexpr double kPricePerNewQubit = 0.001;

  const Dependencies& graph_;
  SequenceLimits limits_;
  SequenceEffort effort_;
  std::vector<std::uint32_t> missing_;  // predecessors not yet run, in the state of node at_
  std::uint32_t at_ = 0;
  std::vector<Node> nodes_, children_;
  std::vector<Partial> partials_, next_partials_, grown_;
  std::vector<Option> options_;
  std::vector<std::uint32_t> ran_pool_, path_;
  std::vector<Waiting> waiting_pool_;
  MaskSet seen_;
};

}  // namespace

std::vector<ResidentSet> sequence(std::span<const Action> gates, const SequenceLimits& limits, const SequenceEffort& effort) {
  constexpr int kNoLimit = 1 << 30;
  const auto forward_graph = build_dependencies(gates);
  auto best = Search(forward_graph, limits, effort).run(kNoLimit);
  if (!effort.both_directions || limits.start != 0 || best.size() < 3) return best;
  const auto backward_graph = build_dependencies(gates, true);
  auto backward = Search(backward_graph, limits, effort).run(static_cast<int>(best.size()) - 1);
  if (backward.empty()) return best;
  std::reverse(backward.begin(), backward.end());
  for (auto& r : backward) std::reverse(r.gates.begin(), r.gates.end());
  return backward;
}

}  // namespace ketmesh::plan
