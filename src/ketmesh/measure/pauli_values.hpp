// Expectation values of single Pauli strings, before they are weighted and normalised.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/measure/measure.hpp"

namespace ketmesh::measure {

/// How strings that flip global bits see their partner shards.
enum class PartnerAccess : std::uint8_t {
  direct,    ///< all shards are on this rank: read where they lie
  exchange,  ///< global bits are swapped with local ones until every string is local; the layout changes
};

/// <psi|P|psi> for strings over logical qubits (not divided by the norm), the same bits on every rank.
std::vector<double> pauli_values(ShardedState& state, std::span<const PauliMasks> strings, PartnerAccess access);

}  // namespace ketmesh::measure
