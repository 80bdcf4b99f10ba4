// Reading a state: norm, probabilities, sampling, collapse, Pauli expectation, inner product. All results are the same bits on every rank.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/base/random.hpp"
#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::measure {

double norm_squared(const ShardedState& state);

/// p[i], i over the listed qubits, qubits[0] least significant; at most 26 qubits. Not normalised.
std::vector<double> probabilities(const ShardedState& state, std::span<const int> qubits);

/// |a|^2 over fixed logical blocks, as the last pass of a run can leave them: bin = logical index >> (n - log2 bins).
struct BlockSums {
  std::vector<double> sums;  ///< empty: not there
  int block_qubits(int num_qubits) const;
};
/// Physical bits of the block number's bits, for NormBins, in a layout; at most 2^12 bins, fewer for small states.
std::vector<std::uint8_t> block_bits(const Layout& layout);
BlockSums block_sums(const ShardedState& state);

using SampleCount = kernels::OutcomeCount;
/// `shots` outcomes by inverse transform in logical index order; shot k uses draw_uniform(seed, terminal_sampling, first_shot + k, 0) times the norm.
/// Ascending outcomes. At most one streaming read of the state beyond the block sums (which are made when not given: one more). `progress` is called with
/// (shots done, shots, what) and may throw to stop.
std::vector<SampleCount> sample(const ShardedState& state, std::uint64_t shots, std::uint64_t seed, std::uint64_t first_shot = 0,
                                const BlockSums* sums = nullptr,
                                const std::function<void(std::uint64_t, std::uint64_t, const char*)>& progress = {});

/// The same from a table of 2^n probabilities in logical order (at least 1, not normalised).
std::vector<SampleCount> sample_table(std::span<const double> probabilities, std::uint64_t shots, std::uint64_t seed);

/// Joint outcome of the listed qubits (bit j of the result is qubits[j]) for a uniform draw u in [0, 1): lookup in ascending order of the result. `probability` is that of the outcome.
struct Outcome {
  Index value = 0;
  double probability = 0;
};
Outcome choose(std::span<const double> probabilities, double u);
/// Projects on an outcome and normalises. Throws Internal when its probability is 0.
void collapse(ShardedState& state, std::span<const int> qubits, Index value, double probability);

/// <psi|P|psi> / <psi|psi> for each observable; letters beyond the register act on |0>. Grouped by x-mask.
std::vector<double> expectation(ShardedState& state, std::span<const PauliSum> observables);

/// <a|b>; same placement of shards needed (layouts may differ: b is brought to a's by the caller).
cdouble inner_product(const ShardedState& a, const ShardedState& b);

}  // namespace ketmesh::measure
