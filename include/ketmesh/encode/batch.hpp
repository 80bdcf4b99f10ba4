// Many samples at once, from arrays of any number type and strides, into a table of states on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ketmesh/base/types.hpp"
#include "ketmesh/encode/encode.hpp"

namespace ketmesh {

enum class DataType : std::uint8_t {
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  complex64,
  complex128
};
std::size_t bytes_of(DataType type);
std::string_view to_string(DataType type);              ///< "float32", ...
DataType data_type_from_string(std::string_view name);  ///< throws OptionError listing the names

/// `rows` samples of `length` values each; never written to. Strides are in bytes and may be negative or 0.
struct SampleView {
  const void* data = nullptr;
  DataType type = DataType::float64;
  std::size_t rows = 0, length = 0;
  std::ptrdiff_t row_stride = 0, stride = 0;
  bool swapped = false;  ///< bytes of each number in the other order than this machine's

  static SampleView contiguous(const void* data, DataType type, std::size_t rows, std::size_t length);
};

/// One row as complex doubles, exact for all types but integers beyond 2^53.
void read_row(const SampleView& samples, std::size_t row, std::span<cdouble> out);

/// States row-major [rows][2^n]. Checks every sample as encode() does; the message names the first row that is refused, counted from `first_row`. In
/// parallel over rows on `threads` threads (0: all that this process may use). Single precision is computed in single precision but for norms and angles.
void encode_batch(Encoding encoding, int num_qubits, const SampleView& samples, std::span<cfloat> out, const EncodeOptions& options = {},
                  int threads = 0, std::size_t first_row = 0);
void encode_batch(Encoding encoding, int num_qubits, const SampleView& samples, std::span<cdouble> out, const EncodeOptions& options = {},
                  int threads = 0, std::size_t first_row = 0);

}  // namespace ketmesh
