// Hashes of what every rank must give alike to one call.
#pragma once

#include <cstdint>

#include "ketmesh/api/simulator.hpp"
#include "ketmesh/circuit/hash.hpp"

namespace ketmesh::api {

void add(Hash& hash, std::string_view text);
void add(Hash& hash, const SimulatorConfig& config);
/// Operations with their numbers.
void add(Hash& hash, const Circuit& circuit);
void add(Hash& hash, const ParameterValues& values);
void add(Hash& hash, std::span<const PauliSum> observables);
void add(Hash& hash, const RunOptions& options);

/// Of any of the above and of numbers, in this order.
template <typename... T>
std::uint64_t arguments(const T&... values) {
  Hash hash;
  const auto one = [&hash](const auto& value) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>)
      hash.add(static_cast<std::uint64_t>(value));
    else
      add(hash, value);
  };
  (one(values), ...);
  return hash.value();
}

}  // namespace ketmesh::api
