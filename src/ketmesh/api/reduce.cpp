#include "ketmesh/api/reduce.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "ketmesh/base/error.hpp"

namespace ketmesh::api {
namespace {

/// Controls come first, as Operation lists them.
template <typename F>
void for_each_qubit(const Operation& op, F&& f) {
  for (const Control& c : op.controls) f(static_cast<Qubit>(c.qubit));
  for (const Qubit q : op.qubits) f(q);
}

bool has_effect(Gate gate) { return gate != Gate::barrier && gate != Gate::delay && gate != Gate::measure && gate != Gate::id; }

/// A set of qubits of any width.
class QubitSet {
 public:
  explicit QubitSet(std::size_t size) : words_((size + 63) / 64) {}
  bool has(Qubit q) const { return ((words_[q / 64] >> (q % 64)) & 1u) != 0; }
  void add(Qubit q) { words_[q / 64] |= std::uint64_t{1} << (q % 64); }
  std::size_t count() const {
    std::size_t n = 0;
    for (const std::uint64_t w : words_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }
  bool inside(const QubitSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((words_[i] & ~other.words_[i]) != 0) return false;
    return true;
  }
  std::vector<Qubit> list() const {
    std::vector<Qubit> qubits;
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t w = words_[i]; w != 0; w &= w - 1)
        qubits.push_back(static_cast<Qubit>(64 * i + static_cast<std::size_t>(__builtin_ctzll(w))));
    return qubits;
  }
  friend auto operator<=>(const QubitSet&, const QubitSet&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

struct Cone {
  QubitSet qubits;
  std::vector<std::size_t> operations;
};

Cone cone_of(const Circuit& circuit, const std::string& letters) {
  Cone cone{QubitSet(circuit.num_qubits()), {}};
  bool any = false;
  for (std::size_t q = 0; q < std::min(letters.size(), circuit.num_qubits()); ++q)
    if (letters[q] != 'I') {
      cone.qubits.add(static_cast<Qubit>(q));
      any = true;
    }
  if (any)
    for (std::size_t i = circuit.size(); i-- > 0;) {
      const Operation op = circuit[i];
      if (!has_effect(op.gate)) continue;
      bool touches = false;
      for_each_qubit(op, [&](Qubit q) { touches = touches || cone.qubits.has(q); });
      if (!touches) continue;
      for_each_qubit(op, [&](Qubit q) { cone.qubits.add(q); });
      cone.operations.push_back(i);
    }
  std::reverse(cone.operations.begin(), cone.operations.end());
  return cone;
}

}  // namespace

Reduced drop_idle_qubits(const Circuit& circuit, std::span<const int> keep) {
  std::vector<Qubit> original = circuit.active_qubits();
  for (const int q : keep)
    if (q >= 0 && static_cast<std::size_t>(q) < circuit.num_qubits()) original.push_back(static_cast<Qubit>(q));
  if (original.empty()) original.push_back(0);
  std::sort(original.begin(), original.end());
  original.erase(std::unique(original.begin(), original.end()), original.end());
  std::vector<Qubit> renamed(circuit.num_qubits(), 0);
  for (std::size_t k = 0; k < original.size(); ++k)
    if (original[k] < renamed.size()) renamed[original[k]] = static_cast<Qubit>(k);
  return {circuit.remapped(renamed, original.size()), std::move(original)};
}

PauliTerm restrict_term(const PauliTerm& term, std::span<const Qubit> original) {
  PauliTerm out{term.coefficient, std::string(original.size(), 'I')};
  std::size_t k = 0;
  for (std::size_t q = 0; q < term.letters.size(); ++q) {
    const char letter = term.letters[q];
    if (letter == 'I') continue;
    while (k < original.size() && original[k] < q) ++k;
    if (k < original.size() && original[k] == q) {
      out.letters[k] = letter;
    } else if (letter != 'Z') {
      out.coefficient = 0;
    }
  }
  return out;
}

std::vector<ConeGroup> light_cones(const Circuit& circuit, std::span<const PauliTerm> terms) {
  std::map<QubitSet, ConeGroup> groups;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    Cone cone = cone_of(circuit, terms[t].letters);
    auto [entry, fresh] = groups.try_emplace(std::move(cone.qubits));
    ConeGroup& group = entry->second;
    if (fresh) {
      group.operations = std::move(cone.operations);
    } else if (group.operations != cone.operations) {  // same qubits reached by other operations: take both
      std::vector<std::size_t> both;
      std::set_union(group.operations.begin(), group.operations.end(), cone.operations.begin(), cone.operations.end(),
                     std::back_inserter(both));
      group.operations = std::move(both);
    }
    group.terms.push_back(t);
  }
  std::vector<std::pair<const QubitSet*, ConeGroup*>> order;
  for (auto& [set, group] : groups) {
    group.qubits = set.list();
    order.emplace_back(&set, &group);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second->qubits.size() < b.second->qubits.size(); });
  std::vector<ConeGroup> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    bool joined = false;
    for (std::size_t j = order.size(); !joined && j-- > i + 1;)
      if (order[i].first->inside(*order[j].first)) {
        ConeGroup& host = *order[j].second;
        std::vector<std::size_t> both;
        std::set_union(host.operations.begin(), host.operations.end(), order[i].second->operations.begin(),
                       order[i].second->operations.end(), std::back_inserter(both));
        host.operations = std::move(both);
        host.terms.insert(host.terms.end(), order[i].second->terms.begin(), order[i].second->terms.end());
        joined = true;
      }
    if (!joined) out.push_back(std::move(*order[i].second));
  }
  for (ConeGroup& group : out) {
    std::sort(group.terms.begin(), group.terms.end());
    if (group.qubits.empty()) group.qubits.push_back(0);
  }
  return out;
}

Reduced cone_circuit(const Circuit& circuit, const ConeGroup& group) {
  Circuit picked(circuit.num_qubits());
  for (const std::size_t i : group.operations) picked.append(circuit[i]);
  std::vector<Qubit> renamed(circuit.num_qubits(), 0);
  for (std::size_t k = 0; k < group.qubits.size(); ++k) renamed[group.qubits[k]] = static_cast<Qubit>(k);
  return {picked.remapped(renamed, group.qubits.size()), group.qubits};
}

}  // namespace ketmesh::api
