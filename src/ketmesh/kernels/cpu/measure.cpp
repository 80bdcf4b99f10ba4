#include "ketmesh/kernels/cpu/measure.hpp"

#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/cpu/measure_kernels.hpp"

namespace ketmesh::kernels::cpu {
namespace {

/// The kernels with the loops of one level: what a table of plain functions needs.
template <typename Real, SimdLevel level>
struct AtLevel {
  static const VectorOps<Real>& ops() {
    static const VectorOps<Real>& found = vector_ops<Real>(level);
    return found;
  }
  static void marginals(const DeviceContext& context, const Shard& shard, std::span<const std::uint8_t> bits, double* out) {
    cpu::marginals(ops(), context, shard, bits, out);
  }
  static void collapse(const DeviceContext& context, const Shard& shard, Index mask, Index value, cdouble scale) {
    cpu::collapse(ops(), context, shard, mask, value, scale);
  }
  static void scale(const DeviceContext& context, const Shard& shard, cdouble factor) { cpu::scale(ops(), context, shard, factor); }
  static void probabilities(const DeviceContext& context, const Shard& shard, std::span<const std::uint8_t> free,
                            std::span<const Index> fixed, double* out) {
    cpu::probabilities(ops(), context, shard, free, fixed, out);
  }
  static void pauli_sums(const DeviceContext& context, const Shard& shard, const Shard& partner, std::span<const PauliMasks> terms,
                         cdouble* sums) {
    cpu::pauli_sums(ops(), context, shard, partner, terms, sums);
  }
  static cdouble inner_product(const DeviceContext& context, const Shard& a, const Shard& b) {
    return cpu::inner_product(ops(), context, a, b);
  }
  static void add(const DeviceContext& context, const Shard& a, const Shard& b, cdouble factor) { cpu::add(ops(), context, a, b, factor); }

  static void set(Kernels& table) {
    table.marginals = marginals;
    table.collapse = collapse;
    table.scale = scale;
    table.probabilities = probabilities;
    table.read = cpu::read<Real>;
    table.pauli_sums = pauli_sums;
    table.inner_product = inner_product;
    table.apply_pauli = cpu::apply_pauli<Real>;
    table.add = add;
    table.add_paulis = cpu::add_paulis<Real>;
  }
};

}  // namespace

template <typename Real>
void set_measure_kernels(Kernels& table, SimdLevel level) {
  switch (level) {
    case SimdLevel::avx512:
      return AtLevel<Real, SimdLevel::avx512>::set(table);
    case SimdLevel::avx2:
      return AtLevel<Real, SimdLevel::avx2>::set(table);
    case SimdLevel::sse4:
      return AtLevel<Real, SimdLevel::sse4>::set(table);
    case SimdLevel::neon:
      return AtLevel<Real, SimdLevel::neon>::set(table);
    case SimdLevel::scalar:
      return AtLevel<Real, SimdLevel::scalar>::set(table);
    case SimdLevel::best:
      break;
  }
  throw Internal("measuring kernels need a SIMD level, not " + std::string(to_string(level)));
}

template void set_measure_kernels<float>(Kernels&, SimdLevel);
template void set_measure_kernels<double>(Kernels&, SimdLevel);

}  // namespace ketmesh::kernels::cpu
