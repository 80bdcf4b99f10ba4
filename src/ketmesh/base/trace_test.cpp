// Timelines and their text.
#include "ketmesh/base/trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

namespace ketmesh {
namespace {

TEST(Timeline, IsOffUnlessAskedFor) {
  Timeline off;
  {
    const TraceSpan span(&off, "pass");
    const TraceSpan none(nullptr, "pass");
  }
  off.name_track(0, "x");
  EXPECT_TRUE(off.events().empty());
  EXPECT_TRUE(off.tracks().empty());
}

TEST(Timeline, CollectsFromThreads) {
  Timeline timeline(true);
  const auto work = [&](std::uint32_t track) {
    for (int i = 0; i < 1000; ++i) const TraceSpan span(&timeline, "pass", track);
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  const auto events = timeline.events();
  ASSERT_EQ(events.size(), 2000u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_LE(events[i].begin, events[i].end);
    if (i > 0) {
      EXPECT_LE(events[i - 1].begin, events[i].begin);
    }
  }
}

TEST(ChromeTrace, IsJsonInMicroseconds) {
  const std::vector<TraceEvent> events = {{"pass 1", 0.001, 0.0035, 2}, {"a \"b\"\n\\ \xc3\xa9", 1, 1, 0}};
  const std::vector<TraceTrack> tracks = {{2, "cpu:0"}};
  const auto json = nlohmann::json::parse(chrome_trace(events, tracks, 3));
  const auto& list = json["traceEvents"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["args"]["name"], "cpu:0");
  EXPECT_EQ(list[1]["name"], "pass 1");
  EXPECT_EQ(list[1]["ph"], "X");
  EXPECT_DOUBLE_EQ(list[1]["ts"].get<double>(), 1000);
  EXPECT_DOUBLE_EQ(list[1]["dur"].get<double>(), 2500);
  EXPECT_EQ(list[1]["tid"], 2);
  EXPECT_EQ(list[1]["pid"], 3);
  EXPECT_EQ(list[2]["name"], "a \"b\"\n\\ ??");
  EXPECT_TRUE(nlohmann::json::parse(chrome_trace({}))["traceEvents"].empty());
}

}  // namespace
}  // namespace ketmesh
