// Classical data into amplitudes: the definitions, on the host.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

/// n qubits; parameter k belongs to qubit k, bit k of the index b.
enum class Encoding : std::uint8_t {
  amplitude,  ///< 1 .. 2^n values, padded with zeros: x_i / norm(x)
  angle,      ///< n values: prod_k (b_k ? sin x_k : cos x_k)
  basis,      ///< 1 value, an integer 0 .. 2^n - 1: e_i
  phase,      ///< n values: 2^(-n/2) exp(i sum_k x_k b_k)
  iqp,  ///< n + n (n - 1) / 2 values: H D H |0>, D = exp(i theta), theta = sum_i d_i b_i + sum_{i<j} d_ij b_i b_j, pairs (0,1), (0,2), ...
  iqp_z,  ///< n values: iqp without pairs
  /// n values: layers of H on all qubits and exp(i theta), theta = sum_i 2 x_i b_i + sum of 2 (pi - x_i) (pi - x_j) (b_i xor b_j) over the entangled
  /// pairs: Qiskit's ZZFeatureMap
  zz_feature_map,
};

/// Which pairs zz_feature_map joins: all, neighbours, or neighbours and the last with the first (from three qubits on).
enum class Entanglement : std::uint8_t { full, linear, circular };
Entanglement entanglement_from_string(std::string_view name);  ///< throws OptionError listing the names

struct EncodeOptions {
  int layers = 2;  ///< of zz_feature_map, 1 to 1000
  Entanglement entanglement = Entanglement::full;
  friend bool operator==(const EncodeOptions&, const EncodeOptions&) = default;
};

std::string_view to_string(Encoding encoding);         ///< "amplitude", ..., "zz-feature-map"
Encoding encoding_from_string(std::string_view name);  ///< throws OptionError listing the names

/// Values of one sample; amplitude: the most that there may be. Throws OptionError unless n is from 1 to 62.
Index vector_len(int num_qubits, Encoding encoding);

/// Throws OptionError that says which sample and entry: NaN or infinite, zero norm, wrong length, empty, not an integer, negative or too large index.
void check_sample(Encoding encoding, int num_qubits, std::span<const cdouble> sample, std::size_t number = 0);

/// 2^n amplitudes of one sample, computed in double precision from the definitions. Checks first; `out` has 2^n entries.
void encode(Encoding encoding, int num_qubits, std::span<const cdouble> sample, std::span<cdouble> out, std::size_t number = 0,
            const EncodeOptions& options = {});

}  // namespace ketmesh
