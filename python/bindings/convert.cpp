#include "convert.hpp"

#include <cstring>

namespace ketmesh::python {
namespace {

std::string name_of_type(nb::handle value) { return nb::cast<std::string>(value.type().attr("__name__")); }

std::string shown(nb::handle value) {
  const nb::object text = nb::steal(PyObject_Repr(value.ptr()));
  if (!text.is_valid()) {
    PyErr_Clear();
    return "?";
  }
  return nb::cast<std::string>(text);
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_text(nb::handle value) { return PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()); }

}  // namespace

void wrong_type(const std::string& owner, const char* name, const char* wanted, nb::handle value) {
  std::string text = shown(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw nb::type_error((owner + ": " + name + " must be " + wanted + ", not " + name_of_type(value) + " " + text).c_str());
}

std::uint64_t to_unsigned(nb::handle value, const char* owner, const char* name, std::uint64_t low, std::uint64_t high) {
  nb::object held = nb::borrow(value);
  if (!PyLong_CheckExact(value.ptr())) {
    if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) wrong_type(owner, name, "an integer", value);
    held = nb::steal(PyNumber_Index(value.ptr()));
    if (!held.is_valid()) nb::raise_python_error();
  }
  const unsigned long long number = PyLong_AsUnsignedLongLong(held.ptr());
  const bool outside = number == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr;  // negative, or beyond 64 bits
  if (outside) PyErr_Clear();
  if (outside || number < low || number > high)
    throw OptionError(std::string(owner) + ": " + name + " = " + shown(held) + ": must be an integer from " + std::to_string(low) + " to " +
                      std::to_string(high));
  return number;
}

Qubit to_qubit(nb::handle value, const char* owner, const char* name) {
  return static_cast<Qubit>(to_unsigned(value, owner, name, 0, kMaxDeclaredQubits - 1));
}

nb::list to_items(nb::handle value, const char* owner, const char* name, const char* wanted) {
  nb::list out;
  if (value.is_none()) return out;
  if (is_text(value) || !nb::hasattr(value, "__iter__")) wrong_type(owner, name, wanted, value);
  for (nb::handle item : nb::borrow(value)) out.append(item);
  return out;
}

std::vector<Qubit> to_qubits(nb::handle value, const char* owner, const char* name) {
  if (value.is_none()) wrong_type(owner, name, "a sequence of integers", value);
  std::vector<Qubit> out;
  for (nb::handle item : to_items(value, owner, name, "a sequence of integers")) out.push_back(to_qubit(item, owner, name));
  return out;
}

std::vector<Index> to_indices(nb::handle value, const char* owner) {
  if (value.is_none()) wrong_type(owner, "indices", "a sequence of integers", value);
  std::vector<Index> out;
  for (nb::handle item : to_items(value, owner, "indices", "a sequence of integers")) out.push_back(to_unsigned(item, owner, "index"));
  return out;
}

std::vector<Control> to_controls(nb::handle value, const char* owner) {
  std::vector<Control> out;
  for (nb::handle item : to_items(value, owner, "controls", "a sequence of qubits and (qubit, value) pairs")) {
    if (nb::isinstance<nb::tuple>(item) || nb::isinstance<nb::list>(item)) {
      if (nb::len(item) != 2) wrong_type(owner, "controls", "qubits and (qubit, value) pairs", item);
      out.push_back(control_on(to_qubit(item[0], owner, "control"), to_unsigned(item[1], owner, "control value", 0, 1) == 1));
    } else {
      out.push_back(control_on(to_qubit(item, owner, "control")));
    }
  }
  return out;
}

double to_real(nb::handle value, const char* owner, const char* name) {
  PyObject* p = value.ptr();
  if (PyFloat_CheckExact(p)) return PyFloat_AsDouble(p);
  if (is_text(value) || PyBool_Check(p) || PyComplex_Check(p) || !(nb::hasattr(value, "__float__") || PyIndex_Check(p)))
    wrong_type(owner, name, "a real number", value);
  const double number = PyFloat_AsDouble(p);
  if (number == -1.0 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return number;
}

Parameter to_parameter(nb::handle value, const char* owner, const char* name) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AsDouble(value.ptr());
  if (nb::isinstance<Parameter>(value)) return nb::cast<const Parameter&>(value);
  return to_real(value, owner, name);
}

ParameterValues to_values(nb::handle value) {
  ParameterValues out;
  if (value.is_none()) return out;
  const auto add = [&out](nb::handle key, nb::handle number) {
    const std::string name = nb::isinstance<Parameter>(key) ? nb::cast<const Parameter&>(key).str() : to_text(key, "parameters", "a name");
    out[name] = to_real(number, "parameters", name.c_str());
  };
  if (PyDict_Check(value.ptr())) {
    for (auto [key, number] : nb::borrow<nb::dict>(value)) add(key, number);
  } else {
    if (is_text(value) || !nb::hasattr(value, "items")) wrong_type("parameters", "parameters", "a mapping of names to numbers", value);
    for (nb::handle pair : value.attr("items")()) add(pair[0], pair[1]);
  }
  return out;
}

std::vector<cdouble> to_complex(nb::handle value, const char* owner, const char* name, int dimensions) {
  static constexpr const char* kType = "complex128";
  if (is_text(value) || value.is_none()) wrong_type(owner, name, "an array of numbers", value);
  const nb::object numpy = nb::module_::import_("numpy");
  nb::object array;
  try {
    array = numpy.attr("asarray")(value);
  } catch (nb::python_error& error) {  // rows of different lengths
    if (!error.matches(PyExc_ValueError)) throw;
    throw OptionError(std::string(owner) + ": " + name + " is no array: " + error.what());
  }
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (std::string("fiucb").find(kind) == std::string::npos) wrong_type(owner, name, "an array of numbers", value);
  if (dimensions != 0 && nb::cast<int>(array.attr("ndim")) != dimensions)
    throw OptionError(std::string(owner) + ": " + name + " has shape " + nb::cast<std::string>(nb::str(nb::object(array.attr("shape")))) +
                      ": must have " + std::to_string(dimensions) + " dimension");
  array = numpy.attr("ascontiguousarray")(array, kType);
  const auto view = nb::cast<nb::ndarray<const cdouble, nb::c_contig, nb::device::cpu>>(array);
  return {view.data(), view.data() + view.size()};
}

std::string to_text(nb::handle value, const char* owner, const char* name) {
  if (!PyUnicode_Check(value.ptr())) wrong_type(owner, name, "a str", value);
  return nb::cast<std::string>(value);
}

PauliSum to_pauli_sum(nb::handle value) {
  if (nb::isinstance<PauliSum>(value)) return nb::cast<const PauliSum&>(value);
  if (PyUnicode_Check(value.ptr())) return PauliSum(trimmed(nb::cast<std::string>(value)));
  std::vector<PauliTerm> terms;
  if (PyDict_Check(value.ptr())) {
    for (auto [letters, coefficient] : nb::borrow<nb::dict>(value))
      terms.push_back({to_real(coefficient, "observables", "a coefficient"), trimmed(to_text(letters, "observables", "a Pauli string"))});
    return PauliSum(std::move(terms));
  }
  wrong_type("observables", "an observable", "a str of IXYZ, a {str: coefficient} mapping or a PauliSum", value);
}

std::vector<PauliSum> to_observables(nb::handle value) {
  if (PyUnicode_Check(value.ptr())) return parse_observables(nb::cast<std::string>(value));
  std::vector<PauliSum> out;
  if (PyDict_Check(value.ptr()) || nb::isinstance<PauliSum>(value)) {
    out.push_back(to_pauli_sum(value));
    return out;
  }
  if (is_text(value) || !nb::hasattr(value, "__iter__"))
    wrong_type("estimate", "observables", "a str such as \"ZZ;XI\", a PauliSum, a {str: coefficient} mapping or a list of those", value);
  for (nb::handle item : nb::borrow(value)) out.push_back(to_pauli_sum(item));
  return out;
}

}  // namespace ketmesh::python
