// Values of expressions are unsigned integers of a width: bits keep theirs, a constant has 64 or what it needs. add and
// multiply widen, so they never wrap; subtract and negate wrap at the wider operand; bit_not, shift_left keep the width.
#include "ketmesh/circuit/classical.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

__extension__ using Wide = unsigned __int128;  // g++ and clang both have it
using Words = std::vector<std::uint64_t>;
using Kind = ClassicalExpression::Kind;

constexpr std::size_t kMaxWidth = std::size_t{1} << 26;  // products of products could ask for any amount of memory

struct Number {
  Words words;
  std::size_t width;  // bits beyond it are 0
};

std::size_t words_for(std::size_t width) { return std::max<std::size_t>(1, (width + 63) / 64); }

Number zero(std::size_t width) {
  if (width > kMaxWidth) throw CircuitError("a classical expression is wider than " + std::to_string(kMaxWidth) + " bits");
  return {Words(words_for(width)), width};
}

Number boolean(bool v) { return {Words{v ? 1u : 0u}, 1}; }

void trim(Number& n) {
  n.words.resize(words_for(n.width));
  if (n.width % 64 != 0 || n.width == 0) n.words.back() &= (std::uint64_t{1} << (n.width % 64)) - 1;
}

std::uint64_t word(const Number& n, std::size_t i) { return i < n.words.size() ? n.words[i] : 0; }

bool is_zero(const Number& n) {
  return std::all_of(n.words.begin(), n.words.end(), [](std::uint64_t w) { return w == 0; });
}

std::strong_ordering compare(const Number& a, const Number& b) {
  for (std::size_t i = std::max(a.words.size(), b.words.size()); i-- > 0;)
    if (word(a, i) != word(b, i)) return word(a, i) <=> word(b, i);
  return std::strong_ordering::equal;
}

Number add(const Number& a, const Number& b, std::size_t width, std::uint64_t carry, std::uint64_t flip_b) {
  Number out = zero(width);
  for (std::size_t i = 0; i < out.words.size(); ++i) {
    const std::uint64_t x = word(a, i), y = word(b, i) ^ flip_b;
    const std::uint64_t sum = x + y, total = sum + carry;
    carry = (sum < x || total < sum) ? 1 : 0;
    out.words[i] = total;
  }
  trim(out);
  return out;
}

