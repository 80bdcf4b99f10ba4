// Norms and marginals, and what single measurements need: a joint outcome, the projection on it; the inner product of two states.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/measure.hpp"

namespace ketmesh::measure {
namespace {

constexpr int kMaxBlockNumberBits = 12;
constexpr int kMinBlockQubits = 12;  // smaller blocks would cost more to keep than to read
constexpr std::size_t kMaxMarginalQubits = 26;

/// Sums of |a|^2 over the values of physical bits, the same on every rank.
std::vector<double> marginals(const ShardedState& state, std::span<const std::uint8_t> bits) {
  std::vector<double> sums(std::size_t{1} << bits.size());
  for (const auto& own : state.own_shards()) own.kernels->marginals(own.context, own.shard, bits, sums.data());
  for (const auto& own : state.own_shards()) own.kernels->synchronize(own.context);
  state.context().collective().sum(sums);
  return sums;
}

std::vector<std::uint8_t> physical_bits(const ShardedState& state, std::span<const int> qubits) {
  std::vector<std::uint8_t> bits;
  Index seen = 0;
  for (const int q : qubits) {
    if (q < 0 || q >= state.num_qubits())
      throw CircuitError("qubit " + std::to_string(q) + " is not one of the state's: 0 to " + std::to_string(state.num_qubits() - 1));
    if (bits::test(seen, q)) throw CircuitError("qubit " + std::to_string(q) + " is listed twice");
    seen |= bits::one(q);
    bits.push_back(static_cast<std::uint8_t>(state.layout().bit_of(q)));
  }
  return bits;
}

}  // namespace

double norm_squared(const ShardedState& state) { return marginals(state, {})[0]; }

std::vector<double> probabilities(const ShardedState& state, std::span<const int> qubits) {
  if (qubits.size() > kMaxMarginalQubits)
    throw OptionError("probabilities of " + std::to_string(qubits.size()) + " qubits: at most " + std::to_string(kMaxMarginalQubits));
  return marginals(state, physical_bits(state, qubits));
}

int BlockSums::block_qubits(int num_qubits) const { return num_qubits - (static_cast<int>(std::bit_width(sums.size())) - 1); }

std::vector<std::uint8_t> block_bits(const Layout& layout) {
  const int n = layout.num_qubits(), count = std::clamp(n - kMinBlockQubits, 0, kMaxBlockNumberBits);
  std::vector<std::uint8_t> bits;
  for (int q = n - count; q < n; ++q) bits.push_back(static_cast<std::uint8_t>(layout.bit_of(q)));
  return bits;
}

BlockSums block_sums(const ShardedState& state) { return {marginals(state, block_bits(state.layout()))}; }

Outcome choose(std::span<const double> probabilities, double u) {
  double total = 0;
  for (const double p : probabilities) total += p;
  if (!(total > 0) || !std::isfinite(total)) throw Internal("no outcome to choose: the probabilities add up to " + std::to_string(total));
  const double target = u * total;
  double sum = 0;
  Outcome outcome;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (!(probabilities[i] > 0)) continue;
    outcome = {i, probabilities[i]};  // rounding may leave the target beyond the last sum: then the last possible one
    sum += probabilities[i];
    if (target < sum) break;
  }
  return outcome;
}

void collapse(ShardedState& state, std::span<const int> qubits, Index value, double probability) {
  if (!(probability > 0) || !std::isfinite(probability))
    throw Internal("collapse on an outcome of probability " + std::to_string(probability));
  const auto bits = physical_bits(state, qubits);
  const std::span<const std::uint8_t> view(bits);
  const Index mask = bits::scatter(~Index{0}, view), physical = bits::scatter(value, view);
  for (const auto& own : state.own_shards()) own.kernels->collapse(own.context, own.shard, mask, physical, 1.0 / std::sqrt(probability));
}

cdouble inner_product(const ShardedState& a, const ShardedState& b) {
  if (a.placement() != b.placement()) throw Internal("inner product of states that are placed differently");
  if (a.layout() != b.layout()) throw Internal("inner product of states of layouts " + a.layout().str() + " and " + b.layout().str());
  if (a.precision() != b.precision()) throw Internal("inner product of states of different precision");
  cdouble sum = 0;
  for (std::size_t s = 0; s < a.own_shards().size(); ++s) {
    const auto& own = a.own_shards()[s];
    sum += own.kernels->inner_product(own.context, own.shard, b.own_shards()[s].shard);
  }
  double parts[] = {sum.real(), sum.imag()};
  a.context().collective().sum(parts);
  return cdouble(parts[0], parts[1]) * std::polar(1.0, b.global_phase() - a.global_phase());
}

}  // namespace ketmesh::measure
