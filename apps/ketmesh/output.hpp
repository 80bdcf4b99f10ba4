// What programs read: the JSON objects of --json.
#pragma once

#include <string>
#include <string_view>

#include "ketmesh/api/machine.hpp"
#include "ketmesh/api/result.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::app {

enum class BitOrder { big, little };  ///< big: bit 0 leftmost

std::string counts_key(std::string_view key, BitOrder order);
std::string result_json(const Result& result, BitOrder order);
/// declared: qubits of the circuit; the plan may hold fewer (only those that are acted upon).
std::string plan_json(const Plan& plan, std::size_t declared_qubits);
std::string machine_json(const MachineReport& report);

/// The parts of a result that bench shares, as JSON text of an object.
struct BenchReport {
  std::string name;
  int num_qubits = 0;
  std::size_t gates = 0;
  int repeats = 1;
  Result first, best;    ///< by seconds of evolution
  double bandwidth = 0;  ///< bytes/s of this machine's memory, read + written
  double share_of_bandwidth() const;
};
std::string bench_json(const BenchReport& report);

}  // namespace ketmesh::app
