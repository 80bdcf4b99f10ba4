// Pauli expectation values: every distinct string of all observables is evaluated once, in as few reads of the state as the kernels find.
#include <algorithm>
#include <array>
#include <complex>
#include <map>
#include <string>
#include <tuple>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/partner_sums.hpp"
#include "ketmesh/measure/pauli_values.hpp"
#include "ketmesh/transport/swaps.hpp"

namespace ketmesh::measure {
namespace {

double value_of(PauliMasks masks, cdouble sum) {
  constexpr std::array<cdouble, 4> kPowersOfI = {cdouble(1, 0), cdouble(0, 1), cdouble(-1, 0), cdouble(0, -1)};
  return (kPowersOfI[static_cast<std::size_t>(masks.num_y()) % 4] * sum).real();
}

/// Adds the sums of strings that flip the same global bits, over this rank's shards.
void add_sums(const ShardedState& state, Index global_x, std::span<const PauliMasks> terms, std::span<cdouble> sums) {
  for (const auto& own : state.own_shards()) {
    const auto& partner = partner_of(state, own.shard, global_x);
    if (partner.shard.base < own.shard.base) continue;  // its sums are the conjugates of the partner's, up to the sign
    std::vector<cdouble> part(terms.size());
    own.kernels->pauli_sums(own.context, own.shard, partner.shard, terms, part.data());
    for (std::size_t t = 0; t < terms.size(); ++t) {
      sums[t] += part[t];
      if (global_x != 0) sums[t] += bits::parity(terms[t].x & terms[t].z) ? -std::conj(part[t]) : std::conj(part[t]);
    }
  }
}

}  // namespace

const transport::OwnedShard& partner_of(const ShardedState& state, const kernels::Shard& shard, Index global_x) {
  const auto* partner = transport::find_shard(state.own_shards(), static_cast<int>((shard.base ^ global_x) >> shard.local_bits));
  if (partner == nullptr) throw Internal("the partner of shard " + std::to_string(shard.base >> shard.local_bits) + " is not on this rank");
  return *partner;
}

bool masks_on_register(std::string_view letters, int num_qubits, PauliMasks& masks) {
  const auto width = std::min<std::size_t>(letters.size(), static_cast<std::size_t>(num_qubits));
  masks = pauli_masks(letters.substr(0, width));
  return letters.find_first_of("XY", width) == std::string_view::npos;
}

Exchange exchange_to_bring_local(const ShardedState& state, Index flipped) {
  const int local = state.placement().local_bits();
  if (bits::count(flipped) > local)
    throw CircuitError("an observable flips " + std::to_string(bits::count(flipped)) +
                           " qubits (letters X and Y); over these ranks a shard holds " + std::to_string(local),
                       "use fewer shards");
  Exchange step;
  int bit = local - 1;
  bits::for_each(flipped & ~bits::low_mask(local), [&](int global) {
    while (bits::test(flipped, bit)) --bit;
    step.pairs.push_back({static_cast<std::uint8_t>(bit--), static_cast<std::uint8_t>(global)});
  });
  std::sort(step.pairs.begin(), step.pairs.end(), [](const auto& a, const auto& b) { return a.local_bit < b.local_bit; });
  return step;
}

std::vector<double> pauli_values(ShardedState& state, std::span<const PauliMasks> strings, PartnerAccess access) {
  const Index local = bits::low_mask(state.placement().local_bits());
  std::vector<cdouble> sums(strings.size());
  std::vector<std::size_t> pending;
  for (std::size_t s = 0; s < strings.size(); ++s) {
    const Layout& layout = state.layout();
    const PauliMasks physical{layout.mask_to_physical(strings[s].x), layout.mask_to_physical(strings[s].z)};
    if (access == PartnerAccess::exchange && bits::count(physical.x) > state.placement().local_bits())
      add_partner_sums(state, physical, sums[s]);  // no exchange makes it local
    else
      pending.push_back(s);
  }
  while (!pending.empty()) {
    // Strings by the global bits that they flip in the present layout.
    std::map<Index, std::vector<std::size_t>> groups;
    for (const auto s : pending) groups[state.layout().mask_to_physical(strings[s].x) & ~local].push_back(s);
    pending.clear();
    for (const auto& [global_x, members] : groups) {
      if (global_x != 0 && access == PartnerAccess::exchange) {
        pending.insert(pending.end(), members.begin(), members.end());
        continue;
      }
      std::vector<PauliMasks> terms;
      for (const auto s : members)
        terms.push_back({state.layout().mask_to_physical(strings[s].x), state.layout().mask_to_physical(strings[s].z)});
      std::vector<cdouble> part(terms.size());
      add_sums(state, global_x, terms, part);
      for (std::size_t k = 0; k < members.size(); ++k) sums[members[k]] = part[k];
    }
    // One string at a time, so that each exchange makes at least that one readable.
    if (!pending.empty()) state.exchange(exchange_to_bring_local(state, state.layout().mask_to_physical(strings[pending.front()].x)));
  }
  std::vector<double> values;
  for (std::size_t s = 0; s < strings.size(); ++s) values.push_back(value_of(strings[s], sums[s]));
  state.context().collective().sum(values);
  return values;
}

std::vector<double> expectation(ShardedState& state, std::span<const PauliSum> observables) {
  using Key = std::pair<Index, Index>;
  std::map<Key, std::size_t> slots = {{Key{0, 0}, 0}};
  std::vector<PauliMasks> strings = {PauliMasks{}};  // the identity: the squared norm, in the same reads
  struct Use {
    std::size_t observable, slot;
    double coefficient;
  };
  std::vector<Use> uses;
  for (std::size_t o = 0; o < observables.size(); ++o)
    for (const auto& term : observables[o].terms()) {
      PauliMasks masks;
      if (!masks_on_register(term.letters, state.num_qubits(), masks)) continue;
      const auto [slot, added] = slots.try_emplace(Key{masks.x, masks.z}, strings.size());
      if (added) strings.push_back(masks);
      uses.push_back({o, slot->second, term.coefficient});
    }
  std::vector<double> out(observables.size());
  if (uses.empty()) return out;
  const auto access = state.shards_reach_each_other() ? PartnerAccess::direct : PartnerAccess::exchange;
  const auto values = pauli_values(state, strings, access);
  if (!(values[0] > 0)) throw Internal("expectation values of a state whose squared norm is " + std::to_string(values[0]));
  for (const auto& use : uses) out[use.observable] += use.coefficient * (values[use.slot] / values[0]);
  return out;
}

}  // namespace ketmesh::measure
