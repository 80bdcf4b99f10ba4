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
  // Keys sort as numbers whose highest digit is the first character; a qubit that stands in several bits adds nothing after the first.
  std::vector<int> digits;
  for (const auto& [bit, qubit] : readout.bits)
    if (qubit >= 0 && std::find(digits.begin(), digits.end(), qubit) == digits.end()) digits.push_back(qubit);
  struct Row {
    std::uint64_t rank;
    std::size_t sample;
  };
  std::vector<Row> rows(samples.size());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    std::uint64_t rank = 0;
    for (const int qubit : digits) rank = rank << 1 | ((samples[s].outcome >> qubit) & 1u);
    rows[s] = {rank, s};
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.rank < b.rank; });
  Counts counts;
  std::string key(readout.width, '0');
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const measure::SampleCount& sample = samples[rows[r].sample];
    if (r > 0 && rows[r].rank == rows[r - 1].rank) {
      counts.rbegin()->second += sample.count;
      continue;
    }
    for (const auto& [bit, qubit] : readout.bits) key[bit] = qubit >= 0 && ((sample.outcome >> qubit) & 1u) != 0 ? '1' : '0';
    counts.emplace_hint(counts.end(), key, sample.count);
  }
  return counts;
}

Counts all_zero(std::uint64_t shots, std::size_t width) {
  Counts counts;
  if (shots > 0) counts[std::string(width, '0')] = shots;
  return counts;
}

}  // namespace ketmesh::api
