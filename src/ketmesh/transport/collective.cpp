#include "ketmesh/transport/collective.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHostBytes = 64;
/// Sums of more values are added by segments: each rank adds one.
constexpr std::size_t kSmallSum = 1024;
constexpr auto kGrace = std::chrono::milliseconds(300);
constexpr int kSpins = 200;      // looks before a wait lets others run
constexpr int kYields = 20'000;  // then before it sleeps

void check_timeout(double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds)) throw OptionError("timeout = " + std::to_string(seconds) + " s: must be above 0");
}

/// Between two looks at a request: short waits stay awake, long ones cost nothing.
void pause(int looks) {
  if (looks < kSpins) return;
  if (looks < kYields)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

CollectiveCommunicator::CollectiveCommunicator() = default;

CollectiveCommunicator::CollectiveCommunicator(std::shared_ptr<PointToPoint> ranks, double timeout_seconds)
    : ranks_(std::move(ranks)), timeout_(timeout_seconds) {
  if (ranks_ == nullptr) throw OptionError("a communicator of no ranks");
  world_ = ranks_->world();
  rank_ = ranks_->rank();
  if (world_ < 1) throw OptionError("world = " + std::to_string(world_) + ": must be at least 1");
  if (rank_ < 0 || rank_ >= world_)
    throw OptionError("rank = " + std::to_string(rank_) + ": must be 0 to " + std::to_string(world_ - 1) + " in a world of " +
                      std::to_string(world_));
  check_timeout(timeout_);
  if (world_ == 1) return;
  listen();
  set_step("meeting the other ranks");
  std::array<char, kHostBytes> mine{};
  const std::string host = ranks_->host();
  std::copy_n(host.begin(), std::min(host.size(), mine.size() - 1), mine.begin());
  std::vector<char> all(kHostBytes * static_cast<std::size_t>(world_));
  all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  hosts_.clear();
  std::vector<std::string> seen;
  for (std::size_t r = 0; r < static_cast<std::size_t>(world_); ++r) {
    const std::string name(all.data() + r * kHostBytes);
    const auto found = std::find(seen.begin(), seen.end(), name);
    hosts_.push_back(static_cast<int>(found - seen.begin()));
    if (found == seen.end()) seen.push_back(name);
  }
}

CollectiveCommunicator::~CollectiveCommunicator() {
  if (listening_) ranks_->cancel(error_request_);
}

std::string CollectiveCommunicator::name() const { return ranks_ ? ranks_->name() : "self"; }

int CollectiveCommunicator::local_rank() const noexcept {
  const auto me = hosts_.begin() + rank_;
  return static_cast<int>(std::count(hosts_.begin(), me, *me));
}

void CollectiveCommunicator::set_timeout(double seconds) {
  check_timeout(seconds);
  timeout_ = seconds;
}

// ---- waits and errors

namespace {

/// Fixed places for the numbers, then message and hint, each ended by a 0.
struct ErrorHead {
  std::int32_t rank, first_hand, kind, side;
  std::uint64_t needed_bytes, available_bytes;
};
constexpr std::size_t kHintRoom = 200;

void write_error(const RankError& error, std::span<char> out) {
  std::fill(out.begin(), out.end(), '\0');
  const ErrorHead head{
      error.rank,         error.first_hand,     static_cast<std::int32_t>(error.kind), static_cast<std::int32_t>(error.side),
      error.needed_bytes, error.available_bytes};
  std::memcpy(out.data(), &head, sizeof head);
  const auto text = out.subspan(sizeof head);
  const std::size_t length = std::min(error.message.size(), text.size() - kHintRoom - 2);
  std::copy_n(error.message.begin(), length, text.begin());
  std::copy_n(error.hint.begin(), std::min(error.hint.size(), kHintRoom), text.begin() + static_cast<std::ptrdiff_t>(length) + 1);
}

RankError read_error(std::span<const char> in) {
  ErrorHead head{};
  std::memcpy(&head, in.data(), sizeof head);
  const char* const text = in.data() + sizeof head;
  const std::string message(text);
  return {head.rank,
          head.first_hand != 0,
          static_cast<ErrorKind>(head.kind),
          static_cast<IoError::Side>(head.side),
          head.needed_bytes,
          head.available_bytes,
          message,
          text + message.size() + 1};
}

}  // namespace

void CollectiveCommunicator::listen() {
  error_request_ = ranks_->receive(Channel::error, PointToPoint::kAnyRank, std::as_writable_bytes(std::span(error_buffer_)));
  listening_ = true;
}

void CollectiveCommunicator::fail(std::string message) {
  failure_ = std::move(message);
  told_ = true;
  throw TransportError(failure_);
}

bool CollectiveCommunicator::heard() {
  if (!listening_ || !ranks_->done(error_request_)) return false;
  listening_ = false;
  heard_.push_back(read_error(error_buffer_));
  listen();
  return true;
}

void CollectiveCommunicator::refuse_when_broken() const {
  if (broken()) throw TransportError(failure_);
}

void CollectiveCommunicator::check() {
  refuse_when_broken();
  if (!heard_.empty() || heard()) fail("rank " + std::to_string(heard_.front().rank) + " failed: " + heard_.front().message);
}

/// Messages on their way to all other ranks.
class CollectiveCommunicator::Telling {
 public:
  Telling(PointToPoint& ranks, const RankError& error) : ranks_(ranks) {
    write_error(error, buffer_);
    for (int r = 0; r < ranks.world(); ++r)
      if (r != ranks.rank()) requests_.push_back(ranks.send(Channel::error, r, std::as_bytes(std::span(buffer_))));
  }
  ~Telling() {
    for (const Request request : requests_) ranks_.cancel(request);
  }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;
  bool done() {
    std::erase_if(requests_, [&](Request request) { return ranks_.done(request); });
    return requests_.empty();
  }

 private:
  PointToPoint& ranks_;
  std::array<char, 1024> buffer_{};
  std::vector<Request> requests_;
};

void CollectiveCommunicator::post_error(const RankError& error) noexcept {
  if (world_ == 1 || broken()) return;
  try {
    RankError mine = error;
    mine.rank = rank_;
    failure_ = "rank " + std::to_string(rank_) + " failed: " + mine.message;
    // The others look within a second; whoever is gone is not waited for.
    Telling telling(*ranks_, mine);
    const auto end = Clock::now() + std::chrono::seconds(1);
    for (int looks = 0; !telling.done() && Clock::now() < end; ++looks) {
      heard();  // two ranks that fail at once must not wait for each other
      pause(looks);
    }
  } catch (const std::exception&) {
    // Nothing can be said to anyone any more: the others' waits end by themselves.
    if (failure_.empty()) failure_ = "this rank failed";
  }
}

std::vector<RankError> CollectiveCommunicator::settle(RankError mine) {
  mine.rank = rank_;
  mine.first_hand = mine.first_hand && !told_;
  std::vector<RankError> all(static_cast<std::size_t>(world_));
  all[static_cast<std::size_t>(rank_)] = mine;
  if (world_ == 1) return all;
  Telling telling(*ranks_, mine);
  std::size_t answers = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_);
  for (int looks = 0; Clock::now() < end; ++looks) {
    for (const RankError& error : heard_) {
      answers += all[static_cast<std::size_t>(error.rank)].rank < 0 ? 1 : 0;
      all[static_cast<std::size_t>(error.rank)] = error;
    }
    heard_.clear();
    const bool told_all = telling.done();
    if (answers + 1 == all.size() && told_all) break;
    if (!heard()) pause(looks);
  }
  bool alike = true;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].rank < 0)
      all[r] = {static_cast<int>(r),
                false,
                ErrorKind::TransportError,
                {},
                0,
                0,
                "rank " + std::to_string(r) + " did not answer within " + seconds_text(timeout_) + " s",
                ""};
    alike = alike && all[r].first_hand && all[r].kind == mine.kind;
  }
  if (!alike && !broken()) failure_ = "an earlier call failed: " + mine.message;
  return all;
}

