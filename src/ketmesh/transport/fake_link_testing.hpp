// GPUs, streams and NCCL that are not there: work that is put on a stream runs only when something waits for it, so that a wait that is missing shows as
// amplitudes that are wrong. One object serves all ranks of a test, which are threads.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ketmesh/kernels/gpu/device_link.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::transport::testing {

class FakeStream {
 public:
  void put(std::function<void()> work) {
    const std::lock_guard lock(mutex());
    work_.push_back(std::move(work));
  }
  std::size_t length() const { return done_ + work_.size(); }
  bool has_run(std::size_t position) const { return done_ >= position; }
  void run_to(std::size_t position) {
    const std::lock_guard lock(mutex());
    if (running_ && done_ < position) throw std::logic_error("streams wait for each other");
    while (done_ < position) {
      const std::function<void()> next = std::move(work_.front());
      work_.pop_front();
      running_ = true;
      next();
      running_ = false;
      ++done_;
    }
  }
  /// One for all streams: they wait for each other.
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex of_all;
    return of_all;
  }

 private:
  std::deque<std::function<void()>> work_;
  std::size_t done_ = 0;
  bool running_ = false;
};

/// The reference kernels as those of a GPU: in order with the stream of the context; without one they run at once.
inline const kernels::Kernels& fake_kernels(Precision precision) {
  using kernels::DeviceContext;
  using kernels::Shard;
  static const auto make = [](Precision of) {
    kernels::Kernels table = kernels::reference_kernels(of);
    table.backend = "cuda";
    table.copy = [](const DeviceContext& context, void* to, const void* from, std::size_t bytes) {
      const auto work = [=] { std::memmove(to, from, bytes); };
      context.stream == nullptr ? work() : static_cast<FakeStream*>(context.stream)->put(work);
    };
    return table;
  };
  static const kernels::Kernels single = [] {
    auto table = make(Precision::single);
    table.pack = [](const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count, void* out) {
      const auto work = [=] { kernels::reference_kernels(Precision::single).pack({}, shard, mask, value, first, count, out); };
      context.stream == nullptr ? work() : static_cast<FakeStream*>(context.stream)->put(work);
    };
    table.unpack = [](const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count, const void* in) {
      const auto work = [=] { kernels::reference_kernels(Precision::single).unpack({}, shard, mask, value, first, count, in); };
      context.stream == nullptr ? work() : static_cast<FakeStream*>(context.stream)->put(work);
    };
    return table;
  }();
  if (precision != Precision::single) throw std::logic_error("fake kernels are of single precision");
  return single;
}

class FakeLink final : public kernels::DeviceLink {
 public:
  bool peers = true, ipc = true;
  std::string no_nccl;
  std::size_t swaps = 0;  ///< by NCCL

  std::string uuid(int device) override { return "GPU-" + std::to_string(device); }
  void* pinned(int, std::size_t bytes) override { return ::operator new(bytes); }
  void unpin(void* data) noexcept override { ::operator delete(data); }
  Stream make_stream(int) override { return new FakeStream; }
  void end_stream(int, Stream stream) noexcept override {
    auto* const s = static_cast<FakeStream*>(stream);
    s->run_to(s->length());
    const std::lock_guard lock(FakeStream::mutex());
    ended_.emplace_back(s);  // another rank may still ask for its events
  }
  Event make_event(int, bool) override { return new Mark; }
  void end_event(int, Event event) noexcept override {
    const std::lock_guard lock(FakeStream::mutex());
    marks_.emplace_back(static_cast<Mark*>(event));
  }
  void record(int, Event event, Stream stream) override {
    const std::lock_guard lock(FakeStream::mutex());
    auto* const s = static_cast<FakeStream*>(stream);
    *static_cast<Mark*>(event) = {s, s == nullptr ? 0 : s->length()};
  }
  void wait(int, Stream stream, Event event) override {
    const std::lock_guard lock(FakeStream::mutex());
    const Mark mark = *static_cast<Mark*>(event);
    if (mark.stream == nullptr) return;
    const auto work = [mark] { mark.stream->run_to(mark.position); };
    stream == nullptr ? work() : static_cast<FakeStream*>(stream)->put(work);
  }
  bool done(int, Event event) override {
    const std::lock_guard lock(FakeStream::mutex());
    const Mark mark = *static_cast<Mark*>(event);
    if (mark.stream == nullptr || mark.stream->has_run(mark.position)) return true;
    mark.stream->run_to(mark.position);
    return false;  // not yet at the first look
  }

