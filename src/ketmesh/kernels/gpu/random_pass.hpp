// Passes of every kind of step on random bits, for tests of backends.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::kernels::testing {

class RandomPass {
 public:
  /// A tile of `tile` bits, the lowest `rows` always in it, of a shard of `local` bits of a state of `total` bits.
  RandomPass(std::uint64_t seed, int total, int local, int tile, int rows, int steps, bool permute) : random_(seed), total_(total) {
    std::vector<std::uint8_t> others;
    for (int b = 0; b < local; ++b) (b < rows ? pass.tile_bits : others).push_back(static_cast<std::uint8_t>(b));
    std::shuffle(others.begin(), others.end(), random_);
    pass.tile_bits.insert(pass.tile_bits.end(), others.begin(), others.begin() + (tile - rows));
    std::sort(pass.tile_bits.begin(), pass.tile_bits.end());
    pass.store_bits = pass.tile_bits;
    pass.row_bits = rows;
    if (permute) std::shuffle(pass.store_bits.begin(), pass.store_bits.end(), random_);
    pass.residencies.emplace_back();
    for (int k = 0; k < steps; ++k) add_step();
  }

  Pass pass;
  Binding binding;

  /// Leaves out the steps that go amplitude by amplitude through shared memory on a GPU.
  void drop_wide_steps() {
    for (Residency& residency : pass.residencies)
      std::erase_if(residency.steps, [](const Step& s) { return s.kind == StepKind::permutation || s.targets.size() > 2; });
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  double angle() { return std::uniform_real_distribution<double>(-4, 4)(random_); }

  std::vector<std::uint8_t> targets(int count) {
    std::vector<std::uint8_t> bits = pass.tile_bits;
    std::shuffle(bits.begin(), bits.end(), random_);
    bits.resize(static_cast<std::size_t>(std::min<int>(count, static_cast<int>(bits.size()))));
    return bits;
  }

  void controls(Step& step) {
    for (int c = below(4); c > 0; --c) {
      const int b = below(total_);
      if (std::find(step.targets.begin(), step.targets.end(), b) != step.targets.end()) continue;
      step.control_mask |= bits::one(b);
      step.control_value &= ~bits::one(b);
      if (below(3) > 0) step.control_value |= bits::one(b);
    }
  }

  /// A unitary by Gram-Schmidt on random columns.
  void unitary(Step& step, int k) {
    const std::size_t size = std::size_t{1} << k;
    std::normal_distribution<double> normal;
    std::vector<std::vector<cdouble>> columns(size, std::vector<cdouble>(size));
    for (std::size_t c = 0; c < size; ++c) {
      for (auto& v : columns[c]) v = {normal(random_), normal(random_)};
      for (std::size_t p = 0; p < c; ++p) {
        cdouble dot = 0;
        for (std::size_t r = 0; r < size; ++r) dot += std::conj(columns[p][r]) * columns[c][r];
        for (std::size_t r = 0; r < size; ++r) columns[c][r] -= dot * columns[p][r];
      }
      double norm = 0;
      for (const auto& v : columns[c]) norm += std::norm(v);
      for (auto& v : columns[c]) v /= std::sqrt(norm);
    }
    step.matrix = static_cast<std::uint32_t>(binding.matrices.size());
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c) binding.matrices.push_back(columns[c][r]);
  }

  /// exp(-i angle (XX + YY + ZZ))
  void exchange(Step& step) {
    const double a = angle();
    const cdouble even = std::polar(1.0, -a), same = std::polar(1.0, a) * std::cos(2 * a),
                  other = std::polar(1.0, a) * cdouble(0, -std::sin(2 * a));
    step.matrix = static_cast<std::uint32_t>(binding.matrices.size());
    binding.matrices.insert(binding.matrices.end(), {even, 0, 0, 0, 0, same, other, 0, 0, other, same, 0, 0, 0, 0, even});
  }

  void add_step() {
    Step step;
    const int kind = below(10);
    if (kind < 3) {
      phases(step);
    } else if (kind == 3) {
      step.kind = StepKind::permutation;
      step.targets = targets(1 + below(4));
      step.table.resize(std::size_t{1} << step.targets.size());
      std::iota(step.table.begin(), step.table.end(), Index{0});
      std::shuffle(step.table.begin(), step.table.end(), random_);
    } else if (kind < 8) {
      step.targets = targets(1);
      const double c = std::cos(angle()), s = std::sqrt(1 - c * c), h = std::sqrt(0.5);
      step.matrix = static_cast<std::uint32_t>(binding.matrices.size());
      step.shape = static_cast<MatrixShape>(below(5));
      switch (step.shape) {
        case MatrixShape::general:
          unitary(step, 1);
          break;
        case MatrixShape::real:
          binding.matrices.insert(binding.matrices.end(), {c, -s, s, c});
          break;
        case MatrixShape::rx_like:
          binding.matrices.insert(binding.matrices.end(), {c, cdouble(0, -s), cdouble(0, -s), c});
          break;
        case MatrixShape::hadamard:
          binding.matrices.insert(binding.matrices.end(), {h, h, h, -h});
          break;
        case MatrixShape::flip:
          binding.matrices.insert(binding.matrices.end(), {0, 1, 1, 0});
          break;
      }
    } else {
      step.targets = targets(kind == 8 ? 2 : 3 + below(3));
      if (step.targets.size() == 2 && below(2) == 0) {
        exchange(step);
      } else {
        unitary(step, static_cast<int>(step.targets.size()));
      }
    }
    if (step.kind != StepKind::phases) controls(step);
    pass.residencies.back().steps.push_back(std::move(step));
    if (below(4) == 0) {
      pass.residencies.emplace_back();
      pass.residencies.back().register_bits = targets(4);
    }
  }

  void phases(Step& step) {
    step.kind = StepKind::phases;
    for (int k = 1 + below(6); k > 0; --k) {
      PhaseTerm term;
      term.kind = static_cast<PhaseTerm::Kind>(below(3));
      term.angle = static_cast<std::uint32_t>(binding.angles.size());
      const auto some_mask = [&](int count) {
        Index mask = 0;
        for (; count > 0; --count) mask |= bits::one(below(total_));
        return mask;
      };
      const Index values = random_();
      if (term.kind == PhaseTerm::Kind::match) {
        term.mask = some_mask(1 + below(3));
        term.value = term.mask & values;
      } else {
        term.control_mask = some_mask(below(2));
        term.control_value = term.control_mask & values;
        term.mask = some_mask(1 + below(3));
      }
      if (term.kind == PhaseTerm::Kind::table) {
        term.control_mask &= ~term.mask;
        term.control_value &= term.control_mask;
        bits::for_each(term.mask, [&](int b) { term.bits.push_back(static_cast<std::uint8_t>(b)); });
        std::shuffle(term.bits.begin(), term.bits.end(), random_);
        for (Index i = 0; i < bits::one(static_cast<int>(term.bits.size())); ++i) binding.angles.push_back(angle());
      } else {
        binding.angles.push_back(angle());
      }
      step.terms.push_back(std::move(term));
    }
  }

  std::mt19937_64 random_;
  int total_;
};

}  // namespace ketmesh::kernels::testing
