// What a state needs on every device, decided before anything is allocated.
#pragma once

#include "ketmesh/mesh/mesh.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh::plan {

// Bytes of one shard of 2^shard_bits.
std::uint64_t shard_bytes(int num_qubits, int shard_bits, Precision precision);

// Bytes of a device that holds `shards` of 2^shard_bits: amplitudes, exchange workspace, what the caller holds beside.
std::uint64_t device_bytes(int num_qubits, int shard_bits, std::uint64_t shards, const PlanOptions& options);

// Exchange workspace of one device: never more than half a shard is on its way at once.
std::uint64_t workspace_bytes(int num_qubits, int shard_bits, const PlanOptions& options);

// Fills plan.memory; exchanges: whether the plan has any.
void judge_memory(Plan& plan, const Machine& machine, const PlanOptions& options, bool exchanges);

// Throws DoesNotFit when the plan's memory does not: sizes of the fullest device and the smallest change that would fit.
void check_memory(const Plan& plan, const Machine& machine, const PlanOptions& options);

}  // namespace ketmesh::plan
