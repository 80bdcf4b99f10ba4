#include "ketmesh/encode/sharded.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/encode/quadratic.hpp"

namespace ketmesh {
namespace {

constexpr Index kPiece = Index{1} << 16;  // values held at a time: 1 MiB

/// sum = sum of squares * 2^(-2 exponent), so that neither overflows nor vanishes.
struct ScaledSum {
  double sum = 0;
  int exponent = 0;
  void add(const ScaledSum& other) {
    if (other.sum == 0) return;
    if (sum == 0) {
      *this = other;
      return;
    }
    const int common = std::max(exponent, other.exponent);
    sum = std::ldexp(sum, 2 * (exponent - common)) + std::ldexp(other.sum, 2 * (other.exponent - common));
    exponent = common;
  }
};

ScaledSum sum_of(std::span<const cdouble> values) {
  double largest = 0;
  for (const cdouble v : values) largest = std::max({largest, std::abs(v.real()), std::abs(v.imag())});
  if (largest == 0) return {};
  ScaledSum out;
  std::frexp(largest, &out.exponent);
  for (const cdouble v : values) out.sum += std::norm(cdouble(std::ldexp(v.real(), -out.exponent), std::ldexp(v.imag(), -out.exponent)));
  return out;
}

constexpr double kNone = 0, kNan = 1, kInfinite = 2, kThrown = 3;  // faults, as they go through the reduction

/// What one rank found in its ranges.
struct Found {
  ScaledSum sum;
  double fault = kNone;
  Index at = 0;
  std::exception_ptr thrown;
};

/// f(first, count) for the pieces of this rank's ranges, ascending.
template <typename F>
void for_each_piece(const ShardedState& state, F&& f) {
  for (const auto& own : state.own_shards()) {
    const Index piece = std::min(kPiece, own.shard.size());
    for (Index first = own.shard.base; first < own.shard.base + own.shard.size(); first += piece) f(first, piece);
  }
}

Found look(const ShardedState& state, const ValueSource& source) {
  Found out;
  std::vector<cdouble> values;
  try {
    for_each_piece(state, [&](Index first, Index count) {
      if (out.fault != kNone) return;
      values.assign(count, 0);
      source(first, values);
      for (Index i = 0; i < count; ++i) {
        const bool finite = std::isfinite(values[i].real()) && std::isfinite(values[i].imag());
        if (finite) continue;
        out.fault = std::isnan(values[i].real()) || std::isnan(values[i].imag()) ? kNan : kInfinite;
        out.at = first + i;
        return;
      }
      out.sum.add(sum_of(values));
    });
  } catch (...) {
    out.fault = kThrown;
    out.thrown = std::current_exception();
  }
  return out;
}

/// The sum over all ranks; all throw when one found a fault.
ScaledSum agree(const ShardedState& state, const Found& mine) {
  constexpr std::size_t kWords = 4;
  auto& collective = state.context().collective();
  const auto rank = static_cast<std::size_t>(state.context().rank());
  std::vector<double> words(kWords * static_cast<std::size_t>(state.context().world()));
  words[kWords * rank] = mine.sum.sum;
  words[kWords * rank + 1] = mine.sum.exponent;
  words[kWords * rank + 2] = mine.fault;
  words[kWords * rank + 3] = static_cast<double>(mine.at);
  collective.sum(words);
  if (mine.thrown) std::rethrow_exception(mine.thrown);
  ScaledSum total;
  std::size_t worst = words.size();
  for (std::size_t r = 0; r < words.size(); r += kWords) {
    total.add({words[r], static_cast<int>(words[r + 1])});
    if (words[r + 2] == kThrown) throw TransportError("encode: the source of rank " + std::to_string(r / kWords) + " failed");
    if (words[r + 2] != kNone && (worst == words.size() || words[r + 3] < words[worst + 3])) worst = r;
  }
  if (worst < words.size())
    throw OptionError("sample 0: entry " + std::to_string(static_cast<Index>(words[worst + 3])) + " is " +
                      (words[worst + 2] == kNan ? "NaN" : "infinite") + ": values must be finite");
  if (total.sum == 0) throw OptionError("sample 0: zero norm: at least one value must differ from 0");
  return total;
}

}  // namespace

void encode_amplitudes(ShardedState& state, const ValueSource& source) {
  const ScaledSum total = agree(state, look(state, source));  // nothing is written before all ranks know that all is well
  // Physical order is logical order, so that every shard is one range.
  state.set_layout(Layout(state.num_qubits()));
  state.clear_global_phase();
  const double factor = 1 / std::sqrt(total.sum);
  std::vector<cdouble> values;
  for_each_piece(state, [&](Index first, Index count) {
    values.assign(count, 0);
    source(first, values);
    for (cdouble& v : values) v = {std::ldexp(v.real(), -total.exponent) * factor, std::ldexp(v.imag(), -total.exponent) * factor};
    state.from_host<cdouble>(first, values);
  });
}

void encode_product(ShardedState& state, Encoding encoding, std::span<const cdouble> sample) {
  if (encoding == Encoding::basis) {
    state.set_basis(static_cast<Index>(sample[0].real()));
    return;
  }
  std::vector<std::array<cdouble, 2>> factors;
  for (const cdouble x : sample) {
    const cdouble e = std::polar(1.0, x.real());
    switch (encoding) {
      case Encoding::angle:
        factors.push_back({std::cos(x.real()), std::sin(x.real())});
        break;
      case Encoding::phase:
        factors.push_back({std::sqrt(0.5), std::sqrt(0.5) * e});
        break;
      case Encoding::iqp_z:  // H exp(i x b) H |0>
        factors.push_back({0.5 * (1.0 + e), 0.5 * (1.0 - e)});
        break;
      case Encoding::amplitude:
      case Encoding::basis:
      case Encoding::iqp:
      case Encoding::zz_feature_map:
        throw Internal(std::string(to_string(encoding)) + " is no product state");
    }
  }
  state.set_product(factors);
}

Circuit encoding_circuit(Encoding encoding, int num_qubits, std::span<const cdouble> sample, const EncodeOptions& options) {
  std::vector<double> values;
  for (const cdouble x : sample) values.push_back(x.real());
  const Quadratic form = quadratic_form(encoding, num_qubits, values, options);
  const auto n = static_cast<Qubit>(num_qubits);
  const bool iqp = encoding != Encoding::zz_feature_map;
  Circuit circuit(n);
  for (int layer = 0; layer < (iqp ? 1 : options.layers); ++layer) {
    for (Qubit q = 0; q < n; ++q) circuit.h(q).p(q, form.linear[q]);
    std::size_t at = 0;
    for (Qubit i = 0; i < n; ++i)
      for (Qubit j = i + 1; j < n; ++j, ++at)
        if (form.pairs[at] != 0) circuit.cp(i, j, form.pairs[at]);
  }
  if (iqp)
    for (Qubit q = 0; q < n; ++q) circuit.h(q);
  return circuit;
}

}  // namespace ketmesh
