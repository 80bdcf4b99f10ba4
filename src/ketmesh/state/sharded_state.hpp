// Shards in device memory and the layout: what a state is. Knows nothing of circuits or plan steps.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/plan/layout.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/state/context.hpp"
#include "ketmesh/state/shard_view.hpp"
#include "ketmesh/transport/device_exchanger.hpp"
#include "ketmesh/transport/exchanger.hpp"

namespace ketmesh {

enum class KernelChoice : std::uint8_t { fast, reference };

struct StateOptions {
  KernelChoice kernels = KernelChoice::fast;
  kernels::SimdLevel level = kernels::SimdLevel::best;
  std::uint64_t workspace_bytes = 16_MiB;
  const kernels::Kernels* table = nullptr;            ///< instead of those of the devices; must outlive the state
  std::shared_ptr<transport::Exchanger> exchanger{};  ///< instead of the one that suits the world
  transport::DeviceTransportOptions transport{};      ///< between GPUs
  void* stream = nullptr;                             ///< cudaStream_t that a state on one GPU is worked on in
};

/// Owns this rank's shards only; move-only. Memory was judged by the plan; an allocation that fails all the same frees everything and throws DoesNotFit.
class ShardedState {
 public:
  ShardedState(std::shared_ptr<const DistributedExecutionContext> context, const Placement& placement, Precision precision,
               const StateOptions& options = {});
  ~ShardedState();
  ShardedState(ShardedState&&) noexcept;
  ShardedState& operator=(ShardedState&&) noexcept;

  int num_qubits() const noexcept { return placement_.num_qubits; }
  Precision precision() const noexcept { return precision_; }
  const Placement& placement() const noexcept { return placement_; }
  const DistributedExecutionContext& context() const noexcept { return *context_; }
  const std::shared_ptr<const DistributedExecutionContext>& shared_context() const noexcept { return context_; }
  const Layout& layout() const noexcept { return layout_; }
  void set_layout(const Layout& layout) { layout_ = layout; }  ///< only for whoever moved the amplitudes
  /// A phase that multiplies every amplitude, kept aside (global phases cost no pass); readers of amplitudes apply it.
  double global_phase() const noexcept { return global_phase_; }
  void add_global_phase(double radians) noexcept { global_phase_ += radians; }
  void clear_global_phase() noexcept { global_phase_ = 0; }

  std::span<const transport::OwnedShard> own_shards() const noexcept { return own_; }
  /// Whether kernels of each shard's device may read every other shard: all are on this rank, in host memory or on one GPU.
  bool shards_reach_each_other() const noexcept;
  const StateOptions& options() const noexcept { return options_; }
  std::uint64_t bytes() const noexcept;  ///< of this rank's amplitudes

  void set_basis(Index logical);  ///< |logical>
  void set_product(std::span<const std::array<cdouble, 2>> qubit_vectors);
  transport::ExchangeCount exchange(const Exchange& step);  ///< moves amplitudes and the layout
  std::string_view transport_name() const { return exchanger_->name(); }
  std::vector<std::string> transport_notes() const { return exchanger_->notes(); }
  void canonicalise();  ///< physical order becomes logical order

  /// Zero-copy, physical order with layout() beside it.
  std::vector<ShardView> local_shards() const;
  /// Logical amplitudes [begin, end) on the host of every rank; `out` has end - begin elements of T (cfloat or cdouble).
  template <typename T>
  void to_host(Index begin, Index end, std::span<T> out) const;
  std::vector<cdouble> amplitudes(std::span<const Index> logical) const;
  /// Sets logical amplitudes [begin, begin + values.size()) (this rank's part of them).
  template <typename T>
  void from_host(Index begin, std::span<const T> values);

  ShardedState snapshot() const;  ///< a copy of everything; sizes were judged by the caller
  void restore(const ShardedState& snapshot);

 private:
  std::shared_ptr<const DistributedExecutionContext> context_;
  Placement placement_;
  Precision precision_ = Precision::single;
  StateOptions options_;
  Layout layout_;
  double global_phase_ = 0;
  std::vector<transport::OwnedShard> own_;
  std::vector<std::shared_ptr<void>> memory_;  // of each own shard; shared with views
  std::shared_ptr<transport::Exchanger> exchanger_;
  std::shared_ptr<const void> use_;  // of the communicator: it is not ended under a state
};

/// Writes all amplitudes in logical order as a .npy file of complex64 / complex128: under a temporary name, renamed when whole. Throws IoError (output).
/// `progress` is called with (amplitudes done, all, what) and may throw to stop.
void write_npy(const ShardedState& state, const std::filesystem::path& path,
               const std::function<void(std::uint64_t, std::uint64_t, const char*)>& progress = {});

}  // namespace ketmesh
