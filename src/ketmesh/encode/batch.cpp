// One sample at a time a thread, in the precision of the states. What a sample is refused for is found by check_sample alone.
#include "ketmesh/encode/batch.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/encode/quadratic.hpp"

namespace ketmesh {
namespace {

/// The error of the lowest row.
class LowestError {
 public:
  bool before(std::size_t row) const noexcept { return row_.load(std::memory_order_relaxed) < row; }
  void keep(std::size_t row, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (row >= row_) return;
    row_ = row;
    error_ = std::move(error);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::size_t> row_{~std::size_t{0}};
  std::exception_ptr error_;
};

/// out[0 .. count) = scale * in, the rest 0. True when the norm was an ordinary number: nothing to refuse and nothing to scale first.
template <typename In, typename Real>
bool amplitude_row(const In* in, std::size_t count, std::size_t size, std::complex<Real>* out) {
  // Four chains of additions; sums of squares of a row are exact to 1e-16 times its length at worst.
  double part[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto v = static_cast<double>(in[i + k]);
      part[k] += v * v;
    }
  for (; i < count; ++i) part[0] += static_cast<double>(in[i]) * static_cast<double>(in[i]);
  const double sum = (part[0] + part[1]) + (part[2] + part[3]);
  if (!(sum > 1e-280 && sum < 1e280)) return false;
  const double factor = 1 / std::sqrt(sum);
  Real* to = reinterpret_cast<Real*>(out);  // NOLINT: std::complex is laid out as two numbers
  for (i = 0; i < count; ++i) {
    to[2 * i] = static_cast<Real>(static_cast<double>(in[i]) * factor);
    to[2 * i + 1] = 0;
  }
  std::fill(out + count, out + size, std::complex<Real>(0));
  return true;
}

/// The vector whose entry b is scale * prod_k factors[k][b_k].
template <typename Real>
void product(std::span<const std::array<cdouble, 2>> factors, double scale, std::complex<Real>* out) {
  Real* a = reinterpret_cast<Real*>(out);  // NOLINT: std::complex is laid out as two numbers
  a[0] = static_cast<Real>(scale);
  a[1] = 0;
  std::size_t size = 1;
  for (const auto& factor : factors) {
    const auto r0 = static_cast<Real>(factor[0].real()), i0 = static_cast<Real>(factor[0].imag()), r1 = static_cast<Real>(factor[1].real()),
               i1 = static_cast<Real>(factor[1].imag());
    for (std::size_t i = 0; i < size; ++i) {
      const Real x = a[2 * i], y = a[2 * i + 1];
      a[2 * (size + i)] = x * r1 - y * i1;
      a[2 * (size + i) + 1] = x * i1 + y * r1;
      a[2 * i] = x * r0 - y * i0;
      a[2 * i + 1] = x * i0 + y * r0;
    }
    size *= 2;
  }
}

/// Multiplies by exp(i theta) of a quadratic form: the half with b_k = 1 by exp(i (linear_k + sum_{i<k} pairs_ik b_i)), itself a product.
template <typename Real>
void quadratic_phase(int n, const Quadratic& form, std::vector<std::complex<Real>>& scratch, std::complex<Real>* out) {
  scratch.resize(std::size_t{1} << (n - 1));
  std::vector<std::array<cdouble, 2>> factors;
  for (int k = 0; k < n; ++k) {
    factors.clear();
    for (int i = 0; i < k; ++i) {
      const auto pair = static_cast<std::size_t>(i * n - i * (i + 1) / 2 + (k - i - 1));
      factors.push_back({1.0, std::polar(1.0, form.pairs[pair])});
    }
    if (k > 0) {
      const cdouble whole = std::polar(1.0, form.linear[static_cast<std::size_t>(k)]);
      for (auto& v : factors[0]) v *= whole;
    } else {
      const cdouble whole = std::polar(1.0, form.linear[0]);
      for (std::size_t b = 1; b < (std::size_t{1} << n); b += 2) out[b] *= std::complex<Real>(whole);
      continue;
    }
    product<Real>(factors, 1, scratch.data());
    const std::size_t half = std::size_t{1} << k;
    for (std::size_t base = half; base < (std::size_t{1} << n); base += 2 * half)
      for (std::size_t i = 0; i < half; ++i) {
        const Real x = out[base + i].real(), y = out[base + i].imag(), c = scratch[i].real(), s = scratch[i].imag();
        out[base + i] = {x * c - y * s, x * s + y * c};
      }
  }
}

template <typename Real>
void walsh_hadamard(int n, std::complex<Real>* out) {
  Real* a = reinterpret_cast<Real*>(out);  // NOLINT: std::complex is laid out as two numbers
  const std::size_t size = std::size_t{2} << n;
  for (std::size_t half = 2; half < size; half *= 2)
    for (std::size_t base = 0; base < size; base += 2 * half)
      for (std::size_t i = base; i < base + half; ++i) {
        const Real x = a[i], y = a[i + half];
        a[i] = x + y;
        a[i + half] = x - y;
      }
}

template <typename Real>
class RowEncoder {
 public:
  RowEncoder(Encoding encoding, int n, const SampleView& samples, const EncodeOptions& options)
      : encoding_(encoding), n_(n), samples_(samples), options_(options), size_(std::size_t{1} << n), row_(samples.length) {}

