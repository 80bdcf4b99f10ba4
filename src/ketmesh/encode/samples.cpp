// Numbers of any type and stride as doubles.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/encode/batch.hpp"

namespace ketmesh {
namespace {

struct TypeRow {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<TypeRow, 13> kTypes = {{{"float16", 2},
                                             {"float32", 4},
                                             {"float64", 8},
                                             {"int8", 1},
                                             {"int16", 2},
                                             {"int32", 4},
                                             {"int64", 8},
                                             {"uint8", 1},
                                             {"uint16", 2},
                                             {"uint32", 4},
                                             {"uint64", 8},
                                             {"complex64", 8},
                                             {"complex128", 16}}};

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

template <typename T>
double load(const std::byte* at, bool swapped) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), at, sizeof(T));
  if (swapped) std::reverse(raw.begin(), raw.end());
  return static_cast<double>(std::bit_cast<T>(raw));
}

double load_half(const std::byte* at, bool swapped) {
  std::array<std::byte, 2> raw = {at[0], at[1]};
  if (swapped) std::swap(raw[0], raw[1]);
  return from_half(std::bit_cast<std::uint16_t>(raw));
}

template <typename Get>
void read(const SampleView& samples, std::size_t row, std::span<cdouble> out, Get&& get) {
  const auto* at = static_cast<const std::byte*>(samples.data) + static_cast<std::ptrdiff_t>(row) * samples.row_stride;
  for (std::size_t i = 0; i < samples.length; ++i, at += samples.stride) out[i] = get(at);
}

}  // namespace

std::size_t bytes_of(DataType type) { return kTypes.at(static_cast<std::size_t>(type)).bytes; }
std::string_view to_string(DataType type) { return kTypes.at(static_cast<std::size_t>(type)).name; }

DataType data_type_from_string(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<DataType>(i);
    names += (names.empty() ? "" : ", ") + std::string(kTypes[i].name);
  }
  throw OptionError("numbers of type \"" + std::string(name) + "\" cannot be encoded: must be one of " + names);
}

SampleView SampleView::contiguous(const void* data, DataType type, std::size_t rows, std::size_t length) {
  const auto one = static_cast<std::ptrdiff_t>(bytes_of(type));
  return {data, type, rows, length, static_cast<std::ptrdiff_t>(length) * one, one, false};
}

void read_row(const SampleView& samples, std::size_t row, std::span<cdouble> out) {
  const bool swapped = samples.swapped;
  const auto as = [&]<typename T>(T) { read(samples, row, out, [&](const std::byte* at) { return cdouble(load<T>(at, swapped)); }); };
  switch (samples.type) {
    case DataType::float16:
      return read(samples, row, out, [&](const std::byte* at) { return cdouble(load_half(at, swapped)); });
    case DataType::float32:
      return as(float{});
    case DataType::float64:
      return as(double{});
    case DataType::int8:
      return as(std::int8_t{});
    case DataType::int16:
      return as(std::int16_t{});
    case DataType::int32:
      return as(std::int32_t{});
    case DataType::int64:
      return as(std::int64_t{});
    case DataType::uint8:
      return as(std::uint8_t{});
    case DataType::uint16:
      return as(std::uint16_t{});
    case DataType::uint32:
      return as(std::uint32_t{});
    case DataType::uint64:
      return as(std::uint64_t{});
    case DataType::complex64:
      return read(samples, row, out, [&](const std::byte* at) { return cdouble(load<float>(at, swapped), load<float>(at + 4, swapped)); });
    case DataType::complex128:
      return read(samples, row, out,
                  [&](const std::byte* at) { return cdouble(load<double>(at, swapped), load<double>(at + 8, swapped)); });
  }
  throw Internal("numbers of no known type");
}

}  // namespace ketmesh
