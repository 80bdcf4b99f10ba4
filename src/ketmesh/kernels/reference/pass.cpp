#include "ketmesh/kernels/reference/pass.hpp"

#include <cmath>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::kernels::reference {
namespace {

struct Prepared {
  Pass pass;
  Binding binding;
};

Index mask_of(const std::vector<std::uint8_t>& positions) {
  Index mask = 0;
  for (const auto b : positions) mask |= bits::one(b);
  return mask;
}

bool controls_hold(const Step& step, Index physical) { return (physical & step.control_mask) == step.control_value; }

/// out[r] = sum_c matrix[r][c] in[c] over the 2^k amplitudes that differ in the targets.
template <typename Real>
void apply_matrix(std::complex<Real>* a, const Shard& shard, const Step& step, const cdouble* matrix) {
  const std::span<const std::uint8_t> targets = step.targets;
  const Index size = bits::one(static_cast<int>(targets.size()));
  const Index mask = mask_of(step.targets);
  std::vector<std::complex<Real>> in(size);
  for (Index i = 0; i < shard.size(); ++i) {
    if ((i & mask) != 0 || !controls_hold(step, shard.base + i)) continue;
    for (Index c = 0; c < size; ++c) in[c] = a[i | bits::scatter(c, targets)];
    for (Index r = 0; r < size; ++r) {
      std::complex<Real> sum = 0;
      for (Index c = 0; c < size; ++c) sum += std::complex<Real>(matrix[r * size + c]) * in[c];
      a[i | bits::scatter(r, targets)] = sum;
    }
  }
}

template <typename Real>
void apply_permutation(std::complex<Real>* a, const Shard& shard, const Step& step) {
  const std::span<const std::uint8_t> targets = step.targets;
  const Index size = bits::one(static_cast<int>(targets.size()));
  const Index mask = mask_of(step.targets);
  std::vector<std::complex<Real>> in(size);
  for (Index i = 0; i < shard.size(); ++i) {
    if ((i & mask) != 0 || !controls_hold(step, shard.base + i)) continue;
    for (Index c = 0; c < size; ++c) in[c] = a[i | bits::scatter(c, targets)];
    for (Index c = 0; c < size; ++c) a[i | bits::scatter(step.table[c], targets)] = in[c];
  }
}

double angle_of(const PhaseTerm& term, Index i, const std::vector<double>& angles) {
  switch (term.kind) {
    case PhaseTerm::Kind::match:
      return (i & term.mask) == term.value ? angles[term.angle] : 0.0;
    case PhaseTerm::Kind::parity:
      if ((i & term.control_mask) != term.control_value) return 0.0;
      return bits::parity(i & term.mask) ? -angles[term.angle] : angles[term.angle];
    case PhaseTerm::Kind::table:
      if ((i & term.control_mask) != term.control_value) return 0.0;
      return angles[term.angle + bits::gather(i, std::span<const std::uint8_t>(term.bits))];
  }
  throw Internal("a phase term of no known kind");
}

template <typename Real>
void apply_phases(std::complex<Real>* a, const Shard& shard, const Step& step, const std::vector<double>& angles) {
  for (Index i = 0; i < shard.size(); ++i) {
    if (!controls_hold(step, shard.base + i)) continue;
    double angle = 0;
    for (const auto& term : step.terms) angle += angle_of(term, shard.base + i, angles);
    a[i] *= std::complex<Real>(std::polar(1.0, angle));
  }
}

template <typename Real>
void apply_step(std::complex<Real>* a, const Shard& shard, const Step& step, const Binding& binding) {
  switch (step.kind) {
    case StepKind::matrix:
      return apply_matrix(a, shard, step, binding.matrices.data() + step.matrix);
    case StepKind::permutation:
      return apply_permutation(a, shard, step);
    case StepKind::phases:
      return apply_phases(a, shard, step, binding.angles);
  }
  throw Internal("a step of no known kind");
}

/// What lies at bit tile_bits[j] goes to bit store_bits[j].
template <typename Real>
void permute_bits(std::complex<Real>* a, const Shard& shard, const Pass& pass) {
  if (pass.tile_bits == pass.store_bits || pass.store_bits.empty()) return;
  const Index kept = ~mask_of(pass.tile_bits);
  const std::vector<std::complex<Real>> old(a, a + shard.size());
  for (Index i = 0; i < shard.size(); ++i) {
    const Index tile = bits::gather(i, std::span<const std::uint8_t>(pass.tile_bits));
    a[(i & kept) | bits::scatter(tile, std::span<const std::uint8_t>(pass.store_bits))] = old[i];
  }
}

}  // namespace

template <typename Real>
PreparedPass PassKernels<Real>::prepare_pass(const DeviceContext&, const Pass& pass, const Binding& binding, int) {
  return std::make_shared<const Prepared>(Prepared{pass, binding});
}

template <typename Real>
void PassKernels<Real>::run_pass(const DeviceContext&, const PreparedPass& prepared, const Shard& shard, const NormBins* bins) {
  const auto& [pass, binding] = *static_cast<const Prepared*>(prepared.get());
  auto* a = static_cast<std::complex<Real>*>(shard.data);
  for (const auto& residency : pass.residencies)
    for (const auto& step : residency.steps) apply_step(a, shard, step, binding);
  permute_bits(a, shard, pass);
  if (bins == nullptr) return;
  for (Index i = 0; i < shard.size(); ++i) {
    const double re = a[i].real(), im = a[i].imag();
    bins->sums[bits::gather(shard.base + i, bins->bits)] += re * re + im * im;
  }
}

template struct PassKernels<float>;
template struct PassKernels<double>;

}  // namespace ketmesh::kernels::reference
