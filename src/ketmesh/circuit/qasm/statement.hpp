// One statement as it was read. Top-level statements are run as soon as they are read and then dropped; only the bodies of
// gates, loops and branches are kept while they are needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ketmesh/circuit/qasm/code.hpp"
#include "ketmesh/circuit/qasm/lexer.hpp"

namespace ketmesh::qasm {

/// What a gate acts on, or where a measurement goes. `q` and `q[3]` are kept apart from general expressions: they are most
/// of a file.
struct Operand {
  enum class Kind : std::uint8_t { name, element, expression };
  Kind kind = Kind::name;
  Name name = 0;
  std::uint64_t index = 0;
  Place place;
  Code code;  ///< of Kind::expression
};

struct Modifier {
  enum class Kind : std::uint8_t { ctrl, negctrl, inv, pow };
  Kind kind{};
  Place place;
  Code argument;  ///< empty: 1 control
};

struct Statement;
using Block = std::vector<Statement>;

struct Case {
  std::vector<Code> labels;
  Place place;
  Block body;
};

struct Statement {
  enum class Kind : std::uint8_t {
    none,
    call,
    barrier,
    reset,
    measure,
    delay,
    qubits,
    bits,
    constant,
    variable,
    input,
    alias,
    assign,
    gate,
    opaque,
    branch,
    loop,
    select,
    block,
    break_,
    continue_,
    end_,
    include,
  };
  Kind kind = Kind::none;
  Place place;
  Name name = 0;  ///< gate that is called or defined, what is declared or assigned, loop variable
  Place name_place;
  TypeSpec type;          ///< of declarations and loop variables
  bool sized = false;     ///< declarations: a size stands in `size`
  bool unnamed = false;   ///< declarations: leave no register
  bool measured = false;  ///< measure, bits: the right side is a measurement of `operands`
  Tok assign_op = Tok::assign;
  char assign_character = 0;  ///< of `+=`: '+'; 'p' for `**=`, '<', '>' for shifts
  std::vector<Modifier> modifiers;
  std::vector<Code> arguments;    ///< angles; elements of a loop's set
  std::vector<Operand> operands;  ///< qubits
  std::vector<Operand> targets;   ///< classical bits of a measurement (one at most)
  Code value;                     ///< initial value, condition, duration, aliased wires, what a loop or switch reads
  Code size;                      ///< of a declaration
  Code begin, step, end;          ///< range of a loop; step may be empty
  bool is_range = false;
  std::vector<Name> parameters, qubits;  ///< of a gate definition
  Block body, otherwise;
  bool has_otherwise = false;
  std::vector<Case> cases;
  std::string text;  ///< file of an include
};

}  // namespace ketmesh::qasm
