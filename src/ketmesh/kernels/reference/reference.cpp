// The table of the reference backend.
#include "ketmesh/kernels/host_memory.hpp"
#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/kernels/reference/measure.hpp"
#include "ketmesh/kernels/reference/move.hpp"
#include "ketmesh/kernels/reference/pass.hpp"

namespace ketmesh::kernels {
namespace {

template <typename Real>
constexpr Kernels make_table(Precision precision) {
  using Move = reference::MoveKernels<Real>;
  using Passes = reference::PassKernels<Real>;
  using Measure = reference::MeasureKernels<Real>;
  return {
      .backend = "reference",
      .level = "scalar",
      .precision = precision,
      .allocate = HostMemoryKernels::allocate,
      .release = HostMemoryKernels::release,
      .copy = HostMemoryKernels::copy,
      .copy_to_host = HostMemoryKernels::copy,
      .copy_from_host = HostMemoryKernels::copy,
      .synchronize = HostMemoryKernels::synchronize,
      .fill_zero = Move::fill_zero,
      .fill_basis = Move::fill_basis,
      .fill_product = Move::fill_product,
      .prepare_pass = Passes::prepare_pass,
      .run_pass = Passes::run_pass,
      .marginals = Measure::marginals,
      .collapse = Measure::collapse,
      .scale = Measure::scale,
      .probabilities = Measure::probabilities,
      .read = Measure::read,
      .pauli_sums = Measure::pauli_sums,
      .inner_product = Measure::inner_product,
      .apply_pauli = Measure::apply_pauli,
      .add = Measure::add,
      .pack = Move::pack,
      .unpack = Move::unpack,
  };
}

constexpr Kernels kSingle = make_table<float>(Precision::single);
constexpr Kernels kDouble = make_table<double>(Precision::double_);

}  // namespace

const Kernels& reference_kernels(Precision precision) { return precision == Precision::single ? kSingle : kDouble; }

}  // namespace ketmesh::kernels
