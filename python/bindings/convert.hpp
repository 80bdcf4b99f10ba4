// Python values into the library's, with the messages that a user needs: what was given, for what, and what may be given.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ketmesh/ketmesh.hpp"

namespace ketmesh::python {

namespace nb = nanobind;

/// TypeError "owner: name must be WANTED, not str".
[[noreturn]] void wrong_type(const std::string& owner, const char* name, const char* wanted, nb::handle value);

/// An int or what counts as one; NumPy's arrays say so of themselves too, and are none.
inline bool is_integer(nb::handle value) { return PyIndex_Check(value.ptr()) && !nb::hasattr(value, "__len__"); }
/// An int (or what has __index__, but no bool). Throws TypeError, or OptionError naming field, value and range.
std::uint64_t to_unsigned(nb::handle value, const char* owner, const char* name, std::uint64_t low = 0,
                          std::uint64_t high = std::numeric_limits<std::uint64_t>::max());
/// The items of an iterable that is no text; none of None.
nb::list to_items(nb::handle value, const char* owner, const char* name, const char* wanted);
Qubit to_qubit(nb::handle value, const char* owner, const char* name = "qubit");
/// An iterable of qubits.
std::vector<Qubit> to_qubits(nb::handle value, const char* owner, const char* name = "qubits");
/// An iterable of amplitude indices.
std::vector<Index> to_indices(nb::handle value, const char* owner);
/// An iterable of qubits and (qubit, value) pairs.
std::vector<Control> to_controls(nb::handle value, const char* owner);
/// A real number or a Parameter.
Parameter to_parameter(nb::handle value, const char* owner, const char* name);
double to_real(nb::handle value, const char* owner, const char* name);
/// {name: value}; None is empty. Keys are names or Parameters that are one name.
ParameterValues to_values(nb::handle value);
/// Any array-like of numbers, flattened in C order; with `dimensions` only one that has as many.
std::vector<cdouble> to_complex(nb::handle value, const char* owner, const char* name, int dimensions = 0);
std::string to_text(nb::handle value, const char* owner, const char* name);

/// "ZZ;XI", one PauliSum, {"ZZ": 0.5, ...}, or a list of strings and of those.
std::vector<PauliSum> to_observables(nb::handle value);
PauliSum to_pauli_sum(nb::handle value);

/// A NumPy array that owns the numbers.
template <typename T>
nb::object to_numpy(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace ketmesh::python
