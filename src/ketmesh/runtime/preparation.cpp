#include "ketmesh/runtime/preparation.hpp"

#include <algorithm>
#include <cmath>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::runtime {
namespace {

double norm_of(std::span<const cdouble> amplitudes) {
  double sum = 0;
  for (const auto a : amplitudes) sum += std::norm(a);
  return std::sqrt(sum);
}

}  // namespace

std::vector<cdouble> preparation_matrix(std::span<const cdouble> amplitudes) {
  const std::size_t size = amplitudes.size();
  const double norm = norm_of(amplitudes);
  // amplitudes = phase * b with b[0] real, not negative. The reflection along e0 + b takes e0 to -b; the sum never cancels.
  const cdouble phase = amplitudes[0] == 0.0 ? cdouble(1) : amplitudes[0] / std::abs(amplitudes[0]);
  std::vector<cdouble> v(size);
  for (std::size_t i = 0; i < size; ++i) v[i] = amplitudes[i] / (norm * phase);
  v[0] = v[0].real() + 1;
  double length = 0;
  for (const auto x : v) length += std::norm(x);
  std::vector<cdouble> matrix(size * size);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c) matrix[r * size + c] = -phase * ((r == c ? 1.0 : 0.0) - 2.0 * v[r] * std::conj(v[c]) / length);
  return matrix;
}

void prepare(ShardedState& state, std::span<const Qubit> qubits, std::span<const cdouble> amplitudes) {
  const int n = state.num_qubits();
  Index mask = 0;
  for (const auto q : qubits) mask |= bits::one(static_cast<int>(q));
  const Index rest = bits::low_mask(n) & ~mask;
  std::vector<Index> indices(std::size_t{1} << bits::count(rest));
  for (std::size_t j = 0; j < indices.size(); ++j) indices[j] = bits::deposit(j, rest);
  const std::vector<cdouble> others = state.amplitudes(indices);
  const double norm = norm_of(amplitudes);
  constexpr Index kBlock = Index{1} << 15;
  std::vector<cdouble> block(static_cast<std::size_t>(std::min(kBlock, Index{1} << n)));
  for (Index begin = 0; begin < Index{1} << n; begin += static_cast<Index>(block.size())) {
    for (Index i = 0; i < static_cast<Index>(block.size()); ++i)
      block[i] = amplitudes[bits::gather(begin + i, qubits)] / norm * others[bits::extract(begin + i, rest)];
    state.from_host<cdouble>(begin, block);
  }
}

}  // namespace ketmesh::runtime
