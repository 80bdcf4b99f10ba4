// What one configuration runs with: backend, devices, caches. A Simulator and a DistributedState each own one.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "ketmesh/api/backend.hpp"
#include "ketmesh/api/config.hpp"
#include "ketmesh/api/result.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/measure/measure.hpp"
#include "ketmesh/runtime/evolve.hpp"
#include "ketmesh/state/context.hpp"
#include "ketmesh/state/sharded_state.hpp"
#include "ketmesh/transport/agreement.hpp"

namespace ketmesh {
struct CheckpointOptions;
}

namespace ketmesh::api {

/// A state that a circuit made, and what the last pass left beside it.
struct Evolved {
  ShardedState state;
  measure::BlockSums sums;
};

/// What is run and how it is watched.
struct Job {
  const Circuit* circuit = nullptr;
  const ParameterValues* values = nullptr;
  std::uint64_t seed = 0;
  runtime::Progress progress;
  const CheckpointOptions* checkpoint = nullptr;  ///< nullptr: none
  Timeline* timeline = nullptr;
  bool only_gates = false;  ///< the caller has looked: nothing but gates and barriers
};

/// Throws CircuitError unless n is from 1 to 62.
void check_width(std::size_t num_qubits);

class Runner {
 public:
  Runner(SimulatorConfig config, std::shared_ptr<CollectiveCommunicator> communicator);
  /// An exception of this rank alone that ends its life is told to the other ranks: they would wait for it else.
  ~Runner();
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;

  /// body() as one call of all ranks; `arguments` makes the hash of what they must give alike.
  template <typename H, typename F>
  auto together(std::string_view call, H&& arguments, F&& body) {
    meet();
    if (!spreads() || communicator_->depth > 0) return body();
    failed_together_ = true;  // until it ends well: whatever ends it is known to all ranks
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      transport::collectively(*communicator_, call, arguments(), body);
      failed_together_ = false;
    } else {
      auto result = transport::collectively(*communicator_, call, arguments(), body);
      failed_together_ = false;
      return result;
    }
  }
  /// Joins the ranks of MPI where the configuration asks for them and the caller brought none.
  void meet();
  /// Over several ranks.
  bool spreads() const noexcept { return communicator_ != nullptr && communicator_->world() > 1; }
  /// What all ranks did together, the same on each. Collective.
  void share(RunRecord& record) const;

  const SimulatorConfig& config() const noexcept { return config_; }
  /// Chooses the backend for this many acted-upon qubits and looks at its devices, where the last run had another one.
  void open(std::size_t num_qubits);
  Backend backend() const noexcept { return backend_; }
  const std::shared_ptr<const DistributedExecutionContext>& context() const noexcept { return context_; }
  /// Instead of devices of its own.
  void adopt(std::shared_ptr<const DistributedExecutionContext> context);
  /// The seed of a call: given, configured, or drawn on rank 0 and shared.
  std::uint64_t seed(const std::optional<std::uint64_t>& given) const;

  /// Qubits that the configuration names: they are held even when nothing acts upon them.
  std::span<const int> kept_qubits() const;

  PlanOptions plan_options() const { return api::plan_options(config_, backend_); }
  const StateOptions& state_options() const noexcept { return state_options_; }

  /// The state after `job`, which starts from |0..0>; measurements at the end must have been left out; others and resets follow the branch of
  /// the seed. `extra_bytes`: what the caller will hold beside it on each device.
  Evolved evolve(const Job& job, bool want_sums, RunRecord& record, std::uint64_t extra_bytes = 0);
  /// Counts of a circuit whose measurements are not all at the end.
  std::map<ClassicalBits, std::uint64_t> shots(const Job& job, std::uint64_t shots, RunRecord& record);

  /// What the runtime needs for plans of its own.
  runtime::RunSetup setup(const Job& job, std::uint64_t extra_bytes = 0);

  /// |0..0> on n qubits, allocated and written.
  ShardedState zero_state(int num_qubits, RunRecord& record);
  /// Runs a whole circuit on a state that lives on: unitary operations, measurements, resets, conditions. `untouched`: it is |0..0> still, and
  /// the first plan may choose its layout. Draws take the ordinals from `ordinal` on.
  void advance(std::optional<ShardedState>& state, bool untouched, const Job& job, ClassicalBits& bits, std::uint64_t& ordinal,
               RunRecord& record);
  /// Throws what planning this circuit on that state throws.
  void try_plan(const Circuit& circuit, const ShardedState& state) const;
  /// Throws DoesNotFit when one more snapshot beside `held` others does not fit.
  void check_snapshot(const ShardedState& state, std::size_t held) const;
  /// Multiplies the phase that is kept aside into the amplitudes.
  void fold_global_phase(ShardedState& state) const;

  /// Fills what a result says of the run.
  Distribution describe(const RunRecord& record, const ShardedState* state) const;

 private:
  SimulatorConfig config_;
  std::shared_ptr<CollectiveCommunicator> communicator_;
  std::shared_ptr<const DistributedExecutionContext> context_;
  Backend backend_ = Backend::cpu;
  bool opened_ = false, adopted_ = false, failed_together_ = false;
  int threads_ = 0;             ///< of the configuration, else of KETMESH_THREADS
  StateOptions state_options_;  ///< of the configuration and KETMESH_SIMD

  runtime::PlanCache cache_;

  void read_environment();
  std::string kernel_level() const;
};

/// A plan of all operations: a circuit with measurements, resets and conditions is planned along its longest branches, piece by piece.
Plan plan_circuit(const Circuit& circuit, const Machine& machine, const PlanOptions& options);

}  // namespace ketmesh::api
