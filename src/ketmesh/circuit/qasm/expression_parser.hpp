// Reads expressions, operands and lists of them.
#pragma once

#include <vector>

#include "ketmesh/circuit/qasm/statement.hpp"
#include "ketmesh/circuit/qasm/tokens.hpp"

namespace ketmesh::qasm {

class ExpressionParser {
 public:
  ExpressionParser(Tokens& tokens, const Sources& sources, const Names& names);

  /// An expression of the language's version: in version 2 all numbers are real.
  Code expression();
  /// A condition: whole numbers stay whole in version 2 too.
  Code condition();
  /// `a ++ b[1:2] ++ ...`
  Code aliased();
  Operand operand(std::string_view what);
  Operand operand_after(const Token& name);  ///< the same when its name is taken already
  std::vector<Operand> operands(std::string_view what);
  /// `a, b` up to a closing bracket, which is taken too.
  std::vector<Code> list(Tok close, std::string_view what);
  /// Integer literal of version 2's sizes and indices; the size of a declaration.
  std::uint64_t whole_literal(const Token& token) const;
  Code literal(const Token& token) const;
  /// `[expression]` after a type, when there is one.
  bool designator(Code& size);

 private:
  void binary(Code& code, int lowest);
  void unary(Code& code);
  void primary(Code& code);
  void name_or_call(Code& code);
  void index(Code& code, Name name);
  void index_set(Code& code, Name name, Place place);
  Value number(const Token& token) const;
  Value big_integer(std::string_view digits, unsigned base) const;
  double real(const Token& token) const;
  Value duration(const Token& token) const;
  void constant(Code& code, Value value, Place place) const;

  Tokens& tokens_;
  const Sources& sources_;
  const Names& names_;
  bool whole_numbers_ = false;
  int depth_ = 0;
};

}  // namespace ketmesh::qasm
