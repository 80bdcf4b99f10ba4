// Questions about a whole circuit. Each is one walk, linear in its operands.
#include <algorithm>
#include <bit>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/hash.hpp"
#include "ketmesh/circuit/reach.hpp"

namespace ketmesh {
namespace {

void hash_condition(Hash& hash, const ClassicalExpression& e) {
  hash.add(static_cast<std::uint64_t>(e.node().kind));
  hash.add_all(e.node().words);
  hash.add_all(e.node().bits);
  hash.add(e.node().operands.size());
  for (const ClassicalExpression& operand : e.node().operands) hash_condition(hash, operand);
}

void hash_payload(Hash& hash, const Payload& payload) {
  hash.add(payload.values.size());
  for (const cdouble v : payload.values) {
    hash.add(v.real());
    hash.add(v.imag());
  }
  hash.add_all(payload.table);
  hash.add_all(payload.paulis);
  if (payload.condition) hash_condition(hash, *payload.condition);
  hash.add(payload.blocks.size());
  for (const Circuit& block : payload.blocks) hash.add(block.structural_hash());
}

// Measurements with nothing but measurements and operations without effect after them on their qubits, and whose bits no
// condition reads later.
std::vector<bool> final_measurements(const Circuit& circuit) {
  std::vector<bool> used(circuit.num_qubits()), read(circuit.num_clbits()), final_one(circuit.size());
  for (std::size_t i = circuit.size(); i-- > 0;) {
    const Operation op = circuit[i];
    if (has_no_effect(op.gate)) continue;
    if (op.gate == Gate::measure) {
      final_one[i] = std::none_of(op.qubits.begin(), op.qubits.end(), [&](Qubit q) { return used[q]; }) &&
                     std::none_of(op.clbits.begin(), op.clbits.end(), [&](Clbit b) { return read[b]; });
      if (final_one[i]) continue;
    }
    visit_operands(
        op, [&](Qubit q) { used[q] = true; },
        [&](Clbit b, bool is_read) {
          if (is_read) read[b] = true;
        });
  }
  return final_one;
}

std::string list(std::string_view prefix, std::span<const std::uint32_t> numbers) {
  std::string out;
  for (const std::uint32_t n : numbers) out += (out.empty() ? "" : ", ") + std::string(prefix) + std::to_string(n);
  return out;
}

void print(const Circuit& circuit, std::string_view indent, std::string& out) {
  for (const Operation op : circuit) {
    out += indent;
    for (const Control c : op.controls) out += (c.value != 0 ? "ctrl(q" : "negctrl(q") + std::to_string(c.qubit) + ") ";
    out += to_string(op.gate);
    const std::string paulis = op.shared_payload != nullptr ? op.payload().paulis : "";
    if (!op.parameters.empty() || !paulis.empty()) {
      out += '(' + paulis;
      for (std::size_t i = 0; i < op.parameters.size(); ++i) out += (i > 0 || !paulis.empty() ? ", " : "") + op.parameters[i].str();
      out += ')';
    }
    if (!op.qubits.empty()) out += ' ' + list("q", op.qubits);
    if (!op.clbits.empty()) out += " -> " + list("c", op.clbits);
    out += '\n';
    if (op.gate != Gate::if_else) continue;
    const std::string deeper = std::string(indent) + "  ";
    print(op.payload().blocks.front(), deeper, out);
    if (op.payload().blocks.size() < 2) continue;
    out += std::string(indent) + "else\n";
    print(op.payload().blocks[1], deeper, out);
  }
}

}  // namespace

std::size_t Circuit::depth() const {
  std::vector<std::size_t> qubit_level(num_qubits()), bit_level(num_clbits());
  std::size_t deepest = 0;
  for (const Operation op : *this) {
    std::size_t level = 0;
    visit_operands(
        op, [&](Qubit q) { level = std::max(level, qubit_level[q]); }, [&](Clbit b, bool) { level = std::max(level, bit_level[b]); });
    if (op.gate != Gate::barrier && !(op.qubits.empty() && op.controls.empty() && op.gate != Gate::if_else)) ++level;
    visit_operands(
        op, [&](Qubit q) { qubit_level[q] = level; }, [&](Clbit b, bool) { bit_level[b] = level; });
    deepest = std::max(deepest, level);
  }
  return deepest;
}

// A run with a cached plan pays for this every time, so it reads the arenas as they lie.
std::size_t Circuit::structural_hash() const {
  Hash hash;
  hash.add(num_qubits());
  hash.add(num_clbits());
  for (const Record& r : records_)  // the gate and these counts decide all other counts
    hash.add(static_cast<std::uint64_t>(r.gate) | std::uint64_t{r.num_controls} << 16 | std::uint64_t{r.num_qubits} << 32);
  for (std::size_t i = 0; i + 1 < words_.size(); i += 2) hash.add(std::uint64_t{words_[i]} << 32 | words_[i + 1]);
  if (words_.size() % 2 != 0) hash.add(std::uint64_t{words_.back()});
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].is_number()) continue;
    hash.add(i);
    hash.add_all(parameters_[i].str());
  }
  for (const auto& payload : payloads_) hash_payload(hash, *payload);
  return static_cast<std::size_t>(hash.value());
}

std::vector<Qubit> Circuit::active_qubits() const {
  std::vector<char> active(num_qubits());
  for (std::size_t i = 0; i < size(); ++i) {
    const Operation op = (*this)[i];
    if (has_no_effect(op.gate)) continue;
    for (const Control c : op.controls) active[c.qubit] = 1;
    for (const Qubit q : op.qubits) active[q] = 1;
    if (op.gate == Gate::if_else)
      visit_operands(
          op, [&](Qubit q) { active[q] = 1; }, [](Clbit, bool) {});
  }
  std::vector<Qubit> out;
  out.reserve(active.size());
  for (std::size_t q = 0; q < active.size(); ++q)
    if (active[q] != 0) out.push_back(static_cast<Qubit>(q));
  return out;
}

bool Circuit::only_gates() const {
  return std::all_of(records_.begin(), records_.end(),
                     [](const Record& r) { return r.gate == Gate::barrier || r.gate == Gate::delay || gate_row(r.gate).is_unitary; });
}

bool Circuit::has_dynamic_operations() const {
  std::vector<bool> touched(num_qubits());
  const std::vector<bool> final_one = final_measurements(*this);
  for (std::size_t i = 0; i < size(); ++i) {
    const Operation op = (*this)[i];
    if (has_no_effect(op.gate)) continue;
    if (op.gate == Gate::if_else || (op.gate == Gate::measure && !final_one[i])) return true;
    const bool clears = op.gate == Gate::reset || op.gate == Gate::initialize;
    if (clears && std::any_of(op.qubits.begin(), op.qubits.end(), [&](Qubit q) { return touched[q]; })) return true;
    if (op.gate == Gate::reset) continue;  // of qubits that are |0> still
    for (const Control c : op.controls) touched[c.qubit] = true;
    for (const Qubit q : op.qubits) touched[q] = true;
  }
  return false;
}

Circuit Circuit::without_final_measurements() const {
  const std::vector<bool> final_one = final_measurements(*this);
  Circuit out = empty_copy();
  for (std::size_t i = 0; i < size(); ++i)
    if (!final_one[i]) out.append((*this)[i]);
  return out;
}

std::string Circuit::str() const {
  std::string out;
  print(*this, "", out);
  return out;
}

}  // namespace ketmesh
