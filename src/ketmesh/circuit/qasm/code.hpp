// Expressions as postfix code: reading needs recursion only for brackets, evaluating and freeing need none.
#pragma once

#include <cstdint>
#include <vector>

#include "ketmesh/circuit/qasm/names.hpp"
#include "ketmesh/circuit/qasm/source.hpp"
#include "ketmesh/circuit/qasm/value.hpp"

namespace ketmesh::qasm {

enum class Op : std::uint8_t {
  constant,  ///< a: index into constants
  name,      ///< a: name
  local,     ///< a: parameter of the gate whose body this is
  negate,
  logical_not,
  bit_not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  concatenate,
  call,       ///< a: name of the function, n arguments
  index,      ///< a: name of what is indexed, for messages
  slice,      ///< a: as index; n: 1 start, 2 step, 4 end are given
  index_set,  ///< a: as index; n indices
  cast,       ///< a: Type, n: 1 when a width is below the operand
};

struct Instr {
  Op op;
  std::uint32_t a = 0;
  std::uint32_t n = 0;
  Place place;
};

struct Code {
  std::vector<Instr> instrs;
  std::vector<Value> constants;
  bool empty() const { return instrs.empty(); }
};

/// A type as it is written: `uint[8]` has a width.
struct TypeSpec {
  Type type = Type::real;
  std::uint32_t width = 0;  ///< 0: none
};

/// Where an operation on values stands, for its errors.
struct Context {
  const Sources& sources;
  Place place;
};

// ---- operations on values; each throws CircuitError with the place when operands do not fit or the result is not finite
Value unary(Op op, const Value& a, const Context& at);
Value binary(Op op, const Value& a, const Value& b, const Context& at);
/// One of the built-in functions; ParseError for another name.
Value call(std::string_view function, const std::vector<Value>& arguments, const Context& at);
/// `int[8](v)`; an explicit cast may lose digits.
Value cast(TypeSpec to, const Value& v, const Context& at);
/// Value of a declared constant or variable: refuses what would lose a fraction.
Value converted(TypeSpec to, const Value& v, const Context& at);
bool truth(const Value& v, const Context& at);
ClassicalExpression to_classical(const Value& v, const Context& at);
/// A whole number that fits 64 bits, for indices, sizes and repetition.
std::int64_t to_index(const Value& v, const Context& at, std::string_view what);
/// An angle of a gate.
Parameter to_parameter(const Value& v, const Context& at);
std::string describe(const Value& v);
/// Nodes of an expression made of these; CircuitError above kMaxNodes.
std::uint32_t nodes_of(const Value& a, const Value* b, const Context& at);

}  // namespace ketmesh::qasm
