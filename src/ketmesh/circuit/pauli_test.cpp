// Pauli strings and sums.
#include "ketmesh/circuit/pauli.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

TEST(PauliSum, LettersAreCheckedAndUpperCase) {
  EXPECT_EQ(PauliSum("xYz").terms()[0].letters, "XYZ");
  EXPECT_EQ(PauliSum(" ZZ\t").terms()[0].letters, "ZZ");
  EXPECT_EQ(PauliSum("").terms().size(), 1u);
  for (const char* bad : {"XA", "X1", "-X", "X Z"}) {
    try {
      const PauliSum sum(bad);
      FAIL() << bad;
    } catch (const CircuitError& e) {
      const std::string message = e.what();
      EXPECT_NE(message.find(std::string("\"") + bad + "\""), std::string::npos) << message;
      EXPECT_NE(message.find(bad[0] == '-' ? "character 0" : "character 1"), std::string::npos) << message;
    }
  }
  EXPECT_THROW((PauliSum{{std::numeric_limits<double>::infinity(), "X"}}), CircuitError);
}

TEST(PauliSum, WidthAndSpelling) {
  const PauliSum sum{{0.5, "XI"}, {-1, "IIZI"}, {-0.25, ""}};
  EXPECT_EQ(sum.width(), 3u);
  EXPECT_EQ(sum.str(), "0.5 * XI - IIZI - 0.25 * I");
  EXPECT_EQ(PauliSum().str(), "0");
  EXPECT_EQ(PauliSum("II").width(), 0u);
}

TEST(PauliSum, ListsOfObservables) {
  const auto all = parse_observables(" ZI; iz ;;Z;");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1], PauliSum("IZ"));
  EXPECT_TRUE(parse_observables("").empty());
  EXPECT_TRUE(parse_observables(" ; ").empty());
  EXPECT_THROW(parse_observables("ZZ;Q"), CircuitError);
}

TEST(PauliMasks, YIsBoth) {
  const PauliMasks masks = pauli_masks("XIZY");
  EXPECT_EQ(masks.x, 0b1001u);
  EXPECT_EQ(masks.z, 0b1100u);
  EXPECT_EQ(masks.num_y(), 1);
  EXPECT_EQ(pauli_masks(std::string(200, 'I')), PauliMasks{});
  EXPECT_EQ(pauli_masks(std::string(61, 'I') + "X").x, Index{1} << 61);
  EXPECT_THROW(pauli_masks(std::string(62, 'I') + "X"), CircuitError);
}

}  // namespace
}  // namespace ketmesh
