// From wires to physical bits: the layout at every pass, the permuted stores, the exchanges, the steps and their recipes.
#pragma once

#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/plan/schedule.hpp"

namespace ketmesh::plan {

// Fills plan.start, stages, final_layout, recipes and counts. plan.num_qubits, precision and placement are set.
// fixed: the layout at the start, or nullptr when any will do.
void lower(const Circuit& circuit, const CanonicalCircuit& canonical, const std::vector<ScheduledStage>& schedule, const Levels& levels,
           const Layout* fixed, Plan& plan);

// The layout of wires that suits the first passes best.
Layout first_layout(const std::vector<ScheduledStage>& schedule, int num_qubits);

}  // namespace ketmesh::plan
