// What a run returns: answers and what was done.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/circuit/classical.hpp"

namespace ketmesh {

/// What was done, counted where it happened; keys of the same names in --json.
struct Distribution {
  std::string engine, backend, precision, simd, placement, transport;
  int threads = 1, ranks = 1, shards = 1;
  std::vector<std::string> devices;
  std::vector<int> shard_owners;  ///< rank of each shard
  std::uint64_t stages = 0, passes = 0, exchanges = 0, bytes_local = 0, bytes_exchanged = 0, bytes_between_ranks = 0, memory_bytes = 0;
  bool plan_cached = false;
  std::vector<std::string> notes;  ///< one line each: why a better choice was not taken
};

struct Seconds {
  double parse = 0, plan = 0, allocate = 0, evolve = 0, exchange = 0, sample = 0, total = 0;
};

struct Result {
  std::size_t num_qubits = 0;    ///< declared
  std::size_t acted_qubits = 0;  ///< that cost memory
  std::uint64_t shots = 0, seed = 0;
  std::map<std::string, std::uint64_t> counts;  ///< character i is classical bit i, bit 0 leftmost
  std::vector<Register> registers;              ///< offset: character of their bit 0
  std::vector<double> expectation_values;
  std::size_t qubits_before = 0, qubits_after = 0;  ///< of the largest light cone
  std::map<Index, cdouble> amplitudes;
  std::vector<double> probabilities;
  Distribution distribution;
  Seconds seconds;
};

}  // namespace ketmesh
