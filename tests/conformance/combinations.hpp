// The rows of the conformance table: everything a circuit can run on here. A further backend or transport is one more row in combinations.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ketmesh/runtime/evolve.hpp"
#include "ketmesh/runtime/oracle_testing.hpp"

namespace ketmesh::conformance {

inline constexpr int kQubits = 12;
inline constexpr int kTile = 6;  ///< small, so that the smallest shard (2^7) has a bit above the tile
inline constexpr int kRow = 3;
inline constexpr int kShards[] = {1, 2, 4, 8, 32};

struct Combination {
  std::string backend, level, transport;
  Precision precision = Precision::single;
  int shards = 1;
  runtime::EngineKind engine = runtime::EngineKind::ex;
  runtime::RunSetup setup;
  std::string name() const;
};

/// Rows that can run here; `absent` names those that cannot.
std::vector<Combination> combinations(std::vector<std::string>* absent = nullptr);

double tolerance(Precision precision, std::size_t gates);

/// A state with the given amplitudes, qubit q at bit q.
ShardedState state_of(const Combination& combination, const oracle::State& amplitudes);
oracle::State read(const ShardedState& state);
double distance(const oracle::State& a, const oracle::State& b);

/// Counts what ran, and says at the end what did not.
class Coverage {
 public:
  void expect(const std::string& what) { ran_[what]; }
  void ran(const std::string& what) { ++ran_[what]; }
  std::vector<std::string> missing() const;

 private:
  std::map<std::string, std::size_t> ran_;
};

}  // namespace ketmesh::conformance
