#include "ketmesh/circuit/qasm/lexer.hpp"

#include <array>
#include <string>

namespace ketmesh::qasm {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Any byte of a multi-byte character may stand in a name; valid() below looks at names that hold one.
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool valid_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const std::size_t more = c < 0x80 ? 0 : c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xF0 && c < 0xF5 ? 3 : 4;
    if (more == 4 || i + more >= s.size()) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((static_cast<unsigned char>(s[i + k]) & 0xC0u) != 0x80u) return false;
    }
    i += more + 1;
  }
  return true;
}

struct Punctuation {
  std::string_view text;
  Tok kind;
};
// Longest first.
constexpr std::array<Punctuation, 45> kPunctuation = {{
    {"<<=", Tok::compound_assign},
    {">>=", Tok::compound_assign},
    {"**=", Tok::compound_assign},
    {"->", Tok::arrow},
    {"==", Tok::equal},
    {"!=", Tok::not_equal},
    {"<=", Tok::less_equal},
    {">=", Tok::greater_equal},
    {"&&", Tok::logical_and},
    {"||", Tok::logical_or},
    {"<<", Tok::shift_left},
    {">>", Tok::shift_right},
    {"**", Tok::power},
    {"++", Tok::concatenate},
    {"+=", Tok::compound_assign},
    {"-=", Tok::compound_assign},
    {"*=", Tok::compound_assign},
    {"/=", Tok::compound_assign},
    {"%=", Tok::compound_assign},
    {"&=", Tok::compound_assign},
    {"|=", Tok::compound_assign},
    {"^=", Tok::compound_assign},
    {"(", Tok::left_paren},
    {")", Tok::right_paren},
    {"[", Tok::left_bracket},
    {"]", Tok::right_bracket},
    {"{", Tok::left_brace},
    {"}", Tok::right_brace},
    {";", Tok::semicolon},
    {",", Tok::comma},
    {":", Tok::colon},
    {"@", Tok::at},
    {"=", Tok::assign},
    {"+", Tok::plus},
    {"-", Tok::minus},
    {"*", Tok::star},
    {"/", Tok::slash},
    {"%", Tok::percent},
    {"^", Tok::caret},
    {"|", Tok::pipe},
    {"&", Tok::ampersand},
    {"~", Tok::tilde},
    {"!", Tok::bang},
    {"<", Tok::less},
    {">", Tok::greater},
}};

// Characters that begin no longer token; most of a file is these, names and digits.
constexpr std::array<Tok, 128> single_characters() {
  std::array<Tok, 128> table{};
  for (const Punctuation& p : kPunctuation) {
    bool alone = p.text.size() == 1;
    for (const Punctuation& other : kPunctuation) alone = alone && (other.text.size() == 1 || other.text[0] != p.text[0]);
    if (alone) table[static_cast<unsigned char>(p.text[0])] = p.kind;
  }
  return table;
}
constexpr std::array<Tok, 128> kSingle = single_characters();

std::string hexadecimal(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 15];
}

}  // namespace

Lexer::Lexer(const Sources& sources, Names& names, std::uint32_t file)
    : sources_(&sources), names_(&names), text_(sources.text(file)), file_(file) {
  if (text_.substr(0, 3) == "\xEF\xBB\xBF") i_ = 3;
  if (text_.substr(0, 2) == "\xFF\xFE" || text_.substr(0, 2) == "\xFE\xFF") {
    fail(Place{file_, 1, 0}, "the text is UTF-16; expected UTF-8");
  }
}

void Lexer::fail(Place place, const std::string& message) const { sources_->parse_error(place, message); }

void Lexer::skip_line() {
  while (i_ < text_.size() && text_[i_] != '\n' && text_[i_] != '\r') ++i_;
}

bool Lexer::take_unnamed_mark() {
  const bool mark = unnamed_;
  unnamed_ = false;
  return mark;
}

void Lexer::line_comment() {
  const std::size_t begin = i_;
  skip_line();
  if (text_.substr(begin, i_ - begin) == "//@unnamed") unnamed_ = true;
}

void Lexer::block_comment() {
  const Place begin{file_, line_, static_cast<std::uint32_t>(i_)};
  for (i_ += 2;; ++i_) {
    if (i_ >= text_.size()) fail(begin, "comment without an end; expected '*/'");
    if (text_[i_] == '\n' || (text_[i_] == '\r' && at(i_ + 1) != '\n')) ++line_;
    if (text_[i_] == '*' && at(i_ + 1) == '/') break;
  }
  i_ += 2;
}

void Lexer::skip_blanks() {
  for (; i_ < text_.size();) {
    const char c = text_[i_];
    if (c == '\n' || (c == '\r' && at(i_ + 1) != '\n')) {
      ++line_;
      ++i_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++i_;
    } else if (c == '/' && at(i_ + 1) == '/') {
      line_comment();
    } else if (c == '/' && at(i_ + 1) == '*') {
      block_comment();
    } else {
      return;
    }
  }
}

