#include "ketmesh/base/trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace ketmesh {
namespace {

// Bytes beyond ASCII become '?': names are our own, and half a UTF-8 sequence would spoil the whole file.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      out += escape.data();
    } else {
      out += byte < 0x7f ? c : '?';
    }
  }
  return out + '"';
}

std::string microseconds(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", seconds * 1e6);
  return text.data();
}

}  // namespace

double Timeline::now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

void Timeline::add(std::string_view name, double begin, double end, std::uint32_t track) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  events_.push_back({std::string(name), begin, end, track});
}

void Timeline::name_track(std::uint32_t track, std::string_view name) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  for (TraceTrack& known : tracks_)
    if (known.track == track) {
      known.name = name;
      return;
    }
  tracks_.push_back({track, std::string(name)});
}

std::vector<TraceEvent> Timeline::events() const {
  std::vector<TraceEvent> out;
  {
    const std::lock_guard lock(mutex_);
    out = events_;
  }
  std::stable_sort(out.begin(), out.end(), [](const TraceEvent& a, const TraceEvent& b) { return a.begin < b.begin; });
  return out;
}

std::vector<TraceTrack> Timeline::tracks() const {
  const std::lock_guard lock(mutex_);
  return tracks_;
}

std::string chrome_trace(std::span<const TraceEvent> events, std::span<const TraceTrack> tracks, std::uint32_t process) {
  const std::string pid = std::to_string(process);
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  const char* separator = "\n";
  for (const TraceTrack& track : tracks) {
    out += separator;
    out += R"({"name":"thread_name","ph":"M","pid":)" + pid + ",\"tid\":" + std::to_string(track.track) + R"(,"args":{"name":)" +
           quoted(track.name) + "}}";
    separator = ",\n";
  }
  for (const TraceEvent& event : events) {
    out += separator;
    out += "{\"name\":" + quoted(event.name) + R"(,"ph":"X","ts":)" + microseconds(event.begin) +
           ",\"dur\":" + microseconds(event.end - event.begin) + ",\"pid\":" + pid + ",\"tid\":" + std::to_string(event.track) + "}";
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace ketmesh