void CollectiveCommunicator::wait_on(Request request, int peer) {
  const auto begin = Clock::now(), end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_));
  std::optional<Clock::time_point> news;
  const auto is_through = [&] {
    try {
      return ranks_->done(request);
    } catch (const TransportError& error) {
      fail("rank " + std::to_string(rank_) + " in " + step_ + ": " + error.what());
    }
  };
  for (int looks = 0; !is_through(); ++looks) {
    if (looks % 16 == 15) {
      // A rank that fails alone ends this wait. One that fails as this rank will is ahead of it, and has sent what is waited for here.
      if (!news && (!heard_.empty() || heard())) news = Clock::now();
      if (news && Clock::now() - *news > kGrace) check();
      if (Clock::now() >= end)
        fail("rank " + std::to_string(rank_) + " waited " + seconds_text(timeout_) + " s for rank " + std::to_string(peer) + " in " +
             step_ + ": that rank is gone or does something else");
    }
    pause(looks);
  }
}

void CollectiveCommunicator::wait(Request request, int peer) {
  try {
    refuse_when_broken();
    wait_on(request, peer);
  } catch (...) {
    ranks_->cancel(request);
    throw;
  }
}

void CollectiveCommunicator::cancel(Request request) noexcept { ranks_->cancel(request); }

