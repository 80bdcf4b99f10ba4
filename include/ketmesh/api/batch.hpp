// What Simulator::run_batch takes and returns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ketmesh/api/result.hpp"
#include "ketmesh/circuit/pauli.hpp"

namespace ketmesh {

struct BatchOptions {
  std::vector<std::string>
      parameter_names{};  ///< of the columns of the rows; empty: the circuit's names as they appear. Every name of the circuit once
  std::vector<PauliSum> observables{};  ///< estimate these for each row
  std::uint64_t shots = 0;              ///< 0 .. 2^32 - 1 for each row
  std::optional<std::uint64_t> seed{};  ///< row r draws as a run with seed + r does; over the config's
  bool statevectors = false;            ///< also all 2^n amplitudes of each row
  /// Called between rows with (rows done, all rows, what); may throw to stop.
  std::function<void(std::uint64_t, std::uint64_t, const char*)> progress{};
};

struct BatchResult {
  std::size_t rows = 0, num_qubits = 0, num_observables = 0;
  std::uint64_t shots = 0, seed = 0;
  std::vector<double> expectation_values;                    ///< row-major [rows][num_observables]
  std::vector<std::map<std::string, std::uint64_t>> counts;  ///< of each row, when shots were asked for; keys as in Result
  std::vector<cdouble> statevectors;                         ///< row-major [rows][2^n], when asked for
  bool in_lanes = false;                                     ///< several rows at a time in the lanes of a vector
  Distribution distribution;
  Seconds seconds;
  double expectation_value(std::size_t row, std::size_t observable) const {
    return expectation_values.at(row * num_observables + observable);
  }
};

}  // namespace ketmesh
