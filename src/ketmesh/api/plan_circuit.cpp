// Plans of circuits with measurements, resets and conditions: the pieces between them, one after the other.
#include <algorithm>

#include "ketmesh/api/runner.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::api {
namespace {

bool is_piece(Gate gate) { return gate_row(gate).is_unitary || gate == Gate::barrier || gate == Gate::delay; }

std::size_t weight(const Circuit& circuit);

/// The block that takes longer, nullptr when there is none.
const Circuit* longer_block(const Operation& op) {
  const Circuit* longest = nullptr;
  for (const Circuit& block : op.payload().blocks)
    if (longest == nullptr || weight(block) > weight(*longest)) longest = &block;
  return longest;
}

std::size_t weight(const Circuit& circuit) {
  std::size_t sum = 0;
  for (const Operation op : circuit) {
    if (op.gate == Gate::if_else) {
      const Circuit* block = longer_block(op);
      sum += block != nullptr ? weight(*block) : 0;
    } else {
      ++sum;
    }
  }
  return sum;
}

/// Appends the pieces of the longest branches; a piece ends where a measurement, reset or initialize stands.
void split(const Circuit& circuit, std::vector<Circuit>& pieces, std::size_t width) {
  for (const Operation op : circuit) {
    if (op.gate == Gate::if_else) {
      pieces.emplace_back(width);
      if (const Circuit* block = longer_block(op)) split(*block, pieces, width);
      pieces.emplace_back(width);
    } else if (is_piece(op.gate)) {
      pieces.back().append(op);
    } else {
      pieces.emplace_back(width);
    }
  }
}

/// What follows `plan`, in the layout that it leaves.
void join(Plan& plan, Plan&& next) {
  std::move(next.stages.begin(), next.stages.end(), std::back_inserter(plan.stages));
  plan.final_layout = next.final_layout;
  plan.gates_input += next.gates_input;
  plan.gates_planned += next.gates_planned;
  plan.bytes_local += next.bytes_local;
  plan.flops += next.flops;
  plan.seconds_evolve += next.seconds_evolve;
  plan.seconds_exchange += next.seconds_exchange;
  plan.seconds_total += next.seconds_total;
  plan.hash = plan.hash * 1099511628211u ^ next.hash;
}

}  // namespace

Plan plan_circuit(const Circuit& circuit, const Machine& machine, const PlanOptions& options) {
  const bool plain = std::all_of(circuit.begin(), circuit.end(), [](const Operation& op) { return is_piece(op.gate); });
  if (plain) return make_plan(circuit, machine, options);
  std::vector<Circuit> pieces;
  pieces.emplace_back(circuit.num_qubits());
  split(circuit, pieces, circuit.num_qubits());
  std::erase_if(pieces, [](const Circuit& piece) { return piece.empty(); });
  if (pieces.empty()) pieces.emplace_back(circuit.num_qubits());
  Plan whole = make_plan(pieces.front(), machine, options);
  PlanOptions follow = options;
  follow.start_given = true;
  follow.shards = whole.placement.num_shards();
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    follow.start_layout = whole.final_layout;
    join(whole, make_plan(pieces[i], machine, follow));
  }
  return whole;
}

}  // namespace ketmesh::api
