// Passes made by hand or at random, and their judge: the reference in double precision.
#pragma once

#include <random>
#include <vector>

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::testing {

/// A pass on a state of `state_bits` in shards of `local_bits` with a random tile, to which steps are added.
class PassBuilder {
 public:
  PassBuilder(std::uint64_t seed, int state_bits, int local_bits, int tile_bits, int row_bits);

  Pass pass;
  Binding binding;
  std::size_t gates = 0;

  /// One-target matrix of a shape with random angles; controls are any bits.
  void matrix(MatrixShape shape, std::uint8_t target, const std::vector<std::uint8_t>& controls);
  void dense(const std::vector<std::uint8_t>& targets, const std::vector<std::uint8_t>& controls);
  /// exp(i (a XX + b YY + c ZZ))
  void cross(std::uint8_t first, std::uint8_t second, const std::vector<std::uint8_t>& controls);
  void phases(int terms, bool tables = true);
  void permutation(const std::vector<std::uint8_t>& targets, const std::vector<std::uint8_t>& controls, bool affine);
  void shuffle_store(bool rows);
  /// Any of the above.
  void random_step();

  std::vector<std::uint8_t> some(const std::vector<std::uint8_t>& from, std::size_t count);
  std::vector<std::uint8_t> others(const std::vector<std::uint8_t>& used) const;  ///< bits of the state
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

 private:
  Step controlled(StepKind kind, const std::vector<std::uint8_t>& targets, const std::vector<std::uint8_t>& controls);
  void add(Step step);
  std::mt19937_64 random_;
  int state_bits_, local_bits_;
};

/// Runs the pass on every shard of a random state with `kernels` and with the reference in double; the largest difference of an amplitude.
double largest_difference(const Kernels& kernels, const PassBuilder& built, int state_bits, int local_bits, int threads = 2);
/// 1e-6 + 1e-7 sqrt(gates) in single, 1e-14 + 1e-15 sqrt(gates) in double precision.
double tolerance(Precision precision, std::size_t gates);

}  // namespace ketmesh::kernels::testing