CollectiveCommunicator::Request CollectiveCommunicator::send(int to, std::span<const std::byte> data) {
  refuse_when_broken();
  return ranks_->send(Channel::exchange, to, data);
}

CollectiveCommunicator::Request CollectiveCommunicator::receive(int from, std::span<std::byte> data) {
  refuse_when_broken();
  return ranks_->receive(Channel::exchange, from, data);
}

/// `out` to one rank while `in` comes from another, in pieces that fit into messages.
void CollectiveCommunicator::transfer(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) {
  refuse_when_broken();
  for (std::size_t sent = 0, got = 0; sent < out.size() || got < in.size();) {
    const auto out_piece = out.subspan(sent, std::min(out.size() - sent, PointToPoint::kMaxMessage));
    const auto in_piece = in.subspan(got, std::min(in.size() - got, PointToPoint::kMaxMessage));
    sent += out_piece.size();
    got += in_piece.size();
    Request receiving = 0, sending = 0;
    bool receives = false, sends = false;
    try {
      if (!in_piece.empty()) {
        receiving = ranks_->receive(Channel::collective, from, in_piece);
        receives = true;
      }
      if (!out_piece.empty()) {
        sending = ranks_->send(Channel::collective, to, out_piece);
        sends = true;
      }
      if (receives) wait_on(receiving, from);
      receives = false;
      if (sends) wait_on(sending, to);
    } catch (...) {
      if (receives) ranks_->cancel(receiving);
      if (sends) ranks_->cancel(sending);
      throw;
    }
  }
}

// ---- collectives

void CollectiveCommunicator::barrier() {
  const std::byte mine{};
  std::vector<std::byte> all(static_cast<std::size_t>(world_));
  all_gather(std::span(&mine, 1), all);
}

/// A binomial tree: in round k the ranks below 2^k (counted from the root) hand on to those 2^k further.
void CollectiveCommunicator::broadcast(std::span<std::byte> data, int root) {
  if (root < 0 || root >= world_)
    throw TransportError("broadcast from rank " + std::to_string(root) + ": the ranks are 0 to " + std::to_string(world_ - 1));
  const int place = (rank_ - root + world_) % world_;
  for (int step = 1; step < world_; step *= 2) {
    if (place < step && place + step < world_)
      transfer((rank_ + step) % world_, data, 0, {});
    else if (place >= step && place < 2 * step)
      transfer(0, {}, (rank_ - step + world_) % world_, data);
  }
}

