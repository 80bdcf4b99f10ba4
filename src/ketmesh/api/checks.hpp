// Checks that every call of a Simulator makes of its arguments.
#pragma once

#include <chrono>

#include "ketmesh/api/result.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/runtime/record.hpp"

namespace ketmesh::api {

/// Throws CircuitError for values of names that the circuit does not have and for values that are not finite.
void check_values(const Circuit& circuit, const ParameterValues& values);
/// Throws CircuitError naming the first parameter without a value.
void check_bound(const Circuit& circuit, const ParameterValues& values);

void fill_seconds(Seconds& seconds, const RunRecord& record);

using Clock = std::chrono::steady_clock;
inline double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace ketmesh::api
