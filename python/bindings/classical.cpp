// Conditions: expressions of classical bits.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "convert.hpp"

namespace ketmesh::python {
namespace {

using Kind = ClassicalExpression::Kind;

ClassicalExpression operand(nb::handle value) {
  if (nb::isinstance<ClassicalExpression>(value)) return nb::cast<const ClassicalExpression&>(value);
  if (PyBool_Check(value.ptr())) return ClassicalExpression::constant(value.is(nb::handle(Py_True)) ? 1 : 0);
  return ClassicalExpression::constant(to_unsigned(value, "Bits", "operand"));
}

struct Binary {
  const char* name;
  Kind kind;
};

constexpr Binary kBinary[] = {
    {"__and__", Kind::bit_and},
    {"__or__", Kind::bit_or},
    {"__xor__", Kind::bit_xor},
    {"__add__", Kind::add},
    {"__sub__", Kind::subtract},
    {"__mul__", Kind::multiply},
    {"__lshift__", Kind::shift_left},
    {"__rshift__", Kind::shift_right},
    {"__eq__", Kind::equal},
    {"__ne__", Kind::not_equal},
    {"__lt__", Kind::less},
    {"__le__", Kind::less_equal},
    {"__gt__", Kind::greater},
    {"__ge__", Kind::greater_equal},
    {"logical_and", Kind::logical_and},
    {"logical_or", Kind::logical_or},
};

struct Unary {
  const char* name;
  Kind kind;
};

constexpr Unary kUnary[] = {
    {"__invert__", Kind::bit_not}, {"__neg__", Kind::negate}, {"logical_not", Kind::logical_not}, {"popcount", Kind::popcount}};

}  // namespace

void bind_classical(nb::module_& m) {
  using namespace nb::literals;
  auto cls = nb::class_<ClassicalExpression>(
      m, "Bits",
      "Classical bits as one unsigned integer, or an expression of them, for ``QuantumCircuit.if_``.\n\n"
      "Comparisons, arithmetic and bit operators give expressions again: ``Bits([0, 1]) == 2``, ``Bits(0) & ~Bits(1)``.");
  cls.def(
      "__init__",
      [](ClassicalExpression* self, nb::handle bits) {
        if (is_integer(bits)) {
          new (self) ClassicalExpression(ClassicalExpression::bit(to_qubit(bits, "Bits", "bit")));
        } else {
          new (self) ClassicalExpression(ClassicalExpression::bits(to_qubits(bits, "Bits", "bits")));
        }
      },
      "bits"_a, "bits: one bit, or several of which the first is the least significant.");
  cls.def_static(
      "constant", [](nb::handle value) { return ClassicalExpression::constant(to_unsigned(value, "Bits", "value")); }, "value"_a,
      "A number as an expression.");
  for (const Binary& row : kBinary)
    cls.def(
        row.name,
        [kind = row.kind](const ClassicalExpression& a, nb::handle b) { return ClassicalExpression::binary(kind, a, operand(b)); },
        "other"_a);
  for (const Unary& row : kUnary)
    cls.def(row.name, [kind = row.kind](const ClassicalExpression& a) { return ClassicalExpression::unary(kind, a); });
  cls.def("__bool__", [](const ClassicalExpression&) -> bool {
    throw nb::type_error("Bits: an expression of classical bits has no value before the circuit runs; give it to if_");
  });
  cls.attr("__hash__") = nb::none();
}

}  // namespace ketmesh::python
