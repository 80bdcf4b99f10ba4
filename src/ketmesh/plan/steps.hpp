// Steps of a pass from planned gates: masks in physical bits, phases merged into layers, recipes for bind.
#pragma once

#include <map>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/plan/canonical.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/plan/schedule.hpp"

namespace ketmesh::plan {

class StepWriter {
 public:
  StepWriter(const Circuit& circuit, const CanonicalCircuit& canonical, Plan& plan);

  // layout: of wires. A layer whose constant angles all cancel gives no step.
  void write(const ScheduledItem& item, const Layout& layout, std::vector<Step>& steps);
  void write_start();
  void write_global_phase();
  void finish();

 private:
  Step gate_step(const PlannedGate& g, const Layout& layout);
  void layer(const std::vector<std::uint32_t>& gates, const Layout& layout, std::vector<Step>& steps);
  std::uint32_t matrix_slot(const PlannedGate& g);
  std::uint32_t angle_slot(const std::vector<Factor>& terms);
  const std::vector<Factor>& factors_of(const FactorPool::List& list);

  const Circuit& circuit_;
  const CanonicalCircuit& canonical_;
  Plan& plan_;
  RecipeWriter recipes_;
  std::vector<Factor> scratch_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> constant_matrices_;
  std::map<std::uint64_t, std::uint32_t> constant_angles_;
};

}  // namespace ketmesh::plan
