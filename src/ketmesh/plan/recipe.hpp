// How `bind` makes numbers: each matrix of a plan is a product of factors, each angle a sum of terms, written down while planning.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/circuit/gates.hpp"

namespace ketmesh::plan {

// What a factor or term is made of. Positions are target numbers of the step's matrix.
enum class FactorKind : std::uint8_t {
  one,           // the one-qubit base gate of an operation on position a, times exp(i coefficient)
  two,           // the two-qubit base gate of an operation on positions a, b (a: low bit)
  controlled,    // the one-qubit base gate on position a where position b is 1
  whole,         // the target matrix of an operation, its targets in order
  match_phase,   // exp(i angle) where the positions in mask a equal value b
  parity_phase,  // exp(i angle) where the parity of the positions in mask a is even, exp(-i angle) where it is odd
  angle,         // a term of an angle: coefficient * parameter (or coefficient alone)
  table,         // the angles of an operation's diagonal entries: 2^k consecutive slots
};

// One factor or one term of an angle.
struct Factor {
  std::uint32_t operation = 0;  // number in the circuit
  std::uint16_t gate = 0;       // Gate: of `one`, `two`, `controlled`
  std::uint8_t place = 0;       // a + 16 * b
  FactorKind kind = FactorKind::one;
  std::uint8_t parameter = 0;  // of an angle: which one of the operation; kConstant: none
  double coefficient = 0;      // of an angle; of `one`: a phase in radians

  static constexpr std::uint8_t kConstant = 0xff;
  friend bool operator==(const Factor&, const Factor&) = default;
};

// Lists of factors that can be joined in O(1): ranges of a pool linked by index. 0 is the empty list.
class FactorPool {
 public:
  struct List {
    std::uint32_t head = 0, tail = 0;
    bool empty() const { return head == 0; }
  };

  FactorPool() : items_(1) {}
  List make(const Factor& factor);
  static void append(FactorPool& pool, List& list, const List& more);
  void append(List& list, const Factor& factor) { append(*this, list, make(factor)); }
  void append(List& list, const List& more) { append(*this, list, more); }
  void prepend(List& list, List before) {
    append(*this, before, list);
    list = before;
  }
  void pop_last(List& list);
  const Factor& last(const List& list) const { return items_[list.tail].factor; }

  template <typename F>
  void for_each(const List& list, F&& f) {
    for (auto i = list.head; i != 0; i = items_[i].next) f(items_[i].factor);
  }
  template <typename F>
  void for_each(const List& list, F&& f) const {
    for (auto i = list.head; i != 0; i = items_[i].next) f(static_cast<const Factor&>(items_[i].factor));
  }

 private:
  struct Item {
    Factor factor;
    std::uint32_t next = 0;
  };
  std::vector<Item> items_;
};

enum class RecipeWhat : std::uint8_t { matrix, column, angle, global_phase };

// Writes recipe words. Layout: a word for each recipe (what, number of factors, size), then two words a factor.
class RecipeWriter {
 public:
  explicit RecipeWriter(std::vector<std::uint64_t>& words) : words_(words) {}
  // 2^k x 2^k matrix; returns its offset in Binding::matrices. column: only the first column (a start vector).
  std::uint32_t matrix(int k, std::span<const Factor> factors, bool column = false);
  // Returns the first of 2^k slots in Binding::angles (k > 0: a table).
  std::uint32_t angle(std::span<const Factor> terms, int k = 0);
  void global_phase(std::span<const Factor> terms);
  std::size_t num_matrix_entries() const { return matrices_; }
  std::size_t num_angles() const { return angles_; }

 private:
  void put(RecipeWhat what, int k, std::span<const Factor> factors);
  std::vector<std::uint64_t>& words_;
  std::size_t matrices_ = 0, angles_ = 0;
};

// The other side: walks recipe words.
struct RecipeHead {
  RecipeWhat what;
  int k;  // log2 of rows, or of angle slots
  std::uint32_t factors;
};
RecipeHead decode_head(std::uint64_t word);
Factor decode_factor(std::uint64_t word, std::uint64_t coefficient);

}  // namespace ketmesh::plan
