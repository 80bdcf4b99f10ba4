// Named parameters and Pauli sums.
#include <nanobind/operators.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "convert.hpp"

namespace ketmesh::python {
namespace {

/// Arithmetic with numbers on either side; anything else is left to the other operand.
template <typename F>
nb::object arithmetic(const Parameter& a, nb::handle b, F&& f) {
  const bool number = PyFloat_Check(b.ptr()) || (PyLong_Check(b.ptr()) && !PyBool_Check(b.ptr())) || nb::hasattr(b, "__float__");
  if (!nb::isinstance<Parameter>(b) && !number) return nb::borrow(nb::handle(Py_NotImplemented));
  return nb::cast(f(a, to_parameter(b, "Parameter", "operand")));
}

template <typename F>
void define_operator(nb::class_<Parameter>& cls, const char* name, F f) {
  const std::string signature = "def " + std::string(name) + "(self, other: float | Parameter) -> Parameter";
  const nb::sig shown(signature.c_str());
  cls.def(
      name, [f](const Parameter& a, nb::handle b) { return arithmetic(a, b, f); }, nb::arg("other"), shown);
}

void define_operators(nb::class_<Parameter>& cls) {
  using P = const Parameter&;
  define_operator(cls, "__add__", [](P a, P b) { return a + b; });
  define_operator(cls, "__radd__", [](P a, P b) { return b + a; });
  define_operator(cls, "__sub__", [](P a, P b) { return a - b; });
  define_operator(cls, "__rsub__", [](P a, P b) { return b - a; });
  define_operator(cls, "__mul__", [](P a, P b) { return a * b; });
  define_operator(cls, "__rmul__", [](P a, P b) { return b * a; });
  define_operator(cls, "__truediv__", [](P a, P b) { return a / b; });
  define_operator(cls, "__rtruediv__", [](P a, P b) { return b / a; });
  define_operator(cls, "__pow__", [](P a, P b) { return Parameter::power(a, b); });
  define_operator(cls, "__rpow__", [](P a, P b) { return Parameter::power(b, a); });
}

}  // namespace

void bind_parameters(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Parameter> parameter(m, "Parameter",
                                  "An angle that gets its value when the circuit runs: a name, or an expression of names.\n\n"
                                  "Parameters add, subtract, multiply, divide and take powers with each other and with numbers.");
  define_operators(parameter);
  parameter
      .def(
          "__init__", [](Parameter* self, nb::handle name) { new (self) Parameter(Parameter::named(to_text(name, "Parameter", "name"))); },
          "name"_a)
      .def("__neg__", [](const Parameter& a) { return -a; })
      .def(
          "__eq__", [](const Parameter& a, nb::handle b) { return nb::isinstance<Parameter>(b) && a == nb::cast<const Parameter&>(b); },
          "other"_a)
      .def("__hash__", [](const Parameter& a) { return std::hash<std::string>()(a.str()); })
      .def_static(
          "function", [](const std::string& name, const Parameter& a) { return Parameter::function(name, a); }, "name"_a, "argument"_a,
          "sin, cos, tan, arcsin, arccos, arctan, exp, log, sqrt, floor, ceiling or abs of a parameter.")
      .def(
          "derivative", [](const Parameter& a, nb::handle name) { return a.derivative(to_text(name, "derivative", "name")); }, "name"_a,
          "Exact derivative by one name.")
      .def(
          "bind", [](const Parameter& a, nb::handle values) { return a.bound(to_values(values)); }, "values"_a,
          "The names that values has replaced.")
      .def(
          "evaluate", [](const Parameter& a, nb::handle values) { return a.evaluate(to_values(values)); }, "values"_a = nb::none(),
          "The value with every name bound.")
      .def_prop_ro(
          "names",
          [](const Parameter& a) {
            std::vector<std::string> names;
            a.collect_names(names);
            return names;
          },
          "Names in order of appearance.")
      .def("__str__", &Parameter::str)
      .def("__repr__", [](const Parameter& a) { return "Parameter(" + a.str() + ")"; });
  m.def(
      "_parameter_from_qasm", [](const std::string& text) { return Parameter(Circuit::from_qasm(text)[0].parameters[0]); }, "text"_a);

  nb::class_<PauliSum>(m, "PauliSum", "A Hermitian observable: a real-weighted sum of Pauli strings, character i on qubit i.")
      .def(
          "__init__",
          [](PauliSum* self, nb::handle terms) {
            if (PyUnicode_Check(terms.ptr()) || PyDict_Check(terms.ptr())) {
              new (self) PauliSum(to_pauli_sum(terms));
              return;
            }
            std::vector<PauliTerm> list;
            for (nb::handle term :
                 to_items(terms, "PauliSum", "terms", "a str, a {str: coefficient} mapping or (coefficient, str) tuples")) {
              if (!nb::isinstance<nb::tuple>(term) || nb::len(term) != 2)
                wrong_type("PauliSum", "a term", "a (coefficient, str) tuple", term);
              list.push_back({to_real(term[0], "PauliSum", "a coefficient"), to_text(term[1], "PauliSum", "a Pauli string")});
            }
            new (self) PauliSum(std::move(list));
          },
          "terms"_a, "terms: a str, a {str: coefficient} mapping, or (coefficient, str) tuples.")
      .def_prop_ro(
          "terms",
          [](const PauliSum& sum) {
            nb::list out;
            for (const PauliTerm& term : sum.terms()) out.append(nb::make_tuple(term.coefficient, term.letters));
            return out;
          },
          "(coefficient, str) tuples.")
      .def_prop_ro("width", &PauliSum::width, "One more than the highest qubit with a letter other than I.")
      .def(
          "__eq__", [](const PauliSum& a, nb::handle b) { return nb::isinstance<PauliSum>(b) && a == nb::cast<const PauliSum&>(b); },
          "other"_a)
      .def("__str__", &PauliSum::str)
      .def("__repr__", [](const PauliSum& sum) { return "PauliSum(" + sum.str() + ")"; })
      .def("__reduce__", [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(self.attr("terms"))); });
}

}  // namespace ketmesh::python
