// One number that all ranks agree on before they run a plan.
#pragma once

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::plan {

// Of what the plan does and of the structure of the operations [first, last) that it was made of. The same on every machine.
std::uint64_t hash_plan(const Plan& plan, const Circuit& circuit, std::size_t first, std::size_t last);

}  // namespace ketmesh::plan
