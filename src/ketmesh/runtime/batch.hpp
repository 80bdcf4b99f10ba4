// One circuit with many rows of parameters: one plan, numbers for as many rows at a time as a vector has lanes.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/kernels/batch/batch.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::runtime {

/// The values of all parameters of a circuit from a row, without names: constants and affine functions of one column are computed, others evaluated.
class AngleTable {
 public:
  /// `columns`: names of the numbers of a row. All names of the circuit must be among them.
  AngleTable(const Circuit& circuit, std::span<const std::string> columns);
  std::size_t size() const noexcept { return angles_.size(); }
  /// Throws CircuitError when an angle is not finite.
  void fill(std::span<const double> row, std::span<double> out) const;

 private:
  struct Angle {
    std::size_t column = 0;
    double scale = 0, offset = 0;
    const Parameter* expression = nullptr;  // others
  };
  std::vector<Angle> angles_;
  std::vector<Parameter> expressions_;
  std::vector<std::string> columns_;
};

/// What is read of each row's state.
struct BatchReads {
  std::span<const PauliMasks> strings;  ///< logical; values[row][string] are divided by the squared norm
  bool probabilities = false;           ///< 2^n in logical order
  bool amplitudes = false;              ///< 2^n in logical order
};
struct BatchRow {
  std::size_t number = 0;
  std::span<const double> values;
  std::span<const double> probabilities;
  std::span<const cdouble> amplitudes;
};

/// Runs all rows of [num_rows][columns] on `threads` threads; `take` is called once a row, on any thread, in any order. An exception in a row is
/// thrown again after all threads have stopped, with its number in front; the lowest such row is told when there are several among those at work.
/// The plan must suit kernels::batch::translate.
void run_in_lanes(const Plan& plan, const Circuit& circuit, std::span<const std::string> columns, std::span<const double> rows,
                  std::size_t num_rows, Precision precision, kernels::SimdLevel level, int threads, const BatchReads& reads,
                  const std::function<void(const BatchRow&)>& take, const std::function<void(std::size_t)>& progress);

}  // namespace ketmesh::runtime
