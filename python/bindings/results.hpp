// Results as dicts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include "ketmesh/ketmesh.hpp"

namespace ketmesh::python {

inline void put_members(nanobind::dict&, const auto&) {}
template <typename T, typename M, typename... More>
void put_members(nanobind::dict& out, const T& value, const char* name, M member, More... more) {
  out[name] = nanobind::cast(std::invoke(member, value));
  put_members(out, value, more...);
}

/// {name: value} of a plain struct: record(r, "offset", &Register::offset, ...). Members, functions without arguments and lambdas.
template <typename T, typename... Members>
nanobind::dict record(const T& value, Members... members) {
  nanobind::dict out;
  put_members(out, value, members...);
  return out;
}

/// [f(value) for value in values]
template <typename Range, typename F>
nanobind::list list_of(const Range& values, F&& f) {
  nanobind::list out;
  for (const auto& value : values) out.append(f(value));
  return out;
}

nanobind::dict to_dict(const Distribution& distribution, std::uint64_t seed);
nanobind::dict to_dict(const Seconds& seconds);

}  // namespace ketmesh::python
