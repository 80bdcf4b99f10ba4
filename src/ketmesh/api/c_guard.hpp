// What the C interface is made of: handles, and the guard that keeps exceptions inside.
#pragma once

#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "ketmesh/api/config.hpp"
#include "ketmesh/api/result.hpp"
#include "ketmesh/api/simulator.hpp"
#include "ketmesh/api/state.hpp"
#include "ketmesh/c_api.h"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/plan/plan.hpp"

struct ketmesh_circuit {
  ketmesh::Circuit value;
};
struct ketmesh_config {
  ketmesh::SimulatorConfig value;
};
struct ketmesh_simulator {
  ketmesh::Simulator value;
};
struct ketmesh_result {
  ketmesh::Result value;
  std::vector<std::pair<const std::string*, std::uint64_t>> counts;  // into value.counts
};
struct ketmesh_plan {
  ketmesh::Plan value;
};
struct ketmesh_state {
  ketmesh::DistributedState value;
};

namespace ketmesh::api {

class BadArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws BadArgument naming what is NULL.
inline void need(const void* pointer, const char* what) {
  if (pointer == nullptr) throw BadArgument(std::string(what) + " is NULL");
}
template <typename T>
std::span<const T> array(const T* data, std::size_t size, const char* what) {
  if (size > 0) need(data, what);
  return {data, size};
}
/// (re, im) pairs.
inline std::span<const cdouble> complex_array(const double* data, std::size_t size, const char* what) {
  if (size > 0) need(data, what);
  return {reinterpret_cast<const cdouble*>(data), size};  // NOLINT: std::complex is laid out as two doubles
}

/// The observables of a call that answers with one number each; throws BadArgument when `values` has no room for them.
std::vector<PauliSum> observables_for(const char* text, const double* values, std::size_t capacity, std::size_t* count);

ketmesh_code fill_error(ketmesh_error* error, const std::exception& cause) noexcept;
ketmesh_code fill_unknown(ketmesh_error* error) noexcept;
char* copy_text(std::string_view text);
RunOptions run_options(const ketmesh_run_options* options);

template <typename F>
ketmesh_code guarded(ketmesh_error* error, F&& body) noexcept {
  try {
    body();
    return KETMESH_OK;
  } catch (const std::exception& cause) {
    return fill_error(error, cause);
  } catch (...) {
    return fill_unknown(error);
  }
}

}  // namespace ketmesh::api
