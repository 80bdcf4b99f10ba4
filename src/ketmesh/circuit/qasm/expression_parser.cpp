#include "ketmesh/circuit/qasm/expression_parser.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

namespace ketmesh::qasm {
namespace {

__extension__ using Wide = unsigned __int128;

struct Binding {
  Op op;
  int strength;  // higher binds tighter; 0: no binary operator
};

Binding binding(Tok kind, int version) {
  switch (kind) {
    case Tok::logical_or:
      return {Op::logical_or, 1};
    case Tok::logical_and:
      return {Op::logical_and, 2};
    case Tok::pipe:
      return {Op::bit_or, 3};
    case Tok::caret:
      return version >= 3 ? Binding{Op::bit_xor, 4} : Binding{Op::power, 12};
    case Tok::ampersand:
      return {Op::bit_and, 5};
    case Tok::equal:
      return {Op::equal, 6};
    case Tok::not_equal:
      return {Op::not_equal, 6};
    case Tok::less:
      return {Op::less, 7};
    case Tok::less_equal:
      return {Op::less_equal, 7};
    case Tok::greater:
      return {Op::greater, 7};
    case Tok::greater_equal:
      return {Op::greater_equal, 7};
    case Tok::shift_left:
      return {Op::shift_left, 8};
    case Tok::shift_right:
      return {Op::shift_right, 8};
    case Tok::plus:
      return {Op::add, 9};
    case Tok::minus:
      return {Op::subtract, 9};
    case Tok::star:
      return {Op::multiply, 10};
    case Tok::slash:
      return {Op::divide, 10};
    case Tok::percent:
      return {Op::remainder, 10};
    case Tok::power:
      return version >= 3 ? Binding{Op::power, 12} : Binding{Op::power, 0};
    default:
      return {Op::constant, 0};
  }
}
constexpr int kPowerStrength = 12;

bool is_type_word(Name name) { return name >= static_cast<Name>(Word::int_) && name <= static_cast<Name>(Word::duration_); }

std::string without_underscores(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '_') out += c;
  }
  return out;
}

}  // namespace

ExpressionParser::ExpressionParser(Tokens& tokens, const Sources& sources, const Names& names)
    : tokens_(tokens), sources_(sources), names_(names) {}

void ExpressionParser::constant(Code& code, Value value, Place place) const {
  code.instrs.push_back(Instr{Op::constant, static_cast<std::uint32_t>(code.constants.size()), 0, place});
  code.constants.push_back(std::move(value));
}

Code ExpressionParser::expression() {
  Code code;
  binary(code, 1);
  return code;
}

Code ExpressionParser::condition() {
  const bool outer = std::exchange(whole_numbers_, true);
  Code code = expression();
  whole_numbers_ = outer;
  return code;
}

Code ExpressionParser::aliased() {
  Code code = expression();
  while (tokens_.at(Tok::concatenate)) {
    const Token op = tokens_.take();
    binary(code, 1);
    code.instrs.push_back(Instr{Op::concatenate, 0, 0, op.place});
  }
  return code;
}

// Left-associative levels loop; only powers (to the right) and brackets recurse.
void ExpressionParser::binary(Code& code, int lowest) {
  unary(code);
  for (;;) {
    const Binding b = binding(tokens_.peek().kind, tokens_.version);
    if (b.strength < lowest || b.strength == 0) return;
    const Token op = tokens_.take();
    if (b.strength == kPowerStrength) {
      const Nesting nesting(depth_, sources_, op.place, "powers");
      binary(code, kPowerStrength);
    } else {
      binary(code, b.strength + 1);
    }
    code.instrs.push_back(Instr{b.op, 0, 0, op.place});
  }
}

void ExpressionParser::unary(Code& code) {
  // Signs are collected, not recursed into; a power binds tighter than they do.
  std::vector<std::pair<Op, Place>> signs;
  for (;; tokens_.take()) {
    if (tokens_.at(Tok::minus))
      signs.emplace_back(Op::negate, tokens_.place());
    else if (tokens_.at(Tok::bang))
      signs.emplace_back(Op::logical_not, tokens_.place());
    else if (tokens_.at(Tok::tilde))
      signs.emplace_back(Op::bit_not, tokens_.place());
    else if (!tokens_.at(Tok::plus))
      break;
  }
  primary(code);
  if (!signs.empty() && binding(tokens_.peek().kind, tokens_.version).strength == kPowerStrength) {
    const Token op = tokens_.take();
    const Nesting nesting(depth_, sources_, op.place, "powers");
    binary(code, kPowerStrength);
    code.instrs.push_back(Instr{Op::power, 0, 0, op.place});
  }
  for (std::size_t i = signs.size(); i-- > 0;) code.instrs.push_back(Instr{signs[i].first, 0, 0, signs[i].second});
}

