// Plans by the structure of what they were made of: running the same circuit with new angles plans nothing.
#pragma once

#include <cstddef>
#include <list>
#include <memory>

#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh::runtime {

inline constexpr std::size_t kPlanCacheSize = 64;

/// What the last run of a plan on a small state left for the next one: with the same circuit and values nothing is bound or prepared again.
struct Numbers {
  Circuit circuit;
  ParameterValues values;
  Binding binding;  ///< of these
  bool bound = false;
  const kernels::Kernels* table = nullptr;    ///< that made the passes
  std::vector<kernels::PreparedPass> passes;  ///< by their number in the plan; empty where not made yet
};

/// The least recently used plan goes first. One thread at a time.
class PlanCache {
 public:
  explicit PlanCache(std::size_t capacity = kPlanCacheSize) : capacity_(capacity) {}

  struct Found {
    std::shared_ptr<const Plan> plan;
    bool cached = false;
    std::shared_ptr<Numbers> numbers{};  ///< of the plan; nullptr: none are kept
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
    std::shared_ptr<Numbers> numbers;
  };
  std::size_t capacity_;
  std::list<Entry> entries_;  // most recently used first
};

}  // namespace ketmesh::runtime
