// The phase function that iqp, iqp-z and zz-feature-map share.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/encode/encode.hpp"

namespace ketmesh {

/// theta(b) = sum_i linear[i] b_i + sum_{i<j} pairs[(i,j)] b_i b_j, pairs lexicographic.
struct Quadratic {
  std::vector<double> linear, pairs;
};

/// Of a checked sample. Throws OptionError for layers out of range.
Quadratic quadratic_form(Encoding encoding, int num_qubits, std::span<const double> sample, const EncodeOptions& options);

}  // namespace ketmesh
