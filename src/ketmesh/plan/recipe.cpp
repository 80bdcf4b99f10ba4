#include "ketmesh/plan/recipe.hpp"

#include <bit>

namespace ketmesh::plan {

FactorPool::List FactorPool::make(const Factor& factor) {
  const auto at = static_cast<std::uint32_t>(items_.size());
  items_.push_back({factor, 0});
  return {at, at};
}

void FactorPool::append(FactorPool& pool, List& list, const List& more) {
  if (more.empty()) return;
  if (list.empty()) {
    list = more;
    return;
  }
  pool.items_[list.tail].next = more.head;
  list.tail = more.tail;
}

void FactorPool::pop_last(List& list) {
  if (list.head == list.tail) {
    list = {};
    return;
  }
  auto i = list.head;
  while (items_[i].next != list.tail) i = items_[i].next;
  items_[i].next = 0;
  list.tail = i;
}

void RecipeWriter::put(RecipeWhat what, int k, std::span<const Factor> factors) {
  words_.push_back(static_cast<std::uint64_t>(what) | (static_cast<std::uint64_t>(k) << 8) |
                   (static_cast<std::uint64_t>(factors.size()) << 16));
  for (const auto& f : factors) {
    words_.push_back(static_cast<std::uint64_t>(f.operation) | (static_cast<std::uint64_t>(f.gate & 0x3ff) << 32) |
                     (static_cast<std::uint64_t>(f.place) << 42) | (static_cast<std::uint64_t>(f.kind) << 50) |
                     (static_cast<std::uint64_t>(f.parameter & 0x3f) << 54) |
                     (static_cast<std::uint64_t>(f.parameter == Factor::kConstant) << 60));
    words_.push_back(std::bit_cast<std::uint64_t>(f.coefficient));
  }
}

std::uint32_t RecipeWriter::matrix(int k, std::span<const Factor> factors, bool column) {
  const auto at = static_cast<std::uint32_t>(matrices_);
  put(column ? RecipeWhat::column : RecipeWhat::matrix, k, factors);
  matrices_ += std::size_t{1} << (column ? k : 2 * k);
  return at;
}

std::uint32_t RecipeWriter::angle(std::span<const Factor> terms, int k) {
  const auto at = static_cast<std::uint32_t>(angles_);
  put(RecipeWhat::angle, k, terms);
  angles_ += std::size_t{1} << k;
  return at;
}

void RecipeWriter::global_phase(std::span<const Factor> terms) { put(RecipeWhat::global_phase, 0, terms); }

RecipeHead decode_head(std::uint64_t word) {
  return {static_cast<RecipeWhat>(word & 0xff), static_cast<int>((word >> 8) & 0xff), static_cast<std::uint32_t>(word >> 16)};
}

Factor decode_factor(std::uint64_t word, std::uint64_t coefficient) {
  Factor f;
  f.operation = static_cast<std::uint32_t>(word);
  f.gate = static_cast<std::uint16_t>((word >> 32) & 0x3ff);
  f.place = static_cast<std::uint8_t>((word >> 42) & 0xff);
  f.kind = static_cast<FactorKind>((word >> 50) & 0xf);
  f.parameter = ((word >> 60) & 1) != 0 ? Factor::kConstant : static_cast<std::uint8_t>((word >> 54) & 0x3f);
  f.coefficient = std::bit_cast<double>(coefficient);
  return f;
}

}  // namespace ketmesh::plan
