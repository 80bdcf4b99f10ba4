#include "ketmesh/runtime/program.hpp"

#include <algorithm>

#include "ketmesh/circuit/reach.hpp"

namespace ketmesh::runtime {

Program::Program(const Circuit& circuit) : circuit_(circuit) {
  if (circuit.only_gates()) return;
  Seen seen{std::vector<bool>(circuit.num_qubits()), std::vector<bool>(circuit.num_clbits())};
  walk_backwards(circuit, seen);
  std::vector<bool> touched(circuit.num_qubits());
  for (std::size_t i = 0; i < circuit.size(); ++i) {
    const Operation op = circuit[i];
    if (has_no_effect(op.gate)) continue;
    const bool clears = op.gate == Gate::reset || op.gate == Gate::initialize;
    const bool draws = op.gate == Gate::if_else || (op.gate == Gate::measure && !is_final(circuit, i)) ||
                       (clears && std::any_of(op.qubits.begin(), op.qubits.end(), [&](Qubit q) { return touched[q]; }));
    static_ = static_ && !draws;
    plain_ = plain_ && !draws && !clears;
    if (op.gate == Gate::reset) continue;
    visit_operands(
        op, [&](Qubit q) { touched[q] = true; }, [](Clbit, bool) {});
  }
}

void Program::walk_backwards(const Circuit& block, Seen& seen) {
  std::vector<bool> flags(block.size());
  for (std::size_t i = block.size(); i-- > 0;) {
    const Operation op = block[i];
    if (has_no_effect(op.gate)) continue;
    if (op.gate == Gate::measure) {
      measured_ = true;
      flags[i] = std::none_of(op.qubits.begin(), op.qubits.end(), [&](Qubit q) { return seen.used[q]; }) &&
                 std::none_of(op.clbits.begin(), op.clbits.end(), [&](Clbit b) { return seen.read[b]; });
      if (flags[i]) continue;
    }
    if (op.gate == Gate::if_else) {
      for (const auto& inner : op.payload().blocks) {
        Seen after = seen;
        walk_backwards(inner, after);
      }
    }
    visit_operands(
        op, [&](Qubit q) { seen.used[q] = true; },
        [&](Clbit b, bool is_read) {
          if (is_read) seen.read[b] = true;
        });
  }
  final_.emplace(&block, std::move(flags));
}

bool Program::is_final(const Circuit& block, std::size_t i) const {
  const auto found = final_.find(&block);
  return found != final_.end() && found->second[i];
}

std::optional<Cursor::Place> Cursor::next() {
  while (!frames_.empty() && frames_.back().i == frames_.back().block->size()) frames_.pop_back();
  if (frames_.empty()) return std::nullopt;
  const Place place = frames_.back();
  ++frames_.back().i;
  return place;
}

void Pending::add(const Circuit& block, std::size_t i) {
  if (empty() && block.num_qubits() == num_qubits_) {
    source_ = &block;
    first_ = i;
  } else if (own_ != nullptr || source_ != &block || i != next_) {
    own().append(block[i]);
    return;
  }
  last_ = next_ = i + 1;
}

void Pending::skip(const Circuit& block, std::size_t i) {
  if (source_ == &block && i == next_) next_ = i + 1;
}

void Pending::add_unitary(std::span<const cdouble> matrix, std::span<const Qubit> qubits) { own().unitary(matrix, qubits); }

void Pending::add_flip(Qubit qubit) { own().x(qubit); }

Circuit& Pending::own() {
  if (own_ == nullptr) own_ = std::make_shared<Circuit>(num_qubits_, num_clbits_);
  if (source_ != nullptr) {
    for (std::size_t i = first_; i < last_; ++i) own_->append((*source_)[i]);
    source_ = nullptr;
  }
  return *own_;
}

Pending::Range Pending::take() {
  Range range{own_, source_, own_ ? 0 : first_, own_ ? own_->size() : last_};
  own_.reset();
  source_ = nullptr;
  return range;
}

}  // namespace ketmesh::runtime
