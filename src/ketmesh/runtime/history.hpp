// The state of a branch, what was done to it, and snapshots to go back to.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ketmesh/runtime/evolve.hpp"
#include "ketmesh/runtime/program.hpp"

namespace ketmesh::runtime {

/// Something that changed the state and can be done again.
struct Event {
  enum class Kind : std::uint8_t { gates, collapse, preparation };
  Kind kind = Kind::gates;
  Pending::Range gates;
  std::vector<int> qubits;  ///< collapse, preparation
  Index value = 0;          ///< collapse: bit j is qubits[j]
  double probability = 1;
  std::shared_ptr<const Payload> payload;  ///< preparation: amplitudes
};

class History {
 public:
  History(const RunSetup& setup, int num_qubits, const ParameterValues& values, std::optional<std::size_t> max_snapshots,
          RunRecord& record);

  /// The state to go on from; before any event.
  void start_from(std::optional<ShardedState> state) { state_ = std::move(state); }
  const RunSetup& setup() const noexcept { return setup_; }
  int local_bits() const;  ///< of the state, made or not
  ShardedState& state();   ///< |0..0> is made when there is none
  std::optional<ShardedState> take_state() { return std::move(state_); }
  measure::BlockSums take_sums() { return std::move(sums_); }
  const measure::BlockSums& sums() const { return sums_; }

  void apply(Event event, bool want_block_sums = false);
  std::size_t position() const noexcept { return events_.size(); }

  /// Keeps the present state for go_back when there is room.
  void save();
  /// The state as it was at `position`, from the last snapshot or by running again. `last`: nobody goes back there again.
  void go_back(std::size_t position, bool last);

 private:
  struct Snapshot {
    std::size_t position;
    ShardedState state;
  };
  bool has_room() const;
  void replay(const Event& event, bool want_block_sums);
  const RunSetup& setup_;
  int num_qubits_;
  const ParameterValues& values_;
  std::optional<std::size_t> max_snapshots_;
  RunRecord& record_;
  std::optional<ShardedState> state_;
  measure::BlockSums sums_;  // of state_, empty when it changed since
  std::vector<Event> events_;
  std::vector<Snapshot> snapshots_;  // ascending positions
};

}  // namespace ketmesh::runtime
