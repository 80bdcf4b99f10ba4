#include "ketmesh/plan/sequence.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::plan {
namespace {

// By the definition, not by the graph.
bool commute(const Action& a, const Action& b) {
  const Index shared = a.touched() & b.touched();
  return (shared & ~((a.z & b.z) | (a.x & b.x))) == 0;
}

std::vector<Action> random_actions(int qubits, int count) {
  std::vector<Action> out;
  for (int i = 0; i < count; ++i) {
    Action a;
    const int width = *rc::gen::inRange(1, 4);
    for (int k = 0; k < width; ++k) {
      const Index bit = bits::one(*rc::gen::inRange(0, qubits));
      if (a.touched() & bit) continue;
      const int kind = *rc::gen::inRange(0, 5);
      (kind < 3 ? a.z : kind == 3 ? a.x : a.g) |= bit;
    }
    out.push_back(a);
  }
  return out;
}

void check(const std::vector<Action>& gates, const SequenceLimits& limits, const std::vector<ResidentSet>& plan) {
  std::vector<int> position(gates.size(), -1);
  int at = 0;
  Index last = limits.start;
  for (const auto& r : plan) {
    RC_ASSERT(bits::count(r.qubits) == std::min(limits.capacity, bits::count(limits.qubits)));
    if (last != 0) RC_ASSERT(bits::count(r.qubits & last) >= limits.shared);
    last = r.qubits;
    for (const auto g : r.gates) {
      RC_ASSERT((gates[g].targets() & ~r.qubits) == 0U);
      RC_ASSERT(position[g] == -1);
      position[g] = at++;
    }
  }
  // Diagonals fit between what surrounds them: compare through them by the latest position that must come before.
  std::vector<int> after(gates.size(), -1);
  for (std::size_t j = 0; j < gates.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i)
      if (!commute(gates[i], gates[j])) after[j] = std::max({after[j], after[i], position[i]});
    if (gates[j].targets() == 0) continue;
    RC_ASSERT(position[j] >= 0);
    RC_ASSERT(position[j] > after[j]);
  }
}

TEST(Sequence, KeepsEveryDependency) {
  rc::check("random gates, free and given starts", [] {
    const int qubits = *rc::gen::inRange(3, 12);
    SequenceLimits limits;
    limits.qubits = bits::low_mask(qubits);
    limits.capacity = *rc::gen::inRange(3, 9);
    limits.shared = *rc::gen::inRange(0, std::min(limits.capacity, qubits) - 2);
    if (limits.shared > limits.capacity - 3) limits.shared = limits.capacity - 3;
    if (*rc::gen::arbitrary<bool>()) limits.start = bits::low_mask(std::min(qubits, limits.capacity));
    const auto gates = random_actions(qubits, *rc::gen::inRange(0, 80));
    SequenceEffort effort;
    effort.width = *rc::gen::inRange(1, 5);
    effort.growth = *rc::gen::inRange(1, 5);
    effort.children = *rc::gen::inRange(1, 5);
    check(gates, limits, sequence(gates, limits, effort));
  });
}

TEST(Sequence, CommutingFanInRunsInAnyOrderWithFewEdges) {
  std::vector<Action> gates;  // 40 controlled X onto qubit 0, then 40 phases on it, then a general gate
  for (int i = 0; i < 40; ++i) gates.push_back({bits::one(1 + i % 20), bits::one(0), 0});
  for (int i = 0; i < 40; ++i) gates.push_back({bits::one(0) | bits::one(1 + i % 20) | bits::one(1 + (i + 1) % 20), 0, 0});
  gates.push_back({0, 0, bits::one(0)});
  const auto graph = build_dependencies(gates);
  EXPECT_LT(graph.next.size(), 400U);
  const auto plan = sequence(gates, {bits::low_mask(21), 1, 0, 0, false});
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].gates.size(), 41U);
}

TEST(Sequence, NothingToDo) {
  EXPECT_TRUE(sequence({}, {31, 3, 1, 0, false}).empty());
  const std::vector<Action> phases{{3, 0, 0}, {6, 0, 0}};
  EXPECT_TRUE(sequence(phases, {31, 3, 1, 0, false}).empty());
}

}  // namespace
}  // namespace ketmesh::plan
