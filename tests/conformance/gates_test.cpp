// Each row of the gate table x position of each operand (tile, shard-high local, global) x 0 to 3 controls, on every combination.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iostream>
#include <optional>

#include "combinations.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"

namespace ketmesh::conformance {
namespace {

using ketmesh::testing::Random;

enum class Place : std::uint8_t { tile, high, global };
constexpr std::array kPlaces = {Place::tile, Place::high, Place::global};
constexpr std::array<const char*, 3> kPlaceNames = {"tile", "shard-high", "global"};

/// Bits of a place in shards of 2^local.
std::vector<Qubit> bits_of(Place place, int local) {
  const auto range = [](int first, int last) {
    std::vector<Qubit> out;
    for (int b = first; b < last; ++b) out.push_back(static_cast<Qubit>(b));
    return out;
  };
  switch (place) {
    case Place::tile:
      return range(0, kTile);
    case Place::high:
      return range(kTile, local);
    case Place::global:
      return range(local, kQubits);
  }
  return {};
}

/// `count` different qubits of which number `operand` lies at `place`.
std::vector<Qubit> operands(Random& random, std::size_t count, std::size_t operand, Qubit at) {
  auto qubits = ketmesh::testing::some_qubits(random, kQubits, count);
  const auto there = std::find(qubits.begin(), qubits.end(), at);
  if (there != qubits.end())
    std::iter_swap(there, qubits.begin() + static_cast<std::ptrdiff_t>(operand));
  else
    qubits[operand] = at;
  return qubits;
}

/// Each case runs on one combination in `stride`, another one each time (a prime, so that no period of the loops hides some); 1: on all.
void run_table(std::size_t stride, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> absent;
  auto rows = combinations(&absent);
  for (const auto& a : absent) std::cout << "not run here: " << a << '\n';
  runtime::PlanCache cache;
  Coverage coverage;
  for (auto& row : rows) {
    row.setup.cache = &cache;
    coverage.expect(row.name());
  }
  const auto start = ketmesh::testing::random_amplitudes(random, kQubits);
  std::size_t turn = 0;
  for (const auto& gate : gate_table()) {
    if (!gate.is_unitary) continue;
    const std::size_t width = ketmesh::testing::row_width(random, gate);
    for (std::size_t operand = 0; operand < std::max<std::size_t>(width, 1); ++operand)
      for (std::size_t controls = 0; controls <= 3; ++controls)
        for (const int shards : kShards)
          for (const Place place : kPlaces) {
            const auto bits = bits_of(place, kQubits - std::countr_zero(static_cast<unsigned>(shards)));
            if (bits.empty()) continue;
            const std::size_t count = width + controls;
            if (operand >= count) continue;
            const auto qubits = operands(random, count, operand, bits[ketmesh::testing::below(random, bits.size())]);
            std::vector<Control> added;
            for (std::size_t c = width; c < count; ++c)
              added.push_back({.qubit = qubits[c] & 0x7fffffffU, .value = static_cast<Qubit>(c) & 1U});
            Circuit circuit(kQubits);
            ketmesh::testing::add_row(circuit, random, gate, std::span(qubits).first(width), added);
            oracle::State expected = start;
            oracle::apply(circuit[0], expected);
            const std::string what = std::string(gate.name) + ", operand " + std::to_string(operand) + " " +
                                     kPlaceNames[static_cast<std::size_t>(place)] + ", " + std::to_string(controls) + " controls";
            coverage.expect(what);
            const auto on_level = [&](const Combination& row) {
              return std::string(gate.name) + " " + kPlaceNames[static_cast<std::size_t>(place)] + " on " + row.backend + " " + row.level;
            };
            for (const auto& row : rows) {
              if (row.shards != shards) continue;
              coverage.expect(on_level(row));  // each level meets each gate at each place, also with a stride
              if (turn++ % stride != 0) continue;
              std::optional<ShardedState> state = state_of(row, start);
              RunRecord record;
              runtime::evolve(row.setup, circuit, 0, circuit.size(), {}, state, record);
              ASSERT_LE(distance(read(*state), expected), tolerance(row.precision, 1)) << what << " on " << row.name() << '\n'
                                                                                       << circuit.str();
              coverage.ran(row.name());
              coverage.ran(what);
              coverage.ran(on_level(row));
            }
          }
  }
  EXPECT_EQ(coverage.missing(), std::vector<std::string>{});
}

TEST(Gates, EveryRowSomewhere) { run_table(11, 1); }

TEST(SlowGates, EveryRowEverywhere) { run_table(1, 2); }

}  // namespace
}  // namespace ketmesh::conformance