Number multiply(const Number& a, const Number& b) {
  Number out = zero(a.width + b.width);
  for (std::size_t i = 0; i < a.words.size(); ++i) {
    Wide carry = 0;
    for (std::size_t j = 0; i + j < out.words.size(); ++j) {
      carry += static_cast<Wide>(a.words[i]) * word(b, j) + out.words[i + j];
      out.words[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  trim(out);
  return out;
}

bool bit_at(const Number& n, std::size_t i) { return ((word(n, i / 64) >> (i % 64)) & 1) != 0; }

Number shift(const Number& a, const Number& by, bool left) {
  Number out = zero(a.width);
  const std::size_t distance = std::any_of(by.words.begin() + 1, by.words.end(), [](auto w) { return w != 0; }) || by.words[0] > a.width
                                   ? a.width
                                   : static_cast<std::size_t>(by.words[0]);
  for (std::size_t i = 0; i + distance < a.width; ++i) {
    const std::size_t from = left ? i : i + distance, to = left ? i + distance : i;
    if (bit_at(a, from)) out.words[to / 64] |= std::uint64_t{1} << (to % 64);
  }
  return out;
}

template <typename F>
Number bitwise(const Number& a, const Number& b, F f) {
  Number out = zero(std::max(a.width, b.width));
  for (std::size_t i = 0; i < out.words.size(); ++i) out.words[i] = f(word(a, i), word(b, i));
  return out;
}

Number evaluate(const ClassicalExpression& e, const ClassicalBits& bits);

Number evaluate_unary(Kind kind, const Number& a) {
  switch (kind) {
    case Kind::logical_not:
      return boolean(is_zero(a));
    case Kind::bit_not:
      return add(zero(a.width), a, a.width, 0, ~std::uint64_t{0});
    case Kind::negate:
      return add(zero(a.width), a, a.width, 1, ~std::uint64_t{0});
    case Kind::popcount: {
      std::uint64_t ones = 0;
      for (const std::uint64_t w : a.words) ones += static_cast<std::uint64_t>(std::popcount(w));
      return {Words{ones}, 64};
    }
    default:
      throw Internal("classical expression of an unknown unary kind");
  }
}

Number evaluate_binary(Kind kind, const Number& a, const Number& b) {
  const std::size_t wider = std::max(a.width, b.width);
  switch (kind) {
    case Kind::bit_and:
      return bitwise(a, b, [](auto x, auto y) { return x & y; });
    case Kind::bit_or:
      return bitwise(a, b, [](auto x, auto y) { return x | y; });
    case Kind::bit_xor:
      return bitwise(a, b, [](auto x, auto y) { return x ^ y; });
    case Kind::equal:
      return boolean(compare(a, b) == 0);
    case Kind::not_equal:
      return boolean(compare(a, b) != 0);
    case Kind::less:
      return boolean(compare(a, b) < 0);
    case Kind::less_equal:
      return boolean(compare(a, b) <= 0);
    case Kind::greater:
      return boolean(compare(a, b) > 0);
    case Kind::greater_equal:
      return boolean(compare(a, b) >= 0);
    case Kind::add:
      return add(a, b, wider + 1, 0, 0);
    case Kind::subtract:
      return add(a, b, wider, 1, ~std::uint64_t{0});
    case Kind::multiply:
      return multiply(a, b);
    case Kind::shift_left:
      return shift(a, b, true);
    case Kind::shift_right:
      return shift(a, b, false);
    default:
      throw Internal("classical expression of an unknown binary kind");
  }
}

Number evaluate(const ClassicalExpression& e, const ClassicalBits& bits) {
  const ClassicalExpression::Node& node = e.node();
  switch (node.kind) {
    case Kind::constant:
      return {node.words, 64 * node.words.size()};
    case Kind::bits: {
      Number out = zero(node.bits.size());
      for (std::size_t i = 0; i < node.bits.size(); ++i)
        if (bits.get(node.bits[i])) out.words[i / 64] |= std::uint64_t{1} << (i % 64);
      return out;
    }
    // The second operand is not evaluated when the first decides.
    case Kind::logical_and:
      return boolean(!is_zero(evaluate(node.operands[0], bits)) && !is_zero(evaluate(node.operands[1], bits)));
    case Kind::logical_or:
      return boolean(!is_zero(evaluate(node.operands[0], bits)) || !is_zero(evaluate(node.operands[1], bits)));
    default:
      break;
  }
  const Number a = evaluate(node.operands[0], bits);
  return node.operands.size() == 1 ? evaluate_unary(node.kind, a) : evaluate_binary(node.kind, a, evaluate(node.operands[1], bits));
}

bool is_unary(Kind kind) { return kind == Kind::logical_not || kind == Kind::bit_not || kind == Kind::negate || kind == Kind::popcount; }

}  // namespace

ClassicalBits::ClassicalBits(std::size_t size) : size_(size), words_((size + 63) / 64) {}

bool ClassicalBits::get(Clbit bit) const { return bit < size_ && ((words_[bit / 64] >> (bit % 64)) & 1) != 0; }

void ClassicalBits::set(Clbit bit, bool value) {
  if (bit >= size_) throw Internal("classical bit " + std::to_string(bit) + " is outside a row of " + std::to_string(size_));
  const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
  words_[bit / 64] = value ? words_[bit / 64] | mask : words_[bit / 64] & ~mask;
}

std::string ClassicalBits::key(std::size_t width) const {
  std::string out(width, '0');
  for (std::size_t i = 0; i < std::min(width, size_); ++i)
    if (get(static_cast<Clbit>(i))) out[i] = '1';
  return out;
}

std::size_t ClassicalBits::hash() const noexcept {
  std::uint64_t h = 0x9e3779b97f4a7c15u ^ size_;
  for (const std::uint64_t w : words_) h = (std::rotl(h, 23) ^ w) * 0xff51afd7ed558ccdu;
  return static_cast<std::size_t>(h ^ (h >> 32));
}

struct ExpressionBuilder {
  static ClassicalExpression make(ClassicalExpression::Node node) {
    ClassicalExpression e;
    for (const ClassicalExpression& operand : node.operands) node.depth = std::max(node.depth, operand.node().depth + 1);
    if (node.depth > kMaxClassicalDepth)
      throw CircuitError("a classical expression is nested deeper than " + std::to_string(kMaxClassicalDepth));
    e.node_ = std::make_shared<const ClassicalExpression::Node>(std::move(node));
    return e;
  }
};

ClassicalExpression ClassicalExpression::constant(std::uint64_t value) { return constant_words({value}); }

ClassicalExpression ClassicalExpression::constant_words(std::vector<std::uint64_t> words) {
  while (words.size() > 1 && words.back() == 0) words.pop_back();
  if (words.empty()) words.push_back(0);
  return ExpressionBuilder::make({Kind::constant, std::move(words), {}, {}});
}

ClassicalExpression ClassicalExpression::bit(Clbit bit) { return bits({bit}); }

ClassicalExpression ClassicalExpression::bits(std::vector<Clbit> bits) {
  return ExpressionBuilder::make({Kind::bits, {}, std::move(bits), {}});
}

ClassicalExpression ClassicalExpression::unary(Kind kind, ClassicalExpression a) {
  if (!is_unary(kind)) throw Internal("a classical operator of two operands got one");
  return ExpressionBuilder::make({kind, {}, {}, {std::move(a)}});
}

ClassicalExpression ClassicalExpression::binary(Kind kind, ClassicalExpression a, ClassicalExpression b) {
  if (is_unary(kind) || kind == Kind::constant || kind == Kind::bits) throw Internal("a classical operator of one operand got two");
  return ExpressionBuilder::make({kind, {}, {}, {std::move(a), std::move(b)}});
}

std::vector<std::uint64_t> ClassicalExpression::value(const ClassicalBits& bits) const { return evaluate(*this, bits).words; }

bool ClassicalExpression::truth(const ClassicalBits& bits) const { return !is_zero(evaluate(*this, bits)); }

void ClassicalExpression::collect_bits(std::vector<Clbit>& out) const {
  out.insert(out.end(), node_->bits.begin(), node_->bits.end());
  for (const ClassicalExpression& operand : node_->operands) operand.collect_bits(out);
}

ClassicalExpression ClassicalExpression::remapped(const std::vector<Clbit>& new_bit) const {
  Node node{node_->kind, node_->words, node_->bits, {}};
  for (Clbit& b : node.bits) {
    if (b >= new_bit.size())
      throw CircuitError("classical bit " + std::to_string(b) + " has no new place; " + std::to_string(new_bit.size()) + " are given");
    b = new_bit[b];
  }
  for (const ClassicalExpression& operand : node_->operands) node.operands.push_back(operand.remapped(new_bit));
  return ExpressionBuilder::make(std::move(node));
}

bool operator==(const ClassicalExpression& a, const ClassicalExpression& b) {
  if (a.node_ == b.node_) return true;
  const ClassicalExpression::Node& x = a.node();
  const ClassicalExpression::Node& y = b.node();
  return x.kind == y.kind && x.words == y.words && x.bits == y.bits && x.operands == y.operands;
}

}  // namespace ketmesh
