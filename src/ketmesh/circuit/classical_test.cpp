// Classical bits and expressions of them, against 64-bit arithmetic and by hand beyond it.
#include "ketmesh/circuit/classical.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <unordered_set>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

using E = ClassicalExpression;
using Kind = E::Kind;

ClassicalBits row_of(std::uint64_t value, std::size_t size) {
  ClassicalBits bits(size);
  for (std::size_t i = 0; i < std::min<std::size_t>(size, 64); ++i) bits.set(static_cast<Clbit>(i), ((value >> i) & 1) != 0);
  return bits;
}

E bits_from(Clbit begin, Clbit end) {
  std::vector<Clbit> list;
  for (Clbit b = begin; b < end; ++b) list.push_back(b);
  return E::bits(std::move(list));
}

TEST(ClassicalBits, KeyHasBitZeroFirst) {
  ClassicalBits bits(3);
  bits.set(1, true);
  EXPECT_EQ(bits.key(5), "01000");
  EXPECT_EQ(bits.key(1), "0");
  EXPECT_FALSE(bits.get(77));
  EXPECT_THROW(bits.set(3, true), Internal);
  bits.set(1, false);
  EXPECT_EQ(bits, ClassicalBits(3));
  std::unordered_set<ClassicalBits> set = {ClassicalBits(3), row_of(1, 3), row_of(2, 3)};
  EXPECT_EQ(set.size(), 3u);
}

TEST(ClassicalExpression, AgreesWithMachineArithmetic) {
  EXPECT_TRUE(rc::check("operators on 20-bit registers", [] {
    const std::uint64_t mask = (1u << 20) - 1;
    const std::uint64_t x = *rc::gen::arbitrary<std::uint64_t>() & mask, y = *rc::gen::arbitrary<std::uint64_t>() & mask;
    const ClassicalBits bits = row_of(x | (y << 20), 40);
    const E a = bits_from(0, 20), b = bits_from(20, 40);
    const auto value = [&](Kind kind) {
      const auto words = E::binary(kind, a, b).value(bits);
      for (std::size_t i = 1; i < words.size(); ++i) RC_ASSERT(words[i] == 0u);
      return words[0];
    };
    RC_ASSERT(value(Kind::add) == x + y);
    RC_ASSERT(value(Kind::subtract) == ((x - y) & mask));
    RC_ASSERT(value(Kind::multiply) == x * y);
    RC_ASSERT(value(Kind::bit_and) == (x & y));
    RC_ASSERT(value(Kind::bit_or) == (x | y));
    RC_ASSERT(value(Kind::bit_xor) == (x ^ y));
    RC_ASSERT(value(Kind::equal) == (x == y ? 1u : 0u));
    RC_ASSERT(value(Kind::not_equal) == (x != y ? 1u : 0u));
    RC_ASSERT(value(Kind::less) == (x < y ? 1u : 0u));
    RC_ASSERT(value(Kind::less_equal) == (x <= y ? 1u : 0u));
    RC_ASSERT(value(Kind::greater) == (x > y ? 1u : 0u));
    RC_ASSERT(value(Kind::greater_equal) == (x >= y ? 1u : 0u));
    RC_ASSERT(value(Kind::logical_and) == (x != 0 && y != 0 ? 1u : 0u));
    RC_ASSERT(value(Kind::logical_or) == (x != 0 || y != 0 ? 1u : 0u));
    RC_ASSERT(E::unary(Kind::bit_not, a).value(bits)[0] == (~x & mask));
    RC_ASSERT(E::unary(Kind::negate, a).value(bits)[0] == (-x & mask));
    RC_ASSERT(E::unary(Kind::logical_not, a).truth(bits) == (x == 0));
    RC_ASSERT(E::unary(Kind::popcount, a).value(bits)[0] == static_cast<std::uint64_t>(std::popcount(x)));
    const std::uint64_t by = y % 25;
    RC_ASSERT(E::binary(Kind::shift_left, a, E::constant(by)).value(bits)[0] == ((x << by) & mask));
    RC_ASSERT(E::binary(Kind::shift_right, a, E::constant(by)).value(bits)[0] == (x >> by));
  }));
}

TEST(ClassicalExpression, WiderThanAWord) {
  ClassicalBits bits(130);
  for (Clbit i = 0; i < 130; ++i) bits.set(i, true);
  const E all = bits_from(0, 130);
  EXPECT_EQ(all.value(bits), (std::vector<std::uint64_t>{~0ull, ~0ull, 3}));
  EXPECT_EQ(E::binary(Kind::add, all, E::constant(1)).value(bits), (std::vector<std::uint64_t>{0, 0, 4}));
  EXPECT_EQ(E::unary(Kind::bit_not, all).truth(bits), false);
  EXPECT_TRUE(E::binary(Kind::greater, all, E::constant_words({~0ull, ~0ull, 2})).truth(bits));
  EXPECT_TRUE(E::binary(Kind::equal, all, E::constant_words({~0ull, ~0ull, 3, 0, 0})).truth(bits));
  EXPECT_EQ(E::binary(Kind::multiply, E::constant(~0ull), E::constant(~0ull)).value(bits), (std::vector<std::uint64_t>{1, ~0ull - 1}));
  EXPECT_EQ(E::binary(Kind::shift_right, all, E::constant(128)).value(bits)[0], 3u);
  EXPECT_FALSE(E::binary(Kind::shift_left, all, E::constant_words({0, 1})).truth(bits));
}

TEST(ClassicalExpression, IsAValue) {
  const E a = E::binary(Kind::equal, bits_from(0, 3), E::constant(5));
  EXPECT_EQ(a, E::binary(Kind::equal, bits_from(0, 3), E::constant(5)));
  EXPECT_FALSE(a == E::binary(Kind::equal, bits_from(0, 3), E::constant(4)));
  std::vector<Clbit> bits;
  a.collect_bits(bits);
  EXPECT_EQ(bits, (std::vector<Clbit>{0, 1, 2}));
  EXPECT_TRUE(a.remapped({2, 1, 0}).truth(row_of(5, 3)));
  EXPECT_FALSE(a.remapped({3, 1, 2}).truth(row_of(5, 3)));
  EXPECT_THROW(a.remapped({0}), CircuitError);
  EXPECT_THROW(E::unary(Kind::add, a), Internal);
  EXPECT_THROW(E::binary(Kind::popcount, a, a), Internal);
  E deep = E::bit(0);
  EXPECT_THROW(for (int i = 0; i < 20'000; ++i) deep = E::unary(Kind::logical_not, deep), CircuitError);
}

}  // namespace
}  // namespace ketmesh
