// Exceptions of the library as the classes of ketmesh.errors, with their parts as attributes.
#include <exception>

#include "bindings.hpp"

namespace ketmesh::python {
namespace {

void set(nb::handle error, const char* name, nb::object value) { error.attr(name) = value; }

nb::object place(std::size_t number) { return number > 0 ? nb::cast(number) : nb::none(); }

nb::object text(const std::string& value) { return value.empty() ? nb::none() : nb::cast(value); }

void raise(const Error& error) {
  const nb::object type = nb::module_::import_("ketmesh.errors").attr(std::string(to_string(error.kind())).c_str());
  const nb::object value = type(error.what());
  set(value, "hint", nb::cast(error.hint()));
  if (const auto* parse = dynamic_cast<const ParseError*>(&error)) {
    set(value, "file", text(parse->file()));
    set(value, "line", place(parse->line()));
    set(value, "column", place(parse->column()));
  } else if (const auto* circuit = dynamic_cast<const CircuitError*>(&error)) {
    set(value, "file", text(circuit->file()));
    set(value, "line", place(circuit->line()));
    set(value, "column", place(circuit->column()));
  } else if (const auto* fit = dynamic_cast<const DoesNotFit*>(&error)) {
    set(value, "needed_bytes", nb::cast(fit->needed_bytes()));
    set(value, "available_bytes", nb::cast(fit->available_bytes()));
  }
  PyErr_SetObject(type.ptr(), value.ptr());
}

}  // namespace

void bind_errors(nb::module_& m) {
  static_cast<void>(m);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace ketmesh::python
