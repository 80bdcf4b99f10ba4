// What names of registers, constants, variables and loop variables mean where the reader stands.
#pragma once

#include <cstdint>
#include <vector>

#include "ketmesh/circuit/qasm/code.hpp"

namespace ketmesh::qasm {

struct Symbol {
  enum class Kind : std::uint8_t { value, parameter, qubit };
  Kind kind = Kind::value;  ///< parameter, qubit: of the gate that is being defined, number `local`
  Name name = 0;
  bool assignable = false;
  int branch = 0;  ///< measured branches around the declaration
  std::uint32_t local = 0;
  TypeSpec type;  ///< of an assignable value
  Value value;
  Place place;
};

class Scopes {
 public:
  void enter() { marks_.push_back(symbols_.size()); }
  void leave();
  /// Innermost symbol of that name, or nullptr. Valid until the next declaration.
  Symbol* find(Name name);
  /// Throws ParseError when the innermost scope has that name.
  Symbol& declare(Symbol symbol, const Sources& sources, const Names& names);

 private:
  struct Entry {
    Symbol symbol;
    std::int64_t hidden;  // symbol of an outer scope with that name, -1: none
  };
  std::vector<Entry> symbols_;
  std::vector<std::size_t> marks_;
  std::vector<std::int64_t> top_;  // by name
};

/// Enters a scope while it lives.
class Scope {
 public:
  explicit Scope(Scopes& scopes) : scopes_(&scopes) { scopes.enter(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { scopes_->leave(); }

 private:
  Scopes* scopes_;
};

}  // namespace ketmesh::qasm
