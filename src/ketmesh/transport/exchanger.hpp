// Moves amplitudes between shards: the only step of a plan that does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/plan/plan.hpp"
#include "ketmesh/transport/collective.hpp"

namespace ketmesh::transport {

/// A shard that this rank owns, with what acts on it.
struct OwnedShard {
  kernels::Shard shard;
  const kernels::Kernels* kernels = nullptr;
  kernels::DeviceContext context;
};

struct ExchangeCount {
  std::uint64_t bytes = 0;                ///< that left a shard of this rank for another shard
  std::uint64_t bytes_between_ranks = 0;  ///< of these, to another rank
  std::uint64_t workspace_bytes = 0;      ///< that were held beside the shards of this rank
};

/// Swaps the pairs' local and global bits over all shards, in place, in chunks through at most plan::exchange_room of workspace_bytes.
/// `own` are this rank's shards by ascending number; `placement` says who has the others.
class Exchanger {
 public:
  virtual ~Exchanger() = default;
  virtual ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                 std::uint64_t workspace_bytes) = 0;
  virtual std::string_view name() const = 0;  ///< "local", ...
  /// One line each: why a better transport was not taken.
  virtual std::vector<std::string> notes() const { return {}; }
};

/// All shards in this process: memory copies between them.
class LocalExchanger final : public Exchanger {
 public:
  ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                         std::uint64_t workspace_bytes) override;
  std::string_view name() const override { return "local"; }
};

/// Shards of several ranks: blocks go in chunks from the shard into the other rank's workspace and from there into its shard, several chunks on their way at
/// once; shards of one rank change places by memory copies. Host memory only.
class RankExchanger final : public Exchanger {
 public:
  /// The communicator must outlive it. Collective calls only.
  explicit RankExchanger(CollectiveCommunicator& ranks);
  ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                         std::uint64_t workspace_bytes) override;
  std::string_view name() const override { return name_; }

 private:
  CollectiveCommunicator& ranks_;
  std::string name_;
};

}  // namespace ketmesh::transport
