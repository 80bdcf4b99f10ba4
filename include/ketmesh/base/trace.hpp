// A timeline of what ran when. Off unless asked for; then a span costs two clock readings and one locked push.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ketmesh {

struct TraceEvent {
  std::string name;
  double begin = 0, end = 0;  ///< seconds since the timeline began
  std::uint32_t track = 0;    ///< a row of the picture: a thread, a device
  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

/// What a row of the picture is called.
struct TraceTrack {
  std::uint32_t track = 0;
  std::string name;
  friend bool operator==(const TraceTrack&, const TraceTrack&) = default;
};

/// Collects events of any number of threads. Not copied: spans point to it.
class Timeline {
 public:
  explicit Timeline(bool enabled = false) : enabled_(enabled), start_(std::chrono::steady_clock::now()) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  bool enabled() const noexcept { return enabled_; }
  double now() const;  ///< seconds since the timeline began
  /// Nothing when not enabled.
  void add(std::string_view name, double begin, double end, std::uint32_t track = 0);
  void name_track(std::uint32_t track, std::string_view name);
  std::vector<TraceEvent> events() const;  ///< in order of their begin
  std::vector<TraceTrack> tracks() const;

 private:
  const bool enabled_;
  const std::chrono::steady_clock::time_point start_;
  mutable std::mutex mutex_;
  std::vector<TraceEvent> events_;
  std::vector<TraceTrack> tracks_;
};

/// One event, from its construction to its end of scope. `name` must outlive it (a literal); nullptr is no timeline.
class TraceSpan {
 public:
  TraceSpan(Timeline* timeline, std::string_view name, std::uint32_t track = 0)
      : timeline_(timeline != nullptr && timeline->enabled() ? timeline : nullptr),
        name_(name),
        track_(track),
        begin_(timeline_ != nullptr ? timeline_->now() : 0) {}
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  ~TraceSpan() {
    if (timeline_ != nullptr) timeline_->add(name_, begin_, timeline_->now(), track_);
  }

 private:
  Timeline* timeline_;
  std::string_view name_;
  std::uint32_t track_;
  double begin_;
};

/// The text of a file for chrome://tracing and ui.perfetto.dev: complete events in microseconds, tracks by name. `process`
/// is the rank. Names may hold any bytes: those that JSON cannot carry are escaped or replaced.
std::string chrome_trace(std::span<const TraceEvent> events, std::span<const TraceTrack> tracks = {}, std::uint32_t process = 0);

}  // namespace ketmesh
