#include "job.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <vector>

#include "ketmesh/base/error.hpp"

namespace ketmesh::app {
namespace {

// What one process says must have left it before another ends: a launcher ends all when one fails.
constexpr auto kGrace = std::chrono::milliseconds(500);
// After a failure that not all ranks had alike, survivors learn of it one after the other.
constexpr auto kBrokenGrace = std::chrono::seconds(2);
constexpr double kLeaveSeconds = 20;

}  // namespace

void Job::join(const std::string& backend) {
  const bool named = backend.starts_with("distributed-mpi");
  const bool several = launch_.size > 1;
  if (!named && !(several && backend == "auto")) return;
  joining_ = true;
  if (launch_.without_mpi)
    throw BackendUnavailable("srun started " + std::to_string(launch_.size) + " tasks and told none of them how to find the others",
                             "srun --mpi=pmi2 for MPICH, --mpi=pmix for Open MPI; --backend cpu runs each task for itself");
  std::shared_ptr<CollectiveCommunicator> ranks;
  try {
    init_mpi();
    ranks = launcher_communicator();
  } catch (const BackendUnavailable& error) {
    throw BackendUnavailable(
        (named ? backend : "a run over " + std::to_string(launch_.size) + " processes") + " cannot run here: " + error.what(),
        error.hint());
  }
  if (ranks->world() != launch_.size)
    throw BackendUnavailable("the launcher started " + std::to_string(launch_.size) + " processes, but MPI sees " +
                                 std::to_string(ranks->world()) + ": the launcher is of another MPI than the library",
                             "`ketmesh doctor` tells which MPI is used; start it with that one's mpirun");
  ranks_ = std::move(ranks);
}

std::shared_ptr<CollectiveCommunicator> Job::ranks_for(const SimulatorConfig& config) const {
  if (!ranks_ || !config.distributed.mpi_communicator) return ranks_;
  return mpi_communicator(*config.distributed.mpi_communicator, config.distributed.timeout_seconds);
}

std::string Job::from_first(const std::function<std::string()>& read) const {
  if (!ranks_ || ranks_->world() == 1) return read();
  std::string text = ranks_->rank() == 0 ? read() : std::string();
  std::uint64_t length = text.size();
  ranks_->broadcast(std::as_writable_bytes(std::span(&length, 1)), 0);
  text.resize(length);
  ranks_->broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

void Job::settle(std::string_view step, const std::exception_ptr& failure) {
  RankError mine;
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    mine.kind = error.kind();
    mine.message = error.what();
    mine.hint = error.hint();
  } catch (const std::exception& error) {
    mine.message = error.what();
  }
  const std::vector<RankError> all = ranks_->settle(mine);
  const bool alike =
      std::all_of(all.begin(), all.end(), [&](const RankError& e) { return e.kind == all[0].kind && e.message == all[0].message; });
  if (alike) std::rethrow_exception(failure);
  const auto first = std::find_if(all.begin(), all.end(), [](const RankError& e) { return e.first_hand; });
  const RankError& cause = first != all.end() ? *first : all[0];
  throw TransportError("rank " + std::to_string(cause.rank) + " failed in " + std::string(step) + ": " + cause.message, cause.hint);
}

namespace {

// An MPI may wait for ever in its own end (seen with MPICH over UCX and TCP): by then everything has been said, and the process may go.
volatile std::sig_atomic_t status_of_the_end = 0;
extern "C" void on_late_end(int) { std::_Exit(status_of_the_end); }

void bound_the_end(int status) {
  status_of_the_end = status;
  std::signal(SIGALRM, on_late_end);
  ::alarm(static_cast<unsigned>(kLeaveSeconds));
}

}  // namespace

int Job::leave(int status) {
  std::fflush(stdout);
  std::fflush(stderr);
  if (ranks_ == nullptr) {
    if (launch_.size > 1 && status != 0 && launch_.rank != 0) std::this_thread::sleep_for(kGrace);
    return status;
  }
  if (!ranks_->broken()) {
    try {
      ranks_->set_step("the end");
      ranks_->set_timeout(kLeaveSeconds);
      ranks_->barrier();
      ranks_.reset();
      bound_the_end(status);
      finalize_mpi();
      ::alarm(0);
      return status;
    } catch (const std::exception&) {
      // A rank was lost after all was done and said: there is nothing left to tell.
    }
  }
  std::this_thread::sleep_for(kBrokenGrace);
  std::_Exit(status != 0 ? status : 3);
}

}  // namespace ketmesh::app
