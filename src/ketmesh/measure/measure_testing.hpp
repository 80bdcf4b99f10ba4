// States for the tests of this room: random amplitudes in any layout, cut into any number of shards.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "ketmesh/measure/measure.hpp"

namespace ketmesh::measure::testing {

using Vector = std::vector<cdouble>;

/// Random amplitudes of norm 1; each is 0 with probability `zeros`.
inline Vector random_vector(int n, unsigned seed, double zeros = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Vector v(std::size_t{1} << n);
  double norm = 0;
  for (auto& x : v)
    if (uniform(random) >= zeros) x = {normal(random), normal(random)};
  if (zeros > 0) v[v.size() / 3] = 1;
  for (const auto& x : v) norm += std::norm(x);
  for (auto& x : v) x /= std::sqrt(norm);
  return v;
}

/// The amplitudes that a state of this precision holds.
inline Vector rounded(Vector v, Precision precision) {
  // volatile: g++ 12 at -O2 drops the round trip through float when it vectorises this loop.
  if (precision == Precision::single)
    for (auto& x : v) {
      const volatile float re = static_cast<float>(x.real()), im = static_cast<float>(x.imag());
      x = {re, im};
    }
  return v;
}

inline Placement placement_of(int n, int shard_bits, int ranks = 1) {
  Placement placement;
  placement.num_qubits = n;
  placement.shard_bits = shard_bits;
  for (int s = 0; s < placement.num_shards(); ++s) placement.owners.push_back({s % ranks, 0});
  return placement;
}

struct Variant {
  Precision precision = Precision::double_;
  KernelChoice kernels = KernelChoice::fast;
  int shard_bits = 0;
  unsigned layout_seed = 0;  ///< 0: logical order
  int threads = 2;
  std::uint64_t workspace = 16_MiB;
};

inline Layout layout_of(int n, unsigned seed) {
  std::vector<int> bits(static_cast<std::size_t>(n));
  for (int q = 0; q < n; ++q) bits[static_cast<std::size_t>(q)] = q;
  std::mt19937_64 random(seed);
  if (seed != 0) std::shuffle(bits.begin(), bits.end(), random);
  return Layout(std::span<const int>(bits));
}

inline ShardedState make_state(std::shared_ptr<const DistributedExecutionContext> context, const Placement& placement,
                               const Vector& amplitudes, const Variant& v) {
  ShardedState state(std::move(context), placement, v.precision, {.kernels = v.kernels, .workspace_bytes = v.workspace});
  state.set_layout(layout_of(placement.num_qubits, v.layout_seed));
  state.from_host<cdouble>(0, amplitudes);
  return state;
}

inline ShardedState make_state(const Vector& amplitudes, const Variant& v) {
  const int n = static_cast<int>(std::bit_width(amplitudes.size())) - 1;
  return make_state(std::make_shared<DistributedExecutionContext>(DeviceMesh::cpu(), v.threads), placement_of(n, v.shard_bits), amplitudes,
                    v);
}

/// Every precision and backend, 1 to 32 shards (as far as n allows), logical order and two other layouts.
inline std::vector<Variant> variants(int n) {
  std::vector<Variant> out;
  for (const auto precision : {Precision::single, Precision::double_})
    for (const auto kernels : {KernelChoice::reference, KernelChoice::fast})
      for (const int s : {0, 1, 2, 3, 5})
        for (const unsigned layout : {0U, 7U, 8U})
          if (s < n) out.push_back({precision, kernels, s, layout});
  return out;
}

}  // namespace ketmesh::measure::testing
