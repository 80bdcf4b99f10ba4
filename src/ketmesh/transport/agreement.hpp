// One collective call of the interface, made by all ranks together: it begins with an agreement, and ends in the same way on every rank.
#pragma once

#include <cstdint>
#include <exception>
#include <string_view>
#include <type_traits>

#include "ketmesh/transport/collective.hpp"

namespace ketmesh::transport {

/// Throws TransportError on every rank, naming the first that differs, unless all make the same call with the same arguments in the same version.
void agree(CollectiveCommunicator& ranks, std::string_view call, std::uint64_t arguments);

/// After an exception in a collective call: throws on every rank the same exception, that of the lowest rank that failed by itself.
[[noreturn]] void settle(CollectiveCommunicator& ranks, std::string_view call, const std::exception_ptr& failure);

/// body() as a collective call; no rank leaves it while another one still may fail. `arguments` is a hash of everything that must be alike on all ranks.
/// Calls inside a call are part of it.
template <typename F>
auto collectively(CollectiveCommunicator& ranks, std::string_view call, std::uint64_t arguments, F&& body) -> std::invoke_result_t<F> {
  if (ranks.world() == 1 || ranks.depth > 0) return body();
  struct Depth {
    int& depth;
    explicit Depth(int& d) : depth(d) { ++depth; }
    ~Depth() { --depth; }
  } const inside(ranks.depth);
  agree(ranks, call, arguments);
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      body();
      ranks.barrier();
    } else {
      auto result = body();
      ranks.barrier();
      return result;
    }
  } catch (...) {
    settle(ranks, call, std::current_exception());
  }
}

}  // namespace ketmesh::transport
