// Names of a circuit's wires for the writer: its registers, and unnamed stretches between them.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh::qasm {

class WireNames {
 public:
  struct Stretch {
    std::string name;
    std::size_t offset, size;
    bool unnamed;  ///< no register of the circuit
  };
  /// Registers whose names are no identifiers of the language get similar ones. `taken` grows by the names given.
  WireNames(const std::vector<Register>& registers, std::size_t count, std::string_view default_name, std::set<std::string>& taken);

  const std::vector<Stretch>& stretches() const { return stretches_; }
  std::string one(std::uint32_t wire) const;                         ///< q[3]
  const Stretch* whole(std::span<const std::uint32_t> wires) const;  ///< the stretch that these are, in order
  /// Parts of the wires, in order, each an operand of version 3: q, q[0:2], q[{1, 4}].
  std::vector<std::string> parts(std::span<const std::uint32_t> wires) const;

 private:
  const Stretch& stretch_of(std::uint32_t wire) const;
  std::vector<Stretch> stretches_;
};

bool is_identifier(std::string_view name);

}  // namespace ketmesh::qasm
