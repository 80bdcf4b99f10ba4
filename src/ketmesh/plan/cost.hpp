// What a plan costs: counts that a run must repeat exactly, and seconds predicted from a machine description.
#pragma once

#include <vector>

#include "ketmesh/mesh/mesh.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh::plan {

// Real additions and multiplications of a step over 2^num_qubits amplitudes, controls subtracted.
std::uint64_t step_flops(const Step& step, int num_qubits);

// Bytes of every exchange: blocks that leave a shard, the same for the busiest rank, and those that change ranks.
void count_exchange(Exchange& exchange, const Placement& placement, Precision precision);

// Fills flops, bytes_local and the exchanges' bytes.
void count(Plan& plan);

// Seconds that the busiest device spends on an exchange.
double exchange_seconds(const Exchange& exchange, const Placement& placement, Precision precision, const Machine& machine);

// The global bits from the one that is exchanged fastest to the slowest: links inside a host before the network. Empty when all are alike.
std::vector<int> bits_by_link(const Placement& placement, Precision precision, const Machine& machine);

// Fills the predicted seconds.
void predict_seconds(Plan& plan, const Machine& machine);

}  // namespace ketmesh::plan
