// Counter-based random numbers: Philox4x32-10 (Salmon et al., SC'11; the Random123 library).
// A draw is a pure function of (seed, purpose, shot, ordinal), so it never depends on threads, ranks or order.
#pragma once

#include <cstdint>

namespace ketmesh {

enum class DrawPurpose : std::uint32_t {
  terminal_sampling = 1,  ///< ordinal 0: one draw a shot
  measurement = 2,        ///< ordinal: measurements and resets executed so far in the shot
  branch = 3,             ///< the one branch that a state vector or an estimate of a dynamic circuit follows
  fresh_seed = 4,
  user = 5,  ///< circuits and data made for tests and benchmarks
};

/// 64 uniform random bits.
std::uint64_t draw_bits(std::uint64_t seed, DrawPurpose purpose, std::uint64_t shot, std::uint64_t ordinal);

/// Uniform in [0, 1) with 53 bits.
double draw_uniform(std::uint64_t seed, DrawPurpose purpose, std::uint64_t shot, std::uint64_t ordinal);

/// A seed from the operating system; for one rank, which shares it.
std::uint64_t fresh_seed();

}  // namespace ketmesh
