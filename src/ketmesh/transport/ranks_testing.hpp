// Tests over several ranks: each is a thread of this process.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ketmesh/transport/collective.hpp"

namespace ketmesh {

using RankWork = std::function<void(const std::shared_ptr<CollectiveCommunicator>&)>;

/// Runs `work` on a thread for each end of a world, each with its communicator; what the ranks threw, nullptr for those that ended well, in rank order.
inline std::vector<std::exception_ptr> outcomes_of_world(const std::vector<std::shared_ptr<PointToPoint>>& world, const RankWork& work,
                                                         double timeout_seconds = 60) {
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

inline std::vector<std::exception_ptr> outcomes_of_ranks(int ranks, const RankWork& work, double timeout_seconds = 60) {
  return outcomes_of_world(threads_world(ranks), work, timeout_seconds);
}

/// As above; throws what the lowest rank that failed threw.
inline void run_ranks(int ranks, const RankWork& work, double timeout_seconds = 60) {
  for (const auto& outcome : outcomes_of_ranks(ranks, work, timeout_seconds))
    if (outcome) std::rethrow_exception(outcome);
}

/// A rank of a world that says it is on another host.
class OnHost final : public PointToPoint {
 public:
  OnHost(std::shared_ptr<PointToPoint> inner, std::string host) : inner_(std::move(inner)), host_(std::move(host)) {}
  int rank() const noexcept override { return inner_->rank(); }
  int world() const noexcept override { return inner_->world(); }
  std::string name() const override { return inner_->name(); }
  std::string host() const override { return host_; }
  Request send(Channel channel, int to, std::span<const std::byte> data) override { return inner_->send(channel, to, data); }
  Request receive(Channel channel, int from, std::span<std::byte> data) override { return inner_->receive(channel, from, data); }
  bool done(Request request) override { return inner_->done(request); }
  void cancel(Request request) noexcept override { inner_->cancel(request); }

 private:
  std::shared_ptr<PointToPoint> inner_;
  std::string host_;
};

/// One rank for each name of a host.
inline void run_ranks_on_hosts(const std::vector<std::string>& hosts, const RankWork& work) {
  auto world = threads_world(static_cast<int>(hosts.size()));
  for (std::size_t r = 0; r < world.size(); ++r) world[r] = std::make_shared<OnHost>(world[r], hosts[r]);
  for (const auto& outcome : outcomes_of_world(world, work))
    if (outcome) std::rethrow_exception(outcome);
}

}  // namespace ketmesh
