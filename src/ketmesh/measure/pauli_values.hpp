// Expectation values of single Pauli strings, before they are weighted and normalised.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/measure/measure.hpp"

namespace ketmesh::measure {

/// How strings that flip global bits see their partner shards.
enum class PartnerAccess : std::uint8_t {
  direct,  ///< all shards are on this rank: read where they lie
  exchange,  ///< global bits are swapped with local ones until every string is local; the layout changes. Strings that flip more than a shard's bits
             ///< are read from partner shards chunk by chunk
};

/// <psi|P|psi> for strings over logical qubits (not divided by the norm), the same bits on every rank.
std::vector<double> pauli_values(ShardedState& state, std::span<const PauliMasks> strings, PartnerAccess access);

/// Masks over the state's qubits; letters beyond them act on |0>, where X and Y have the value 0 (returns false) and Z has 1.
bool masks_on_register(std::string_view letters, int num_qubits, PauliMasks& masks);

/// The exchange that makes all physical bits of `flipped` local: its global ones change places with the highest local bits that it leaves alone.
/// Throws CircuitError when a shard has too few bits.
Exchange exchange_to_bring_local(const ShardedState& state, Index flipped);

/// The shard of this rank that holds i ^ global_x for the i of `shard`. Throws Internal when another rank has it.
const transport::OwnedShard& partner_of(const ShardedState& state, const kernels::Shard& shard, Index global_x);

}  // namespace ketmesh::measure
