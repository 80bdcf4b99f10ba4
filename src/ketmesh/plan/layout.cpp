#include "ketmesh/plan/layout.hpp"

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh {

Layout::Layout(int num_qubits) : n_(num_qubits) {
  if (num_qubits < 0 || num_qubits > kMaxQubits)
    throw OptionError("layout of " + std::to_string(num_qubits) + " qubits: 0 to " + std::to_string(kMaxQubits) + " are possible");
  for (int q = 0; q < n_; ++q) bit_[static_cast<std::size_t>(q)] = qubit_[static_cast<std::size_t>(q)] = static_cast<std::int8_t>(q);
}

Layout::Layout(std::span<const int> bit_of_qubit) : Layout(static_cast<int>(bit_of_qubit.size())) {
  Index seen = 0;
  for (int q = 0; q < n_; ++q) {
    const int bit = bit_of_qubit[static_cast<std::size_t>(q)];
    if (bit < 0 || bit >= n_ || bits::test(seen, bit))
      throw OptionError("layout: bit " + std::to_string(bit) + " of qubit " + std::to_string(q) + " is out of range 0.." +
                        std::to_string(n_ - 1) + " or taken twice");
    seen |= bits::one(bit);
    bit_[static_cast<std::size_t>(q)] = static_cast<std::int8_t>(bit);
    qubit_[static_cast<std::size_t>(bit)] = static_cast<std::int8_t>(q);
  }
}

bool Layout::is_identity() const noexcept {
  for (int q = 0; q < n_; ++q)
    if (bit_[static_cast<std::size_t>(q)] != q) return false;
  return true;
}

Index Layout::to_physical(Index logical) const noexcept {
  Index out = 0;
  bits::for_each(logical & bits::low_mask(n_), [&](int q) { out |= bits::one(bit_of(q)); });
  return out;
}

Index Layout::to_logical(Index physical) const noexcept {
  Index out = 0;
  bits::for_each(physical & bits::low_mask(n_), [&](int b) { out |= bits::one(qubit_at(b)); });
  return out;
}

void Layout::swap_bits(int a, int b) {
  std::swap(qubit_[static_cast<std::size_t>(a)], qubit_[static_cast<std::size_t>(b)]);
  bit_[static_cast<std::size_t>(qubit_at(a))] = static_cast<std::int8_t>(a);
  bit_[static_cast<std::size_t>(qubit_at(b))] = static_cast<std::int8_t>(b);
}

void Layout::swap_qubits(int a, int b) { swap_bits(bit_of(a), bit_of(b)); }

std::vector<int> Layout::bits() const { return {bit_.begin(), bit_.begin() + n_}; }

std::string Layout::str() const {
  std::string out = "[";
  for (int q = 0; q < n_; ++q) out += (q == 0 ? "" : " ") + std::to_string(bit_of(q));
  return out + "]";
}

}  // namespace ketmesh
