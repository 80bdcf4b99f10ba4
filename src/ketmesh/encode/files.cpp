#include "ketmesh/encode/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"

namespace ketmesh {

struct SampleFile::Storage {
  const std::byte* mapped = nullptr;
  std::size_t bytes = 0;
  std::vector<double> numbers;
  ~Storage() {
    if (mapped != nullptr) ::munmap(const_cast<std::byte*>(mapped), bytes);
  }
};

namespace {

[[noreturn]] void broken(const std::filesystem::path& path, const std::string& what) { throw ParseError(path.string(), 0, 0, what); }

[[noreturn]] void unreadable(const std::filesystem::path& path) {
  throw IoError(IoError::Side::input, "cannot read " + path.string() + ": " + std::strerror(errno), "");
}

/// The text of a key's value in the header's dictionary, from its first character to the end of the header.
std::string_view after_key(std::string_view header, std::string_view key, const std::filesystem::path& path) {
  const auto at = header.find("'" + std::string(key) + "'");
  const auto colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos) broken(path, "the .npy header has no '" + std::string(key) + "'");
  auto rest = header.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

struct NpyType {
  DataType type;
  bool swapped;
};

NpyType npy_type(std::string_view descr, const std::filesystem::path& path) {
  static constexpr std::pair<std::string_view, DataType> kCodes[] = {
      {"f2", DataType::float16},    {"f4", DataType::float32}, {"f8", DataType::float64}, {"i1", DataType::int8},
      {"i2", DataType::int16},      {"i4", DataType::int32},   {"i8", DataType::int64},   {"u1", DataType::uint8},
      {"u2", DataType::uint16},     {"u4", DataType::uint32},  {"u8", DataType::uint64},  {"c8", DataType::complex64},
      {"c16", DataType::complex128}};
  const auto end = descr.size() > 1 && descr[0] == '\'' ? descr.find('\'', 1) : std::string_view::npos;
  if (end == std::string_view::npos) throw OptionError(path.string() + ": records cannot be encoded; an array of numbers can");
  const auto code = descr.substr(1, end - 1);
  constexpr bool kLittle = std::endian::native == std::endian::little;
  for (const auto& [name, type] : kCodes)
    if (code.size() == name.size() + 1 && code.substr(1) == name && std::string_view("<>|=").find(code[0]) != std::string_view::npos)
      return {type, code[0] == (kLittle ? '>' : '<')};
  throw OptionError(path.string() + ": numbers of type " + std::string(code) + " cannot be encoded; float, integer and complex can");
}

std::vector<std::size_t> npy_shape(std::string_view text, const std::filesystem::path& path) {
  std::vector<std::size_t> shape;
  const auto end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) broken(path, "the .npy header has no shape");
  for (std::size_t i = 1; i < end;) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      ++i;
      continue;
    }
    std::size_t value = 0;
    const auto read = std::from_chars(text.data() + i, text.data() + end, value);
    if (read.ec != std::errc()) broken(path, "the .npy header has a dimension that is too large");
    shape.push_back(value);
    i = static_cast<std::size_t>(read.ptr - text.data());
  }
  return shape;
}

std::size_t product(std::size_t a, std::size_t b, const std::filesystem::path& path) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b)
    broken(path, "the .npy header tells of more numbers than there are addresses");
  return a * b;
}

struct Npy {
  SampleView view;
  bool batch = false;
};

Npy read_npy(const std::byte* data, std::size_t bytes, const std::filesystem::path& path) {
  const auto* text = reinterpret_cast<const char*>(data);  // NOLINT: bytes as text
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(data[i]); };
  if (bytes < 12 || std::memcmp(text, "\x93NUMPY", 6) != 0) broken(path, "this is no .npy file");
  const bool wide = byte(6) >= 2;
  const std::size_t start = wide ? 12 : 10;
  const std::size_t length = byte(8) | (byte(9) << 8) | (wide ? (byte(10) << 16) | (byte(11) << 24) : 0);
  if (length > bytes - start) broken(path, "the .npy file ends inside its header");
  const std::string_view header(text + start, length);
  const NpyType type = npy_type(after_key(header, "descr", path), path);
  const bool fortran = after_key(header, "fortran_order", path).starts_with("True");
  const auto shape = npy_shape(after_key(header, "shape", path), path);
  if (shape.empty() || shape.size() > 2)
    throw OptionError(path.string() + ": an array of " + std::to_string(shape.size()) +
                      " dimensions; one sample has 1, a batch [samples][values] has 2");
  Npy out;
  out.batch = shape.size() == 2;
  const std::size_t rows = out.batch ? shape[0] : 1, values = shape.back(), one = bytes_of(type.type);
  if (product(product(rows, values, path), one, path) > bytes - start - length) broken(path, "the .npy file ends inside its numbers");
  out.view = SampleView::contiguous(data + start + length, type.type, rows, values);
  out.view.swapped = type.swapped;
  if (fortran && out.batch) {
    out.view.row_stride = static_cast<std::ptrdiff_t>(one);
    out.view.stride = static_cast<std::ptrdiff_t>(one * rows);
  }
  return out;
}