void Lexer::digits(const Token& token, int base) {
  bool any = false, last_is_digit = true;
  for (;; ++i_) {
    const char c = at(i_);
    const bool digit = base == 16   ? is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')
                       : base == 10 ? is_digit(c)
                                    : c >= '0' && c < '0' + base;
    if (!digit && !(c == '_' && any && last_is_digit)) break;
    any = any || digit;
    last_is_digit = digit;
  }
  if (!any || !last_is_digit)
    fail(token.place, "malformed number '" + shown(text_.substr(token.place.offset, i_ - token.place.offset + 1)) + "'; expected digits");
}

bool Lexer::duration_unit() {
  std::size_t k = i_;
  while (at(k) == ' ' || at(k) == '\t') ++k;
  for (const std::string_view unit : {"dt", "ns", "us", "\xC2\xB5s", "\xCE\xBCs", "ms", "s"}) {
    if (text_.substr(k, unit.size()) == unit && !is_letter(at(k + unit.size())) && !is_digit(at(k + unit.size()))) {
      i_ = k + unit.size();
      return true;
    }
  }
  return false;
}

Token Lexer::number(Token token) {
  const auto finish = [&](Tok kind) {
    token.kind = kind;
    token.length = static_cast<std::uint32_t>(i_ - token.place.offset);
    return token;
  };
  const char second = at(i_ + 1);
  if (at(i_) == '0' && (second == 'x' || second == 'X' || second == 'b' || second == 'B' || second == 'o' || second == 'O')) {
    i_ += 2;
    digits(token, second == 'x' || second == 'X' ? 16 : second == 'b' || second == 'B' ? 2 : 8);
    if (is_letter(at(i_)) || is_digit(at(i_)))
      fail(token.place, "malformed number '" + shown(text_.substr(token.place.offset, i_ + 1 - token.place.offset)) + "'");
    return finish(Tok::integer);
  }
  bool real = false;
  if (is_digit(at(i_))) digits(token, 10);
  if (at(i_) == '.') {
    real = true;
    ++i_;
    if (is_digit(at(i_))) digits(token, 10);
  }
  if (at(i_) == 'e' || at(i_) == 'E') {
    const std::size_t sign = at(i_ + 1) == '+' || at(i_ + 1) == '-' ? 1 : 0;
    if (is_digit(at(i_ + 1 + sign))) {
      real = true;
      i_ += 1 + sign;
      digits(token, 10);
    }
  }
  if (duration_unit()) return finish(Tok::duration);
  if (is_letter(at(i_))) {
    fail(token.place,
         "malformed number '" + shown(text_.substr(token.place.offset, i_ + 1 - token.place.offset)) + "': a letter follows the digits");
  }
  return finish(real ? Tok::real : Tok::integer);
}

Token Lexer::next() {
  skip_blanks();
  Token token;
  token.place = Place{file_, line_, static_cast<std::uint32_t>(i_)};
  if (i_ >= text_.size()) return token;
  const char c = text_[i_];
  const auto finish = [&](Tok kind) {
    token.kind = kind;
    token.length = static_cast<std::uint32_t>(i_ - token.place.offset);
    return token;
  };
  if (is_letter(c)) {
    bool plain = true;
    for (; is_letter(at(i_)) || is_digit(at(i_)); ++i_) plain = plain && static_cast<unsigned char>(text_[i_]) < 0x80;
    const std::string_view word = text_.substr(token.place.offset, i_ - token.place.offset);
    if (!plain && !valid_utf8(word)) fail(token.place, "unexpected character " + hexadecimal(c) + ": not UTF-8; expected a statement");
    token.name = names_->intern(word);
    return finish(Tok::name);
  }
  if (is_digit(c) || (c == '.' && is_digit(at(i_ + 1)))) return number(token);
  if (c == '"' || c == '\'') {
    for (++i_; i_ < text_.size() && text_[i_] != c && text_[i_] != '\n' && text_[i_] != '\r';) ++i_;
    if (at(i_) != c) fail(token.place, std::string("string without an end; expected ") + c + " on the same line");
    ++i_;
    return finish(Tok::string);
  }
  if (c == '$' && is_digit(at(i_ + 1))) {
    for (++i_; is_digit(at(i_));) ++i_;
    return finish(Tok::hardware_qubit);
  }
  if (c == '#') {  // #pragma ...
    skip_line();
    return finish(Tok::annotation);
  }
  if (const Tok single = kSingle[static_cast<unsigned char>(c) & 0x7Fu]; single != Tok::end && static_cast<unsigned char>(c) < 0x80) {
    ++i_;
    return finish(single);
  }
  for (const Punctuation& p : kPunctuation) {
    if (text_.compare(i_, p.text.size(), p.text) == 0) {
      i_ += p.text.size();
      return finish(p.kind);
    }
  }
  if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F)
    fail(token.place, "unexpected character " + hexadecimal(c) + "; expected a statement of OpenQASM");
  fail(token.place, std::string("unexpected character '") + c + "'; expected a statement of OpenQASM");
}

}  // namespace ketmesh::qasm
