// Everything a user needs.
#pragma once

#include "ketmesh/api/batch.hpp"        // IWYU pragma: export
#include "ketmesh/api/config.hpp"       // IWYU pragma: export
#include "ketmesh/api/gradient.hpp"     // IWYU pragma: export
#include "ketmesh/api/machine.hpp"      // IWYU pragma: export
#include "ketmesh/api/result.hpp"       // IWYU pragma: export
#include "ketmesh/api/simulator.hpp"    // IWYU pragma: export
#include "ketmesh/api/state.hpp"        // IWYU pragma: export
#include "ketmesh/base/error.hpp"       // IWYU pragma: export
#include "ketmesh/circuit/circuit.hpp"  // IWYU pragma: export
#include "ketmesh/encode/batch.hpp"     // IWYU pragma: export
#include "ketmesh/encode/encode.hpp"    // IWYU pragma: export
#include "ketmesh/plan/planner.hpp"     // IWYU pragma: export
#include "ketmesh/transport/mpi.hpp"    // IWYU pragma: export
