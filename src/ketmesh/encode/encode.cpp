#include "ketmesh/encode/encode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/encode/quadratic.hpp"

namespace ketmesh {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"amplitude", "angle", "basis", "phase", "iqp", "iqp-z", "zz-feature-map"};
constexpr std::array<std::string_view, 3> kEntanglements = {"full", "linear", "circular"};

[[noreturn]] void refuse(std::size_t sample, const std::string& what) {
  throw OptionError("sample " + std::to_string(sample) + ": " + what);
}

std::string spelled(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", value);
  return buffer.data();
}

/// A power of two that brings the largest part near 1, so that squares neither overflow nor vanish; exact.
double scale_of(std::span<const cdouble> sample) {
  double largest = 0;
  for (const cdouble v : sample) largest = std::max({largest, std::abs(v.real()), std::abs(v.imag())});
  if (largest == 0) return 0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

void encode_amplitude(std::span<const cdouble> sample, std::span<cdouble> out) {
  const double scale = scale_of(sample);
  double sum = 0;
  for (const cdouble v : sample) sum += std::norm(v * scale);
  const double factor = 1 / std::sqrt(sum);
  std::fill(out.begin(), out.end(), cdouble(0));
  for (std::size_t i = 0; i < sample.size(); ++i) out[i] = sample[i] * scale * factor;
}

void encode_product(std::span<const std::array<cdouble, 2>> factors, std::span<cdouble> out) {
  out[0] = 1;
  std::size_t size = 1;
  for (const auto& factor : factors) {
    for (std::size_t i = 0; i < size; ++i) {
      out[size + i] = out[i] * factor[1];
      out[i] *= factor[0];
    }
    size *= 2;
  }
}

void walsh_hadamard(std::span<cdouble> out) {
  for (std::size_t half = 1; half < out.size(); half *= 2)
    for (std::size_t base = 0; base < out.size(); base += 2 * half)
      for (std::size_t i = base; i < base + half; ++i) {
        const cdouble a = out[i], b = out[i + half];
        out[i] = a + b;
        out[i + half] = a - b;
      }
}

void encode_quadratic(int n, const Quadratic& form, int layers, bool last_walsh, std::span<cdouble> out) {
  const double scale = std::pow(2.0, -0.5 * n);
  std::fill(out.begin(), out.end(), cdouble(0));
  out[0] = 1;
  for (int layer = 0; layer < layers; ++layer) {
    walsh_hadamard(out);
    for (std::size_t b = 0; b < out.size(); ++b) {
      double theta = 0;
      std::size_t at = 0;
      for (int i = 0; i < n; ++i)
        if (((b >> i) & 1u) != 0) theta += form.linear[static_cast<std::size_t>(i)];
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j, ++at)
          if (((b >> i) & (b >> j) & 1u) != 0) theta += form.pairs[at];
      out[b] *= std::polar(scale, theta);
    }
  }
  if (!last_walsh) return;
  walsh_hadamard(out);
  for (auto& v : out) v *= scale;
}

}  // namespace

Quadratic quadratic_form(Encoding encoding, int n, std::span<const double> sample, const EncodeOptions& options) {
  const auto qubits = static_cast<std::size_t>(n);
  Quadratic out{{sample.begin(), sample.begin() + n}, std::vector<double>(qubits * (qubits - 1) / 2)};
  if (encoding == Encoding::iqp) std::copy(sample.begin() + n, sample.end(), out.pairs.begin());
  if (encoding != Encoding::zz_feature_map) return out;
  if (options.layers < 1 || options.layers > 1000) throw OptionError("layers = " + std::to_string(options.layers) + ": must be 1 to 1000");
  for (auto& v : out.linear) v *= 2;
  std::size_t at = 0;
  for (std::size_t i = 0; i < qubits; ++i)
    for (std::size_t j = i + 1; j < qubits; ++j, ++at) {
      const bool ring = options.entanglement == Entanglement::circular && qubits > 2 && i == 0 && j + 1 == qubits;
      if (options.entanglement != Entanglement::full && j != i + 1 && !ring) continue;
      const double angle = 2 * (std::numbers::pi - sample[i]) * (std::numbers::pi - sample[j]);
      out.linear[i] += angle;  // b_i xor b_j = b_i + b_j - 2 b_i b_j
      out.linear[j] += angle;
      out.pairs[at] = -2 * angle;
    }
  return out;
}

Entanglement entanglement_from_string(std::string_view name) {
  for (std::size_t i = 0; i < kEntanglements.size(); ++i)
    if (kEntanglements[i] == name) return static_cast<Entanglement>(i);
  throw OptionError("unknown entanglement \"" + std::string(name) + "\": must be one of full, linear, circular");
}

