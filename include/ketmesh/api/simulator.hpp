// Simulator: plans, runs, samples, estimates. Owns its plan cache (64 plans; of small states the numbers of their last run too) and, between runs, nothing else.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/api/batch.hpp"
#include "ketmesh/api/config.hpp"
#include "ketmesh/api/gradient.hpp"
#include "ketmesh/api/result.hpp"
#include "ketmesh/base/trace.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/plan/planner.hpp"
#include "ketmesh/state/context.hpp"

namespace ketmesh {

class DistributedState;

/// Checkpoints of a run whose measurements are all at the end. A checkpoint holds the state so far and the operations not yet applied, and is resumed
/// with the same circuit, parameters and kind of output on any number of ranks, devices and shards, in either precision.
struct CheckpointOptions {
  std::string save_path{};    ///< folder; written at the end of the evolution, and on the way when every_seconds > 0
  double every_seconds = 0;   ///< time between two checkpoints on the way, at least
  std::string resume_path{};  ///< folder of the checkpoint to go on from
  bool any() const noexcept { return !save_path.empty() || !resume_path.empty(); }
};

struct RunOptions {
  std::uint64_t shots = 1024;           ///< 0 .. 2^32 - 1
  std::optional<std::uint64_t> seed{};  ///< over the config's
  ParameterValues parameters{};         ///< values of named parameters
  std::vector<PauliSum> observables{};  ///< also estimate these
  std::vector<Index> amplitudes{};      ///< also read these logical amplitudes
  bool probabilities = false;           ///< also all 2^n probabilities
  std::string statevector_path{};       ///< also write the state as .npy
  CheckpointOptions checkpoint{};
  /// Called between passes with (done, total, what) on long work; may throw to stop.
  std::function<void(std::uint64_t, std::uint64_t, const char*)> progress{};
  Timeline* timeline = nullptr;  ///< collects what ran when: phases in row 0, each pass and exchange in row 1; must outlive the call
};

/// One thread at a time per Simulator. Move-only.
class Simulator {
 public:
  explicit Simulator(SimulatorConfig config = {});
  Simulator(SimulatorConfig config, std::shared_ptr<CollectiveCommunicator> communicator);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  const SimulatorConfig& config() const noexcept;

  /// Everything asked for in one evolution where possible. Throws CircuitError, OptionError, DoesNotFit, BackendUnavailable.
  Result run(const Circuit& circuit, const RunOptions& options = {});
  /// Expectation values, each observable on its light cone when that is smaller.
  Result estimate(const Circuit& circuit, std::span<const PauliSum> observables, const RunOptions& options = {});
  std::vector<double> estimate(const Circuit& circuit, std::initializer_list<PauliSum> observables);
  /// Expectation values and their derivatives by parameters, by the adjoint method: about the time of four runs whatever the number of parameters,
  /// and memory for three states. Parameters may be shared by gates and stand in expressions. Every gate of the table has derivatives; resets,
  /// initialize, if_else and measurements before the end are refused with CircuitError. Throws as run() does.
  Gradient gradient(const Circuit& circuit, std::span<const PauliSum> observables, const ParameterValues& parameters = {},
                    const GradientOptions& options = {});
  Gradient gradient(const Circuit& circuit, std::initializer_list<PauliSum> observables, const ParameterValues& parameters = {},
                    const GradientOptions& options = {});
  /// One circuit with many rows of parameters, row-major [rows][parameters]: energies, counts or states of each row, from one plan. Circuits of up to
  /// 12 acted-upon qubits on a processor run several at a time, one in each lane of a vector; others one after the other. Throws as run() does; messages
  /// name the row. Circuits with resets, conditions and measurements before the end are refused.
  BatchResult run_batch(const Circuit& circuit, std::span<const double> rows, const BatchOptions& options = {});
  std::vector<cdouble> statevector(const Circuit& circuit, const RunOptions& options = {});  ///< all 2^n, host memory judged first
  std::vector<double> probabilities(const Circuit& circuit, std::span<const Qubit> qubits = {}, const RunOptions& options = {});
  std::vector<cdouble> amplitudes(const Circuit& circuit, std::span<const Index> indices, const RunOptions& options = {});
  cdouble inner_product(const Circuit& a, const Circuit& b,
                        const RunOptions& options = {});  ///< <a|b>; refuses resets and mid-circuit measurements; missing qubits are |0>

  /// Pure data: what run() would do, without touching memory. A dynamic circuit is planned along its longest branches.
  Plan plan(const Circuit& circuit);
  Plan plan(const Circuit& circuit, const Machine& machine);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  friend class DistributedState;
};

}  // namespace ketmesh
