// What a transport between ranks must provide: messages that do not block. A public interface: users may bring their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ketmesh {

/// Messages of one channel never match those of another.
enum class Channel : std::uint8_t { collective, exchange, error };
inline constexpr int kNumChannels = 3;

/// One rank's end. Messages between two ranks in one channel arrive in the order in which they were sent. Only one thread of a rank uses it.
/// Every member may throw TransportError naming the ranks; none waits.
class PointToPoint {
 public:
  using Request = std::int64_t;
  static constexpr int kAnyRank = -1;
  /// Longer messages are refused: they are cut before they come here.
  static constexpr std::size_t kMaxMessage = (std::size_t{1} << 30) - 1;

  virtual ~PointToPoint() = default;
  virtual int rank() const noexcept = 0;
  virtual int world() const noexcept = 0;
  virtual std::string name() const = 0;  ///< "threads", "mpi"
  /// Equal on ranks that share a host's memory; at most 63 characters.
  virtual std::string host() const = 0;

  /// Whether send and receive take memory of GPUs.
  virtual bool takes_device_memory() const { return false; }
  /// The memory must stay as it is until the request is done or cancelled.
  virtual Request send(Channel channel, int to, std::span<const std::byte> data) = 0;
  /// `from` may be kAnyRank. A message of another length than data.size() is an error, on the channel of errors a shorter one is none.
  virtual Request receive(Channel channel, int from, std::span<std::byte> data) = 0;
  /// True once the message is through: the request is then gone.
  virtual bool done(Request request) = 0;
  /// Gives a request up: its memory is no longer used afterwards.
  virtual void cancel(Request request) noexcept = 0;
};

}  // namespace ketmesh
