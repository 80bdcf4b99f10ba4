// Amplitudes in logical order, out of the shards: in an array, or on one device.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::api {

/// [begin, end) on every rank, a piece at a time; `progress` is called between pieces and may throw to stop.
std::vector<cdouble> on_host(const ShardedState& state, Index begin, Index end,
                             const std::function<void(std::uint64_t, std::uint64_t, const char*)>& progress);

/// All amplitudes of `state` in logical order in fresh memory of a device of this rank; "cpu" is always one. Every rank of the state calls it. Throws
/// OptionError for another device, DoesNotFit before memory is asked for.
ShardView gather(const ShardedState& state, std::string_view device);

}  // namespace ketmesh::api
