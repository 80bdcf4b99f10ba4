#include "ketmesh/encode/encode.hpp"

#include <cmath>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "ketmesh/api/config.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/mesh/mesh.hpp"

namespace ketmesh::app {
namespace {

using nlohmann::json;

struct EncodeWords {
  std::string method, qubits, data, out, precision = "single";
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
  const bool known = path == "-" || path.ends_with(".json");
  if (!known) throw OptionError("--data " + path + ": Unsupported file format; this version reads .json lists");
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

void encode_file(const EncodeWords& words, const Session& session) {
  const Encoding method = encoding_from_string(words.method);
  const Precision precision = precision_from_string(words.precision);
  const int n = static_cast<int>(whole_number("--qubits", words.qubits, 0, kMaxQubits));
  vector_len(n, method);  // n >= 1
  const Samples samples = read_samples(words.data);
  for (std::size_t i = 0; i < samples.rows.size(); ++i) check_sample(method, n, samples.rows[i], i);
  // The whole output and one sample in double precision are held at once.
  const double bytes = std::ldexp(static_cast<double>(samples.rows.size() * bytes_per_amplitude(precision) + sizeof(cdouble)), n);
  const std::uint64_t available = probe_cpu().memory_bytes;
  if (bytes > static_cast<double>(available))
    throw DoesNotFit(std::to_string(samples.rows.size()) + " samples of " + std::to_string(n) + " qubits need " + std::to_string(bytes) +
                         " bytes; " + std::to_string(available) + " are there",
                     bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) : ~std::uint64_t{0}, available,
                     "encode fewer samples or qubits at a time");
  const std::size_t size = std::size_t{1} << n;
  std::string shape = "(" + std::to_string(size) + ",)";
  if (samples.batch) shape = "(" + std::to_string(samples.rows.size()) + ", " + std::to_string(size) + ")";
  std::string file = npy_header(precision, shape);
  std::vector<cdouble> state(size);
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    check_interrupt();
    encode(method, n, samples.rows[i], state, i);
    if (precision == Precision::double_) {
      file.append(reinterpret_cast<const char*>(state.data()), size * sizeof(cdouble));
      continue;
    }
    for (const cdouble v : state) {
      const cfloat rounded(static_cast<float>(v.real()), static_cast<float>(v.imag()));
      file.append(reinterpret_cast<const char*>(&rounded), sizeof(rounded));
    }
  }
  write_file(words.out, file);
  if (session.json) {
    const nlohmann::ordered_json object = {{"method", words.method},
                                           {"num_qubits", n},
                                           {"samples", samples.rows.size()},
                                           {"batch", samples.batch},
                                           {"precision", to_string(precision)},
                                           {"out", words.out}};
    print(object.dump(2) + "\n");
  }
}

}  // namespace

void add_encode(CLI::App& app, Session& session) {
  auto words = std::make_shared<EncodeWords>();
  CLI::App* command = app.add_subcommand("encode", "Encode classical data into a state");
  command->add_option("METHOD", words->method, "amplitude, angle, basis, phase, iqp or iqp-z")->required();
  command->add_option("--qubits", words->qubits, "qubits of the state")->required();
  command->add_option("--data", words->data, "a .json list, nested for a batch; - for stdin")->required();
  command->add_option("--out", words->out, "the .npy file to write")->required();
  command->add_option("--precision", words->precision, "single (default) or double");
  command->add_flag("--json", session.json, "one JSON object on stdout");
  command->callback([words, &session] { session.action = [words, &session] { encode_file(*words, session); }; });
}

}  // namespace ketmesh::app
