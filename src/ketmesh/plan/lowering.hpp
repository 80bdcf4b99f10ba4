// From wires to physical bits: the layout at every pass, the permuted stores, the exchanges, the steps and their recipes.
#pragma once

#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/plan/schedule.hpp"

namespace ketmesh::plan {

// Fills plan.start, stages, final_layout, recipes and counts. plan.num_qubits, precision and placement are set.
// fixed: the layout at the start, or nullptr when any will do. fast_first: the global bits by the speed of their links (bits_by_link); wires that
// come back soon are put at fast ones.
void lower(const Circuit& circuit, const CanonicalCircuit& canonical, const std::vector<ScheduledStage>& schedule, const Levels& levels,
           const Layout* fixed, const std::vector<int>& fast_first, Plan& plan);

// The layout of wires that suits the first passes best.
Layout first_layout(const std::vector<ScheduledStage>& schedule, int num_qubits, const std::vector<int>& fast_first);

}  // namespace ketmesh::plan
