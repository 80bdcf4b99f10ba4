// Pauli sums between shards of different ranks, where no exchange can make a string local.
#pragma once

#include <span>

#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::measure {

/// Adds to `sum` what this rank computes of sum_i conj(a[i ^ x]) (-1)^{parity(i & z)} a[i] for a string (physical masks) that flips global bits. The shards
/// of a pair travel in chunks, half of each way, through at most the state's workspace; the state stays as it is. Collective.
void add_partner_sums(const ShardedState& state, PauliMasks string, cdouble& sum);

}  // namespace ketmesh::measure
