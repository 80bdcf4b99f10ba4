// The tree behind a Parameter that has names. Immutable and shared; its depth is bounded, so walking it may recurse.
#pragma once

#include <cstdint>
#include <string>

#include "ketmesh/circuit/parameter.hpp"

namespace ketmesh {

struct Expression {
  enum class Kind : std::uint8_t { name, negate, add, subtract, multiply, divide, power, function };
  Kind kind;
  int depth;         ///< of the deepest operand, plus one
  std::string name;  ///< of the parameter or the function
  Parameter a, b;    ///< operands; b for binary kinds only
};

/// Deeper expressions are refused: evaluating and freeing them recurses.
inline constexpr int kMaxExpressionDepth = 10'000;

}  // namespace ketmesh