void ExpressionParser::primary(Code& code) {
  const Token token = tokens_.peek();
  switch (token.kind) {
    case Tok::integer:
    case Tok::real:
    case Tok::duration:
    case Tok::string: {
      tokens_.take();
      const Code literal_code = literal(token);
      constant(code, literal_code.constants[0], token.place);
      if (token.kind == Tok::string && tokens_.at(Tok::left_bracket)) index(code, 0);
      return;
    }
    case Tok::left_paren: {
      const Nesting nesting(depth_, sources_, token.place, "brackets");
      tokens_.take();
      binary(code, 1);
      tokens_.expect(Tok::right_paren, "')' or an operator");
      if (tokens_.at(Tok::left_bracket)) index(code, 0);
      return;
    }
    case Tok::hardware_qubit: {
      tokens_.take();
      std::uint64_t n = 0;
      const std::string_view digits = tokens_.text(token).substr(1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
      if (error != std::errc() || n >= kMaxDeclaredQubits)
        sources_.circuit_error(
            token.place, fmt::format("hardware qubit {} exceeds the limit of {} qubits", shown(tokens_.text(token)), kMaxDeclaredQubits));
      constant(code, Value::of_wires(Type::qubits, n, 1, true), token.place);
      return;
    }
    case Tok::name:
      name_or_call(code);
      return;
    default:
      tokens_.unexpected("an expression");
  }
}

void ExpressionParser::name_or_call(Code& code) {
  const Token token = tokens_.take();
  const Name name = token.name;
  if (tokens_.version >= 3) {
    if (is(name, Word::true_) || is(name, Word::false_)) return constant(code, Value::of_bool(is(name, Word::true_)), token.place);
    if (is(name, Word::bit_) || is_type_word(name)) {
      TypeSpec type;
      const bool known = is(name, Word::bit_);
      type.type = known                    ? Type::bits
                  : is(name, Word::int_)   ? Type::integer
                  : is(name, Word::uint_)  ? Type::natural
                  : is(name, Word::float_) ? Type::real
                  : is(name, Word::angle_) ? Type::angle
                  : is(name, Word::bool_)  ? Type::boolean
                                           : Type::duration;
      const Nesting nesting(depth_, sources_, token.place, "brackets");
      const bool has_width = tokens_.accept(Tok::left_bracket);
      if (has_width) {
        binary(code, 1);
        tokens_.expect(Tok::right_bracket, "']'");
      }
      tokens_.expect(Tok::left_paren, "'(' of a cast");
      binary(code, 1);
      tokens_.expect(Tok::right_paren, "')'");
      code.instrs.push_back(Instr{Op::cast, static_cast<std::uint32_t>(type.type), has_width ? 1u : 0u, token.place});
      if (tokens_.at(Tok::left_bracket)) index(code, 0);
      return;
    }
    if (is(name, Word::measure_)) tokens_.unexpected("a measurement to stand alone, as in 'c = measure q;'");
    if (is(name, Word::durationof_)) sources_.parse_error(token.place, "durationof is not available; expected a constant duration");
    if (is(name, Word::complex_) || is(name, Word::array_))
      sources_.parse_error(token.place, fmt::format("{} is not available; expected an expression", names_.text(name)));
  }
  if (is_reserved(name, tokens_.version)) {
    sources_.parse_error(token.place, fmt::format("unexpected reserved word '{}'; expected an expression", names_.text(name)));
  }
  if (tokens_.at(Tok::left_paren)) {
    const Nesting nesting(depth_, sources_, token.place, "brackets");
    tokens_.take();
    std::uint32_t n = 0;
    while (!tokens_.at(Tok::right_paren)) {
      binary(code, 1);
      ++n;
      if (!tokens_.accept(Tok::comma)) break;
    }
    tokens_.expect(Tok::right_paren, "',' or ')'");
    if (name >= kNumWords || (name < static_cast<Name>(Word::sin_) && !is(name, Word::pow_))) {
      sources_.parse_error(token.place, fmt::format("unknown function '{}'", shown(names_.text(name))));
    }
    code.instrs.push_back(Instr{Op::call, name, n, token.place});
    return;
  }
  code.instrs.push_back(Instr{Op::name, name, 0, token.place});
  while (tokens_.at(Tok::left_bracket)) index(code, name);
}

void ExpressionParser::index(Code& code, Name name) {
  const Token open = tokens_.take();
  const Nesting nesting(depth_, sources_, open.place, "brackets");
  if (tokens_.at(Tok::left_brace)) {
    tokens_.take();
    index_set(code, name, open.place);
  } else {
    std::uint32_t given = 0, colons = 0;
    const bool outer = std::exchange(whole_numbers_, true);
    if (!tokens_.at(Tok::colon)) {
      binary(code, 1);
      given |= 1;
    }
    while (colons < 2 && tokens_.accept(Tok::colon)) {
      ++colons;
      if (!tokens_.at(Tok::colon) && !tokens_.at(Tok::right_bracket)) {
        binary(code, 1);
        given |= colons == 1 ? 2u : 4u;
      } else if (colons == 2) {
        break;
      }
    }
    whole_numbers_ = outer;
    if (colons == 0) {
      code.instrs.push_back(Instr{Op::index, name, 0, open.place});
    } else {
      // a:b is start and end, a:s:b has the step in the middle
      if (colons == 1) given = (given & 1) | (given & 2 ? 4u : 0u);
      code.instrs.push_back(Instr{Op::slice, name, given, open.place});
    }
  }
  tokens_.expect(Tok::right_bracket, "']'");
}

void ExpressionParser::index_set(Code& code, Name name, Place place) {
  std::uint32_t n = 0;
  const bool outer = std::exchange(whole_numbers_, true);
  while (!tokens_.at(Tok::right_brace)) {
    binary(code, 1);
    ++n;
    if (!tokens_.accept(Tok::comma)) break;
  }
  whole_numbers_ = outer;
  tokens_.expect(Tok::right_brace, "',' or '}'");
  code.instrs.push_back(Instr{Op::index_set, name, n, place});
}

Operand ExpressionParser::operand(std::string_view what) {
  if (tokens_.at(Tok::hardware_qubit) && tokens_.version >= 3) {
    Operand wire;
    wire.place = tokens_.place();
    wire.kind = Operand::Kind::expression;
    wire.code = expression();
    return wire;
  }
  return operand_after(tokens_.expect_name(what));
}

Operand ExpressionParser::operand_after(const Token& name) {
  Operand operand;
  operand.place = name.place;
  operand.name = name.name;
  if (!tokens_.at(Tok::left_bracket)) return operand;
  if (tokens_.version < 3) {
    tokens_.take();
    const Token index = tokens_.expect(Tok::integer, "an index");
    operand.kind = Operand::Kind::element;
    operand.index = whole_literal(index);
    tokens_.expect(Tok::right_bracket, "']'");
    return operand;
  }
  Code& code = operand.code;
  code.instrs.push_back(Instr{Op::name, name.name, 0, name.place});
  while (tokens_.at(Tok::left_bracket)) index(code, name.name);
  operand.kind = Operand::Kind::expression;
  if (code.instrs.size() == 3 && code.instrs[1].op == Op::constant && code.instrs[2].op == Op::index &&
      code.constants[0].type == Type::integer && code.constants[0].integer >= 0) {
    operand.kind = Operand::Kind::element;
    operand.index = code.constants[0].natural;
    code.instrs.clear();
    code.constants.clear();
  }
  return operand;
}

std::vector<Operand> ExpressionParser::operands(std::string_view what) {
  std::vector<Operand> out;
  do out.push_back(operand(what));
  while (tokens_.accept(Tok::comma));
  return out;
}

std::vector<Code> ExpressionParser::list(Tok close, std::string_view what) {
  std::vector<Code> out;
  while (!tokens_.at(close)) {
    out.push_back(expression());
    if (!tokens_.accept(Tok::comma)) break;
  }
  tokens_.expect(close, what);
  return out;
}

std::uint64_t ExpressionParser::whole_literal(const Token& token) const {
  const Value v = number(token);
  if (v.type == Type::integer || v.type == Type::natural) return v.natural;
  if (v.type == Type::real && v.number < 0x1p63) return static_cast<std::uint64_t>(v.number);
  return UINT64_MAX;
}

Code ExpressionParser::literal(const Token& token) const {
  Code code;
  if (token.kind == Tok::integer) {
    const Value v = number(token);
    constant(code, tokens_.version >= 3 || whole_numbers_ ? v : Value::of_real(as_double(v)), token.place);
  } else if (token.kind == Tok::real) {
    constant(code, Value::of_real(real(token)), token.place);
  } else if (token.kind == Tok::duration) {
    constant(code, duration(token), token.place);
  } else {
    const std::string_view quoted = tokens_.text(token);
    const std::string digits = without_underscores(quoted.substr(1, quoted.size() - 2));
    Words words((digits.size() + 63) / 64, 0);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const std::size_t bit = digits.size() - 1 - i;  // the last character is bit 0
      if (digits[i] != '0' && digits[i] != '1')
        sources_.parse_error(token.place, "malformed bit string " + shown(quoted) + "; expected 0 and 1");
      words[bit / 64] |= static_cast<std::uint64_t>(digits[i] == '1') << (bit % 64);
    }
    if (digits.empty() || digits.size() > kMaxDeclaredQubits)
      sources_.parse_error(token.place, fmt::format("a bit string of {} bits; expected 1 to {}", digits.size(), kMaxDeclaredQubits));
    constant(code, Value::of_bits(std::move(words), static_cast<std::uint32_t>(digits.size())), token.place);
  }
  return code;
}

