// Host-side agreement and reduction of a few scalars over all ranks. A public interface: users may bring their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ketmesh {

/// Every call is collective: all ranks make it with the same length. Results are the same bits on every rank (sums are added in rank order).
/// Implementations never block without bound: they throw TransportError naming the rank and the step.
class CollectiveCommunicator {
 public:
  virtual ~CollectiveCommunicator() = default;
  virtual int rank() const noexcept = 0;
  virtual int world() const noexcept = 0;
  virtual void barrier() = 0;
  virtual void broadcast(std::span<std::byte> data, int root) = 0;
  /// `all` holds world() * mine.size() bytes, in rank order.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual void sum(std::span<double> values) = 0;
  virtual void min(std::span<std::int64_t> values) = 0;
  virtual void max(std::span<std::int64_t> values) = 0;
  virtual std::string name() const = 0;  ///< "self", "threads", "mpi"
};

/// One rank. Every call returns at once.
std::shared_ptr<CollectiveCommunicator> self_communicator();

}  // namespace ketmesh
