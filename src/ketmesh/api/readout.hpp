// From outcomes of qubits to keys of classical bits.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/measure/measure.hpp"

namespace ketmesh::api {

using Counts = std::map<std::string, std::uint64_t>;

/// Characters of a key: max(highest measured bit + 1, number of qubits); measurements inside conditional blocks count.
std::size_t key_width(const Circuit& circuit);

/// Where each classical bit comes from when all measurements stand at the end; -1: the qubit holds |0> (nothing acted upon it).
struct Readout {
  std::vector<std::pair<Clbit, int>> bits;  ///< (bit, qubit of the state); each bit once, the last measurement wins
  std::size_t width = 0;
};
/// `original` lists the qubits of the circuit that the state holds.
Readout readout(const Circuit& circuit, std::span<const Qubit> original);

Counts to_counts(std::span<const measure::SampleCount> samples, const Readout& readout);

/// {} for no shots, else all of them on the all-zero key.
Counts all_zero(std::uint64_t shots, std::size_t width);

}  // namespace ketmesh::api
