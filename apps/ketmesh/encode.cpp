#include "ketmesh/encode/encode.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "ketmesh/api/config.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/encode/batch.hpp"
#include "ketmesh/encode/files.hpp"
#include "ketmesh/mesh/mesh.hpp"

namespace ketmesh::app {
namespace {

using nlohmann::json;

struct EncodeWords {
  std::string method, qubits, data, out, precision = "single", layers = "2", entanglement = "full";
};

cdouble number(const json& value, std::size_t sample, std::size_t entry) {
  const auto refuse = [&] {
    throw OptionError("sample " + std::to_string(sample) + ": entry " + std::to_string(entry) + " is not a number: " + value.dump());
  };
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) refuse();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  refuse();
  return 0;
}

struct Samples {
  std::vector<std::vector<cdouble>> rows;
  bool batch = false;
};

Samples read_samples(const std::string& path) {
  const std::string text = path == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(path);
  const json data = json::parse(text, nullptr, false);
  if (data.is_discarded()) throw ParseError(path, 0, 0, "the data is no JSON list");
  if (!data.is_array()) throw OptionError("--data " + path + ": must hold a list, or a list of lists for a batch");
  if (data.empty()) throw OptionError("--data " + path + ": data cannot be empty");
  Samples samples;
  samples.batch = data[0].is_array();
  const auto row = [&](const json& values) {
    std::vector<cdouble> out;
    for (std::size_t i = 0; i < values.size(); ++i) out.push_back(number(values[i], samples.rows.size(), i));
    samples.rows.push_back(std::move(out));
  };
  if (samples.batch) {
    for (const json& values : data) {
      if (!values.is_array())
        throw OptionError("sample " + std::to_string(samples.rows.size()) + ": is no list, as the samples before it are");
      row(values);
    }
  } else {
    row(data);
  }
  return samples;
}

/// NPY format version 1.0 of complex64 or complex128, little-endian.
std::string npy_header(Precision precision, const std::string& shape) {
  std::string text = std::string("{'descr': '") + (precision == Precision::single ? "<c8" : "<c16") +
                     "', 'fortran_order': False, 'shape': " + shape + ", }";
  const std::size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(text.size() & 0xff);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

/// A file that appears under its name when it is whole, and not at all otherwise.
class OutputFile {
 public:
  explicit OutputFile(std::string path)
      : path_(std::move(path)), part_(path_ + ".part"), stream_(part_, std::ios::binary | std::ios::trunc) {
    check("cannot write ");
  }
  ~OutputFile() {
    if (done_) return;
    stream_.close();
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write(const void* data, std::size_t bytes) {
    stream_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    check("cannot write to ");
  }
  void finish() {
    stream_.close();
    check("cannot write to ");
    std::error_code error;
    std::filesystem::rename(part_, path_, error);
    if (error) throw IoError(IoError::Side::output, "cannot write " + path_ + ": " + error.message());
    done_ = true;
  }

 private:
  void check(const char* what) const {
    if (!stream_) throw IoError(IoError::Side::output, what + part_ + ": " + std::strerror(errno));
  }
  std::string path_, part_;
  std::ofstream stream_;
  bool done_ = false;
};

/// What is encoded: rows of a list, which may differ in length, or of a file.
class Input {
 public:
  explicit Input(const std::string& path) {
    if (path == "-" || path.ends_with(".json"))
      lists_ = read_samples(path);
    else
      file_.emplace(SampleFile::open(path));
  }
  std::size_t rows() const { return file_ ? file_->samples().rows : lists_.rows.size(); }
  bool batch() const { return file_ ? file_->is_batch() : lists_.batch; }
  /// As many rows from `first` on as make one view, at most `most`.
  SampleView view(std::size_t first, std::size_t most) const {
    if (file_) return file_->rows(first, most);
    const auto& row = lists_.rows[first];
    return SampleView::contiguous(row.data(), DataType::complex128, 1, row.size());
  }

 private:
  Samples lists_;
  std::optional<SampleFile> file_;
};

template <typename Real>
void encode_rows(Encoding method, int n, const Input& input, const EncodeOptions& options, OutputFile& out) {
  const std::size_t size = std::size_t{1} << n;
  const std::size_t piece = std::max<std::size_t>(1, (std::size_t{1} << 22) / size);
  std::vector<std::complex<Real>> states;
  for (std::size_t first = 0; first < input.rows();) {
    check_interrupt();
    const SampleView view = input.view(first, piece);
    states.resize(view.rows * size);
    encode_batch(method, n, view, std::span(states), options, 0, first);
    out.write(states.data(), states.size() * sizeof(states[0]));
    first += view.rows;
  }
}

void encode_file(const EncodeWords& words, const Session& session) {
  const Encoding method = encoding_from_string(words.method);
  const Precision precision = precision_from_string(words.precision);
  const int n = static_cast<int>(whole_number("--qubits", words.qubits, 0, kMaxQubits));
  vector_len(n, method);  // n >= 1
  EncodeOptions options;
  options.layers = static_cast<int>(whole_number("--layers", words.layers, 1, 1000));
  options.entanglement = entanglement_from_string(words.entanglement);
  const Input input(words.data);
  if (input.rows() == 0) throw OptionError("--data " + words.data + ": data cannot be empty");
  // One state, or 2^22 amplitudes of smaller ones, are held at a time, and one sample in double precision.
  const double bytes = std::ldexp(static_cast<double>(bytes_per_amplitude(precision) + sizeof(cdouble)), std::max(n, 22));
  const std::uint64_t available = probe_cpu().memory_bytes;
  if (n > 40 || bytes > static_cast<double>(available))
    throw DoesNotFit("a sample of " + std::to_string(n) + " qubits needs " + std::to_string(bytes) + " bytes; " +
                         std::to_string(available) + " are there",
                     bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) : ~std::uint64_t{0}, available, "encode fewer qubits");
  const std::size_t size = std::size_t{1} << n;
  std::string shape = "(" + std::to_string(size) + ",)";
  if (input.batch()) shape = "(" + std::to_string(input.rows()) + ", " + std::to_string(size) + ")";
  OutputFile out(words.out);
  const std::string header = npy_header(precision, shape);
  out.write(header.data(), header.size());
  if (precision == Precision::double_)
    encode_rows<double>(method, n, input, options, out);
  else
    encode_rows<float>(method, n, input, options, out);
  out.finish();
  if (session.json) {
    const nlohmann::ordered_json object = {{"method", words.method},
                                           {"num_qubits", n},
                                           {"samples", input.rows()},
                                           {"batch", input.batch()},
                                           {"precision", to_string(precision)},
                                           {"out", words.out}};
    print(object.dump(2) + "\n");
  }
}

}  // namespace

void add_encode(CLI::App& app, Session& session) {
  auto words = std::make_shared<EncodeWords>();
  CLI::App* command = app.add_subcommand("encode", "Encode classical data into a state");
  command->add_option("METHOD", words->method, "amplitude, angle, basis, phase, iqp, iqp-z or zz-feature-map")->required();
  command->add_option("--qubits", words->qubits, "qubits of the state")->required();
  command->add_option("--data", words->data, "a .json list, nested for a batch (- for stdin), or an array in a .npy or .csv file")
      ->required();
  command->add_option("--out", words->out, "the .npy file to write")->required();
  command->add_option("--precision", words->precision, "single (default) or double");
  command->add_option("--layers", words->layers, "zz-feature-map: layers (2)");
  command->add_option("--entanglement", words->entanglement, "zz-feature-map: full (default), linear or circular");
  command->add_flag("--json", session.json, "one JSON object on stdout");
  command->callback([words, &session] { session.action = [words, &session] { encode_file(*words, session); }; });
}

}  // namespace ketmesh::app
