// Simulator::run_batch.
#pragma once

#include <span>

#include "ketmesh/api/batch.hpp"
#include "ketmesh/api/runner.hpp"

namespace ketmesh::api {

BatchResult run_batch(Runner& runner, const Circuit& circuit, std::span<const double> rows, const BatchOptions& options);

}  // namespace ketmesh::api
