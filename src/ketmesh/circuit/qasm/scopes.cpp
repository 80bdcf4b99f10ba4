#include "ketmesh/circuit/qasm/scopes.hpp"

#include <fmt/format.h>

#include <utility>

namespace ketmesh::qasm {

void Scopes::leave() {
  while (symbols_.size() > marks_.back()) {
    top_[symbols_.back().symbol.name] = symbols_.back().hidden;
    symbols_.pop_back();
  }
  marks_.pop_back();
}

Symbol* Scopes::find(Name name) {
  if (name >= top_.size() || top_[name] < 0) return nullptr;
  return &symbols_[static_cast<std::size_t>(top_[name])].symbol;
}

Symbol& Scopes::declare(Symbol symbol, const Sources& sources, const Names& names) {
  if (symbol.name >= top_.size()) top_.resize(std::size_t{symbol.name} + 1, -1);
  std::int64_t& top = top_[symbol.name];
  const std::size_t mark = marks_.empty() ? 0 : marks_.back();
  if (top >= 0 && static_cast<std::size_t>(top) >= mark) {
    const Place first = symbols_[static_cast<std::size_t>(top)].symbol.place;
    sources.parse_error(symbol.place, fmt::format("'{}' is declared already, in line {}", shown(names.text(symbol.name)), first.line));
  }
  symbols_.push_back(Entry{std::move(symbol), top});
  top = static_cast<std::int64_t>(symbols_.size() - 1);
  return symbols_.back().symbol;
}

}  // namespace ketmesh::qasm
