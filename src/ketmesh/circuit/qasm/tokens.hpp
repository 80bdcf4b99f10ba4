// The stream of tokens over a text and the files that it includes, with one token of look-ahead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/circuit/qasm/lexer.hpp"

namespace ketmesh::qasm {

inline constexpr int kMaxNesting = 1000;  ///< brackets, blocks, includes

class Tokens {
 public:
  Tokens(Sources& sources, Names& names, std::uint32_t file);

  const Token& peek() const { return token_; }
  Place place() const { return token_.place; }
  bool at(Tok kind) const { return token_.kind == kind; }
  bool at(Word word) const { return token_.kind == Tok::name && is(token_.name, word); }
  Token take();
  bool accept(Tok kind);
  bool accept(Word word);
  /// Throws ParseError "unexpected X; expected `what`".
  Token expect(Tok kind, std::string_view what);
  /// A name that is not a reserved word.
  Token expect_name(std::string_view what);
  [[noreturn]] void unexpected(std::string_view expected) const;
  std::string_view text(const Token& token) const;
  std::string shown_token() const;

  /// Continues with another source; its end brings back what follows the current token.
  void enter(std::uint32_t file);
  /// At the end of an included file: goes back to the file that included it. False in the outermost one.
  bool leave();
  std::size_t depth() const { return lexers_.size(); }
  void skip_line();
  bool take_unnamed_mark() { return lexers_.back().take_unnamed_mark(); }

  int version = 2;

 private:
  const Sources* sources_;
  Names* names_;
  std::vector<Lexer> lexers_;
  Token token_;
};

/// Counts nesting while it lives; ParseError above kMaxNesting.
class Nesting {
 public:
  Nesting(int& depth, const Sources& sources, Place place, std::string_view what);
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --*depth_; }

 private:
  int* depth_;
};

}  // namespace ketmesh::qasm
