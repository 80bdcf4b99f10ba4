// A state that lives between calls: apply, sample, measure, view, save. Owns this rank's shards; move-only.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/api/config.hpp"
#include "ketmesh/api/result.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/encode/encode.hpp"
#include "ketmesh/plan/layout.hpp"
#include "ketmesh/state/context.hpp"
#include "ketmesh/state/shard_view.hpp"

namespace ketmesh {

/// Starts as |0..0>. Gates applied one by one are queued (config.distributed.max_queued_gates) and planned together; every reader flushes first.
class DistributedState {
 public:
  DistributedState(const DistributedExecutionContext& context, int num_qubits, Precision precision, SimulatorConfig config = {});
  explicit DistributedState(int num_qubits, SimulatorConfig config = {});
  ~DistributedState();
  DistributedState(DistributedState&&) noexcept;
  DistributedState& operator=(DistributedState&&) noexcept;

  int num_qubits() const;
  Precision precision() const;
  Layout layout();  ///< after a flush

  DistributedState& apply(const Circuit& circuit, const ParameterValues& values = {});  ///< unitary, measurement, reset, conditions
  DistributedState& apply(const Operation& operation);
  void flush();
  /// Replaces the state by an encoded sample; gates that wait are dropped, classical bits stay. Errors and definitions as in encode/encode.hpp; iqp and
  /// zz_feature_map run as circuits on the engine's own plans.
  DistributedState& encode(Encoding encoding, std::span<const double> sample, const EncodeOptions& options = {});
  DistributedState& encode(Encoding encoding, std::span<const cdouble> sample, const EncodeOptions& options = {});
  /// Amplitude encoding from values that come range by range: source(begin, values) fills values [begin, begin + size) of 2^n; twice for each range, only
  /// on the rank that owns it, and no rank needs the whole vector. OptionError for another encoding.
  DistributedState& encode(Encoding encoding, const std::function<void(Index begin, std::span<cdouble> values)>& source);
  /// Called with (done, total, what) from now on, between passes by apply and flush, between pieces by sample, to_host and write_npy; may throw to stop, which
  /// leaves the state between two passes (a state that was untouched is |0..0> again).
  void on_progress(std::function<void(std::uint64_t, std::uint64_t, const char*)> progress);

  double norm_squared();
  std::vector<double> probabilities(std::span<const Qubit> qubits);
  std::map<std::string, std::uint64_t> sample(std::uint64_t shots, std::uint64_t seed);  ///< keys: character i is qubit i
  std::vector<double> expectation(std::span<const PauliSum> observables);
  std::vector<cdouble> amplitudes(std::span<const Index> indices);
  Index measure(std::span<const Qubit> qubits);  ///< collapses; bit j is qubits[j]
  const ClassicalBits& classical_bits() const;

  std::vector<ShardView> local_shards();  ///< zero copy, physical order with layout() beside it
  /// All amplitudes in logical order in memory of their own on one device of each rank ("cpu", "cuda:0"); later changes of the state do not reach it.
  ShardView gather(std::string_view device = "cpu");
  void canonicalise();                                   ///< physical order becomes logical order
  std::vector<cdouble> to_host(Index begin, Index end);  ///< logical amplitudes; judged against host memory first
  void from_host(Index begin, std::span<const cdouble> values);
  void write_npy(const std::filesystem::path& path);

  /// A checkpoint: the folder holds every rank's shards and a manifest, which is renamed into place last. All ranks call it. Throws IoError (output).
  void save(const std::filesystem::path& folder);
  /// On any number of ranks, devices and shards; in the checkpoint's precision unless `config` names one. Operations that a saved run had not applied are
  /// queued. Throws IoError (input) naming the file and the bytes that are missing or changed.
  static DistributedState load(const std::filesystem::path& folder, SimulatorConfig config = {});
  static DistributedState load(const DistributedExecutionContext& context, const std::filesystem::path& folder,
                               SimulatorConfig config = {});

  std::size_t snapshot();  ///< a number for restore
  void restore(std::size_t snapshot);
  void drop(std::size_t snapshot);
  Distribution distribution() const;

 private:
  struct Impl;
  explicit DistributedState(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ketmesh
