// Brings the physical order of a state to its logical order: exchanges until each shard bit holds its own qubit, then passes without steps
// whose stores permute the local bits.
#include <algorithm>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh {
namespace {

constexpr int kRowBits = 6;

/// Pairs that put wanted qubits at the global bits; where only cycles among global bits are left, pairs that bring them down first.
std::vector<Exchange::Pair> next_pairs(const Layout& layout, int local) {
  std::vector<Exchange::Pair> pairs;
  std::vector<int> cyclic;
  Index used = 0;
  for (int g = local; g < layout.num_qubits(); ++g) {
    const int at = layout.bit_of(g);
    if (at == g) continue;
    if (at < local) {
      pairs.push_back({static_cast<std::uint8_t>(at), static_cast<std::uint8_t>(g)});
      used |= bits::one(at);
    } else {
      cyclic.push_back(g);
    }
  }
  if (!pairs.empty()) return pairs;
  for (int b = local - 1; b >= 0 && !cyclic.empty(); --b)
    if (!bits::test(used, b)) {
      pairs.push_back({static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(cyclic.back())});
      cyclic.pop_back();
    }
  return pairs;
}

/// A pass without steps that puts as many qubits as a tile can hold at their own bits, and the layout after it.
Pass permuting_pass(Layout& layout, int local, int tile) {
  const int rows = std::min(kRowBits, local);
  Index in_tile = bits::low_mask(rows);
  for (int b = 0; b < local; ++b) {
    const int at = layout.bit_of(b);
    if (at == b) continue;
    const Index grown = in_tile | bits::one(b) | bits::one(at);
    if (bits::count(grown) <= tile) in_tile = grown;
  }
  Pass pass;
  pass.row_bits = rows;
  bits::for_each(in_tile, [&](int b) { pass.tile_bits.push_back(static_cast<std::uint8_t>(b)); });
  // Where a bit's own qubit is in the tile it is stored there; the others keep the order in what is left.
  Index open = in_tile;
  std::vector<int> store(static_cast<std::size_t>(local), -1);
  bits::for_each(in_tile, [&](int b) {
    const int own = layout.qubit_at(b);
    if (own < local && bits::test(in_tile, own)) {
      store[static_cast<std::size_t>(b)] = own;
      open &= ~bits::one(own);
    }
  });
  std::vector<int> bit_of = layout.bits();
  for (const auto b : pass.tile_bits) {
    int& to = store[b];
    if (to < 0) {
      to = bits::lowest(open);
      open &= open - 1;
    }
    pass.store_bits.push_back(static_cast<std::uint8_t>(to));
    bit_of[static_cast<std::size_t>(layout.qubit_at(b))] = to;
  }
  layout = Layout(std::span<const int>(bit_of));
  return pass;
}

bool local_part_sorted(const Layout& layout, int local) {
  for (int b = 0; b < local; ++b)
    if (layout.bit_of(b) != b) return false;
  return true;
}

}  // namespace

void ShardedState::canonicalise() {
  const int local = placement_.local_bits();
  for (auto pairs = next_pairs(layout_, local); !pairs.empty(); pairs = next_pairs(layout_, local)) {
    Exchange step;
    step.pairs = std::move(pairs);
    exchange(step);
  }
  // What the CPU kernels keep in fast memory; never fewer than a row and two bits.
  const int tile = std::min(local, precision_ == Precision::single ? 14 : 13);
  const Binding nothing;
  while (!local_part_sorted(layout_, local)) {
    Layout after = layout_;
    const Pass pass = permuting_pass(after, local, tile);
    kernels::PreparedPass prepared;
    const kernels::Kernels* prepared_for = nullptr;
    for (const auto& own : own_) {
      if (prepared_for != own.kernels) prepared = own.kernels->prepare_pass(own.context, pass, nothing, local);
      prepared_for = own.kernels;
      own.kernels->run_pass(own.context, prepared, own.shard, nullptr);
    }
    layout_ = after;
  }
}

}  // namespace ketmesh
