#include "ketmesh/runtime/probes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::runtime {
namespace {

/// Bits that a step acts on: a step commutes with another one when every bit that they share is one that both only read.
struct Support {
  Index moved = 0, read = 0;
};

Support support_of(const Step& step) {
  Support out;
  for (const auto b : step.targets) out.moved |= bits::one(b);
  out.read = step.control_mask;
  for (const auto& term : step.terms) {
    out.read |= term.mask | term.control_mask;
    for (const auto b : term.bits) out.read |= bits::one(b);
  }
  return out;
}

/// The level of the last step that moved, and of the last that read, each bit; -1: none.
class Levels {
 public:
  Levels() {
    moved_.fill(-1);
    read_.fill(-1);
  }
  int place(const Support& support, bool probed) {
    int after = -1;
    bits::for_each(support.moved, [&](int b) { after = std::max({after, moved_[at(b)], read_[at(b)]}); });
    bits::for_each(support.read, [&](int b) { after = std::max(after, moved_[at(b)]); });
    const int level = probed ? after + 1 : std::max(after, 0);
    bits::for_each(support.moved, [&](int b) { moved_[at(b)] = std::max(moved_[at(b)], level); });
    bits::for_each(support.read, [&](int b) { read_[at(b)] = std::max(read_[at(b)], level); });
    return level;
  }

 private:
  static std::size_t at(int bit) { return static_cast<std::size_t>(bit); }
  std::array<int, 64> moved_{}, read_{};
};

/// Entries that belong to one offset or slot.
template <typename T, typename Member>
std::pair<std::size_t, std::size_t> range_of(const std::vector<T>& entries, Member member, std::uint32_t value) {
  const auto first = std::partition_point(entries.begin(), entries.end(), [&](const T& e) { return e.*member < value; });
  const auto last = std::partition_point(first, entries.end(), [&](const T& e) { return e.*member == value; });
  return {static_cast<std::size_t>(first - entries.begin()), static_cast<std::size_t>(last - entries.begin())};
}

class Cutter {
 public:
  Cutter(const Binding& binding, const plan::Derivatives& derivatives) : binding_(binding), derivatives_(derivatives) {}

  bool depends(const Step& step) const {
    if (step.kind == StepKind::matrix) {
      const auto [first, last] = range_of(derivatives_.matrices, &plan::MatrixDerivative::matrix, step.matrix);
      return first != last;
    }
    return std::any_of(step.terms.begin(), step.terms.end(), [&](const PhaseTerm& term) {
      const auto [first, last] = range_of(derivatives_.angles, &plan::AngleDerivative::angle, term.angle);
      return term.kind != PhaseTerm::Kind::table && first != last;
    });
  }

  void probe(const Step& step, ProbedLevel& level) {
    terms_.clear();
    if (step.kind == StepKind::matrix) matrix(step, level);
    if (step.kind == StepKind::phases) phases(step, level);
  }

 private:
  // With V the step, the slope is -2 Re <bra|V^+ dV|ket> on the states before it. V^+ dV is anti-Hermitian: i sum_P b_P P with real b_P.
  void matrix(const Step& step, ProbedLevel& level) {
    const auto [first, last] = range_of(derivatives_.matrices, &plan::MatrixDerivative::matrix, step.matrix);
    const std::size_t k = step.targets.size(), dim = std::size_t{1} << k;
    const cdouble* m = binding_.matrices.data() + step.matrix;
    for (std::size_t d = first; d < last; ++d) {
      const auto& dm = derivatives_.matrices[d].entries;
      std::vector<cdouble> b(dim * dim);
      for (std::size_t r = 0; r < dim; ++r)
        for (std::size_t c = 0; c < dim; ++c)
          for (std::size_t i = 0; i < dim; ++i) b[r * dim + c] += std::conj(m[i * dim + r]) * dm[i * dim + c];
      for (std::size_t x = 0; x < dim; ++x)
        for (std::size_t z = 0; z < dim; ++z) {
          if (x == 0 && z == 0 && step.control_mask == 0) continue;  // Im <bra|ket> is 0
          const double weight = pauli_weight(b, dim, x, z);
          if (std::abs(weight) < 1e-15) continue;
          kernels::CrossTerm term;
          for (std::size_t j = 0; j < k; ++j) {
            if (((x >> j) & 1) != 0) term.masks.x |= bits::one(step.targets[j]);
            if (((z >> j) & 1) != 0) term.masks.z |= bits::one(step.targets[j]);
          }
          term.control_mask = step.control_mask;
          term.control_value = step.control_value;
          use(term, d, 2 * weight, level);
        }
    }
  }

