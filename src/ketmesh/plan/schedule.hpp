// Stages, passes and residencies of a circuit as sets of wires and lists of gates; no layout yet.
#pragma once

#include <vector>

#include "ketmesh/plan/canonical.hpp"
#include "ketmesh/plan/sequence.hpp"

namespace ketmesh::plan {

// Memory levels: how many wires are resident in each.
struct Levels {
  int local = 0;  // of a shard
  int tile = 0;
  int row = 0;  // shared by neighbouring tiles
  int registers = 0;
};

// Where the amplitudes are at the start; 0: anywhere.
struct FixedStart {
  Index local = 0;  // wires at local bits
  Index row = 0;    // wires at row bits (then all of `local` is known too)
};

// A gate with targets, or a layer of diagonal gates.
struct ScheduledItem {
  bool layer = false;
  std::uint32_t gate = 0;             // when no layer
  std::vector<std::uint32_t> phases;  // when a layer
};

struct ScheduledResidency {
  Index registers = 0;
  std::vector<ScheduledItem> items;
};

struct ScheduledPass {
  Index tile = 0;
  std::vector<ScheduledResidency> residencies;
};

struct ScheduledStage {
  Index local = 0;
  std::vector<ScheduledPass> passes;
};

// The wires that an exchange swaps: the i-th lowest that leaves with the i-th lowest that enters.
struct WirePair {
  int leaves, enters;
};
std::vector<WirePair> exchange_pairs(Index local, Index next_local);

// Every stage's passes begin in tiles that share `row` wires with the last tile of the stage before (those that stay local).
std::vector<ScheduledStage> schedule(const CanonicalCircuit& circuit, const Levels& levels, const FixedStart& start);

}  // namespace ketmesh::plan
