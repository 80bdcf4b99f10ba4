#include "ketmesh/api/gpu_mesh.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ketmesh::api {
namespace {

using Seen = std::vector<std::vector<std::string>>;

std::vector<std::vector<int>> all_ranks(const Seen& seen, const std::vector<int>& hosts) {
  std::vector<std::vector<int>> out;
  for (int r = 0; r < static_cast<int>(seen.size()); ++r) out.push_back(gpus_of_rank(seen, hosts, r));
  return out;
}

TEST(GpuMesh, RanksDivideTheGpusOfTheirHost) {
  const std::vector<std::string> four = {"a", "b", "c", "d"}, other = {"e", "f", "g", "h"};
  EXPECT_EQ(all_ranks({four, four, four, four}, {0, 0, 0, 0}), (std::vector<std::vector<int>>{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(all_ranks({four, four}, {0, 0}), (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(all_ranks({four, other, four, other}, {0, 1, 0, 1}), (std::vector<std::vector<int>>{{0, 1}, {0, 1}, {2, 3}, {2, 3}}));
  EXPECT_EQ(all_ranks({four, four, four}, {0, 0, 0}), (std::vector<std::vector<int>>{{0}, {1}, {2, 3}}));
}

TEST(GpuMesh, MoreRanksThanGpusShareThem) {
  const std::vector<std::string> one = {"a"}, two = {"a", "b"};
  EXPECT_EQ(all_ranks({one, one, one}, {0, 0, 0}), (std::vector<std::vector<int>>{{0}, {0}, {0}}));
  EXPECT_EQ(all_ranks({two, two, two, two}, {0, 0, 0, 0}), (std::vector<std::vector<int>>{{0}, {0}, {1}, {1}}));
}

TEST(GpuMesh, ALauncherThatShowsEachRankItsOwn) {
  EXPECT_EQ(all_ranks({{"a"}, {"b"}, {"c"}}, {0, 0, 0}), (std::vector<std::vector<int>>{{0}, {0}, {0}}));
}

}  // namespace
}  // namespace ketmesh::api
