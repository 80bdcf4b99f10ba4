#include "ketmesh/api/estimator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ketmesh/api/reduce.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::api {
namespace {

/// Every term of every observable, with coefficient 1 in `terms`.
struct Flat {
  std::vector<PauliTerm> terms;
  std::vector<std::pair<std::size_t, double>> owner;  ///< (observable, coefficient)
};

Flat flatten(std::span<const PauliSum> observables) {
  Flat flat;
  for (std::size_t o = 0; o < observables.size(); ++o)
    for (const PauliTerm& term : observables[o].terms()) {
      flat.terms.push_back({1.0, term.letters});
      flat.owner.emplace_back(o, term.coefficient);
    }
  return flat;
}

/// Values of the terms in `which`, added to the observables that they belong to.
void add_terms(ShardedState& state, std::span<const Qubit> original, const Flat& flat, std::span<const std::size_t> which,
               RunRecord& record, std::vector<double>& values) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<PauliSum> wanted;
  std::vector<std::size_t> of;
  for (const std::size_t t : which) {
    PauliTerm held = restrict_term(flat.terms[t], original);
    if (held.coefficient == 0) continue;
    wanted.emplace_back(std::vector<PauliTerm>{std::move(held)});
    of.push_back(t);
  }
  if (wanted.empty()) return;
  const auto results = measure::expectation(state, wanted);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto& [observable, coefficient] = flat.owner[of[i]];
    values[observable] += coefficient * results[i];
  }
  record.seconds_sample += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double work(std::size_t qubits, std::size_t operations) {
  return std::ldexp(static_cast<double>(operations) + 4, static_cast<int>(qubits));
}

/// Whether a state of so few qubits has the shards that were asked for.
bool holds_shards(const Runner& runner, std::size_t qubits) {
  return !is_distributed(runner.backend()) ||
         (std::size_t{1} << std::min<std::size_t>(qubits, 62)) > static_cast<std::size_t>(runner.config().distributed.shards);
}

}  // namespace

Estimate estimate_terms(Runner& runner, const Circuit& circuit, bool dynamic, const RunOptions& options, std::uint64_t seed,
                        RunRecord& record, ShardedState* state, std::span<const Qubit> original) {
  const Flat flat = flatten(options.observables);
  std::vector<std::size_t> all(flat.terms.size());
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = t;
  Estimate out;
  out.values.assign(options.observables.size(), 0.0);
  const std::size_t acted = std::max<std::size_t>(1, circuit.active_qubits().size());
  out.qubits_before = out.qubits_after = acted;
  if (state != nullptr) {
    add_terms(*state, original, flat, all, record, out.values);
    return out;
  }
  const auto run_on = [&](const Reduced& reduced, std::span<const std::size_t> which) {
    check_width(reduced.original.size());
    Evolved evolved =
        runner.evolve({&reduced.circuit, &options.parameters, seed, options.progress, nullptr, options.timeline}, false, record);
    add_terms(evolved.state, reduced.original, flat, which, record, out.values);
  };
  bool reducible = runner.config().causal_cone && !dynamic;
  for (std::size_t i = 0; reducible && i < circuit.size(); ++i)
    reducible = gate_row(circuit[i].gate).is_unitary || circuit[i].gate == Gate::barrier || circuit[i].gate == Gate::delay;
  if (reducible) {
    const auto groups = light_cones(circuit, flat.terms);
    double by_cones = 0;
    std::size_t widest = 0, narrowest = acted;
    for (const ConeGroup& group : groups) {
      by_cones += work(group.qubits.size(), group.operations.size());
      widest = std::max(widest, group.qubits.size());
      narrowest = std::min(narrowest, group.qubits.size());
    }
    if (acted > static_cast<std::size_t>(kMaxQubits) ||
        (widest < acted && by_cones < work(acted, circuit.size()) && holds_shards(runner, narrowest))) {
      if (widest > static_cast<std::size_t>(kMaxQubits))
        throw CircuitError("the light cone of an observable has " + std::to_string(widest) + " qubits; a state holds 1 to " +
                           std::to_string(kMaxQubits));
      for (const ConeGroup& group : groups) run_on(cone_circuit(circuit, group), group.terms);
      out.qubits_after = widest;
      return out;
    }
  }
  run_on(drop_idle_qubits(circuit, runner.kept_qubits()), all);
  return out;
}

std::vector<double> all_probabilities(const ShardedState& state, std::span<const int> qubits) {
  constexpr std::size_t kTable = 26;
  std::vector<double> out;
  if (qubits.size() <= kTable) {
    out = measure::probabilities(state, qubits);
  } else {
    // More than one table: the state is read in logical order, a piece at a time.
    out.assign(std::size_t{1} << qubits.size(), 0.0);
    const Index size = Index{1} << state.num_qubits();
    const Index piece = std::min<Index>(size, Index{1} << 20);
    std::vector<cdouble> values(piece);
    for (Index begin = 0; begin < size; begin += piece) {
      state.to_host<cdouble>(begin, begin + piece, values);
      for (Index i = 0; i < piece; ++i) {
        Index to = 0;
        for (std::size_t k = 0; k < qubits.size(); ++k) to |= (((begin + i) >> qubits[k]) & 1u) << k;
        out[to] += std::norm(values[i]);
      }
    }
  }
  double sum = 0;
  for (const double p : out) sum += p;
  if (sum > 0)
    for (double& p : out) p /= sum;
  return out;
}

}  // namespace ketmesh::api
