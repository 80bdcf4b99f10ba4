// Text to tokens, one at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "ketmesh/circuit/qasm/names.hpp"
#include "ketmesh/circuit/qasm/source.hpp"

namespace ketmesh::qasm {

enum class Tok : std::uint8_t {
  end,
  name,
  integer,
  real,
  duration,
  string,
  hardware_qubit,
  annotation,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  semicolon,
  comma,
  colon,
  arrow,
  at,
  assign,
  compound_assign,
  plus,
  minus,
  star,
  slash,
  percent,
  power,
  caret,
  pipe,
  ampersand,
  tilde,
  bang,
  shift_left,
  shift_right,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  concatenate,
};

struct Token {
  Tok kind = Tok::end;
  Name name = 0;  ///< of Tok::name
  std::uint32_t length = 0;
  Place place;
};

class Lexer {
 public:
  Lexer(const Sources& sources, Names& names, std::uint32_t file);
  /// Throws ParseError at a character or number that cannot be.
  Token next();
  std::string_view text(const Token& token) const { return text_.substr(token.place.offset, token.length); }
  /// Moves to the end of the line, for statements that are a line long (pragmas, annotations).
  void skip_line();
  /// True once after a comment line `//@unnamed`, by which the writer marks wires that belong to no register.
  bool take_unnamed_mark();

 private:
  void skip_blanks();
  void line_comment();
  void block_comment();
  Token number(Token token);
  bool duration_unit();
  void digits(const Token& token, int base);
  [[noreturn]] void fail(Place place, const std::string& message) const;
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  const Sources* sources_;
  Names* names_;
  std::string_view text_;
  std::size_t i_ = 0;
  std::uint32_t file_, line_ = 1;
  bool unnamed_ = false;
};

}  // namespace ketmesh::qasm
