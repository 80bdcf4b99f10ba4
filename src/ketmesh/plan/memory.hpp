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

// What an exchange of `pairs` bits works through, a rank: chunks small beside the shards but worth a call, never more than both ends of a block, half a
// shard or `limit`.
std::uint64_t exchange_room(std::uint64_t shard_bytes, int pairs, std::uint64_t limit);

// The largest exchange_room that any exchange may take; counted on every device before the exchanges are known.
std::uint64_t workspace_bytes(int num_qubits, int shard_bits, const PlanOptions& options);

// Fills plan.memory. `planned`: the stages are there, and their exchanges are what is counted; else there may be any.
void judge_memory(Plan& plan, const Machine& machine, const PlanOptions& options, bool planned);

// Throws DoesNotFit when the plan's memory does not: sizes of the fullest device and the smallest change that would fit.
void check_memory(const Plan& plan, const Machine& machine, const PlanOptions& options);

}  // namespace ketmesh::plan
