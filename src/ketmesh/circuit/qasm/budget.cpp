#include "ketmesh/circuit/qasm/budget.hpp"

#include <string>

namespace ketmesh::qasm {

void Budget::exhausted(Place place) const {
  sources_->circuit_error(place, "the text expands to more than " + std::to_string(limit_) + " operations, the limit");
}

}  // namespace ketmesh::qasm
