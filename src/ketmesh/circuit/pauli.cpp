#include "ketmesh/circuit/pauli.hpp"

#include <cmath>
#include <utility>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/parameter.hpp"
#include "ketmesh/circuit/pauli_letters.hpp"

namespace ketmesh {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

std::string checked_letters(std::string_view text, std::string_view what) {
  std::string letters(text);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    char& c = letters[i];
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c != 'I' && c != 'X' && c != 'Y' && c != 'Z')
      throw CircuitError(std::string(what) + " \"" + std::string(text) + "\": character " + std::to_string(i) + " ('" + text[i] +
                         "') is not one of I X Y Z");
  }
  return letters;
}

PauliSum::PauliSum(std::string_view letters) : PauliSum(std::vector<PauliTerm>{{1.0, std::string(letters)}}) {}

PauliSum::PauliSum(std::initializer_list<PauliTerm> terms) : PauliSum(std::vector<PauliTerm>(terms)) {}

PauliSum::PauliSum(std::vector<PauliTerm> terms) : terms_(std::move(terms)) {
  for (PauliTerm& term : terms_) {
    term.letters = checked_letters(trimmed(term.letters), "Pauli string");
    if (!std::isfinite(term.coefficient))
      throw CircuitError("coefficient of Pauli string \"" + term.letters + "\" is " + std::to_string(term.coefficient) +
                         "; it must be finite");
  }
}

std::size_t PauliSum::width() const {
  std::size_t width = 0;
  for (const PauliTerm& term : terms_) {
    const auto last = term.letters.find_last_not_of('I');
    if (last != std::string::npos) width = std::max(width, last + 1);
  }
  return width;
}

std::string PauliSum::str() const {
  if (terms_.empty()) return "0";
  std::string out;
  for (const PauliTerm& term : terms_) {
    const bool minus = std::signbit(term.coefficient);
    out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    const double size = std::abs(term.coefficient);
    if (size != 1.0) out += Parameter(size).str() + " * ";
    out += term.letters.empty() ? "I" : term.letters;
  }
  return out;
}

std::vector<PauliSum> parse_observables(std::string_view text) {
  std::vector<PauliSum> out;
  while (true) {
    const auto end = text.find(';');
    if (const std::string_view item = trimmed(text.substr(0, end)); !item.empty()) out.emplace_back(item);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

int PauliMasks::num_y() const { return bits::count(x & z); }

PauliMasks pauli_masks(std::string_view letters) {
  const std::string checked = checked_letters(letters, "Pauli string");
  PauliMasks masks;
  for (std::size_t q = 0; q < checked.size(); ++q) {
    if (checked[q] == 'I') continue;
    if (q >= static_cast<std::size_t>(kMaxQubits))
      throw CircuitError("Pauli string \"" + checked + "\" acts on qubit " + std::to_string(q) + "; masks hold qubits 0.." +
                         std::to_string(kMaxQubits - 1));
    const Index bit = bits::one(static_cast<int>(q));
    if (checked[q] != 'Z') masks.x |= bit;
    if (checked[q] != 'X') masks.z |= bit;
  }
  return masks;
}

}  // namespace ketmesh
