// Tokens to statements. Knows the grammar of both versions and no meaning.
#pragma once

#include <initializer_list>

#include "ketmesh/circuit/qasm/expression_parser.hpp"
#include "ketmesh/circuit/qasm/statement.hpp"
#include "ketmesh/circuit/qasm/tokens.hpp"

namespace ketmesh::qasm {

class Parser {
 public:
  Parser(Tokens& tokens, const Sources& sources, const Names& names);

  /// `OPENQASM n;` when the text begins with it; sets the version of the tokens (2 without it).
  void header();
  /// The next statement of the outermost level; false at the end of the current file.
  bool next(Statement& out);

 private:
  enum class Where : std::uint8_t { outermost, block, gate };

  void statement(Statement& out, Where where);
  bool common(Statement& out, Where where);
  bool version_3(Statement& out, Where where);
  void refuse(const Token& word) const;
  void in_gate(Where where, const Token& word) const;
  void outermost_only(Where where, const Token& word) const;

  void include(Statement& out);
  void old_register(Statement& out, Statement::Kind kind);
  void gate(Statement& out);
  void opaque(Statement& out);
  void gate_signature(Statement& out);
  void barrier(Statement& out);
  void reset(Statement& out);
  void measure(Statement& out);
  void call(Statement& out, const Token& name);
  void call_or_assignment(Statement& out);
  void branch(Statement& out, Where where);
  void modified_call(Statement& out);
  void register_declaration(Statement& out, Statement::Kind kind);
  void classical_declaration(Statement& out, Statement::Kind kind);
  void constant(Statement& out);
  void input(Statement& out);
  void alias(Statement& out);
  void delay(Statement& out);
  void loop(Statement& out, Where where);
  void select(Statement& out, Where where);
  bool type(Statement& out);
  void body(Block& out, Where where, bool single_allowed);
  void semicolon() { tokens_.expect(Tok::semicolon, "';'"); }

  Tokens& tokens_;
  const Sources& sources_;
  const Names& names_;
  ExpressionParser expressions_;
  int depth_ = 0;
};

}  // namespace ketmesh::qasm
