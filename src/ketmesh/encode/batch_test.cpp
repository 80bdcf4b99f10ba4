// Batches against the definitions, over types, strides and byte orders; refusals name the row.
#include "ketmesh/encode/batch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "ketmesh/base/error.hpp"
#include "ketmesh/encode/files.hpp"

namespace ketmesh {
namespace {

constexpr Encoding kAll[] = {Encoding::amplitude, Encoding::angle, Encoding::basis,         Encoding::phase,
                             Encoding::iqp,       Encoding::iqp_z, Encoding::zz_feature_map};

template <typename T>
double worst_difference(Encoding encoding, int n, const SampleView& samples, const EncodeOptions& options = {}, int threads = 2) {
  const std::size_t size = std::size_t{1} << n;
  std::vector<std::complex<T>> out(samples.rows * size);
  encode_batch(encoding, n, samples, std::span(out), options, threads);
  double worst = 0;
  std::vector<cdouble> row(samples.length), want(size);
  for (std::size_t r = 0; r < samples.rows; ++r) {
    read_row(samples, r, row);
    encode(encoding, n, row, want, r, options);
    for (std::size_t i = 0; i < size; ++i) worst = std::max(worst, std::abs(cdouble(out[r * size + i]) - want[i]));
  }
  return worst;
}

TEST(EncodeBatch, EqualsTheDefinitions) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (const Encoding encoding : kAll)
    for (const int n : {1, 2, 3, 5, 8}) {
      const auto length = static_cast<std::size_t>(vector_len(n, encoding));
      std::vector<double> data(length * 37);
      for (auto& v : data) v = encoding == Encoding::basis ? static_cast<double>(random() % (1u << n)) : uniform(random);
      const auto samples = SampleView::contiguous(data.data(), DataType::float64, 37, length);
      const EncodeOptions options{.layers = 3, .entanglement = Entanglement::circular};
      EXPECT_LE(worst_difference<double>(encoding, n, samples, options), 1e-13) << to_string(encoding) << n;
      EXPECT_LE(worst_difference<float>(encoding, n, samples, options), 1e-6) << to_string(encoding) << n;
    }
}

template <typename T>
void check_type(DataType type, const std::vector<T>& values) {
  // 3 samples of 4 values: contiguous, Fortran order, every other value, backwards, all rows the same.
  const auto one = static_cast<std::ptrdiff_t>(sizeof(T));
  const std::vector<T> before = values;
  const std::vector<SampleView> views = {{values.data(), type, 3, 4, 4 * one, one},
                                         {values.data(), type, 3, 4, one, 3 * one},
                                         {values.data(), type, 3, 4, 8 * one, 2 * one},
                                         {values.data() + 11, type, 3, 4, -4 * one, -one},
                                         {values.data(), type, 3, 4, 0, one}};
  for (const auto& view : views) {
    EXPECT_LE(worst_difference<double>(Encoding::amplitude, 2, view), 1e-15) << to_string(type);
    EXPECT_LE(worst_difference<float>(Encoding::amplitude, 3, view), 1e-6) << to_string(type);
  }
  EXPECT_EQ(std::memcmp(before.data(), values.data(), values.size() * sizeof(T)), 0);
  std::vector<T> turned = values;
  for (auto& v : turned) {
    auto* bytes = reinterpret_cast<std::byte*>(&v);
    if (type == DataType::complex64 || type == DataType::complex128) {
      std::reverse(bytes, bytes + sizeof(T) / 2);
      std::reverse(bytes + sizeof(T) / 2, bytes + sizeof(T));
    } else {
      std::reverse(bytes, bytes + sizeof(T));
    }
  }
  SampleView swapped = SampleView::contiguous(turned.data(), type, 6, 4);
  swapped.swapped = true;
  std::vector<cdouble> a(24), b(24);
  encode_batch(Encoding::amplitude, 2, swapped, std::span(a));
  encode_batch(Encoding::amplitude, 2, SampleView::contiguous(values.data(), type, 6, 4), std::span(b));
  EXPECT_EQ(a, b) << to_string(type);
}

template <typename T>
std::vector<T> counting() {
  std::vector<T> out(24);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(i + 1);
  return out;
}

TEST(EncodeBatch, TypesStridesAndByteOrders) {
  check_type(DataType::float32, counting<float>());
  check_type(DataType::float64, counting<double>());
  check_type(DataType::int8, counting<std::int8_t>());
  check_type(DataType::int16, counting<std::int16_t>());
  check_type(DataType::int32, counting<std::int32_t>());
  check_type(DataType::int64, counting<std::int64_t>());
  check_type(DataType::uint8, counting<std::uint8_t>());
  check_type(DataType::uint16, counting<std::uint16_t>());
  check_type(DataType::uint32, counting<std::uint32_t>());
  check_type(DataType::uint64, counting<std::uint64_t>());
  std::vector<cfloat> single(24);
  std::vector<cdouble> both(24);
  for (std::size_t i = 0; i < 24; ++i)
    both[i] = {0.5 + static_cast<double>(i), -0.25 * static_cast<double>(i)}, single[i] = cfloat(both[i]);
  check_type(DataType::complex64, single);
  check_type(DataType::complex128, both);
  // halves: 1, 2, -0.5, smallest subnormal, infinity
  const std::vector<std::uint16_t> halves = {0x3c00, 0x4000, 0xb800, 0x0001};
  std::vector<cdouble> row(4);
  read_row(SampleView::contiguous(halves.data(), DataType::float16, 1, 4), 0, row);
  EXPECT_EQ(row, (std::vector<cdouble>{1.0, 2.0, -0.5, std::ldexp(1.0, -24)}));
}

TEST(EncodeBatch, HugeTinyAndShortSamples) {
  for (const double v : {1e-150, 1e-310, 1e300, 5e-324}) {
    const std::vector<double> data(16, v);
    std::vector<cfloat> out(16);
    encode_batch(Encoding::amplitude, 4, SampleView::contiguous(data.data(), DataType::float64, 1, 16), std::span(out));
    for (const cfloat a : out) EXPECT_NEAR(a.real(), 0.25, 1e-7) << v;
  }
  const std::vector<double> three = {1, 2, 2};
  std::vector<cdouble> out(8, 9.0);
  encode_batch(Encoding::amplitude, 3, SampleView::contiguous(three.data(), DataType::float64, 1, 3), std::span(out));
  EXPECT_EQ(out[3], 0.0);
  EXPECT_NEAR(out[1].real(), 2.0 / 3, 1e-15);
}

std::string refusal(Encoding encoding, int n, std::vector<double>& data, std::size_t length) {
  try {
    std::vector<cfloat> out((data.size() / length) << n);
    encode_batch(encoding, n, SampleView::contiguous(data.data(), DataType::float64, data.size() / length, length), std::span(out), {}, 2);
  } catch (const OptionError& e) {
    return e.what();
  }
  return "nothing";
}

TEST(EncodeBatch, TheFirstRowThatIsRefusedIsNamed) {
  for (const Encoding encoding : kAll) {
    const auto length = static_cast<std::size_t>(vector_len(2, encoding));
    std::vector<double> data(length * 20'000, 1.0);
    data[length * 12'345] = std::numeric_limits<double>::quiet_NaN();
    data[length * 19'000] = std::numeric_limits<double>::infinity();
    EXPECT_NE(refusal(encoding, 2, data, length).find("sample 12345: entry 0 is NaN: values must be finite"), std::string::npos)
        << refusal(encoding, 2, data, length);
  }
  std::vector<double> zeros(4 * 100, 1.0);
  std::fill(zeros.begin() + 4 * 77, zeros.begin() + 4 * 78, 0.0);
  EXPECT_NE(refusal(Encoding::amplitude, 2, zeros, 4).find("sample 77: zero norm"), std::string::npos);
  EXPECT_NE(refusal(Encoding::amplitude, 1, zeros, 4).find("sample 0: length 4 exceeds state vector size 2"), std::string::npos);
  EXPECT_NE(refusal(Encoding::angle, 3, zeros, 4).find("expects 3 values"), std::string::npos);
  std::vector<double> indices = {0, 1, 2, 1.5};
  EXPECT_NE(refusal(Encoding::basis, 2, indices, 1).find("sample 3: basis index 1.5 must be an integer"), std::string::npos);
  std::vector<cfloat> few(3);
  EXPECT_THROW(encode_batch(Encoding::amplitude, 2, SampleView::contiguous(indices.data(), DataType::float64, 1, 4), std::span(few)),
               OptionError);
  EXPECT_THROW(encode_batch(Encoding::amplitude, 2, SampleView::contiguous(indices.data(), DataType::float64, 0, 4), std::span<cfloat>()),
               OptionError);
}

struct TemporaryFile {
  std::filesystem::path path;
  TemporaryFile(const std::string& name, const std::string& text)
      : path(std::filesystem::temp_directory_path() / ("ketmesh_" + std::to_string(::getpid()) + "_" + name)) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

std::string npy(const std::string& dictionary, const std::string& numbers) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dictionary.size());
  out += '\0';
  return out + dictionary + numbers;
}

template <typename T>
std::string bytes(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

std::vector<cdouble> row_of(const SampleFile& file, std::size_t row) {
  std::vector<cdouble> out(file.samples().length);
  read_row(file.samples(), row, out);
  return out;
}

TEST(SampleFiles, NpyAndCsv) {
  const TemporaryFile plain("a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", bytes<float>({1, 2, 3, 4, 5, 6})));
  const SampleFile a = SampleFile::open(plain.path);
  EXPECT_TRUE(a.is_batch());
  EXPECT_EQ(row_of(a, 1), (std::vector<cdouble>{4, 5, 6}));
  EXPECT_EQ(a.rows(1, 9).rows, 1U);
  const TemporaryFile fortran(
      "b.npy", npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12)));
  EXPECT_EQ(row_of(SampleFile::open(fortran.path), 1), (std::vector<cdouble>{4, 5, 6}));
  const TemporaryFile one("c.npy", npy("{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", bytes<double>({1, -2})));
  const SampleFile c = SampleFile::open(one.path);
  EXPECT_FALSE(c.is_batch());
  EXPECT_EQ(row_of(c, 0), (std::vector<cdouble>{cdouble(1, -2)}));
  const TemporaryFile table("d.csv", "x,y\n1, 2.5\r\n\n-3e-2,+4\n");
  const SampleFile d = SampleFile::open(table.path);
  EXPECT_EQ(d.samples().rows, 2U);
  EXPECT_EQ(row_of(d, 1), (std::vector<cdouble>{-0.03, 4}));
}

TEST(SampleFiles, Refusals) {
  const auto text_of = [](const std::filesystem::path& path) -> std::string {
    try {
      SampleFile::open(path);
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing";
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(text_of("x.parquet"), "Unsupported file format"));
  EXPECT_TRUE(has(text_of("/nowhere/x.npy"), "cannot read"));
  const auto check = [&](const char* name, const std::string& content, const char* part) {
    const TemporaryFile file(name, content);
    EXPECT_TRUE(has(text_of(file.path), part)) << text_of(file.path);
  };
  check("e.npy", "", "no .npy file");
  check("e.npy", "hello, this is text", "no .npy file");
  check("e.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", bytes<double>({1, 2})), "ends inside its numbers");
  check("e.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", "12345678"), "more numbers");
  check("e.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }", bytes<double>({1, 2, 3, 4, 5, 6})), "3 dimensions");
  check("e.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678"), "cannot be encoded");
  check("e.npy", npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "12345678"), "records");
  check("e.npy", npy("{'fortran_order': False, 'shape': (1,), }", "12345678"), "no 'descr'");
  check("e.csv", "1,2\n3\n", "1 numbers; the samples before have 2");
  check("e.csv", "1,2\n3,x\n", "\"x\" is not a number");
  check("e.csv", "1,2\n3,\n", "a number is missing");
}

}  // namespace
}  // namespace ketmesh
