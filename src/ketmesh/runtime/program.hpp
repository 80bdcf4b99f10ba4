// How a circuit is walked when it has measurements, resets, preparations and conditions: which measurements are final, where a branch stands.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh::runtime {

/// A measurement is final when nothing that follows it, in any branch, acts on its qubits or reads its bits: it may be put off to the end.
class Program {
 public:
  /// The circuit must outlive the program, blocks included.
  explicit Program(const Circuit& circuit);
  const Circuit& circuit() const noexcept { return circuit_; }
  bool is_final(const Circuit& block, std::size_t i) const;
  /// No draw before the end: no measurement that is not final, no reset or initialize of a qubit that was acted on, no if_else.
  bool is_static() const noexcept { return static_; }
  /// Nothing but gates, operations without effect and final measurements.
  bool is_plain() const noexcept { return plain_; }
  bool has_measurements() const noexcept { return measured_; }

 private:
  struct Seen {
    std::vector<bool> used, read;
  };
  void walk_backwards(const Circuit& block, Seen& seen);
  const Circuit& circuit_;
  std::map<const Circuit*, std::vector<bool>> final_;
  bool static_ = true, plain_ = true, measured_ = false;
};

/// A place in nested blocks.
class Cursor {
 public:
  explicit Cursor(const Circuit& circuit) { frames_.push_back({&circuit, 0}); }
  struct Place {
    const Circuit* block;
    std::size_t i;
  };
  /// The next operation, and steps over it; nullopt at the end.
  std::optional<Place> next();
  void enter(const Circuit& block) { frames_.push_back({&block, 0}); }

 private:
  std::vector<Place> frames_;
};

/// Gates that wait to be planned together: a range of a circuit as long as they follow each other there, else a circuit of their own.
class Pending {
 public:
  Pending(std::size_t num_qubits, std::size_t num_clbits) : num_qubits_(num_qubits), num_clbits_(num_clbits) {}
  void add(const Circuit& block, std::size_t i);
  void skip(const Circuit& block, std::size_t i);  ///< an operation without effect
  void add_unitary(std::span<const cdouble> matrix, std::span<const Qubit> qubits);
  void add_flip(Qubit qubit);
  bool empty() const noexcept { return source_ == nullptr && own_ == nullptr; }
  std::size_t owned_size() const noexcept { return own_ ? own_->size() : 0; }

  struct Range {
    std::shared_ptr<const Circuit> owned;  ///< nullptr: `source` lives elsewhere
    const Circuit* source = nullptr;
    std::size_t first = 0, last = 0;
    const Circuit& circuit() const { return owned ? *owned : *source; }
  };
  Range take();

 private:
  Circuit& own();
  std::size_t num_qubits_, num_clbits_;
  const Circuit* source_ = nullptr;
  std::size_t first_ = 0, last_ = 0, next_ = 0;
  std::shared_ptr<Circuit> own_;
};

}  // namespace ketmesh::runtime
