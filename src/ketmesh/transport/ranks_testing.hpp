// Tests over several ranks: each is a thread of this process.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "ketmesh/transport/collective.hpp"

namespace ketmesh {

/// Runs `work` on `ranks` threads, each with its communicator; what the ranks threw, nullptr for those that ended well, in rank order.
inline std::vector<std::exception_ptr> outcomes_of_ranks(int ranks,
                                                         const std::function<void(const std::shared_ptr<CollectiveCommunicator>&)>& work,
                                                         double timeout_seconds = 60) {
  const auto world = threads_world(ranks);
  std::vector<std::exception_ptr> outcomes(world.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < world.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        work(std::make_shared<CollectiveCommunicator>(world[r], timeout_seconds));
      } catch (...) {
        outcomes[r] = std::current_exception();
      }
    });
  for (auto& thread : threads) thread.join();
  return outcomes;
}

/// As above; throws what the lowest rank that failed threw.
inline void run_ranks(int ranks, const std::function<void(const std::shared_ptr<CollectiveCommunicator>&)>& work,
                      double timeout_seconds = 60) {
  for (const auto& outcome : outcomes_of_ranks(ranks, work, timeout_seconds))
    if (outcome) std::rethrow_exception(outcome);
}

}  // namespace ketmesh
