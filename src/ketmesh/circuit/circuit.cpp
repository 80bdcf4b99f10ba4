#include "ketmesh/circuit/circuit.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

constexpr std::size_t kMaxTotal = (std::size_t{1} << 31) - 1;  // Control::qubit has 31 bits

void check_width(std::string_view thing, std::size_t size) {
  if (size > kMaxDeclaredQubits)
    throw CircuitError("a circuit of " + std::to_string(size) + " " + std::string(thing) + " is too wide: 0.." +
                       std::to_string(kMaxDeclaredQubits) + " are possible");
}

}  // namespace

Circuit::Circuit() = default;

Circuit::Circuit(std::size_t num_qubits, std::size_t num_clbits)
    : num_qubits_(num_qubits), num_clbits_(num_clbits), fixed_qubits_(true), fixed_clbits_(num_clbits > 0) {
  check_width("qubits", num_qubits);
  check_width("classical bits", num_clbits);
}

Circuit Circuit::empty_copy() const {
  Circuit out;
  out.num_qubits_ = num_qubits_;
  out.num_clbits_ = num_clbits_;
  out.fixed_qubits_ = fixed_qubits_;
  out.fixed_clbits_ = fixed_clbits_;
  out.qregs_ = qregs_;
  out.cregs_ = cregs_;
  return out;
}

Circuit::Iterator Circuit::begin() const { return {this, 0}; }
Circuit::Iterator Circuit::end() const { return {this, size()}; }

namespace {

std::size_t declare(std::vector<Register>& registers, const std::vector<Register>& others, std::size_t& total, std::string name,
                    std::size_t size) {
  if (name.empty()) throw CircuitError("a register needs a name");
  const auto same = [&](const Register& r) { return r.name == name; };
  if (std::any_of(registers.begin(), registers.end(), same) || std::any_of(others.begin(), others.end(), same))
    throw CircuitError("a register named '" + name + "' is there already");
  if (size > kMaxDeclaredQubits || total + size > kMaxTotal)
    throw CircuitError("register '" + name + "' of size " + std::to_string(size) + " is too wide: 0.." +
                       std::to_string(kMaxDeclaredQubits) + " are possible");
  const std::size_t offset = total;
  registers.push_back({std::move(name), offset, size});
  total += size;
  return offset;
}

}  // namespace

std::size_t Circuit::add_quantum_register(std::string name, std::size_t size) {
  return declare(qregs_, cregs_, num_qubits_, std::move(name), size);
}

std::size_t Circuit::add_classical_register(std::string name, std::size_t size) {
  return declare(cregs_, qregs_, num_clbits_, std::move(name), size);
}

Circuit& Circuit::widen(std::size_t num_qubits, std::size_t num_clbits) {
  if (std::max(num_qubits, num_clbits) > kMaxTotal)
    throw CircuitError("a circuit of " + std::to_string(std::max(num_qubits, num_clbits)) + " wires is too wide: 0.." +
                       std::to_string(kMaxTotal) + " are possible");
  num_qubits_ = std::max(num_qubits_, num_qubits);
  num_clbits_ = std::max(num_clbits_, num_clbits);
  return *this;
}

std::vector<std::string> Circuit::parameter_names() const {
  std::vector<std::string> names;
  // Most circuits hold numbers only.
  if (payloads_.empty() && std::all_of(parameters_.begin(), parameters_.end(), [](const Parameter& p) { return p.is_number(); }))
    return names;
  for (const Operation op : *this) {
    for (const Parameter& p : op.parameters) p.collect_names(names);
    if (op.gate != Gate::if_else) continue;
    for (const Circuit& block : op.payload().blocks)
      for (std::string& name : block.parameter_names())
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

bool operator==(const Circuit& a, const Circuit& b) {
  if (a.num_qubits() != b.num_qubits() || a.num_clbits() != b.num_clbits() || a.size() != b.size() || a.qregs_ != b.qregs_ ||
      a.cregs_ != b.cregs_)
    return false;
  // Operands lie in the arenas in the order of the operations, so equal counts make equal offsets.
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Circuit::Record &x = a.records_[i], &y = b.records_[i];
    if (x.gate != y.gate || x.num_controls != y.num_controls || x.num_qubits != y.num_qubits || x.num_parameters != y.num_parameters ||
        x.num_clbits != y.num_clbits || (x.payload >= 0) != (y.payload >= 0))
      return false;
  }
  if (a.words_ != b.words_ || a.parameters_ != b.parameters_) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.records_[i].payload < 0) continue;
    const auto &x = a.payloads_[static_cast<std::size_t>(a.records_[i].payload)],
               &y = b.payloads_[static_cast<std::size_t>(b.records_[i].payload)];
    if (x != y && !(*x == *y)) return false;
  }
  return true;
}

}  // namespace ketmesh
