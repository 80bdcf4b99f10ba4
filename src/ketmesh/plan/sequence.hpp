// The planning that every level of memory shares: which qubits are resident when, and which gates run meanwhile.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/plan/dependencies.hpp"

namespace ketmesh::plan {

// What a resident set must obey.
struct SequenceLimits {
  Index qubits = 0;                // that a set is chosen from; all targets are among them
  int capacity = 0;                // qubits of a set; shared + targets of any gate, or all of `qubits`, at least
  int shared = 0;                  // qubits that neighbouring sets have in common
  Index start = 0;                 // when not 0: a set before the first one, which shares qubits with it too
  bool start_is_resident = false;  // `start` is itself the first set: what it lets run runs there
};

// How hard to look. The result is a pure function of gates, limits and effort (no clock).
struct SequenceEffort {
  int width = 4;                // partial sequences kept
  int growth = 4;               // partial sets kept while one grows
  int children = 4;             // sets tried after each partial sequence
  bool both_directions = true;  // the circuit backwards too (free start only)
};

struct ResidentSet {
  Index qubits = 0;                  // exactly min(capacity, all) of them
  std::vector<std::uint32_t> gates;  // indices of gates with targets, in an order that respects dependencies
};

// A short sequence of resident sets in which every gate's targets are resident when it runs. Beam search over greedy
// growth: a set grows by the pending gate that lets most gates run, the slots left keep what is wanted next
// (Belady's rule for caches: evict what is used farthest in the future). Diagonal gates are not listed: they run anywhere
// between the gates around them (place_diagonals). Empty when no gate has a target.
std::vector<ResidentSet> sequence(std::span<const Action> gates, const SequenceLimits& limits, const SequenceEffort& effort = {});

}  // namespace ketmesh::plan
