#include "ketmesh/runtime/history.hpp"

#include <algorithm>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/preparation.hpp"
#include "ketmesh/runtime/sweep.hpp"

namespace ketmesh::runtime {

History::History(const RunSetup& setup, int num_qubits, const ParameterValues& values, std::optional<std::size_t> max_snapshots,
                 RunRecord& record)
    : setup_(setup), num_qubits_(num_qubits), values_(values), max_snapshots_(max_snapshots), record_(record) {}

ShardedState& History::state() {
  if (!state_) state_ = make_state(setup_, num_qubits_, 1, record_);
  return *state_;
}

int History::local_bits() const {
  if (state_) return state_->placement().local_bits();
  return PlacementPlanner().place(num_qubits_, 1, setup_.context->machine(), setup_.plan).local_bits();
}

void History::apply(Event event, bool want_block_sums) {
  replay(event, want_block_sums);
  events_.push_back(std::move(event));
}

void History::replay(const Event& event, bool want_block_sums) {
  sums_ = {};
  switch (event.kind) {
    case Event::Kind::gates:
      sums_ = evolve(setup_, event.gates.circuit(), event.gates.first, event.gates.last, values_, state_, record_, want_block_sums);
      return;
    case Event::Kind::collapse: {
      const Stopwatch watch(record_.seconds_sample);
      measure::collapse(state(), event.qubits, event.value, event.probability);
      return;
    }
    case Event::Kind::preparation: {
      const std::vector<Qubit> qubits(event.qubits.begin(), event.qubits.end());
      prepare(state(), qubits, event.payload->values);
      return;
    }
  }
  throw Internal("an event of no known kind");
}

bool History::has_room() const {
  if (max_snapshots_) return snapshots_.size() < *max_snapshots_;
  // Judged for all devices of all ranks, so that every rank decides the same.
  const auto& machine = setup_.context->machine();
  const Placement& placement = state_->placement();
  const std::uint64_t shard = bytes_per_amplitude(state_->precision()) << placement.local_bits();
  const std::uint64_t states = snapshots_.size() + 2;
  for (std::size_t r = 0; r < machine.ranks.size(); ++r)
    for (std::size_t d = 0; d < machine.ranks[r].devices.size(); ++d) {
      const Placement::Owner owner{static_cast<int>(r), static_cast<int>(d)};
      const auto held = static_cast<std::uint64_t>(std::count(placement.owners.begin(), placement.owners.end(), owner));
      if (held == 0) continue;
      const std::uint64_t capacity = machine.ranks[r].devices[d].memory_bytes,
                          workspace = placement.shard_bits > 0 ? setup_.plan.workspace_bytes : 0;
      const std::uint64_t fixed = workspace + setup_.plan.extra_bytes;
      if (capacity < fixed || held * shard > (capacity - fixed) / states) return false;
    }
  return true;
}

void History::save() {
  state();
  if (!has_room()) return;
  snapshots_.push_back({position(), state_->snapshot()});
  ++record_.snapshots;
  note_memory(*state_, snapshots_.size() + 1, 0, record_);
}

void History::go_back(std::size_t position, bool last) {
  while (!snapshots_.empty() && snapshots_.back().position > position) snapshots_.pop_back();
  sums_ = {};
  std::size_t from = 0;
  if (snapshots_.empty()) {
    state_.reset();
  } else {
    from = snapshots_.back().position;
    if (last && from == position) {
      state_ = std::move(snapshots_.back().state);
      snapshots_.pop_back();
    } else {
      state_->restore(snapshots_.back().state);
    }
  }
  events_.resize(position);
  for (; from < position; ++from) replay(events_[from], false);
}

}  // namespace ketmesh::runtime
