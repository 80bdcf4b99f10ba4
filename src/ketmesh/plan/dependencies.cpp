#include "ketmesh/plan/dependencies.hpp"

#include <array>
#include <bit>
#include <utility>

namespace ketmesh::plan {
namespace {

enum class Group : std::uint8_t { none, z, x, g };

// The last two groups of mutually commuting entries on one wire.
struct Wire {
  Group kind = Group::none;
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> current;
};

// An entry of a wire is a vertex or, for a narrow diagonal, the list of vertices that it hands its followers.
class Builder {
 public:
  explicit Builder(std::size_t gates) {
    graph_.targets.reserve(gates);
    graph_.gate.reserve(gates);
    start_.reserve(gates + 1);
    edges_.reserve(4 * gates);
    start_.push_back(0);
  }

  void add(std::uint32_t index, const Action& action) {
    ++stamp_;
    const bool diagonal = action.targets() == 0;
    // A narrow diagonal hands on what it waits for and is no vertex; a wide one would multiply edges.
    const bool inlined = diagonal && std::popcount(action.z) <= kInlinedQubits;
    own_.clear();
    for (auto m = action.z; m; m &= m - 1) enter(std::countr_zero(m), Group::z);
    for (auto m = action.x; m; m &= m - 1) enter(std::countr_zero(m), Group::x);
    for (auto m = action.g; m; m &= m - 1) enter(std::countr_zero(m), Group::g);
    std::uint32_t entry;
    if (inlined && own_.size() <= kInlinedEdges) {
      entry = kListFlag | static_cast<std::uint32_t>(lists_.size());
      lists_.push_back({static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(own_.size())});
      pool_.insert(pool_.end(), own_.begin(), own_.end());
    } else {
      entry = vertex(action.targets(), diagonal ? Dependencies::kNoGate : index);
    }
    for (auto m = action.touched(); m; m &= m - 1) wires_[std::countr_zero(m)].current.push_back(entry);
  }

  Dependencies finish() {
    const auto n = graph_.size();
    graph_.predecessors.resize(n);
    graph_.first.assign(n + 1, 0);
    for (std::uint32_t v = 0; v < n; ++v) graph_.predecessors[v] = start_[v + 1] - start_[v];
    for (const auto p : edges_) ++graph_.first[p + 1];
    for (std::uint32_t v = 0; v < n; ++v) graph_.first[v + 1] += graph_.first[v];
    graph_.next.resize(edges_.size());
    std::vector<std::uint32_t> at(graph_.first.begin(), graph_.first.end() - 1);
    for (std::uint32_t v = 0; v < n; ++v)
      for (auto e = start_[v]; e < start_[v + 1]; ++e) graph_.next[at[edges_[e]]++] = v;
    return std::move(graph_);
  }

 private:
  static constexpr int kInlinedQubits = 2;
  static constexpr std::size_t kInlinedEdges = 8;
  static constexpr std::size_t kMeetingPoint = 6;  // larger groups meet in a vertex of their own
  static constexpr std::uint32_t kListFlag = 0x80000000U;

  struct List {
    std::uint32_t begin, size;
  };

  void enter(int qubit, Group kind) {
    auto& wire = wires_[qubit];
    if (wire.kind != kind || kind == Group::g) {
      std::swap(wire.before, wire.current);
      wire.current.clear();
      wire.kind = kind;
      if (wire.before.size() > kMeetingPoint) meet(wire.before);
    }
    for (const auto entry : wire.before) wait_for(entry);
  }

  void wait_for(std::uint32_t entry) {
    if (entry & kListFlag) {
      const auto list = lists_[entry & ~kListFlag];
      for (std::uint32_t i = 0; i < list.size; ++i) wait_for_vertex(pool_[list.begin + i]);
    } else {
      wait_for_vertex(entry);
    }
  }

  void wait_for_vertex(std::uint32_t v) {
    if (seen_[v] == stamp_) return;
    seen_[v] = stamp_;
    own_.push_back(v);
  }

  void meet(std::vector<std::uint32_t>& group) {
    auto outer = std::move(own_);
    own_.clear();
    ++stamp_;
    for (const auto entry : group) wait_for(entry);
    group.assign(1, vertex(0, Dependencies::kNoGate));
    own_ = std::move(outer);
    ++stamp_;  // what the caller has collected is marked again
    for (const auto v : own_) seen_[v] = stamp_;
  }

  std::uint32_t vertex(Index targets, std::uint32_t gate) {
    const auto v = graph_.size();
    graph_.targets.push_back(targets);
    graph_.gate.push_back(gate);
    edges_.insert(edges_.end(), own_.begin(), own_.end());
    start_.push_back(static_cast<std::uint32_t>(edges_.size()));
    seen_.push_back(0);
    return v;
  }

  Dependencies graph_;
  std::array<Wire, 64> wires_;
  std::vector<std::uint32_t> own_, edges_, start_, pool_;
  std::vector<List> lists_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t stamp_ = 0;
};

}  // namespace

Dependencies build_dependencies(std::span<const Action> gates, bool reversed) {
  Builder builder(gates.size());
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const auto at = reversed ? gates.size() - 1 - i : i;
    builder.add(static_cast<std::uint32_t>(at), gates[at]);
  }
  return builder.finish();
}

}  // namespace ketmesh::plan
