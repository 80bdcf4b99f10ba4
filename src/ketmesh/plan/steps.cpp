#include "ketmesh/plan/steps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::plan {
namespace {

bool all_constant(const std::vector<Factor>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const Factor& f) { return f.parameter == Factor::kConstant; });
}

double sum(const std::vector<Factor>& terms) {
  double total = 0;
  for (const auto& t : terms) total += t.coefficient;
  return total;
}

// A multiple of 2 pi up to rounding of a few terms of size pi.
bool is_no_phase(double angle) { return std::abs(std::remainder(angle, 2 * std::numbers::pi)) < 1e-14; }

bool same_function(const PhaseTerm& a, const PhaseTerm& b) {
  return a.kind == b.kind && a.mask == b.mask && a.value == b.value && a.control_mask == b.control_mask &&
         a.control_value == b.control_value && a.kind != PhaseTerm::Kind::table;
}

}  // namespace

StepWriter::StepWriter(const Circuit& circuit, const CanonicalCircuit& canonical, Plan& plan)
    : circuit_(circuit), canonical_(canonical), plan_(plan), recipes_(plan.recipe_words) {}

const std::vector<Factor>& StepWriter::factors_of(const FactorPool::List& list) {
  scratch_.clear();
  canonical_.pool.for_each(list, [&](const Factor& f) { scratch_.push_back(f); });
  return scratch_;
}

void StepWriter::write(const ScheduledItem& item, const Layout& layout, std::vector<Step>& steps) {
  if (item.layer)
    layer(item.phases, layout, steps);
  else
    steps.push_back(gate_step(canonical_.gates[item.gate], layout));
}

Step StepWriter::gate_step(const PlannedGate& g, const Layout& layout) {
  Step step;
  step.kind = g.kind;
  step.shape = g.shape;
  step.first_gate = g.operation;
  step.targets.resize(g.num_targets);
  for (std::size_t j = 0; j < g.num_targets; ++j) step.targets[j] = static_cast<std::uint8_t>(layout.bit_of(g.targets[j]));
  step.control_mask = layout.mask_to_physical(g.control_mask);
  step.control_value = layout.mask_to_physical(g.control_value);
  if (g.kind == StepKind::permutation) {
    const auto op = circuit_[g.operation];
    if (op.gate == Gate::permutation)
      step.table = op.payload().table;
    else
      step.table = {0, 2, 1, 3};  // a controlled swap
  } else {
    step.matrix = matrix_slot(g);
  }
  return step;
}

// Equal constant gates share a slot.
std::uint32_t StepWriter::matrix_slot(const PlannedGate& g) {
  const auto& factors = factors_of(g.factors);
  const bool lone = factors.size() == 1 && factors[0].kind == FactorKind::one && static_cast<Gate>(factors[0].gate) != Gate::unitary &&
                    gate_row(static_cast<Gate>(factors[0].gate)).num_parameters == 0;
  if (!lone) return recipes_.matrix(g.num_targets, factors);
  const std::pair key{static_cast<std::uint64_t>(factors[0].gate), std::bit_cast<std::uint64_t>(factors[0].coefficient)};
  if (const auto it = constant_matrices_.find(key); it != constant_matrices_.end()) return it->second;
  return constant_matrices_[key] = recipes_.matrix(g.num_targets, factors);
}

std::uint32_t StepWriter::angle_slot(const std::vector<Factor>& terms) {
  if (!all_constant(terms)) return recipes_.angle(terms);
  Factor total = terms[0];
  total.operation = 0;
  total.coefficient = sum(terms);
  const auto key = std::bit_cast<std::uint64_t>(total.coefficient);
  if (const auto it = constant_angles_.find(key); it != constant_angles_.end()) return it->second;
  return constant_angles_[key] = recipes_.angle(std::span(&total, 1));
}

void StepWriter::layer(const std::vector<std::uint32_t>& gates, const Layout& layout, std::vector<Step>& steps) {
  struct Entry {
    PhaseTerm term;
    std::uint32_t gate;
  };
  std::vector<Entry> entries;
  entries.reserve(gates.size());
  for (const auto i : gates) {
    const auto& g = canonical_.gates[i];
    PhaseTerm t;
    t.kind = g.term;
    t.mask = layout.mask_to_physical(g.mask);
    t.value = layout.mask_to_physical(g.value);
    t.control_mask = layout.mask_to_physical(g.control_mask);
    t.control_value = layout.mask_to_physical(g.control_value);
    for (std::size_t j = 0; j < g.num_targets; ++j) t.bits.push_back(static_cast<std::uint8_t>(layout.bit_of(g.targets[j])));
    entries.push_back({std::move(t), i});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.term.kind != b.term.kind) return a.term.kind < b.term.kind;
    if (a.term.mask != b.term.mask) return a.term.mask < b.term.mask;
    if (a.term.value != b.term.value) return a.term.value < b.term.value;
    return a.term.control_mask < b.term.control_mask;
  });
  Step step;
  step.kind = StepKind::phases;
  step.first_gate = canonical_.gates[gates[0]].operation;
  std::vector<Factor> terms;
  for (std::size_t i = 0; i < entries.size();) {
    auto& term = entries[i].term;
    terms.clear();
    std::size_t j = i;
    do {
      const auto& more = factors_of(canonical_.gates[entries[j].gate].factors);
      terms.insert(terms.end(), more.begin(), more.end());
      ++j;
    } while (j < entries.size() && same_function(term, entries[j].term));
    i = j;
    if (term.kind == PhaseTerm::Kind::table) {
      term.angle = recipes_.angle(terms, static_cast<int>(term.bits.size()));
    } else {
      if (all_constant(terms) && is_no_phase(sum(terms))) continue;
      term.angle = angle_slot(terms);
    }
    step.terms.push_back(std::move(term));
  }
  if (!step.terms.empty()) steps.push_back(std::move(step));
}

void StepWriter::write_start() {
  if (!canonical_.folds_start) {
    plan_.start.kind = Start::Kind::given;
    return;
  }
  const auto touched = [](const FactorPool::List& l) { return !l.empty(); };
  if (std::none_of(canonical_.start.begin(), canonical_.start.end(), touched)) {
    plan_.start.kind = Start::Kind::basis_zero;
    return;
  }
  plan_.start.kind = Start::Kind::product;
  const auto zero = recipes_.matrix(1, {}, true);
  for (const auto& list : canonical_.start)
    plan_.start.qubit_vectors.push_back(list.empty() ? zero : recipes_.matrix(1, factors_of(list), true));
}

void StepWriter::write_global_phase() {
  const auto& terms = factors_of(canonical_.global_phase);
  if (!terms.empty()) recipes_.global_phase(terms);
}

void StepWriter::finish() {
  plan_.num_matrix_entries = recipes_.num_matrix_entries();
  plan_.num_angles = recipes_.num_angles();
}

}  // namespace ketmesh::plan