Value ExpressionParser::big_integer(std::string_view digits, unsigned base) const {
  Words words;
  for (const char c : digits) {
    const unsigned digit = c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a') + 10;
    unsigned long long carry = digit;
    for (std::uint64_t& w : words) {
      const Wide wide = static_cast<Wide>(w) * base + carry;
      w = static_cast<std::uint64_t>(wide);
      carry = static_cast<unsigned long long>(wide >> 64);
    }
    if (carry != 0) words.push_back(carry);
  }
  if (words.empty()) return Value::of_integer(0);
  if (words.size() == 1)
    return words[0] <= static_cast<std::uint64_t>(INT64_MAX) ? Value::of_integer(static_cast<std::int64_t>(words[0]))
                                                             : Value::of_natural(words[0]);
  const auto width = static_cast<std::uint32_t>(words.size() * 64 - static_cast<std::size_t>(__builtin_clzll(words.back())));
  return Value::of_bits(std::move(words), width);
}

Value ExpressionParser::number(const Token& token) const {
  const std::string_view text = tokens_.text(token);
  std::int64_t small = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), small);
  if (error == std::errc() && end == text.data() + text.size()) return Value::of_integer(small);
  std::string digits = without_underscores(text);
  unsigned base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] < '0' || digits[1] > '9')) {
    const char mark = static_cast<char>(digits[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : 2;
    digits.erase(0, 2);
  }
  constexpr std::size_t kLongest = 20'000;  // digits; the sum is quadratic in them
  if (digits.size() > kLongest)
    sources_.parse_error(token.place, fmt::format("an integer of {} digits; at most {}", digits.size(), kLongest));
  return big_integer(digits, base);
}

double ExpressionParser::real(const Token& token) const {
  const std::string digits = without_underscores(tokens_.text(token));
  double d = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), d);
  if (error == std::errc::result_out_of_range) {
    d = std::strtod(digits.c_str(), nullptr);  // 0 when too small
    if (!std::isfinite(d)) sources_.circuit_error(token.place, "number " + shown(digits) + " is not finite in double precision");
  } else if (error != std::errc() || end != digits.data() + digits.size()) {
    sources_.parse_error(token.place, "malformed number '" + shown(digits) + "'");
  }
  return d;
}

