#include "ketmesh/circuit/qasm/parser.hpp"

#include <fmt/format.h>

namespace ketmesh::qasm {

using Kind = Statement::Kind;

Parser::Parser(Tokens& tokens, const Sources& sources, const Names& names)
    : tokens_(tokens), sources_(sources), names_(names), expressions_(tokens, sources, names) {}

void Parser::header() {
  if (!tokens_.at(Word::OPENQASM_)) return;
  tokens_.take();
  const Token number = tokens_.peek();
  if (number.kind != Tok::real && number.kind != Tok::integer) tokens_.unexpected("a version number");
  const std::string_view text = tokens_.text(number);
  const std::string_view major = text.substr(0, text.find('.'));
  if (major != "2" && major != "3") {
    sources_.parse_error(number.place, fmt::format("OpenQASM version {} is unknown; expected 2.0 or 3.0", shown(text)));
  }
  tokens_.version = major == "3" ? 3 : 2;
  tokens_.take();
  semicolon();
}

bool Parser::next(Statement& out) {
  if (tokens_.at(Tok::end)) return false;
  statement(out, Where::outermost);
  return true;
}

void Parser::statement(Statement& out, Where where) {
  out = Statement{};
  while (tokens_.at(Tok::at) || tokens_.at(Tok::annotation) || tokens_.at(Word::pragma_)) {
    if (tokens_.at(Tok::annotation))
      tokens_.take();
    else
      tokens_.skip_line();
    if (tokens_.at(Tok::end)) return;  // Kind::none
  }
  out.unnamed = tokens_.take_unnamed_mark();
  out.place = tokens_.place();
  if (tokens_.at(Tok::semicolon)) {
    tokens_.take();
    return;
  }
  if (common(out, where) || (tokens_.version >= 3 && version_3(out, where))) return;
  if (!tokens_.at(Tok::name))
    tokens_.unexpected(where == Where::gate ? "a gate or '}'" : where == Where::block ? "a statement or '}'" : "a statement");
  call_or_assignment(out);
}

void Parser::in_gate(Where where, const Token& word) const {
  if (where != Where::gate) return;
  sources_.parse_error(word.place,
                       fmt::format("unexpected '{}' in the body of a gate; expected a gate, barrier or '}}'", tokens_.text(word)));
}

void Parser::outermost_only(Where where, const Token& word) const {
  in_gate(where, word);
  if (where == Where::outermost) return;
  sources_.parse_error(word.place, fmt::format("unexpected '{}' inside a block; expected it at the outermost level", tokens_.text(word)));
}

bool Parser::common(Statement& out, Where where) {
  const Token word = tokens_.peek();
  if (word.kind != Tok::name || word.name > static_cast<Name>(Word::if_)) return false;
  switch (static_cast<Word>(word.name)) {
    case Word::OPENQASM_:
      sources_.parse_error(word.place, "unexpected 'OPENQASM'; the version line must be the first statement of the text");
    case Word::include_:
      outermost_only(where, word);
      include(out);
      break;
    case Word::qreg_:
      outermost_only(where, word);
      old_register(out, Kind::qubits);
      break;
    case Word::creg_:
      in_gate(where, word);
      old_register(out, Kind::bits);
      break;
    case Word::gate_:
      outermost_only(where, word);
      gate(out);
      break;
    case Word::opaque_:
      outermost_only(where, word);
      opaque(out);
      break;
    case Word::barrier_:
      barrier(out);
      break;
    case Word::reset_:
      in_gate(where, word);
      reset(out);
      break;
    case Word::measure_:
      in_gate(where, word);
      measure(out);
      break;
    case Word::if_:
      if (tokens_.version < 3) in_gate(where, word);
      branch(out, where);
      break;
    default:
      return false;
  }
  return true;
}

void Parser::include(Statement& out) {
  tokens_.take();
  const Token file = tokens_.expect(Tok::string, "a file name in quotes");
  out.kind = Kind::include;
  out.name_place = file.place;
  const std::string_view quoted = tokens_.text(file);
  out.text = std::string(quoted.substr(1, quoted.size() - 2));
  // The semicolon stays: it is taken when the included text has been entered behind it.
  if (!tokens_.at(Tok::semicolon)) tokens_.unexpected("';'");
}

void Parser::old_register(Statement& out, Kind kind) {
  tokens_.take();
  const Token name = tokens_.expect_name("the name of a register");
  out.kind = kind;
  out.name = name.name;
  out.name_place = name.place;
  if (tokens_.version >= 3 && !tokens_.at(Tok::left_bracket)) return semicolon();
  const Token open = tokens_.expect(Tok::left_bracket, "'[' and the size of the register");
  if (tokens_.version < 3) {
    const Token size = tokens_.expect(Tok::integer, "the size of the register");
    out.size.instrs.push_back(Instr{Op::constant, 0, 0, size.place});
    out.size.constants.push_back(Value::of_natural(expressions_.whole_literal(size)));
  } else {
    out.size = expressions_.condition();
  }
  static_cast<void>(open);
  out.sized = true;
  tokens_.expect(Tok::right_bracket, "']'");
  semicolon();
}

void Parser::gate_signature(Statement& out) {
  const Token name = tokens_.expect_name("the name of a gate");
  out.name = name.name;
  out.name_place = name.place;
  if (tokens_.accept(Tok::left_paren)) {
    while (!tokens_.at(Tok::right_paren)) {
      out.parameters.push_back(tokens_.expect_name("the name of a parameter or ')'").name);
      if (!tokens_.accept(Tok::comma)) break;
    }
    tokens_.expect(Tok::right_paren, "',' or ')'");
  }
  do out.qubits.push_back(tokens_.expect_name("the name of a qubit").name);
  while (tokens_.accept(Tok::comma));
}

void Parser::gate(Statement& out) {
  tokens_.take();
  out.kind = Kind::gate;
  gate_signature(out);
  if (!tokens_.at(Tok::left_brace)) tokens_.unexpected("',' or '{'");
  body(out.body, Where::gate, false);
}

void Parser::opaque(Statement& out) {
  tokens_.take();
  out.kind = Kind::opaque;
  gate_signature(out);
  semicolon();
}

void Parser::barrier(Statement& out) {
  tokens_.take();
  out.kind = Kind::barrier;
  if (!tokens_.at(Tok::semicolon)) out.operands = expressions_.operands("a qubit or register");
  semicolon();
}

void Parser::reset(Statement& out) {
  tokens_.take();
  out.kind = Kind::reset;
  out.operands = expressions_.operands("a qubit or register");
  semicolon();
}

void Parser::measure(Statement& out) {
  tokens_.take();
  out.kind = Kind::measure;
  out.operands.push_back(expressions_.operand("a qubit or register"));
  if (tokens_.version < 3 && !tokens_.at(Tok::arrow)) tokens_.unexpected("'->'");
  if (tokens_.accept(Tok::arrow)) out.targets.push_back(expressions_.operand("a classical bit or register"));
  semicolon();
}

void Parser::call(Statement& out, const Token& name) {
  out.kind = Kind::call;
  out.name = name.name;
  out.name_place = name.place;
  if (tokens_.accept(Tok::left_paren)) out.arguments = expressions_.list(Tok::right_paren, "',' or ')'");
  if (!tokens_.at(Tok::semicolon)) out.operands = expressions_.operands("a qubit or register");
  semicolon();
}

void Parser::branch(Statement& out, Where where) {
  tokens_.take();
  out.kind = Kind::branch;
  tokens_.expect(Tok::left_paren, "'(' and a condition");
  out.value = expressions_.condition();
  tokens_.expect(Tok::right_paren, "')' or an operator");
  if (tokens_.version < 3) {
    if (tokens_.at(Word::if_) || tokens_.at(Word::gate_) || tokens_.at(Word::qreg_) || tokens_.at(Word::creg_) ||
        tokens_.at(Word::opaque_) || tokens_.at(Word::include_)) {
      tokens_.unexpected("a gate, measure, reset or barrier after the condition");
    }
    statement(out.body.emplace_back(), Where::block);
    return;
  }
  body(out.body, where == Where::gate ? where : Where::block, true);
  if (tokens_.accept(Word::else_)) {
    out.has_otherwise = true;
    body(out.otherwise, where == Where::gate ? where : Where::block, true);
  }
}

void Parser::body(Block& out, Where where, bool single_allowed) {
  const Nesting nesting(depth_, sources_, tokens_.place(), "blocks");
  if (single_allowed && !tokens_.at(Tok::left_brace)) return statement(out.emplace_back(), where);
  tokens_.expect(Tok::left_brace, "'{'");
  while (!tokens_.at(Tok::right_brace)) {
    if (tokens_.at(Tok::end)) tokens_.unexpected(where == Where::gate ? "a gate or '}'" : "a statement or '}'");
    Statement one;
    statement(one, where);
    if (one.kind != Kind::none) out.push_back(std::move(one));
  }
  tokens_.take();
}

}  // namespace ketmesh::qasm
