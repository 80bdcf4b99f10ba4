// One encoded state over shards and ranks. Everything runs on what the state and the engine already have: products and basis states are start states,
// iqp and zz-feature-map are circuits, amplitudes are read range by range by the rank that owns them.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/encode/encode.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh {

/// Values [begin, begin + out.size()) of the vector to encode; called twice for each range, by the rank that owns it.
using ValueSource = std::function<void(Index begin, std::span<cdouble> out)>;

/// 2^n values of a source, normalised; the layout becomes the logical order. One reduction over ranks, after which all of them go on or throw:
/// OptionError that names the first value that is not finite, or a norm of zero.
void encode_amplitudes(ShardedState& state, const ValueSource& source);

/// angle, basis, phase, iqp_z of a checked sample: no communication.
void encode_product(ShardedState& state, Encoding encoding, std::span<const cdouble> sample);

/// The circuit that makes iqp or zz_feature_map of a checked sample from |0..0>.
Circuit encoding_circuit(Encoding encoding, int num_qubits, std::span<const cdouble> sample, const EncodeOptions& options);

}  // namespace ketmesh
