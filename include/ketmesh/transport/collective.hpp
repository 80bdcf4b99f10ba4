// Host-side agreement and reduction of a few scalars over all ranks, waits that end, and the news that another rank has failed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/point_to_point.hpp"

namespace ketmesh {

/// What a rank says of its failure; texts are cut to fit into one short message.
struct RankError {
  int rank = -1;
  bool first_hand = true;  ///< its own failure, not one that it was told of
  ErrorKind kind = ErrorKind::Internal;
  IoError::Side side = IoError::Side::output;
  std::uint64_t needed_bytes = 0, available_bytes = 0;
  std::string message, hint;
};

/// The collectives of a world, written once above PointToPoint. Every collective call is made by all ranks with the same length. Results are the same
/// bits on every rank (sums are added in rank order).
///
/// No wait is without bound: each one looks whether another rank has posted an error and ends after the timeout. Both throw TransportError that names
/// the rank, the step and the cause; the communicator is broken then, and every later call throws the same. Not for several threads at once.
class CollectiveCommunicator {
 public:
  using Request = PointToPoint::Request;

  /// One rank: every call returns at once.
  CollectiveCommunicator();
  /// Collective. Throws OptionError for a world of 0, a rank outside it or a timeout that is not above 0.
  explicit CollectiveCommunicator(std::shared_ptr<PointToPoint> ranks, double timeout_seconds = 300);
  ~CollectiveCommunicator();
  CollectiveCommunicator(const CollectiveCommunicator&) = delete;
  CollectiveCommunicator& operator=(const CollectiveCommunicator&) = delete;

  int rank() const noexcept { return rank_; }
  int world() const noexcept { return world_; }
  std::string name() const;  ///< "self", "threads", "mpi"
  bool takes_device_memory() const { return ranks_ != nullptr && ranks_->takes_device_memory(); }
  /// Number of each rank's host, 0 for that of rank 0, in order of first appearance.
  const std::vector<int>& hosts() const noexcept { return hosts_; }
  int local_rank() const noexcept;  ///< ranks of the same host with a smaller number
  double timeout_seconds() const noexcept { return timeout_; }
  void set_timeout(double seconds);
  /// What this rank does now; errors of waits name it.
  void set_step(std::string_view step) { step_ = step; }
  const std::string& step() const noexcept { return step_; }

  void barrier();
  void broadcast(std::span<std::byte> data, int root);
  /// `all` holds world() * mine.size() bytes, in rank order.
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  /// With one other rank, which makes the same call: `out` goes there while `in` comes from it.
  void swap(int peer, std::span<const std::byte> out, std::span<std::byte> in);
  /// to[r] goes to rank r while from[r] comes from it; lengths may differ and be 0, what is this rank's own is left alone.
  void all_to_all(std::span<const std::span<const std::byte>> to, std::span<const std::span<std::byte>> from);
  void sum(std::span<double> values);
  void min(std::span<std::int64_t> values);
  void max(std::span<std::int64_t> values);

  /// Messages on the channel of exchanges, each at most PointToPoint::kMaxMessage bytes.
  Request send(int to, std::span<const std::byte> data);
  Request receive(int from, std::span<std::byte> data);
  /// Until the message to or from `peer` is through. Throws TransportError; the request is then given up.
  void wait(Request request, int peer);
  void cancel(Request request) noexcept;

  /// Tells all other ranks that this one failed; their next wait, or one that they are in, throws. The communicator is broken then.
  void post_error(const RankError& error) noexcept;
  /// Throws TransportError when another rank has posted an error.
  void check();
  bool broken() const noexcept { return !failure_.empty(); }
  /// After a call that failed on this rank: posts `mine`, gathers what every other rank says and returns all of it in rank order. A rank that says nothing
  /// in time is in the list with a TransportError. The communicator goes on when all failed in the same way before they waited for each other, else it is broken.
  std::vector<RankError> settle(RankError mine);
  /// Whether this rank waited in vain or was told of an error of another one.
  bool was_told() const noexcept { return told_; }

  /// One at a time: collective calls inside another one are part of it.
  int depth = 0;

  /// Held by whoever keeps a state over these ranks; users() counts them.
  std::shared_ptr<const void> use() const noexcept { return users_; }
  std::size_t users() const noexcept { return static_cast<std::size_t>(users_.use_count()) - 1; }

 private:
  void transfer(int to, std::span<const std::byte> out, int from, std::span<std::byte> in);
  void wait_on(Request request, int peer);
  [[noreturn]] void fail(std::string message);
  void listen();
  bool heard();  ///< an error has come; it is in heard_ then
  void refuse_when_broken() const;
  class Telling;

  std::shared_ptr<PointToPoint> ranks_;
  int rank_ = 0, world_ = 1;
  double timeout_ = 300;
  std::string step_ = "no step yet", failure_;
  std::vector<int> hosts_{0};
  std::array<char, 1024> error_buffer_{};
  Request error_request_ = 0;
  bool listening_ = false, told_ = false;
  std::vector<RankError> heard_;
  std::shared_ptr<const int> users_ = std::make_shared<const int>(0);
};

std::shared_ptr<CollectiveCommunicator> self_communicator();

/// R ranks inside this process, one for each thread that takes an element: the same code paths as between processes.
std::vector<std::shared_ptr<PointToPoint>> threads_world(int ranks);

}  // namespace ketmesh
