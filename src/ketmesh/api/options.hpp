// Parts of the option table that the planner needs as values.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ketmesh/plan/planner.hpp"

namespace ketmesh::api {

struct PlacementText {
  PlacementPolicy policy = PlacementPolicy::automatic;
  std::vector<int> shards_per_rank;
};
/// auto, equal, round_robin, explicit:2,1,1 (the sum a power of two); nullopt for anything else.
std::optional<PlacementText> parse_placement(std::string_view text);

}  // namespace ketmesh::api
