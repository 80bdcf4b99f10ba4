// What people read: tables that fit the terminal.
#pragma once

#include <string>
#include <vector>

#include "ketmesh/api/machine.hpp"
#include "ketmesh/api/result.hpp"
#include "ketmesh/plan/plan.hpp"
#include "output.hpp"

namespace ketmesh::app {

/// Answers of a run and, when `plan` is given, its figures beside those of the record.
std::string result_table(const Result& result, const std::vector<std::string>& observables, const Plan* plan, BitOrder order, int columns);
std::string machine_table(const MachineReport& report, int columns);
std::string bench_table(const BenchReport& report);

std::string human_bytes(double bytes);      ///< "1.5 GiB"
std::string human_seconds(double seconds);  ///< "12.3 ms"

}  // namespace ketmesh::app