  /// `number` is the row as messages say it.
  void run(std::size_t row, std::size_t number, std::complex<Real>* out) {
    if (encoding_ == Encoding::amplitude) return amplitude(row, number, out);
    read_row(samples_, row, row_);
    check_sample(encoding_, n_, row_, number);
    switch (encoding_) {
      case Encoding::basis:
        std::fill(out, out + size_, std::complex<Real>(0));
        out[static_cast<std::size_t>(row_[0].real())] = 1;
        return;
      case Encoding::angle:
        factors_.clear();
        for (const cdouble x : row_) factors_.push_back({std::cos(x.real()), std::sin(x.real())});
        return product<Real>(factors_, 1, out);
      case Encoding::phase:
        factors_.clear();
        for (const cdouble x : row_) factors_.push_back({1.0, std::polar(1.0, x.real())});
        return product<Real>(factors_, std::pow(2.0, -0.5 * n_), out);
      case Encoding::iqp_z:  // H exp(i x b) H |0> on each qubit
        factors_.clear();
        for (const cdouble x : row_) {
          const cdouble e = std::polar(1.0, x.real());
          factors_.push_back({0.5 * (1.0 + e), 0.5 * (1.0 - e)});
        }
        return product<Real>(factors_, 1, out);
      case Encoding::iqp:
      case Encoding::zz_feature_map:
        return quadratic(out);
      case Encoding::amplitude:
        break;
    }
    throw Internal("an encoding that is none");
  }

 private:
  void amplitude(std::size_t row, std::size_t number, std::complex<Real>* out) {
    const auto* at = static_cast<const std::byte*>(samples_.data) + static_cast<std::ptrdiff_t>(row) * samples_.row_stride;
    const bool dense =
        !samples_.swapped && samples_.stride == static_cast<std::ptrdiff_t>(bytes_of(samples_.type)) && samples_.length <= size_;
    const auto aligned = [&](std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(at) % bytes == 0; };
    if (dense && samples_.type == DataType::float64 && aligned(8) &&
        amplitude_row(reinterpret_cast<const double*>(at), samples_.length, size_, out))  // NOLINT: as its type says
      return;
    if (dense && samples_.type == DataType::float32 && aligned(4) &&
        amplitude_row(reinterpret_cast<const float*>(at), samples_.length, size_, out))  // NOLINT: as its type says
      return;
    read_row(samples_, row, row_);
    check_sample(Encoding::amplitude, n_, row_, number);
    double largest = 0;
    for (const cdouble v : row_) largest = std::max({largest, std::abs(v.real()), std::abs(v.imag())});
    int exponent = 0;
    std::frexp(largest, &exponent);
    const double scale = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
    double sum = 0;
    for (const cdouble v : row_) sum += std::norm(v * scale);
    const double factor = 1 / std::sqrt(sum);
    for (std::size_t i = 0; i < row_.size(); ++i) out[i] = std::complex<Real>(row_[i] * scale * factor);
    std::fill(out + row_.size(), out + size_, std::complex<Real>(0));
  }

  void quadratic(std::complex<Real>* out) {
    values_.clear();
    for (const cdouble x : row_) values_.push_back(x.real());
    const Quadratic form = quadratic_form(encoding_, n_, values_, options_);
    const bool iqp = encoding_ == Encoding::iqp;
    const int layers = iqp ? 1 : options_.layers;
    const double root = std::pow(2.0, -0.5 * n_);
    const auto scale = static_cast<Real>(iqp ? root * root : root);
    std::fill(out, out + size_, std::complex<Real>(scale));
    for (int layer = 0; layer < layers; ++layer) {
      if (layer > 0) {
        walsh_hadamard(n_, out);
        for (std::size_t i = 0; i < size_; ++i) out[i] *= scale;
      }
      quadratic_phase(n_, form, scratch_, out);
    }
    if (iqp) walsh_hadamard(n_, out);
  }

  Encoding encoding_;
  int n_;
  const SampleView& samples_;
  const EncodeOptions& options_;
  std::size_t size_;
  std::vector<cdouble> row_;
  std::vector<double> values_;
  std::vector<std::array<cdouble, 2>> factors_;
  std::vector<std::complex<Real>> scratch_;
};

template <typename Real>
void encode_rows(Encoding encoding, int n, const SampleView& samples, std::span<std::complex<Real>> out, const EncodeOptions& options,
                 int threads, std::size_t first_row) {
  vector_len(n, encoding);  // n in range
  if (samples.length == 0 || samples.rows == 0)
    throw OptionError("data cannot be empty: " + std::to_string(samples.rows) + " samples of " + std::to_string(samples.length) +
                      " values");
  if (n > 40 || out.size() != samples.rows << n)
    throw OptionError("room for " + std::to_string(out.size()) + " amplitudes: " + std::to_string(samples.rows) + " samples of " +
                      std::to_string(n) + " qubits were given");
  LowestError error;
  const int team =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads > 0 ? threads : omp_get_max_threads()), samples.rows));
#pragma omp parallel num_threads(team) if (team > 1)
  {
    RowEncoder<Real> encoder(encoding, n, samples, options);
#pragma omp for schedule(static)
    for (std::int64_t r = 0; r < static_cast<std::int64_t>(samples.rows); ++r) {
      const auto row = static_cast<std::size_t>(r);
      if (error.before(row)) continue;
      try {
        encoder.run(row, first_row + row, out.data() + (row << n));
      } catch (...) {
        error.keep(row, std::current_exception());
      }
    }
  }
  error.rethrow();
}

}  // namespace

void encode_batch(Encoding encoding, int num_qubits, const SampleView& samples, std::span<cfloat> out, const EncodeOptions& options,
                  int threads, std::size_t first_row) {
  encode_rows<float>(encoding, num_qubits, samples, out, options, threads, first_row);
}

void encode_batch(Encoding encoding, int num_qubits, const SampleView& samples, std::span<cdouble> out, const EncodeOptions& options,
                  int threads, std::size_t first_row) {
  encode_rows<double>(encoding, num_qubits, samples, out, options, threads, first_row);
}

}  // namespace ketmesh
