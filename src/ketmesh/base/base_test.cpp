// Bits, random numbers, memory, errors.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/base/memory.hpp"
#include "ketmesh/base/random.hpp"
#include "ketmesh/base/types.hpp"

namespace ketmesh {
namespace {

TEST(Bits, Masks) {
  EXPECT_EQ(bits::low_mask(0), 0u);
  EXPECT_EQ(bits::low_mask(5), 31u);
  EXPECT_EQ(bits::low_mask(64), ~Index{0});
  EXPECT_EQ(bits::one(61), Index{1} << 61);
  EXPECT_TRUE(bits::parity(0b111));
  EXPECT_FALSE(bits::parity(0b101));
  std::vector<int> seen;
  bits::for_each(0b100101, [&](int b) { seen.push_back(b); });
  EXPECT_EQ(seen, (std::vector<int>{0, 2, 5}));
}

TEST(Bits, DepositAndExtractAreInverse) {
  EXPECT_EQ(bits::deposit(0b101, 0b110010), 0b100010u);
  EXPECT_EQ(bits::extract(0b100010, 0b110010), 0b101u);
  EXPECT_TRUE(rc::check("extract after deposit", [] {
    const auto value = *rc::gen::arbitrary<Index>(), mask = *rc::gen::arbitrary<Index>();
    RC_ASSERT(bits::extract(bits::deposit(value, mask), mask) == (value & bits::low_mask(bits::count(mask))));
    RC_ASSERT(bits::deposit(bits::extract(value, mask), mask) == (value & mask));
  }));
}

TEST(Bits, ScatterAndGatherFollowPositions) {
  const std::array<int, 3> positions = {4, 0, 61};
  const std::span<const int> view(positions);
  EXPECT_EQ(bits::scatter(Index{0b101}, view), (Index{1} << 4) | (Index{1} << 61));
  EXPECT_EQ(bits::gather((Index{1} << 61) | 1, view), 0b110u);
  for (Index v = 0; v < 8; ++v) EXPECT_EQ(bits::gather(bits::scatter(v, view), view), v);
}

// Philox4x32-10, known answers of the Random123 distribution (kat_vectors): all zero, all one, digits of pi.
TEST(Random, PhiloxKnownAnswers) {
  const auto purpose = [](std::uint32_t p) { return static_cast<DrawPurpose>(p); };
  EXPECT_EQ(draw_bits(0, purpose(0), 0, 0), 0xe169c58d6627e8d5u);
  EXPECT_EQ(draw_bits(~0ull, purpose(0xff), ~0ull, 0x00ffffffffffffffu), 0x41c83b0e408f276du);
  EXPECT_EQ(draw_bits(0x299f31d0a4093822u, purpose(3), 0x85a308d3243f6a88u, 0x0070734413198a2eu), 0x94fdccebd16cfe09u);
}

TEST(Random, DrawsDifferInEveryCoordinate) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (std::uint32_t purpose = 1; purpose <= 5; ++purpose)
      for (std::uint64_t shot = 0; shot < 8; ++shot)
        for (std::uint64_t ordinal = 0; ordinal < 8; ++ordinal)
          seen.insert(draw_bits(seed, static_cast<DrawPurpose>(purpose), shot, ordinal));
  EXPECT_EQ(seen.size(), 4u * 5 * 8 * 8);
}

TEST(Random, UniformStaysBelowOneAndIsEven) {
  double sum = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = draw_uniform(7, DrawPurpose::user, static_cast<std::uint64_t>(i), 0);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * 0.289 / std::sqrt(kDraws));
}

TEST(HostMemory, IsAlignedZeroAndMoves) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, 2_MiB, 5_MiB + 8}) {
    HostMemory memory(bytes);
    ASSERT_NE(memory.data(), nullptr);
    EXPECT_EQ(memory.bytes(), bytes);
    const std::size_t alignment = bytes >= 2_MiB ? 2_MiB : 4096;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % alignment, 0u) << bytes;
    EXPECT_EQ(memory.data()[0], std::byte{0});
    EXPECT_EQ(memory.data()[bytes - 1], std::byte{0});
    std::memset(memory.data(), 1, bytes);
    HostMemory other = std::move(memory);
    std::byte* p = other.release();
    EXPECT_EQ(other.bytes(), 0u);
    const HostMemory again = HostMemory::adopt(p, bytes);
    EXPECT_EQ(again.data()[bytes - 1], std::byte{1});
  }
  EXPECT_EQ(HostMemory(0).data(), nullptr);
}

TEST(HostMemory, SaysWhatDidNotFit) {
  try {
    const HostMemory memory(std::size_t{1} << 62);
    FAIL();
  } catch (const DoesNotFit& e) {
    EXPECT_EQ(e.needed_bytes(), std::uint64_t{1} << 62);
    EXPECT_NE(std::string(e.what()).find("4611686018427387904"), std::string::npos);
  }
}

TEST(Errors, CarryKindPlaceAndHint) {
  const ParseError parse("a.qasm", 3, 7, "unexpected ';'", "add an argument");
  EXPECT_STREQ(parse.what(), "a.qasm:3:7: unexpected ';'");
  EXPECT_EQ(parse.message(), "unexpected ';'");
  EXPECT_EQ(parse.hint(), "add an argument");
  EXPECT_STREQ(ParseError("", 3, 7, "x").what(), "3:7: x");
  EXPECT_STREQ(CircuitError("f", 0, 0, "x").what(), "f: x");
  EXPECT_EQ(to_string(CircuitError("x").kind()), "CircuitError");
  EXPECT_EQ(to_string(OptionError("x").kind()), "OptionError");
  EXPECT_EQ(to_string(BackendUnavailable("x").kind()), "BackendUnavailable");
  EXPECT_EQ(to_string(TransportError("x").kind()), "TransportError");
  EXPECT_EQ(to_string(Internal("x").kind()), "Internal");
  EXPECT_EQ(IoError(IoError::Side::output, "x").side(), IoError::Side::output);
  EXPECT_EQ(DoesNotFit("x", 5, 3).available_bytes(), 3u);
}

TEST(Types, SizesInWords) {
  EXPECT_EQ(bytes_per_amplitude(Precision::single), 8u);
  EXPECT_EQ(bytes_per_amplitude(Precision::double_), 16u);
  EXPECT_EQ(to_string(Precision::double_), "double");
  EXPECT_EQ(64_MiB, std::size_t{1} << 26);
}

}  // namespace
}  // namespace ketmesh
