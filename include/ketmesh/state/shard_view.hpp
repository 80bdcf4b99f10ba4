// A zero-copy view of one shard's amplitudes.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

/// [begin, end) of physical amplitude indices.
struct IndexRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

struct ShardView {
  int shard = 0, rank = 0;
  std::string device;  ///< "cpu", "cpu:1", "cuda:0"
  IndexRange range;    ///< physical; read with the state's layout
  Precision precision = Precision::single;
  void* pointer = nullptr;                 ///< device memory of range.size() amplitudes
  std::shared_ptr<const void> keep_alive;  ///< the memory lives as long as this

  /// T is cfloat or cdouble; throws std::invalid_argument when the state has the other one.
  template <typename T>
  T* data() const {
    if (sizeof(T) != bytes_per_amplitude(precision))
      throw std::invalid_argument("the shard holds " + std::string(to_string(precision)) + " precision amplitudes");
    return static_cast<T*>(pointer);
  }
};

}  // namespace ketmesh
