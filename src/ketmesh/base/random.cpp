#include "ketmesh/base/random.hpp"

#include <Random123/philox.h>

#include <random>

namespace ketmesh {

std::uint64_t draw_bits(std::uint64_t seed, DrawPurpose purpose, std::uint64_t shot, std::uint64_t ordinal) {
  // Key: the seed. Counter: shot (64 bits), ordinal (56 bits), purpose (8 bits).
  const r123::Philox4x32::key_type key = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(shot), static_cast<std::uint32_t>(shot >> 32), static_cast<std::uint32_t>(ordinal),
       static_cast<std::uint32_t>((ordinal >> 32) & 0xffffffu) | (static_cast<std::uint32_t>(purpose) << 24)}};
  const auto r = r123::Philox4x32()(counter, key);
  return (static_cast<std::uint64_t>(r[1]) << 32) | r[0];
}

double draw_uniform(std::uint64_t seed, DrawPurpose purpose, std::uint64_t shot, std::uint64_t ordinal) {
  return static_cast<double>(draw_bits(seed, purpose, shot, ordinal) >> 11) * 0x1.0p-53;
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace ketmesh