/// Bruck et al., IEEE TPDS 8 (1997): ceil(log2 world) rounds; in round k each rank sends the 2^k parts that it has to rank - 2^k.
void CollectiveCommunicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::size_t part = mine.size(), world = static_cast<std::size_t>(world_);
  if (all.size() != part * world)
    throw TransportError("all_gather of " + std::to_string(part) + " bytes into " + std::to_string(all.size()) + ": " +
                         std::to_string(world) + " ranks need " + std::to_string(part * world));
  std::vector<std::byte> parts(all.size());  // part j is that of rank + j
  std::copy(mine.begin(), mine.end(), parts.begin());
  for (std::size_t have = 1; have < world; have *= 2) {
    const std::size_t bytes = std::min(have, world - have) * part;
    const int distance = static_cast<int>(have);
    transfer((rank_ - distance + world_) % world_, std::span(parts).first(bytes), (rank_ + distance) % world_,
             std::span(parts).subspan(have * part, bytes));
  }
  const auto split = static_cast<std::ptrdiff_t>((world - static_cast<std::size_t>(rank_)) * part);
  std::copy(parts.begin(), parts.begin() + split, all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rank_) * part));
  std::copy(parts.begin() + split, parts.end(), all.begin());
}

void CollectiveCommunicator::swap(int peer, std::span<const std::byte> out, std::span<std::byte> in) {
  if (peer < 0 || peer >= world_ || peer == rank_)
    throw TransportError("swap with rank " + std::to_string(peer) + ": must be another one of 0 to " + std::to_string(world_ - 1));
  transfer(peer, out, peer, in);
}

void CollectiveCommunicator::all_to_all(std::span<const std::span<const std::byte>> to, std::span<const std::span<std::byte>> from) {
  const auto world = static_cast<std::size_t>(world_);
  if (to.size() != world || from.size() != world)
    throw TransportError("all_to_all to " + std::to_string(to.size()) + " ranks and from " + std::to_string(from.size()) + ": there are " +
                         std::to_string(world));
  for (int distance = 1; distance < world_; ++distance) {
    const int next = (rank_ + distance) % world_, previous = (rank_ - distance + world_) % world_;
    transfer(next, to[static_cast<std::size_t>(next)], previous, from[static_cast<std::size_t>(previous)]);
  }
}

namespace {

/// values[i] = combine over ranks, in rank order, of all[rank][i].
template <typename T, typename F>
void combine_in_order(std::span<const T> all, std::span<T> values, F&& combine) {
  std::copy_n(all.begin(), values.size(), values.begin());
  for (std::size_t first = values.size(); first < all.size(); first += values.size())
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = combine(values[i], all[first + i]);
}

template <typename T, typename F>
void gather_and_combine(CollectiveCommunicator& ranks, std::span<T> values, F&& combine) {
  if (ranks.world() == 1 || values.empty()) return;
  std::vector<T> all(values.size() * static_cast<std::size_t>(ranks.world()));
  ranks.all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
  combine_in_order(std::span<const T>(all), values, combine);
}

}  // namespace

void CollectiveCommunicator::sum(std::span<double> values) {
  const auto add = [](double a, double b) { return a + b; };
  if (world_ == 1 || values.size() <= kSmallSum) return gather_and_combine(*this, values, add);
  // Segment r is added by rank r and then gathered: 2 (1 - 1/world) of the values leave each rank.
  const std::size_t world = static_cast<std::size_t>(world_), part = (values.size() + world - 1) / world;
  std::vector<double> padded(part * world), from_all(part * world), mine(part);
  std::copy(values.begin(), values.end(), padded.begin());
  const auto segment = [&](std::vector<double>& of, int r) { return std::span(of).subspan(static_cast<std::size_t>(r) * part, part); };
  std::ranges::copy(segment(padded, rank_), segment(from_all, rank_).begin());
  for (int distance = 1; distance < world_; ++distance) {
    const int to = (rank_ + distance) % world_, from = (rank_ - distance + world_) % world_;
    transfer(to, std::as_bytes(segment(padded, to)), from, std::as_writable_bytes(segment(from_all, from)));
  }
  combine_in_order(std::span<const double>(from_all), std::span(mine), add);
  all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(padded)));
  std::copy_n(padded.begin(), values.size(), values.begin());
}

void CollectiveCommunicator::min(std::span<std::int64_t> values) {
  gather_and_combine(*this, values, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

void CollectiveCommunicator::max(std::span<std::int64_t> values) {
  gather_and_combine(*this, values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

std::shared_ptr<CollectiveCommunicator> self_communicator() { return std::make_shared<CollectiveCommunicator>(); }

}  // namespace ketmesh
