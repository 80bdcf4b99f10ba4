// The tables of the CPU backend, one a SIMD level and precision.
#include <array>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/cpu/level.hpp"
#include "ketmesh/kernels/cpu/measure.hpp"
#include "ketmesh/kernels/cpu/move.hpp"
#include "ketmesh/kernels/cpu/pass.hpp"
#include "ketmesh/kernels/host_memory.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels {
namespace {

constexpr std::size_t kLevels = 6;

template <typename Real, SimdLevel kLevel>
Kernels make_table(Precision precision) {
  using Move = cpu::MoveKernels<Real>;
  using Passes = cpu::PassKernels<Real, kLevel>;
  Kernels table = {
      .backend = "cpu",
      .level = to_string(kLevel),
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
      .pack = Move::pack,
      .unpack = Move::unpack,
      .prepare_adjoint = Passes::prepare_adjoint,
      .run_adjoint = Passes::run_adjoint,
  };
  cpu::set_measure_kernels<Real>(table, kLevel);
  return table;
}

template <typename Real>
Kernels make_table(Precision precision, SimdLevel level) {
  switch (level) {
    case SimdLevel::avx512:
      return make_table<Real, SimdLevel::avx512>(precision);
    case SimdLevel::avx2:
      return make_table<Real, SimdLevel::avx2>(precision);
    case SimdLevel::sse4:
      return make_table<Real, SimdLevel::sse4>(precision);
    case SimdLevel::neon:
      return make_table<Real, SimdLevel::neon>(precision);
    case SimdLevel::scalar:
      return make_table<Real, SimdLevel::scalar>(precision);
    case SimdLevel::best:
      break;
  }
  throw Internal("a table of no certain SIMD level");
}

template <typename Real>
const Kernels& table(Precision precision, SimdLevel level) {
  static const std::array<Kernels, kLevels> tables = [precision] {
    std::array<Kernels, kLevels> made{};
    for (const SimdLevel l : available_simd_levels()) made[static_cast<std::size_t>(l)] = make_table<Real>(precision, l);
    return made;
  }();
  return tables[static_cast<std::size_t>(level)];
}

}  // namespace

const Kernels& cpu_kernels(Precision precision, SimdLevel level) {
  const SimdLevel chosen = cpu::choose_level(level);
  return precision == Precision::single ? table<float>(precision, chosen) : table<double>(precision, chosen);
}

}  // namespace ketmesh::kernels
