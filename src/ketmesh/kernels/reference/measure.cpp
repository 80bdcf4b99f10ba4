// Not written yet: every entry says so.
#include "ketmesh/kernels/reference/measure.hpp"

#include "ketmesh/base/error.hpp"

namespace ketmesh::kernels::reference {
namespace {

[[noreturn]] void missing(const char* what) { throw Internal(std::string("kernel ") + what + " (reference) is not written yet"); }

}  // namespace

template <typename Real>
void MeasureKernels<Real>::marginals(const DeviceContext&, const Shard&, std::span<const std::uint8_t>, double*) { missing("marginals"); }
template <typename Real>
void MeasureKernels<Real>::collapse(const DeviceContext&, const Shard&, Index, Index, cdouble) { missing("collapse"); }
template <typename Real>
void MeasureKernels<Real>::scale(const DeviceContext&, const Shard&, cdouble) { missing("scale"); }
template <typename Real>
void MeasureKernels<Real>::probabilities(const DeviceContext&, const Shard&, std::span<const std::uint8_t>, std::span<const Index>, double*) { missing("probabilities"); }
template <typename Real>
void MeasureKernels<Real>::read(const DeviceContext&, const Shard&, std::span<const Index>, cdouble*) { missing("read"); }
template <typename Real>
void MeasureKernels<Real>::pauli_sums(const DeviceContext&, const Shard&, const Shard&, std::span<const PauliMasks>, cdouble*) { missing("pauli_sums"); }
template <typename Real>
cdouble MeasureKernels<Real>::inner_product(const DeviceContext&, const Shard&, const Shard&) { missing("inner_product"); }
template <typename Real>
void MeasureKernels<Real>::apply_pauli(const DeviceContext&, const Shard&, PauliMasks, cdouble) { missing("apply_pauli"); }
template <typename Real>
void MeasureKernels<Real>::add(const DeviceContext&, const Shard&, const Shard&, cdouble) { missing("add"); }

template struct MeasureKernels<float>;
template struct MeasureKernels<double>;

}  // namespace ketmesh::kernels::reference
