// Pauli observables: strings and real-weighted sums of them.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

/// coefficient * P; letters I X Y Z, character i acts on qubit i, short strings are padded with I.
struct PauliTerm {
  double coefficient = 1.0;
  std::string letters;
  friend bool operator==(const PauliTerm&, const PauliTerm&) = default;
};

/// A Hermitian observable. Letters are upper case and checked: anything else throws CircuitError naming string and position.
class PauliSum {
 public:
  PauliSum() = default;
  PauliSum(std::string_view letters);                                     // NOLINT(google-explicit-constructor): {"ZZ", ...}
  PauliSum(const char* letters) : PauliSum(std::string_view(letters)) {}  // NOLINT(google-explicit-constructor)
  PauliSum(std::initializer_list<PauliTerm> terms);
  explicit PauliSum(std::vector<PauliTerm> terms);
  const std::vector<PauliTerm>& terms() const noexcept { return terms_; }
  std::size_t width() const;  ///< one more than the highest qubit with a letter other than I
  std::string str() const;
  friend bool operator==(const PauliSum&, const PauliSum&) = default;

 private:
  std::vector<PauliTerm> terms_;
};

/// "ZZ;XI": items separated by ';', white space trimmed, empty items skipped.
std::vector<PauliSum> parse_observables(std::string_view text);

/// A string on at most 62 qubits as masks: P = prod X^x Z^z with a phase i^y_count so that Y = iXZ.
struct PauliMasks {
  Index x = 0, z = 0;
  int num_y() const;
  friend bool operator==(const PauliMasks&, const PauliMasks&) = default;
};
PauliMasks pauli_masks(std::string_view letters);

}  // namespace ketmesh
