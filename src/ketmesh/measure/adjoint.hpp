// What the adjoint method reads and makes: an observable applied to a state, and matrix elements between two states.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::measure {

/// to <- O from; letters X and Y beyond the register make a term 0, Z and I there leave it. Both states have one placement and precision. Takes one
/// shard of memory on each device meanwhile. Strings that flip qubits whose partner shard is on another rank move both states to another layout.
void apply_observable(ShardedState& from, ShardedState& to, const PauliSum& observable);

/// sums[t] += Im <bra|P_t|ket> over this rank's shards; the terms flip no global bits.
void add_cross_values(const ShardedState& bra, const ShardedState& ket, std::span<const kernels::CrossTerm> terms, std::span<double> sums);

}  // namespace ketmesh::measure
