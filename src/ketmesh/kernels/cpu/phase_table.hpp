// Tables of exp(i f) over a few tile bits.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/kernels/cpu/lower.hpp"

namespace ketmesh::kernels::cpu {

/// exp(i sum of terms) for every assignment of the tile bits in `involved` (compact index: lowest bit first). Only the parts of the
/// terms within the tile count; conditions are the caller's.
std::vector<cdouble> phase_table(std::span<const TileTerm> terms, std::uint32_t involved, const Binding& binding,
                                 const std::array<std::int8_t, 64>& position);

/// The bits of `value` at the set bits of `mask`, lowest first.
std::uint32_t compact(std::uint32_t value, std::uint32_t mask);

/// The number beside `x` whose parts are numbers of Real and whose absolute value is nearest to that of `x`: a factor that is applied
/// hundreds of times must not let the norm drift. The argument moves by less than a unit of the last place of 1.
template <typename Real>
cdouble round_to_norm(cdouble x);

}  // namespace ketmesh::kernels::cpu
