// The processes that a launcher started together: who speaks, how they end alike.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "ketmesh/api/config.hpp"
#include "ketmesh/transport/mpi.hpp"

namespace ketmesh::app {

/// One process, or one of several under mpirun or srun. Before join() it knows only what the launcher says.
class Job {
 public:
  Job() : launch_(launched_process()) {}

  /// Initialises MPI and meets the other ranks, when this command line is to run over ranks: the backend is named so, or it is "auto" and a launcher
  /// started several processes. Throws BackendUnavailable.
  void join(const std::string& backend);
  bool over_ranks() const noexcept { return ranks_ != nullptr; }
  const std::shared_ptr<CollectiveCommunicator>& ranks() const noexcept { return ranks_; }

  /// Those that a run is spread over: of the communicator that the options name, else of the launcher; null without any.
  std::shared_ptr<CollectiveCommunicator> ranks_for(const SimulatorConfig& config) const;

  /// Whether this process is the one that prints results.
  bool speaks() const noexcept { return ranks_ ? ranks_->rank() == 0 : !joining_ || launch_.rank == 0; }
  /// Whether it says what failed: the first one does, and each one that was left by another.
  bool complains() const noexcept { return speaks() || (ranks_ && ranks_->broken()); }
  /// A usage error: nobody has joined, and nobody will.
  bool is_first() const noexcept { return launch_.rank == 0; }

  /// body() on every rank; where one fails, all do. The first rank's standard input is everyone's.
  template <typename F>
  auto alike(std::string_view step, F&& body) -> std::invoke_result_t<F> {
    if (!ranks_ || ranks_->world() == 1) return body();
    ranks_->set_step(step);
    std::optional<std::invoke_result_t<F>> result;
    try {
      result.emplace(body());
      ranks_->barrier();
    } catch (...) {
      settle(step, std::current_exception());
    }
    return std::move(*result);
  }
  std::string from_first(const std::function<std::string()>& read) const;

  /// Ends MPI after everything was said, and returns the status; does not return when ranks are lost, where MPI's own end would wait for them.
  int leave(int status);

 private:
  [[noreturn]] void settle(std::string_view step, const std::exception_ptr& failure);

  LaunchedProcess launch_;
  bool joining_ = false;
  std::shared_ptr<CollectiveCommunicator> ranks_;
};

}  // namespace ketmesh::app