std::string_view to_string(Encoding encoding) { return kNames.at(static_cast<std::size_t>(encoding)); }

Encoding encoding_from_string(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Encoding>(i);
    names += (names.empty() ? "" : ", ") + std::string(kNames[i]);
  }
  throw OptionError("unknown encoding \"" + std::string(name) + "\": must be one of " + names);
}

Index vector_len(int num_qubits, Encoding encoding) {
  if (num_qubits < 1 || num_qubits > kMaxQubits)
    throw OptionError("qubits = " + std::to_string(num_qubits) + ": must be at least 1 and at most " + std::to_string(kMaxQubits));
  const auto n = static_cast<Index>(num_qubits);
  switch (encoding) {
    case Encoding::amplitude:
      return Index{1} << n;
    case Encoding::basis:
      return 1;
    case Encoding::iqp:
      return n + n * (n - 1) / 2;
    case Encoding::angle:
    case Encoding::phase:
    case Encoding::iqp_z:
    case Encoding::zz_feature_map:
      return n;
  }
  throw Internal("an encoding that is none");
}

void check_sample(Encoding encoding, int num_qubits, std::span<const cdouble> sample, std::size_t number) {
  const Index length = vector_len(num_qubits, encoding);
  const std::string name(to_string(encoding));
  if (sample.empty()) refuse(number, "data cannot be empty");
  if (encoding == Encoding::amplitude) {
    if (sample.size() > length)
      refuse(number, "length " + std::to_string(sample.size()) + " exceeds state vector size " + std::to_string(length) + " of " +
                         std::to_string(num_qubits) + " qubits");
  } else if (sample.size() != length) {
    refuse(number, name + " encoding of " + std::to_string(num_qubits) + " qubits expects " + std::to_string(length) +
                       (length == 1 ? " value" : " values") + ", the length is " + std::to_string(sample.size()));
  }
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (!std::isfinite(sample[i].real()) || !std::isfinite(sample[i].imag()))
      refuse(number, "entry " + std::to_string(i) + " is " +
                         (std::isnan(sample[i].real()) || std::isnan(sample[i].imag()) ? "NaN" : "infinite") + ": values must be finite");
    if (encoding != Encoding::amplitude && sample[i].imag() != 0)
      refuse(number, "entry " + std::to_string(i) + " is complex: " + name + " encoding takes real values");
  }
  if (encoding == Encoding::amplitude && scale_of(sample) == 0) refuse(number, "zero norm: at least one value must differ from 0");
  if (encoding == Encoding::basis) {
    const double index = sample[0].real();
    const std::string text = spelled(index);
    if (index != std::floor(index)) refuse(number, "basis index " + text + " must be an integer");
    if (index < 0) refuse(number, "basis index " + text + " must be non-negative");
    if (index >= std::ldexp(1.0, num_qubits))
      refuse(number, "basis index " + text + " is out of range: it exceeds " + std::to_string((Index{1} << num_qubits) - 1));
  }
}

void encode(Encoding encoding, int num_qubits, std::span<const cdouble> sample, std::span<cdouble> out, std::size_t number,
            const EncodeOptions& options) {
  check_sample(encoding, num_qubits, sample, number);
  if (out.size() != (Index{1} << num_qubits)) throw Internal("encode: the output has not 2^n entries");
  std::vector<std::array<cdouble, 2>> factors;
  switch (encoding) {
    case Encoding::amplitude:
      encode_amplitude(sample, out);
      return;
    case Encoding::basis:
      std::fill(out.begin(), out.end(), cdouble(0));
      out[static_cast<std::size_t>(sample[0].real())] = 1;
      return;
    case Encoding::iqp:
    case Encoding::iqp_z:
    case Encoding::zz_feature_map: {
      std::vector<double> values;
      for (const cdouble x : sample) values.push_back(x.real());
      const bool iqp = encoding != Encoding::zz_feature_map;
      encode_quadratic(num_qubits, quadratic_form(encoding, num_qubits, values, options), iqp ? 1 : options.layers, iqp, out);
      return;
    }
    case Encoding::angle:
      for (const cdouble x : sample) factors.push_back({std::cos(x.real()), std::sin(x.real())});
      encode_product(factors, out);
      return;
    case Encoding::phase:
      for (const cdouble x : sample) factors.push_back({1.0, std::polar(1.0, x.real())});
      encode_product(factors, out);
      for (cdouble& v : out) v *= std::pow(2.0, -0.5 * num_qubits);
      return;
  }
  throw Internal("an encoding that is none");
}

}  // namespace ketmesh
