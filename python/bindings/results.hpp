// Results as dicts.
#pragma once

#include <nanobind/nanobind.h>

#include "ketmesh/ketmesh.hpp"

namespace ketmesh::python {

nanobind::dict to_dict(const Distribution& distribution, std::uint64_t seed);
nanobind::dict to_dict(const Seconds& seconds);

}  // namespace ketmesh::python
