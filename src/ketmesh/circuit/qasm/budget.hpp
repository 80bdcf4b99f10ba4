// The bound on what a text may expand to.
#pragma once

#include <cstdint>

#include "ketmesh/circuit/qasm/source.hpp"

namespace ketmesh::qasm {

class Budget {
 public:
  Budget(const Sources& sources, std::uint64_t limit) : sources_(&sources), limit_(limit), left_(limit) {}
  /// Counts operations, loop turns and calls of gates; CircuitError when there are too many.
  void spend(std::uint64_t steps, Place place) {
    if (steps > left_) exhausted(place);
    left_ -= steps;
  }

 private:
  [[noreturn]] void exhausted(Place place) const;
  const Sources* sources_;
  std::uint64_t limit_, left_;
};

}  // namespace ketmesh::qasm
