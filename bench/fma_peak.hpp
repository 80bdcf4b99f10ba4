// What one core of this machine can multiply and add.
#pragma once

#include "ketmesh/base/types.hpp"

namespace ketmesh::bench {

/// flop/s of one thread in registers, widest vectors of this processor, a multiply-add counted as 2; the best of a few short runs.
double fma_peak(Precision precision);

}  // namespace ketmesh::bench
