// Encoders for ketmesh.qdp, which describes arrays by their addresses: NumPy keeps them alive during the call.
#include "ketmesh/encode.hpp"

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "convert.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;

EncodeOptions encode_options(int layers, const std::string& entanglement) {
  return {.layers = layers, .entanglement = entanglement_from_string(entanglement)};
}

template <typename T>
std::span<std::complex<T>> output(std::uintptr_t address, std::size_t size) {
  return {reinterpret_cast<std::complex<T>*>(address), size};  // NOLINT: the address of a NumPy array
}

void encode_rows(std::uintptr_t data, const std::string& type, bool swapped, std::size_t rows, std::size_t length,
                 std::ptrdiff_t row_stride, std::ptrdiff_t stride, std::uintptr_t out, std::size_t size, int num_qubits,
                 const std::string& method, bool in_double, int layers, const std::string& entanglement, std::size_t first_row) {
  const Encoding encoding = encoding_from_string(method);
  const EncodeOptions options = encode_options(layers, entanglement);
  const SampleView samples{reinterpret_cast<const void*>(data),
                           data_type_from_string(type),
                           rows,
                           length,  // NOLINT: as above
                           row_stride,
                           stride,
                           swapped};
  nb::gil_scoped_release release;
  if (in_double)
    encode_batch(encoding, num_qubits, samples, output<double>(out, size), options, 0, first_row);
  else
    encode_batch(encoding, num_qubits, samples, output<float>(out, size), options, 0, first_row);
}

}  // namespace

void bind_encode(nb::module_& m) {
  m.def("encode_rows", &encode_rows, "data"_a, "type"_a, "swapped"_a, "rows"_a, "length"_a, "row_stride"_a, "stride"_a, "out"_a, "size"_a,
        "num_qubits"_a, "method"_a, "in_double"_a, "layers"_a, "entanglement"_a, "first_row"_a);
  m.def(
      "vector_len", [](int n, const std::string& method) { return vector_len(n, encoding_from_string(method)); }, "num_qubits"_a,
      "method"_a);
  m.def("host_memory", [] { return examine_machine().machine.ranks.front().devices.front().memory_bytes; });
}

}  // namespace ketmesh::python
