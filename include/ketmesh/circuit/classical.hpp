// Classical bits of a run and expressions of them (conditions). Registers may be wider than 64 bits.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

/// A named range of bits (classical) or qubits (quantum): offset .. offset + size - 1.
struct Register {
  std::string name;
  std::size_t offset = 0;
  std::size_t size = 0;
  friend bool operator==(const Register&, const Register&) = default;
};

/// The classical bits of one shot; all 0 at first. Regular: equal, ordered, hashable.
class ClassicalBits {
 public:
  explicit ClassicalBits(std::size_t size = 0);
  std::size_t size() const noexcept { return size_; }
  bool get(Clbit bit) const;  ///< 0 beyond size
  void set(Clbit bit, bool value);
  std::string key(std::size_t width) const;  ///< character i is bit i; '0' beyond size
  std::size_t hash() const noexcept;
  friend auto operator<=>(const ClassicalBits&, const ClassicalBits&) = default;

 private:
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

/// Immutable expression over classical bits with unsigned integers of any width. A boolean is 0 or 1. bits have the
/// width of their list, a constant 64 (or what it needs); add and multiply widen, subtract and negate wrap at the wider
/// operand, bit_not and shifts keep the width of the (left) operand.
class ClassicalExpression {
 public:
  enum class Kind : std::uint8_t {
    constant,
    bits,
    logical_not,
    bit_not,
    negate,
    logical_and,
    logical_or,
    bit_and,
    bit_or,
    bit_xor,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    add,
    subtract,
    multiply,
    shift_left,
    shift_right,
    popcount
  };
  static ClassicalExpression constant(std::uint64_t value);
  static ClassicalExpression constant_words(std::vector<std::uint64_t> words);  ///< little-endian 64-bit words
  static ClassicalExpression bit(Clbit bit);
  static ClassicalExpression bits(std::vector<Clbit> bits);  ///< unsigned integer, bits[0] least significant
  static ClassicalExpression unary(Kind kind, ClassicalExpression a);
  static ClassicalExpression binary(Kind kind, ClassicalExpression a, ClassicalExpression b);

  bool truth(const ClassicalBits& bits) const;  ///< value != 0
  std::vector<std::uint64_t> value(const ClassicalBits& bits) const;
  void collect_bits(std::vector<Clbit>& out) const;
  ClassicalExpression remapped(const std::vector<Clbit>& new_bit) const;

  struct Node;
  const Node& node() const { return *node_; }
  friend bool operator==(const ClassicalExpression& a, const ClassicalExpression& b);

 private:
  friend struct ExpressionBuilder;
  ClassicalExpression() = default;
  std::shared_ptr<const Node> node_;
};

/// One level of an expression, for writers: constant words, bit list, or operands.
struct ClassicalExpression::Node {
  Kind kind;
  std::vector<std::uint64_t> words;
  std::vector<Clbit> bits;
  std::vector<ClassicalExpression> operands;
  int depth = 1;
};

/// Deeper expressions throw CircuitError when they are made: evaluating and freeing them recurses.
inline constexpr int kMaxClassicalDepth = 10'000;

}  // namespace ketmesh

template <>
struct std::hash<ketmesh::ClassicalBits> {
  std::size_t operator()(const ketmesh::ClassicalBits& b) const noexcept { return b.hash(); }
};
