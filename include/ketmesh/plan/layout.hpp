// The permutation qubit -> bit between logical and physical amplitude index.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

/// A state is always (amplitudes, layout): qubit q is bit q of the logical index and bit bit_of(q) of the physical one.
class Layout {
 public:
  Layout() = default;
  explicit Layout(int num_qubits);                     ///< identity
  explicit Layout(std::span<const int> bit_of_qubit);  ///< throws OptionError when it is no permutation
  int num_qubits() const noexcept { return n_; }
  int bit_of(int qubit) const { return bit_[static_cast<std::size_t>(qubit)]; }
  int qubit_at(int bit) const { return qubit_[static_cast<std::size_t>(bit)]; }
  bool is_identity() const noexcept;
  Index to_physical(Index logical) const noexcept;
  Index to_logical(Index physical) const noexcept;
  Index mask_to_physical(Index qubits) const noexcept { return to_physical(qubits); }
  void swap_bits(int a, int b);  ///< exchanges what sits at two physical bits
  void swap_qubits(int a, int b);
  std::vector<int> bits() const;  ///< bit of each qubit
  std::string str() const;
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  int n_ = 0;
  std::array<std::int8_t, kMaxQubits> bit_{}, qubit_{};
};

}  // namespace ketmesh
