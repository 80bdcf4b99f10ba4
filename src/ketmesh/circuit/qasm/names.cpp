#include "ketmesh/circuit/qasm/names.hpp"

namespace ketmesh::qasm {

Names::Names() {
#define KETMESH_QASM_ADD(word) intern(#word);
  KETMESH_QASM_WORDS(KETMESH_QASM_ADD)
#undef KETMESH_QASM_ADD
}

Name Names::intern(std::string_view text) {
  const auto found = index_.find(text);
  if (found != index_.end()) return found->second;
  owned_.emplace_back(text.begin(), text.end());
  const std::string_view kept(owned_.back().data(), owned_.back().size());
  const Name name = static_cast<Name>(texts_.size());
  texts_.push_back(kept);
  index_.emplace(kept, name);
  return name;
}

bool is_reserved(Name name, int version) {
  if (name <= static_cast<Name>(Word::if_)) return true;
  return version >= 3 && name <= static_cast<Name>(Word::void_);
}

}  // namespace ketmesh::qasm
