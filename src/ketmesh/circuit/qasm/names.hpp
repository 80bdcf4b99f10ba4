// Identifiers as small numbers. The words that the language knows come first, in the order of kWords.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ketmesh::qasm {

using Name = std::uint32_t;

// clang-format off
#define KETMESH_QASM_WORDS(X)                                                                                          \
  X(OPENQASM) X(include) X(qreg) X(creg) X(gate) X(opaque) X(barrier) X(reset) X(measure) X(if)                        \
  X(qubit) X(bit) X(else) X(for) X(in) X(switch) X(case) X(default) X(let) X(const) X(input) X(output)                  \
  X(int) X(uint) X(float) X(angle) X(bool) X(duration) X(stretch) X(delay) X(break) X(continue) X(end)                  \
  X(def) X(extern) X(defcal) X(defcalgrammar) X(cal) X(box) X(array) X(complex) X(while) X(return) X(durationof)         \
  X(true) X(false) X(mutable) X(readonly) X(void) X(pragma) X(nop)                                                      \
  X(ctrl) X(negctrl) X(inv) X(pow) X(gphase) X(U) X(CX) X(pi) X(tau) X(euler)                                           \
  X(sin) X(cos) X(tan) X(exp) X(ln) X(log) X(sqrt) X(arcsin) X(arccos) X(arctan) X(asin) X(acos) X(atan)                \
  X(floor) X(ceiling) X(abs) X(mod) X(popcount) X(rotl) X(rotr)
// clang-format on

enum class Word : Name {
#define KETMESH_QASM_ENUM(word) word##_,
  KETMESH_QASM_WORDS(KETMESH_QASM_ENUM)
#undef KETMESH_QASM_ENUM
      count_
};
inline constexpr Name kNumWords = static_cast<Name>(Word::count_);

class Names {
 public:
  Names();
  Name intern(std::string_view text);
  std::string_view text(Name name) const { return texts_[name]; }
  std::size_t size() const noexcept { return texts_.size(); }

 private:
  std::unordered_map<std::string_view, Name> index_;
  std::vector<std::string_view> texts_;  // keys of index_ point into the owned strings below
  std::vector<std::vector<char>> owned_;
};

constexpr bool is(Name name, Word word) { return name == static_cast<Name>(word); }

/// Words that cannot name a register, gate or constant.
bool is_reserved(Name name, int version);

}  // namespace ketmesh::qasm