  /// Tr(P b) / (2^k i), P = i^{y} X^x Z^z.
  static double pauli_weight(const std::vector<cdouble>& b, std::size_t dim, std::size_t x, std::size_t z) {
    constexpr std::array<cdouble, 4> kPowersOfI = {cdouble(1, 0), cdouble(0, 1), cdouble(-1, 0), cdouble(0, -1)};
    cdouble trace = 0;
    for (std::size_t i = 0; i < dim; ++i) trace += (bits::parity(i & z) ? -1.0 : 1.0) * b[i * dim + (i ^ x)];
    trace *= kPowersOfI[static_cast<std::size_t>(bits::count(x & z)) % 4];
    return trace.imag() / static_cast<double>(dim);
  }

  void phases(const Step& step, ProbedLevel& level) {
    for (const auto& phase : step.terms) {
      if (phase.kind == PhaseTerm::Kind::table) continue;
      const auto [first, last] = range_of(derivatives_.angles, &plan::AngleDerivative::angle, phase.angle);
      if (first == last) continue;
      const bool match = phase.kind == PhaseTerm::Kind::match;
      const Index own_mask = match ? phase.mask : phase.control_mask, own_value = match ? phase.value : phase.control_value;
      if (((own_value ^ step.control_value) & own_mask & step.control_mask) != 0) continue;  // never both
      kernels::CrossTerm term;
      if (!match) term.masks.z = phase.mask;
      term.control_mask = own_mask | step.control_mask;
      term.control_value = own_value | step.control_value;
      if ((term.control_value & ~term.control_mask) != 0) continue;
      for (std::size_t a = first; a < last; ++a) use(term, derivatives_.matrices.size() + a, 2 * derivatives_.angles[a].coefficient, level);
    }
  }

  void use(const kernels::CrossTerm& term, std::size_t derivative, double weight, ProbedLevel& level) {
    const std::tuple key{term.masks.x, term.masks.z, term.control_mask, term.control_value};
    const auto [found, added] = terms_.try_emplace(key, static_cast<std::uint32_t>(level.terms.size()));
    if (added) level.terms.push_back(term);
    level.uses.push_back({found->second, static_cast<std::uint32_t>(derivative), weight});
  }

  const Binding& binding_;
  const plan::Derivatives& derivatives_;
  std::map<std::tuple<Index, Index, Index, Index>, std::uint32_t> terms_;  // of the present step
};

}  // namespace

std::vector<ProbedLevel> cut_pass(const Pass& pass, const Binding& binding, const plan::Derivatives& derivatives) {
  Cutter cutter(binding, derivatives);
  Levels levels;
  std::vector<ProbedLevel> out;
  for (const auto& residency : pass.residencies)
    for (const auto& step : residency.steps) {
      const bool probed = cutter.depends(step);
      const auto level = static_cast<std::size_t>(levels.place(support_of(step), probed));
      while (out.size() <= level) {
        auto& made = out.emplace_back().pass;
        made.tile_bits = pass.tile_bits;
        made.store_bits = pass.tile_bits;
        made.row_bits = pass.row_bits;
        made.residencies.emplace_back();
      }
      if (probed) cutter.probe(step, out[level]);
      out[level].pass.residencies.front().steps.push_back(step);
    }
  if (out.empty()) {
    out.emplace_back().pass = pass;
    return out;
  }
  out.back().pass.store_bits = pass.store_bits;
  return out;
}

}  // namespace ketmesh::runtime