Value ExpressionParser::duration(const Token& token) const {
  std::string digits = without_underscores(tokens_.text(token));
  std::size_t unit = digits.find_first_not_of("0123456789.eE+-");
  const std::string_view name = std::string_view(digits).substr(unit);
  double scale = 1e-9;  // dt too: there is no device clock, and durations change no state
  if (name.find("ms") != std::string_view::npos)
    scale = 1e-3;
  else if (name.find("us") != std::string_view::npos ||
           static_cast<unsigned char>(name.find_first_not_of(" \t") == std::string_view::npos ? 0 : name[name.find_first_not_of(" \t")]) >=
               0x80)
    scale = 1e-6;
  else if (name.find("ns") == std::string_view::npos && name.find("dt") == std::string_view::npos)
    scale = 1;
  digits.resize(unit);
  const double d = std::strtod(digits.c_str(), nullptr) * scale;
  if (!std::isfinite(d)) sources_.circuit_error(token.place, "duration " + shown(tokens_.text(token)) + " is not finite");
  return Value::of_duration(d);
}

bool ExpressionParser::designator(Code& size) {
  if (!tokens_.accept(Tok::left_bracket)) return false;
  size = condition();
  tokens_.expect(Tok::right_bracket, "']'");
  return true;
}

}  // namespace ketmesh::qasm
