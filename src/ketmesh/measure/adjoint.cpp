#include "ketmesh/measure/adjoint.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/pauli_values.hpp"

namespace ketmesh::measure {
namespace {

/// Without a kernel for passes over two states each control doubles the strings of a term.
constexpr int kMostExpandedControls = 12;

// Y letters on global bits have their factor i from here, for the kernels see the local part of x only.
constexpr std::array<cdouble, 4> kPowersOfI = {cdouble(1, 0), cdouble(0, 1), cdouble(-1, 0), cdouble(0, -1)};

struct Term {
  PauliMasks masks;  // logical
  double coefficient = 0;
};

/// to += terms from, where all terms flip the same global bits and the partner shards are on this rank.
void add_terms(const ShardedState& from, ShardedState& to, Index global_x, std::span<const Term> terms) {
  const Index local = bits::low_mask(from.placement().local_bits());
  const std::size_t bytes = static_cast<std::size_t>(bytes_per_amplitude(from.precision()) << from.placement().local_bits());
  for (const auto& own : to.own_shards()) {
    const auto& source = partner_of(from, own.shard, global_x);
    const auto& table = *own.kernels;
    const auto& where = own.context;
    if (table.add_paulis != nullptr) {
      std::vector<PauliMasks> strings;
      std::vector<cdouble> factors;
      for (const Term& term : terms) {
        const PauliMasks masks{from.layout().mask_to_physical(term.masks.x), from.layout().mask_to_physical(term.masks.z)};
        strings.push_back({masks.x & local, masks.z});
        factors.push_back(term.coefficient * kPowersOfI[static_cast<std::size_t>(bits::count(masks.x & masks.z & ~local)) % 4]);
      }
      table.add_paulis(where, own.shard, source.shard, strings, factors);
      continue;
    }
    const std::unique_ptr<void, std::function<void(void*)>> memory(table.allocate(where, bytes),
                                                                   [&](void* p) { table.release(where, p, bytes); });
    kernels::Shard scratch = source.shard;
    scratch.data = memory.get();
    for (const Term& term : terms) {
      PauliMasks masks{from.layout().mask_to_physical(term.masks.x), from.layout().mask_to_physical(term.masks.z)};
      const cdouble factor = term.coefficient * kPowersOfI[static_cast<std::size_t>(bits::count(masks.x & masks.z & ~local)) % 4];
      masks.x &= local;
      if (masks.x == 0 && masks.z == 0) {
        table.add(where, own.shard, source.shard, factor);
        continue;
      }
      table.copy(where, scratch.data, source.shard.data, bytes);
      table.apply_pauli(where, scratch, masks, 1.0);
      kernels::Shard moved = scratch;
      moved.base = own.shard.base;
      table.add(where, own.shard, moved, factor);
    }
    table.synchronize(where);
  }
}

}  // namespace

void apply_observable(ShardedState& from, ShardedState& to, const PauliSum& observable) {
  for (const auto& own : to.own_shards()) own.kernels->fill_zero(own.context, own.shard);
  to.set_layout(from.layout());
  to.clear_global_phase();
  to.add_global_phase(from.global_phase());
  const Index local = bits::low_mask(from.placement().local_bits());
  std::map<std::pair<Index, Index>, double> distinct;
  for (const auto& term : observable.terms()) {
    PauliMasks masks;
    if (masks_on_register(term.letters, from.num_qubits(), masks)) distinct[{masks.x, masks.z}] += term.coefficient;
  }
  std::vector<Term> pending;
  for (const auto& [key, coefficient] : distinct) pending.push_back({{key.first, key.second}, coefficient});
  const bool all_here = from.shards_reach_each_other();
  while (!pending.empty()) {
    std::map<Index, std::vector<Term>> groups;
    for (const auto& term : pending) groups[from.layout().mask_to_physical(term.masks.x) & ~local].push_back(term);
    pending.clear();
    for (const auto& [global_x, terms] : groups) {
      if (global_x == 0 || all_here)
        add_terms(from, to, global_x, terms);
      else
        pending.insert(pending.end(), terms.begin(), terms.end());
    }
    if (pending.empty()) break;
    const Exchange step = exchange_to_bring_local(from, from.layout().mask_to_physical(pending.front().masks.x));
    from.exchange(step);
    to.exchange(step);
  }
}

void add_cross_values(const ShardedState& bra, const ShardedState& ket, std::span<const kernels::CrossTerm> terms, std::span<double> sums) {
  // Every control is (1 +- Z) / 2: strings of Z over its subsets.
  struct Part {
    std::size_t term;
    double weight;
  };
  std::vector<PauliMasks> strings;
  std::vector<Part> parts;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const int controls = bits::count(terms[t].control_mask);
    if (controls > kMostExpandedControls)
      throw CircuitError("the derivative of a gate under " + std::to_string(controls) + " controls: at most " +
                         std::to_string(kMostExpandedControls) + " are possible on this backend");
    for (Index subset = 0; subset < bits::one(controls); ++subset) {
      const Index z = bits::deposit(subset, terms[t].control_mask);
      const bool odd = bits::parity(z & terms[t].control_value);
      strings.push_back({terms[t].masks.x, terms[t].masks.z ^ z});
      parts.push_back({t, (odd ? -1.0 : 1.0) / static_cast<double>(bits::one(controls))});
    }
  }
  if (strings.empty()) return;
  const auto others = bra.own_shards();
  std::size_t number = 0;
  for (const auto& own : ket.own_shards()) {
    std::vector<cdouble> found(strings.size());
    own.kernels->pauli_sums(own.context, own.shard, others[number++].shard, strings, found.data());
    for (std::size_t s = 0; s < strings.size(); ++s) {
      const auto& masks = terms[parts[s].term].masks;
      sums[parts[s].term] += parts[s].weight * (kPowersOfI[static_cast<std::size_t>(masks.num_y()) % 4] * found[s]).imag();
    }
  }
}

}  // namespace ketmesh::measure