  bool reach(int device, int other) override { return peers || device == other; }
  kernels::Landing take(int, std::size_t bytes, kernels::Reach reach) override {
    kernels::Landing landing;
    landing.reach = reach;
    landing.bytes = bytes;
    landing.memory = ::operator new(bytes);
    std::memset(landing.memory, 0x7f, bytes);
    for (void*& event : landing.events) event = make_event(0, true);
    return landing;
  }
  void give_back(int, const kernels::Landing& landing) noexcept override {
    if (landing.memory == nullptr) return;
    for (void* const event : landing.events) end_event(0, event);
    const std::lock_guard lock(FakeStream::mutex());
    memory_.emplace_back(static_cast<std::byte*>(landing.memory), [](std::byte* data) { ::operator delete(data); });
  }
  kernels::LinkHandle export_memory(int, void* data) override { return handle_of(data); }
  void* open_memory(int, const kernels::LinkHandle& handle) override {
    if (!ipc) throw TransportError("handles cannot be opened here");
    return of_handle(handle);
  }
  kernels::LinkHandle export_event(int, Event event) override { return handle_of(event); }
  Event open_event(int, const kernels::LinkHandle& handle) override { return of_handle(handle); }

  std::string nccl_missing() override { return no_nccl; }
  kernels::NcclId nccl_id() override {
    const std::lock_guard lock(FakeStream::mutex());
    kernels::NcclId id{};
    std::memcpy(id.data(), &++ids_, sizeof ids_);
    return id;
  }
  void nccl_open(const kernels::NcclId& id, int, std::span<const std::int32_t> numbers, std::span<const std::int32_t>,
                 std::span<void*> communicators) override {
    const std::lock_guard lock(FakeStream::mutex());
    std::uint64_t world = 0;
    std::memcpy(&world, id.data(), sizeof world);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      communicators[k] = members_.emplace_back(std::make_unique<Member>(Member{world, numbers[k], {}})).get();
  }
  bool nccl_ready(void* communicator) override {
    const std::lock_guard lock(FakeStream::mutex());
    auto& open = static_cast<Member*>(communicator)->open;
    while (!open.empty() && open.front()->other != nullptr) open.pop_front();
    return open.empty();
  }
  void nccl_close(void*, bool) noexcept override {}
  void nccl_swap(std::span<const kernels::NcclSwap> all) override {
    const std::lock_guard lock(FakeStream::mutex());
    for (const kernels::NcclSwap& s : all) {
      ++swaps;
      auto* const member = static_cast<Member*>(s.communicator);
      auto* const stream = static_cast<FakeStream*>(s.stream);
      const auto half = std::make_shared<Half>(Half{stream, stream->length(), s.out, s.in, s.bytes, nullptr, false});
      member->open.push_back(half);
      stream->put([half] { half->run(); });
      auto& waiting = waiting_[{member->world, member->number, s.peer}];
      auto& meeting = waiting_[{member->world, s.peer, member->number}];
      if (meeting.empty()) {
        waiting.push_back(half);
        continue;
      }
      half->other = meeting.front();
      meeting.front()->other = half;
      meeting.pop_front();
    }
  }

 private:
  struct Mark {
    FakeStream* stream = nullptr;
    std::size_t position = 0;
  };
  /// One side of a swap: both move at once when either stream comes to it.
  struct Half {
    FakeStream* stream;
    std::size_t position;  ///< of it on its stream
    const void* out;
    void* in;
    std::size_t bytes;
    std::shared_ptr<Half> other;
    bool moved;
    void run() {
      if (moved) return;
      if (other == nullptr || other->bytes != bytes) throw std::logic_error("an NCCL call without the one that it belongs to");
      other->stream->run_to(other->position);
      std::memcpy(in, other->out, bytes);
      std::memcpy(other->in, out, bytes);
      moved = other->moved = true;
    }
  };
  struct Member {
    std::uint64_t world;
    int number;
    std::deque<std::shared_ptr<Half>> open;
  };
  static kernels::LinkHandle handle_of(void* pointer) {
    kernels::LinkHandle handle{};
    std::memcpy(handle.data(), &pointer, sizeof pointer);
    return handle;
  }
  static void* of_handle(const kernels::LinkHandle& handle) {
    void* pointer = nullptr;
    std::memcpy(&pointer, handle.data(), sizeof pointer);
    return pointer;
  }

  std::vector<std::unique_ptr<FakeStream>> ended_;
  std::vector<std::unique_ptr<Mark>> marks_;
  std::vector<std::shared_ptr<std::byte>> memory_;
  std::uint64_t ids_ = 0;
  std::vector<std::unique_ptr<Member>> members_;
  std::map<std::tuple<std::uint64_t, int, int>, std::deque<std::shared_ptr<Half>>> waiting_;
};

}  // namespace ketmesh::transport::testing
