// Which planned gates must wait for which: the graph that every level of planning walks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh::plan {

// What a gate does to the qubits it touches, as three disjoint masks. Two gates commute when on every qubit that
// both touch both are diagonal-like or both are X-like. x | g are its non-diagonal targets, the ones that need residency.
struct Action {
  Index z = 0;  // diagonal in this qubit: controls, phases
  Index x = 0;  // commutes with X on this qubit: the target of a controlled X, rx, rxx
  Index g = 0;  // anything else

  Index targets() const { return x | g; }
  Index touched() const { return z | x | g; }
};

// The order among gates with targets, transitively through the diagonals between them (a diagonal needs no residency, so
// it only carries order). Vertices are in a topological order. Edges may be redundant but number O(touches) in
// all: large commuting groups meet in a vertex of their own that has no gate.
struct Dependencies {
  static constexpr std::uint32_t kNoGate = 0xffffffffU;

  std::vector<Index> targets;               // per vertex; 0: runs as soon as it is ready
  std::vector<std::uint32_t> gate;          // per vertex: index of its gate, kNoGate for a meeting point
  std::vector<std::uint32_t> predecessors;  // per vertex: how many edges enter it
  std::vector<std::uint32_t> first;         // CSR: successors of v are next[first[v] .. first[v + 1])
  std::vector<std::uint32_t> next;

  std::uint32_t size() const { return static_cast<std::uint32_t>(targets.size()); }
};

// gates: in program order, qubits 0..63. reversed: the graph of the circuit run backwards.
Dependencies build_dependencies(std::span<const Action> gates, bool reversed = false);

}  // namespace ketmesh::plan
