// What an expression can be while a text is read: numbers of the language's types, named parameters, sets of wires, and
// expressions of measured bits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/circuit/classical.hpp"
#include "ketmesh/circuit/parameter.hpp"

namespace ketmesh::qasm {

enum class Type : std::uint8_t {
  boolean,
  integer,  ///< signed, `width` bits (64 when unsized), two's complement
  natural,  ///< unsigned, `width` bits
  real,
  angle,     ///< in [0, 2 pi); with a width: a multiple of 2 pi / 2^width
  bits,      ///< constant bit string or an integer literal beyond 64 bits: `width` bits in extra->words
  duration,  ///< seconds
  symbol,    ///< expression of inputs without a value: extra->parameter
  measured,  ///< expression of classical bits: extra->classical
  qubits,    ///< wires: `first` .. first + count - 1, or extra->wires
  clbits,
};
std::string_view to_string(Type type);

/// Nodes of one expression of inputs or measured bits: trees are walked by recursion, and written with brackets that must be
/// readable again.
inline constexpr std::uint32_t kMaxNodes = 900;

using Words = std::vector<std::uint64_t>;  // little-endian

struct Value {
  struct Extra {
    Words words;
    std::vector<std::uint32_t> wires;
    Parameter parameter;
    std::optional<ClassicalExpression> classical;
  };
  Type type = Type::real;
  bool single = false;      ///< qubits, clbits: one wire, not a register; bits: a `bit` without a size
  bool whole = false;       ///< symbol: of an integer type
  std::uint32_t width = 0;  ///< bits of a number (0: unsized), count of wires, nodes of a symbol or measured expression
  union {
    double number = 0;
    std::int64_t integer;
    std::uint64_t natural;
    std::uint64_t first;
  };
  std::shared_ptr<const Extra> extra;

  static Value of_bool(bool b);
  static Value of_integer(std::int64_t i, std::uint32_t width = 64);
  static Value of_natural(std::uint64_t u, std::uint32_t width = 64);
  static Value of_real(double d);
  static Value of_angle(double radians, std::uint32_t width = 0);  ///< wraps; rounds to the width
  static Value of_bits(Words words, std::uint32_t width);
  static Value of_duration(double seconds);
  static Value of_parameter(Parameter p, bool whole, std::uint32_t nodes = 1);  ///< a real when p is a number
  static Value of_classical(ClassicalExpression e, std::uint32_t nodes = 1);
  static Value of_wires(Type type, std::uint64_t first, std::uint32_t count, bool single);
  static Value of_wires(Type type, std::vector<std::uint32_t> wires, bool single);

  bool is_wires() const { return type == Type::qubits || type == Type::clbits; }
  bool is_integral() const { return type == Type::integer || type == Type::natural || type == Type::boolean; }
  std::uint32_t nodes() const { return type == Type::symbol || type == Type::measured ? width : 1; }
  bool is_numeric() const { return type <= Type::angle; }
  std::uint32_t wire(std::uint32_t i) const { return extra ? extra->wires[i] : static_cast<std::uint32_t>(first + i); }
};

/// Wraps to `width` bits (1..64).
std::int64_t wrap_signed(std::uint64_t bits, std::uint32_t width);
std::uint64_t wrap_unsigned(std::uint64_t bits, std::uint32_t width);
/// Number of a boolean, integer, natural, real or angle.
double as_double(const Value& v);
/// Two's complement pattern of a boolean, integer or natural.
std::uint64_t as_pattern(const Value& v);
/// Words of anything integral or bits; without leading zero words.
Words as_words(const Value& v);
void trim(Words& words);
double words_to_double(const Words& words);

}  // namespace ketmesh::qasm
