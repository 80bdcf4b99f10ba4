// Statements of version 3.
#include <fmt/format.h>

#include "ketmesh/circuit/qasm/parser.hpp"

namespace ketmesh::qasm {

using Kind = Statement::Kind;

void Parser::refuse(const Token& word) const {
  sources_.parse_error(
      word.place, fmt::format("'{}' is not available; expected a gate, declaration, measurement, if, for or switch", tokens_.text(word)));
}

bool Parser::version_3(Statement& out, Where where) {
  const Token word = tokens_.peek();
  if (word.kind == Tok::left_brace) {
    in_gate(where, word);
    out.kind = Kind::block;
    body(out.body, Where::block, false);
    return true;
  }
  if (word.kind != Tok::name || word.name >= kNumWords) return false;
  switch (static_cast<Word>(word.name)) {
    case Word::def_:
    case Word::extern_:
    case Word::defcal_:
    case Word::defcalgrammar_:
    case Word::cal_:
    case Word::box_:
    case Word::array_:
    case Word::complex_:
    case Word::while_:
    case Word::return_:
    case Word::stretch_:
    case Word::mutable_:
    case Word::readonly_:
    case Word::void_:
    case Word::durationof_:
      refuse(word);
      return true;
    case Word::ctrl_:
    case Word::negctrl_:
    case Word::inv_:
    case Word::pow_:
      modified_call(out);
      return true;
    case Word::for_:
      loop(out, where);
      return true;
    case Word::delay_:
      delay(out);
      return true;
    case Word::nop_:
      tokens_.take();
      if (!tokens_.at(Tok::semicolon)) expressions_.operands("a qubit or register");
      semicolon();
      return true;
    default:
      break;
  }
  if (word.name > static_cast<Name>(Word::void_) || word.name < static_cast<Name>(Word::qubit_)) return false;
  in_gate(where, word);
  switch (static_cast<Word>(word.name)) {
    case Word::qubit_:
      outermost_only(where, word);
      tokens_.take();
      register_declaration(out, Kind::qubits);
      break;
    case Word::output_:
      outermost_only(where, word);
      tokens_.take();
      if (!tokens_.accept(Word::bit_)) tokens_.unexpected("'bit'; other outputs are not available");
      register_declaration(out, Kind::bits);
      break;
    case Word::bit_:
      tokens_.take();
      register_declaration(out, Kind::bits);
      break;
    case Word::let_:
      alias(out);
      break;
    case Word::const_:
      constant(out);
      break;
    case Word::input_:
      outermost_only(where, word);
      input(out);
      break;
    case Word::switch_:
      select(out, where);
      break;
    case Word::break_:
    case Word::continue_:
    case Word::end_:
      tokens_.take();
      out.kind = is(word.name, Word::break_) ? Kind::break_ : is(word.name, Word::continue_) ? Kind::continue_ : Kind::end_;
      semicolon();
      break;
    case Word::else_:
    case Word::case_:
    case Word::default_:
    case Word::in_:
    case Word::true_:
    case Word::false_:
      tokens_.unexpected("a statement");
    default:
      classical_declaration(out, Kind::variable);
      break;
  }
  return true;
}

bool Parser::type(Statement& out) {
  if (!tokens_.at(Tok::name)) return false;
  const Token word = tokens_.peek();
  switch (static_cast<Word>(word.name)) {
    case Word::int_:
      out.type.type = Type::integer;
      break;
    case Word::uint_:
      out.type.type = Type::natural;
      break;
    case Word::float_:
      out.type.type = Type::real;
      break;
    case Word::angle_:
      out.type.type = Type::angle;
      break;
    case Word::bool_:
      out.type.type = Type::boolean;
      break;
    case Word::bit_:
      out.type.type = Type::bits;
      break;
    case Word::duration_:
      out.type.type = Type::duration;
      break;
    case Word::qubit_:
      out.type.type = Type::qubits;
      break;
    case Word::complex_:
    case Word::array_:
    case Word::stretch_:
      refuse(word);
      return false;
    default:
      return false;
  }
  tokens_.take();
  out.sized = expressions_.designator(out.size);
  return true;
}

void Parser::register_declaration(Statement& out, Kind kind) {
  out.kind = kind;
  out.sized = expressions_.designator(out.size);
  const Token name = tokens_.expect_name("the name of a register");
  out.name = name.name;
  out.name_place = name.place;
  if (kind == Kind::bits && tokens_.accept(Tok::assign)) {
    if (tokens_.accept(Word::measure_)) {
      out.measured = true;
      out.operands.push_back(expressions_.operand("a qubit or register"));
    } else {
      out.value = expressions_.expression();
    }
  }
  semicolon();
}

void Parser::classical_declaration(Statement& out, Kind kind) {
  out.kind = kind;
  if (!type(out)) tokens_.unexpected("a type");
  const Token name = tokens_.expect_name("a name");
  out.name = name.name;
  out.name_place = name.place;
  if (kind == Kind::constant || tokens_.at(Tok::assign)) {
    tokens_.expect(Tok::assign, "'=' and a value");
    if (tokens_.at(Word::measure_)) tokens_.unexpected("a constant value; a measurement goes into a bit");
    out.value = expressions_.expression();
  }
  semicolon();
}

void Parser::constant(Statement& out) {
  tokens_.take();
  classical_declaration(out, Kind::constant);
}

void Parser::input(Statement& out) {
  tokens_.take();
  out.kind = Kind::input;
  if (!type(out)) tokens_.unexpected("a type");
  const Token name = tokens_.expect_name("the name of an input");
  out.name = name.name;
  out.name_place = name.place;
  semicolon();
}

void Parser::alias(Statement& out) {
  tokens_.take();
  out.kind = Kind::alias;
  const Token name = tokens_.expect_name("a name");
  out.name = name.name;
  out.name_place = name.place;
  tokens_.expect(Tok::assign, "'='");
  out.value = expressions_.aliased();
  semicolon();
}

void Parser::delay(Statement& out) {
  tokens_.take();
  out.kind = Kind::delay;
  tokens_.expect(Tok::left_bracket, "'[' and a duration");
  out.value = expressions_.expression();
  tokens_.expect(Tok::right_bracket, "']'");
  if (!tokens_.at(Tok::semicolon)) out.operands = expressions_.operands("a qubit or register");
  semicolon();
}

void Parser::modified_call(Statement& out) {
  for (;;) {
    const Token word = tokens_.peek();
    if (word.kind != Tok::name) tokens_.unexpected("a gate or modifier");
    Modifier m;
    m.place = word.place;
    if (is(word.name, Word::ctrl_))
      m.kind = Modifier::Kind::ctrl;
    else if (is(word.name, Word::negctrl_))
      m.kind = Modifier::Kind::negctrl;
    else if (is(word.name, Word::inv_))
      m.kind = Modifier::Kind::inv;
    else if (is(word.name, Word::pow_))
      m.kind = Modifier::Kind::pow;
    else
      break;
    tokens_.take();
    if (m.kind != Modifier::Kind::inv && tokens_.accept(Tok::left_paren)) {
      m.argument = expressions_.expression();
      tokens_.expect(Tok::right_paren, "')'");
    } else if (m.kind == Modifier::Kind::pow) {
      tokens_.unexpected("'(' and an exponent");
    }
    tokens_.expect(Tok::at, "'@'");
    out.modifiers.push_back(std::move(m));
  }
  call(out, tokens_.expect_name("a gate"));
}

void Parser::call_or_assignment(Statement& out) {
  const Token name = tokens_.peek();
  if (tokens_.version < 3) {
    if (name.name >= static_cast<Name>(Word::qubit_) && name.name <= static_cast<Name>(Word::void_)) {
      tokens_.take();
      const bool statement_of_3 = tokens_.at(Tok::left_bracket) || (tokens_.at(Tok::name) && !is(name.name, Word::delay_));
      if (statement_of_3 && (is(name.name, Word::qubit_) || is(name.name, Word::bit_) || tokens_.at(Tok::left_bracket))) {
        sources_.parse_error(name.place,
                             fmt::format("unexpected '{}' in OpenQASM 2; expected a statement of version 2", tokens_.text(name)),
                             "begin the text with 'OPENQASM 3.0;'");
      }
      return call(out, name);
    }
    return call(out, tokens_.expect_name("a statement"));
  }
  tokens_.expect_name("a statement");
  const auto assignment = [&] { return tokens_.at(Tok::assign) || tokens_.at(Tok::compound_assign); };
  if (!tokens_.at(Tok::left_bracket) && !assignment()) return call(out, name);
  out.name = name.name;
  out.name_place = name.place;
  Operand target = expressions_.operand_after(name);
  if (!assignment()) tokens_.unexpected("'='");
  const Token op = tokens_.take();
  const std::string_view spelling = tokens_.text(op);
  if (op.kind == Tok::assign && tokens_.accept(Word::measure_)) {
    out.kind = Kind::measure;
    out.operands.push_back(expressions_.operand("a qubit or register"));
    out.targets.push_back(std::move(target));
    return semicolon();
  }
  out.kind = Kind::assign;
  out.assign_op = op.kind;
  if (op.kind == Tok::compound_assign) out.assign_character = spelling == "**=" ? 'p' : spelling[0];
  out.targets.push_back(std::move(target));
  out.value = expressions_.expression();
  semicolon();
}

void Parser::loop(Statement& out, Where where) {
  tokens_.take();
  out.kind = Kind::loop;
  out.type.type = Type::integer;
  type(out);  // older texts leave it out
  const Token name = tokens_.expect_name("the name of a loop variable");
  out.name = name.name;
  out.name_place = name.place;
  if (!tokens_.accept(Word::in_)) tokens_.unexpected("'in'");
  if (tokens_.accept(Tok::left_bracket)) {
    out.is_range = true;
    out.begin = expressions_.expression();
    tokens_.expect(Tok::colon, "':'");
    out.end = expressions_.expression();
    if (tokens_.accept(Tok::colon)) {
      out.step = std::move(out.end);
      out.end = expressions_.expression();
    }
    tokens_.expect(Tok::right_bracket, "']'");
  } else if (tokens_.accept(Tok::left_brace)) {
    out.arguments = expressions_.list(Tok::right_brace, "',' or '}'");
  } else {
    out.value = expressions_.aliased();
  }
  body(out.body, where == Where::gate ? where : Where::block, true);
}

void Parser::select(Statement& out, Where where) {
  tokens_.take();
  out.kind = Kind::select;
  tokens_.expect(Tok::left_paren, "'('");
  out.value = expressions_.expression();
  tokens_.expect(Tok::right_paren, "')'");
  tokens_.expect(Tok::left_brace, "'{'");
  static_cast<void>(where);
  while (!tokens_.at(Tok::right_brace)) {
    const Token word = tokens_.peek();
    if (out.has_otherwise) tokens_.unexpected("'}' after default");
    if (tokens_.accept(Word::default_)) {
      tokens_.accept(Tok::colon);
      out.has_otherwise = true;
      body(out.otherwise, Where::block, false);
      continue;
    }
    if (!tokens_.accept(Word::case_)) tokens_.unexpected("'case', 'default' or '}'");
    Case& one = out.cases.emplace_back();
    one.place = word.place;
    do one.labels.push_back(expressions_.expression());
    while (tokens_.accept(Tok::comma));
    tokens_.accept(Tok::colon);
    body(one.body, Where::block, false);
  }
  tokens_.take();
}

}  // namespace ketmesh::qasm
