// Ranks that are threads of one process: messages are matched under a lock and copied outside it, from memory to memory.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/collective.hpp"

namespace ketmesh {
namespace {

enum class Progress : std::uint8_t { waiting, copying, through };

/// One end of a message.
struct Half {
  int from = 0, to = 0;  ///< `from` of a receive may be kAnyRank
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::size_t bytes = 0;
  std::string error;  ///< written before it is through
  std::atomic<Progress> progress{Progress::waiting};
};
using HalfPointer = std::shared_ptr<Half>;

class World {
 public:
  explicit World(int ranks) : ranks_(ranks), boxes_(static_cast<std::size_t>(ranks * kNumChannels)) {}
  int size() const noexcept { return ranks_; }

  void send(Channel channel, const HalfPointer& half) {
    HalfPointer other;
    {
      const std::lock_guard lock(mutex_);
      Box& box = box_of(channel, half->to);
      const auto found = std::find_if(box.receives.begin(), box.receives.end(),
                                      [&](const HalfPointer& r) { return r->from == half->from || r->from < 0; });
      if (found == box.receives.end()) {
        box.sends.push_back(half);
        return;
      }
      other = *found;
      box.receives.erase(found);
      half->progress = other->progress = Progress::copying;
    }
    copy(channel, *half, *other);
  }

  void receive(Channel channel, const HalfPointer& half) {
    HalfPointer other;
    {
      const std::lock_guard lock(mutex_);
      Box& box = box_of(channel, half->to);
      const auto found =
          std::find_if(box.sends.begin(), box.sends.end(), [&](const HalfPointer& s) { return s->from == half->from || half->from < 0; });
      if (found == box.sends.end()) {
        box.receives.push_back(half);
        return;
      }
      other = *found;
      box.sends.erase(found);
      half->progress = other->progress = Progress::copying;
    }
    copy(channel, *other, *half);
  }

  /// Out of the boxes, or through.
  void give_up(const HalfPointer& half) {
    {
      const std::lock_guard lock(mutex_);
      for (Box& box : boxes_) {
        std::erase(box.sends, half);
        std::erase(box.receives, half);
      }
    }
    while (half->progress == Progress::copying) std::this_thread::yield();
  }

 private:
  /// What was posted to one rank in one channel and has found no other half.
  struct Box {
    std::deque<HalfPointer> sends, receives;
  };
  Box& box_of(Channel channel, int to) { return boxes_[static_cast<std::size_t>(to * kNumChannels + static_cast<int>(channel))]; }

  static void copy(Channel channel, Half& send, Half& receive) {
    if (send.bytes > receive.bytes || (send.bytes < receive.bytes && channel != Channel::error)) {
      receive.error = send.error = "a message of " + std::to_string(send.bytes) + " bytes from rank " + std::to_string(send.from) +
                                   " came to rank " + std::to_string(send.to) + ", which expected " + std::to_string(receive.bytes);
    } else if (send.bytes > 0) {
      std::memcpy(receive.target, send.source, send.bytes);
    }
    send.progress = Progress::through;
    receive.progress = Progress::through;
  }

  int ranks_;
  std::mutex mutex_;
  std::vector<Box> boxes_;
};

class ThreadRank final : public PointToPoint {
 public:
  ThreadRank(std::shared_ptr<World> world, int rank) : world_(std::move(world)), rank_(rank) {}
  ~ThreadRank() override {
    for (const auto& [request, half] : open_) world_->give_up(half);
  }
  ThreadRank(const ThreadRank&) = delete;
  ThreadRank& operator=(const ThreadRank&) = delete;

  int rank() const noexcept override { return rank_; }
  int world() const noexcept override { return world_->size(); }
  std::string name() const override { return "threads"; }
  std::string host() const override { return "this process"; }

  Request send(Channel channel, int to, std::span<const std::byte> data) override {
    const auto half = make(rank_, to, data.size());
    half->source = data.data();
    world_->send(channel, half);
    return keep(half);
  }
  Request receive(Channel channel, int from, std::span<std::byte> data) override {
    const auto half = make(from, rank_, data.size());
    half->target = data.data();
    world_->receive(channel, half);
    return keep(half);
  }
  bool done(Request request) override {
    const auto found = open_.find(request);
    if (found == open_.end()) throw Internal("request " + std::to_string(request) + " is not open");
    if (found->second->progress != Progress::through) return false;
    const HalfPointer half = found->second;
    open_.erase(found);
    if (!half->error.empty()) throw TransportError(half->error);
    return true;
  }
  void cancel(Request request) noexcept override {
    const auto found = open_.find(request);
    if (found == open_.end()) return;
    world_->give_up(found->second);
    open_.erase(found);
  }

 private:
  HalfPointer make(int from, int to, std::size_t bytes) const {
    const int other = from == rank_ ? to : from;
    if (other < (to == rank_ ? kAnyRank : 0) || other >= world())
      throw TransportError("rank " + std::to_string(other) + ": the ranks are 0 to " + std::to_string(world() - 1));
    if (bytes > kMaxMessage)
      throw TransportError("a message of " + std::to_string(bytes) + " bytes: at most " + std::to_string(kMaxMessage));
    auto half = std::make_shared<Half>();
    half->from = from;
    half->to = to;
    half->bytes = bytes;
    return half;
  }
  Request keep(HalfPointer half) {
    open_.emplace(++last_, std::move(half));
    return last_;
  }
  std::shared_ptr<World> world_;
  int rank_;
  std::map<Request, HalfPointer> open_;
  Request last_ = 0;
};

}  // namespace

std::vector<std::shared_ptr<PointToPoint>> threads_world(int ranks) {
  if (ranks < 1) throw OptionError("a world of " + std::to_string(ranks) + " ranks: must be at least 1");
  const auto world = std::make_shared<World>(ranks);
  std::vector<std::shared_ptr<PointToPoint>> out;
  for (int r = 0; r < ranks; ++r) out.push_back(std::make_shared<ThreadRank>(world, r));
  return out;
}

}  // namespace ketmesh
