// The whole state in the memory of one device.
#pragma once

#include <string_view>

#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::api {

/// All amplitudes of `state` in logical order in fresh memory of a device of this rank; "cpu" is always one. Every rank of the state calls it. Throws
/// OptionError for another device, DoesNotFit before memory is asked for.
ShardView gather(const ShardedState& state, std::string_view device);

}  // namespace ketmesh::api
