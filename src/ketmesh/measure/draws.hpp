// The draws of many shots in ascending order.
#pragma once

#include <cstdint>
#include <vector>

namespace ketmesh::measure {

/// Ascending numbers d, one for each of the shots [first_shot, first_shot + count): draw_uniform(seed, terminal_sampling, shot, 0) = d * 2^-53.
/// Needs two buffers of `count` numbers; the time is linear. The result does not depend on `threads`.
std::vector<std::uint64_t> sorted_draws(std::uint64_t seed, std::uint64_t first_shot, std::uint64_t count, int threads);

}  // namespace ketmesh::measure
