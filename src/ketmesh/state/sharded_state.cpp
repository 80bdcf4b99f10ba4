// Memory of the shards, start states, snapshots, views.
#include "ketmesh/state/sharded_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/kernels/gpu/device_link.hpp"

namespace ketmesh {
namespace {

const kernels::Kernels& kernels_for(const Device& device, Precision precision, const StateOptions& options) {
  if (options.table != nullptr) {
    if (options.table->precision != precision) throw Internal("a table of kernels of another precision than the state's");
    return *options.table;
  }
  switch (device.kind) {
    case DeviceKind::cuda:
      return kernels::cuda_kernels(precision);
    case DeviceKind::cpu:
      return options.kernels == KernelChoice::reference ? kernels::reference_kernels(precision)
                                                        : kernels::cpu_kernels(precision, options.level);
  }
  throw Internal("device " + device.id() + " of an unknown kind");
}

void check_placement(const Placement& placement, const Machine& machine) {
  if (placement.num_qubits < 1 || placement.num_qubits > kMaxQubits)
    throw OptionError("a state of " + std::to_string(placement.num_qubits) + " qubits: must be 1 to " + std::to_string(kMaxQubits));
  if (placement.shard_bits < 0 || placement.local_bits() < 1 || placement.owners.size() != static_cast<std::size_t>(placement.num_shards()))
    throw Internal("placement of " + std::to_string(placement.num_qubits) + " qubits over 2^" + std::to_string(placement.shard_bits) +
                   " shards with " + std::to_string(placement.owners.size()) + " owners");
  for (const auto& owner : placement.owners) {
    const bool known = owner.rank >= 0 && static_cast<std::size_t>(owner.rank) < machine.ranks.size() && owner.device >= 0 &&
                       static_cast<std::size_t>(owner.device) < machine.ranks[static_cast<std::size_t>(owner.rank)].devices.size();
    if (!known)
      throw Internal("placement names device " + std::to_string(owner.device) + " of rank " + std::to_string(owner.rank) +
                     ", which the context does not have");
  }
}

/// The same on every rank, also on one that owns no shard.
bool placed_on_gpus(const Placement& placement, const Machine& machine) {
  const auto& owner = placement.owners.front();
  return machine.ranks[static_cast<std::size_t>(owner.rank)].devices[static_cast<std::size_t>(owner.device)].kind == DeviceKind::cuda;
}

}  // namespace

ShardedState::ShardedState(std::shared_ptr<const DistributedExecutionContext> context, const Placement& placement, Precision precision,
                           const StateOptions& options)
    : context_(std::move(context)), placement_(placement), precision_(precision), options_(options) {
  check_placement(placement_, context_->machine());
  layout_ = Layout(placement_.num_qubits);
  const int local = placement_.local_bits();
  const std::uint64_t one = bytes_per_amplitude(precision);
  for (int s = 0; s < placement_.num_shards(); ++s) {
    const auto& owner = placement_.owners[static_cast<std::size_t>(s)];
    if (owner.rank != context_->rank()) continue;
    const Device& device = context_->mesh().devices[static_cast<std::size_t>(owner.device)];
    if (local > 58)
      throw DoesNotFit("shard " + std::to_string(s) + " of 2^" + std::to_string(local) + " amplitudes is larger than any memory",
                       ~std::uint64_t{0}, device.memory_bytes);
    const auto& table = kernels_for(device, precision, options);
    const kernels::DeviceContext where{
        .ordinal = device.ordinal, .threads = context_->threads(), .stream = device.kind == DeviceKind::cuda ? options.stream : nullptr};
    const std::size_t bytes = static_cast<std::size_t>(one << local);
    void* data = table.allocate(where, bytes);
    memory_.emplace_back(data, [&table, where, bytes](void* p) { table.release(where, p, bytes); });
    own_.push_back({{data, local, static_cast<Index>(s) << local}, &table, where});
  }
  if (options.exchanger != nullptr)
    exchanger_ = options.exchanger;
  else if (placed_on_gpus(placement_, context_->machine()))
    exchanger_ = std::make_shared<transport::DeviceExchanger>(context_->collective(), kernels::cuda_link(), context_->machine(), placement_,
                                                              own_, options_.transport);
  else if (context_->world() > 1)
    exchanger_ = std::make_shared<transport::RankExchanger>(context_->collective());
  else
    exchanger_ = std::make_shared<transport::LocalExchanger>();
  use_ = context_->collective().use();
}

ShardedState::~ShardedState() = default;
ShardedState::ShardedState(ShardedState&&) noexcept = default;
ShardedState& ShardedState::operator=(ShardedState&&) noexcept = default;

bool ShardedState::shards_reach_each_other() const noexcept {
  return context_->world() == 1 && std::all_of(own_.begin(), own_.end(), [this](const transport::OwnedShard& own) {
           return own.kernels->backend != "cuda" || own.context.ordinal == own_.front().context.ordinal;
         });
}

std::uint64_t ShardedState::bytes() const noexcept { return own_.size() * (bytes_per_amplitude(precision_) << placement_.local_bits()); }

void ShardedState::set_basis(Index logical) {
  if (num_qubits() < 64 && (logical >> num_qubits()) != 0)
    throw OptionError("basis state " + std::to_string(logical) + ": must be below 2^" + std::to_string(num_qubits()));
  const Index physical = layout_.to_physical(logical);
  for (const auto& own : own_) own.kernels->fill_basis(own.context, own.shard, physical, 1.0);
  global_phase_ = 0;
}

void ShardedState::set_product(std::span<const std::array<cdouble, 2>> qubit_vectors) {
  if (qubit_vectors.size() != static_cast<std::size_t>(num_qubits()))
    throw Internal("product state of " + std::to_string(qubit_vectors.size()) + " factors for " + std::to_string(num_qubits()) + " qubits");
  std::vector<std::array<cdouble, 2>> factors(qubit_vectors.size());
  for (int q = 0; q < num_qubits(); ++q) factors[static_cast<std::size_t>(layout_.bit_of(q))] = qubit_vectors[static_cast<std::size_t>(q)];
  for (const auto& own : own_) own.kernels->fill_product(own.context, own.shard, factors, 1.0);
  global_phase_ = 0;
}

transport::ExchangeCount ShardedState::exchange(const Exchange& step) {
  const auto count = exchanger_->exchange(step, placement_, own_, options_.workspace_bytes);
  for (const auto& pair : step.pairs) layout_.swap_bits(pair.local_bit, pair.global_bit);
  return count;
}

std::vector<ShardView> ShardedState::local_shards() const {
  std::vector<ShardView> views;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const auto& shard = own_[i].shard;
    const int number = static_cast<int>(shard.base >> shard.local_bits);
    const auto& owner = placement_.owners[static_cast<std::size_t>(number)];
    views.push_back({number,
                     owner.rank,
                     context_->mesh().devices[static_cast<std::size_t>(owner.device)].id(),
                     {shard.base, shard.base + shard.size()},
                     precision_,
                     shard.data,
                     memory_[i]});
  }
  return views;
}

ShardedState ShardedState::snapshot() const {
  ShardedState copy(context_, placement_, precision_, options_);
  copy.restore(*this);
  return copy;
}

void ShardedState::restore(const ShardedState& snapshot) {
  if (snapshot.placement_ != placement_ || snapshot.precision_ != precision_)
    throw Internal("a snapshot of another placement or precision");
  const std::size_t bytes = bytes_per_amplitude(precision_) << placement_.local_bits();
  for (std::size_t i = 0; i < own_.size(); ++i)
    own_[i].kernels->copy(own_[i].context, own_[i].shard.data, snapshot.own_[i].shard.data, bytes);
  layout_ = snapshot.layout_;
  global_phase_ = snapshot.global_phase_;
}

}  // namespace ketmesh
