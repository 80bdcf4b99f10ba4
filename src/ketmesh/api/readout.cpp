#include "ketmesh/api/readout.hpp"

#include <algorithm>

namespace ketmesh::api {
namespace {

std::size_t measured_width(const Circuit& circuit) {
  std::size_t width = 0;
  for (const Operation op : circuit) {
    if (op.gate == Gate::measure)
      for (const Clbit b : op.clbits) width = std::max<std::size_t>(width, std::size_t{b} + 1);
    if (op.gate == Gate::if_else)
      for (const Circuit& block : op.payload().blocks) width = std::max(width, measured_width(block));
  }
  return width;
}

}  // namespace

std::size_t key_width(const Circuit& circuit) { return std::max(measured_width(circuit), circuit.num_qubits()); }

Readout readout(const Circuit& circuit, std::span<const Qubit> original) {
  Readout out;
  out.width = key_width(circuit);
  std::map<Clbit, int> source;
  for (const Operation op : circuit) {
    if (op.gate != Gate::measure) continue;
    for (std::size_t i = 0; i < op.qubits.size(); ++i) {
      const auto found = std::lower_bound(original.begin(), original.end(), op.qubits[i]);
      source[op.clbits[i]] = found != original.end() && *found == op.qubits[i] ? static_cast<int>(found - original.begin()) : -1;
    }
  }
  out.bits.assign(source.begin(), source.end());
  return out;
}

Counts to_counts(std::span<const measure::SampleCount> samples, const Readout& readout) {
  Counts counts;
  std::string key;
  for (const measure::SampleCount& sample : samples) {
    key.assign(readout.width, '0');
    for (const auto& [bit, qubit] : readout.bits)
      if (qubit >= 0 && ((sample.outcome >> qubit) & 1u) != 0) key[bit] = '1';
    counts[key] += sample.count;
  }
  return counts;
}

Counts all_zero(std::uint64_t shots, std::size_t width) {
  Counts counts;
  if (shots > 0) counts[std::string(width, '0')] = shots;
  return counts;
}

}  // namespace ketmesh::api
