// Plans by the structure of what they were made of: running the same circuit with new angles plans nothing.
#pragma once

#include <cstddef>
#include <list>
#include <memory>

#include "ketmesh/plan/planner.hpp"

namespace ketmesh::runtime {

inline constexpr std::size_t kPlanCacheSize = 64;

/// The least recently used plan goes first. One thread at a time.
class PlanCache {
 public:
  explicit PlanCache(std::size_t capacity = kPlanCacheSize) : capacity_(capacity) {}

  struct Found {
    std::shared_ptr<const Plan> plan;
    bool cached = false;
  };
  /// The plan of the operations [first, last): from here when structure, machine and options (the start layout among them) are the same, else
  /// made and kept. Throws as make_plan does.
  Found find_or_make(const Circuit& circuit, std::size_t first, std::size_t last, const Machine& machine, const PlanOptions& options);

  std::size_t size() const noexcept { return entries_.size(); }
  std::size_t capacity() const noexcept { return capacity_; }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    std::size_t structure = 0, operations = 0, first = 0, last = 0, qubits = 0;
    PlanOptions options;
    Machine machine;
    std::shared_ptr<const Plan> plan;
  };
  std::size_t capacity_;
  std::list<Entry> entries_;  // most recently used first
};

}  // namespace ketmesh::runtime