/// Numbers separated by commas, a sample a line; a first line of names is passed over. All lines have as many numbers.
std::size_t read_csv(std::string_view text, const std::filesystem::path& path, std::vector<double>& numbers) {
  std::size_t width = 0, line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t before = numbers.size();
    bool names = false;
    while (true) {
      const auto comma = std::min(line.find(','), line.size());
      auto item = line.substr(0, comma);
      while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
      while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
      if (!item.empty() && item.front() == '+') item.remove_prefix(1);
      double value = 0;
      const auto read = std::from_chars(item.data(), item.data() + item.size(), value);
      if (read.ec != std::errc() || read.ptr != item.data() + item.size()) {
        if (before != 0 || line_number != 1)
          throw ParseError(path.string(), line_number, 0,
                           item.empty() ? "a number is missing" : "\"" + std::string(item) + "\" is not a number");
        names = true;
      }
      numbers.push_back(value);
      if (comma == line.size()) break;
      line.remove_prefix(comma + 1);
    }
    if (names) {
      numbers.resize(before);
      continue;
    }
    if (width == 0) width = numbers.size() - before;
    if (numbers.size() - before != width)
      throw ParseError(path.string(), line_number, 0,
                       std::to_string(numbers.size() - before) + " numbers; the samples before have " + std::to_string(width));
  }
  return width;
}

}  // namespace

SampleFile::SampleFile() : storage_(std::make_unique<Storage>()) {}
SampleFile::~SampleFile() = default;
SampleFile::SampleFile(SampleFile&&) noexcept = default;
SampleFile& SampleFile::operator=(SampleFile&&) noexcept = default;

SampleFile SampleFile::open(const std::filesystem::path& path) {
  const auto extension = path.extension();
  if (extension != ".npy" && extension != ".csv")
    throw OptionError(path.string() + ": Unsupported file format; .npy and .csv are read here, further ones by ketmesh.qdp in Python");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) unreadable(path);
  struct stat info {};
  if (::fstat(file, &info) != 0) {
    ::close(file);
    unreadable(path);
  }
  SampleFile out;
  out.storage_->bytes = static_cast<std::size_t>(info.st_size);
  if (info.st_size > 0) {
    void* mapped = ::mmap(nullptr, out.storage_->bytes, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
      ::close(file);
      unreadable(path);
    }
    out.storage_->mapped = static_cast<const std::byte*>(mapped);
  }
  ::close(file);
  if (extension == ".npy") {
    const Npy npy = read_npy(out.storage_->mapped, out.storage_->bytes, path);
    out.view_ = npy.view;
    out.batch_ = npy.batch;
    return out;
  }
  auto& numbers = out.storage_->numbers;
  const auto* text = reinterpret_cast<const char*>(out.storage_->mapped);  // NOLINT: bytes as text
  const std::size_t width = read_csv({text, out.storage_->bytes}, path, numbers);
  out.view_ = SampleView::contiguous(numbers.data(), DataType::float64, width == 0 ? 0 : numbers.size() / width, width);
  out.batch_ = true;
  return out;
}

SampleView SampleFile::rows(std::size_t first, std::size_t count) const {
  SampleView part = view_;
  part.data = static_cast<const std::byte*>(view_.data) + static_cast<std::ptrdiff_t>(first) * view_.row_stride;
  part.rows = std::min(count, view_.rows - std::min(first, view_.rows));
  return part;
}

}  // namespace ketmesh
