// Messages between the processes of an MPI job, by the functions of the plugin.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/base/settings.hpp"
#include "ketmesh/transport/mpi.hpp"
#include "ketmesh/transport/mpi_library.hpp"

namespace ketmesh {
namespace {

using transport::MpiLibrary;

constexpr const char* kFinalized = "the MPI backend is finalized";
// Tags tell the channels of one communicator apart.
constexpr std::array<std::int32_t, kNumChannels> kTags = {1, 2, 3};
// What is given up has this long to end by itself; after the first that does not, the others are not waited for.
constexpr std::int32_t kCancelMilliseconds = 300;

[[noreturn]] void refuse(const KetmeshMpiTable& table, int code) {
  const std::string text = table.last_error();
  switch (code) {
    case KETMESH_MPI_UNAVAILABLE:
      throw BackendUnavailable(text, "start it with mpirun or srun, or call init_mpi() first");
    case KETMESH_MPI_BAD_HANDLE:
      throw OptionError("mpi_communicator: " + text);
    case KETMESH_MPI_FAILED:
    case KETMESH_MPI_TRUNCATED:
      throw TransportError(text);
  }
  throw Internal("code " + std::to_string(code) + " of the MPI plugin");
}

void check(const KetmeshMpiTable& table, int code) {
  if (code != 0) refuse(table, code);
}

class MpiRank final : public PointToPoint {
 public:
  MpiRank(const KetmeshMpiTable& table, std::int64_t fortran, double timeout_seconds) : table_(table) {
    check(table_, table_.open_world(fortran, &world_handle_));
    try {
      meet(fortran, timeout_seconds);
    } catch (...) {
      close();
      throw;
    }
  }
  ~MpiRank() override { close(); }
  MpiRank(const MpiRank&) = delete;
  MpiRank& operator=(const MpiRank&) = delete;

  void close() noexcept {
    if (!open_) return;
    open_ = false;
    table_.close_world(world_handle_);
  }

  int rank() const noexcept override { return rank_; }
  int world() const noexcept override { return size_; }
  std::string name() const override { return "mpi"; }
  bool takes_device_memory() const override {
    if (read_settings().mpi_device_pointers) return true;  // the user vouches for it
    std::int32_t takes = 0;
    return table_.takes_device_memory(&takes) == 0 && takes != 0;
  }
  std::string host() const override { return "the host of rank " + std::to_string(first_on_host_); }

  Request send(Channel channel, int to, std::span<const std::byte> data) override {
    check_open();
    Request request = 0;
    check(table_, table_.send(world_handle_, of(channel), data.data(), data.size(), to, tag(channel), &request));
    return request;
  }
  Request receive(Channel channel, int from, std::span<std::byte> data) override {
    check_open();
    Request request = 0;
    check(table_, table_.receive(world_handle_, of(channel), data.data(), data.size(), from, tag(channel), &request));
    if (channel != Channel::error) expected_.emplace_back(request, data.size());
    return request;
  }
  bool done(Request request) override {
    check_open();
    std::int32_t through = 0;
    std::uint64_t bytes = 0;
    const int code = table_.test(request, &through, &bytes);
    if (code == 0 && through == 0) return false;
    const auto found = find(request);
    const bool counted = found != expected_.end();
    const std::size_t room = counted ? found->second : 0;
    if (counted) expected_.erase(found);
    check(table_, code);
    if (counted && bytes != room)
      throw TransportError("a message of " + std::to_string(bytes) + " bytes came where " + std::to_string(room) + " were expected");
    return true;
  }
  void cancel(Request request) noexcept override {
    if (!open_) return;
    if (const auto found = find(request); found != expected_.end()) expected_.erase(found);
    std::int32_t ended = 1;
    if (table_.cancel(request, patience_, &ended) == 0 && ended == 0) patience_ = 0;
  }

 private:
  void meet(std::int64_t fortran, double timeout_seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_seconds);
    std::int32_t ready = 0;
    for (int looks = 0; ready == 0; ++looks) {
      check(table_, table_.test_world(world_handle_, &ready));
      if (ready == 0 && std::chrono::steady_clock::now() >= end)
        throw TransportError("not all ranks came to the duplication of communicator " + std::to_string(fortran) + " within " +
                             std::to_string(timeout_seconds) + " s");
      if (looks > 1000) std::this_thread::yield();
    }
    std::int32_t rank = 0, size = 1;
    check(table_, table_.describe_world(world_handle_, &rank, &size, &first_on_host_));
    rank_ = rank;
    size_ = size;
  }
  // Amplitudes have a communicator of their own: what is sent there is what exchanges move.
  static std::int32_t of(Channel channel) { return channel == Channel::exchange ? KETMESH_MPI_DATA : KETMESH_MPI_CONTROL; }
  static std::int32_t tag(Channel channel) { return kTags[static_cast<std::size_t>(channel)]; }
  void check_open() const {
    if (!open_) throw BackendUnavailable(kFinalized);
  }
  std::vector<std::pair<Request, std::size_t>>::iterator find(Request request) {
    return std::find_if(expected_.begin(), expected_.end(), [request](const auto& e) { return e.first == request; });
  }

  const KetmeshMpiTable& table_;
  std::int64_t world_handle_ = 0;
  int rank_ = 0, size_ = 1;
  std::int32_t first_on_host_ = 0, patience_ = kCancelMilliseconds;
  bool open_ = true;
  std::vector<std::pair<Request, std::size_t>> expected_;  // receives under way and their lengths
};

/// What this process has of MPI: whether it was ended, and the worlds that are open.
struct Backend {
  std::mutex mutex;
  bool finalized = false, initialized_here = false;
  std::vector<std::pair<std::weak_ptr<MpiRank>, std::weak_ptr<CollectiveCommunicator>>> worlds;
};

Backend& backend() {
  static Backend of_process;
  return of_process;
}

const KetmeshMpiTable& usable_table() {
  if (backend().finalized)
    throw BackendUnavailable(kFinalized, "communicators cannot be made after it; configurations and other backends can");
  const MpiLibrary library = transport::mpi_library();
  if (library.table == nullptr)
    throw BackendUnavailable("MPI cannot be used: " + library.reason, "`ketmesh doctor` tells which MPI and plugins are found");
  // A handle of another MPI would be read as one of ours.
  for (const transport::LoadedMpi& loaded : transport::loaded_mpis())
    if (loaded.family != library.family)
      throw BackendUnavailable("this process has loaded two MPIs: " + library.library + " and " + loaded.path,
                               "import or link only one; Ketmesh uses the one that is loaded before its first need");
  return *library.table;
}

std::shared_ptr<CollectiveCommunicator> open(const KetmeshMpiTable& table, std::int64_t fortran, double timeout_seconds) {
  const auto ranks = std::make_shared<MpiRank>(table, fortran, timeout_seconds);
  auto communicator = std::make_shared<CollectiveCommunicator>(ranks, timeout_seconds);
  const std::lock_guard lock(backend().mutex);
  auto& worlds = backend().worlds;
  std::erase_if(worlds, [](const auto& world) { return world.first.expired(); });
  worlds.emplace_back(ranks, communicator);
  return communicator;
}

}  // namespace

LaunchedProcess launched_process() {
  const transport::Launch launch = transport::read_launch([](const char* name) { return std::getenv(name); });
  return {launch.rank, launch.size, launch.family.has_value(), launch.without_mpi};
}

void init_mpi() {
  const KetmeshMpiTable& table = usable_table();
  std::int32_t initialized = 0, finalized = 0, level = 0;
  check(table, table.state(&initialized, &finalized, &level));
  if (initialized != 0) return;
  check(table, table.initialize());
  backend().initialized_here = true;
}

bool is_mpi_initialized() {
  if (backend().finalized || transport::loaded_mpis().empty()) return false;
  const MpiLibrary library = transport::mpi_library();
  std::int32_t initialized = 0, finalized = 0, level = 0;
  return library.table != nullptr && library.table->state(&initialized, &finalized, &level) == 0 && initialized != 0 && finalized == 0;
}

std::shared_ptr<CollectiveCommunicator> mpi_communicator(std::int64_t fortran_handle, double timeout_seconds) {
  return open(usable_table(), fortran_handle, timeout_seconds);
}

std::shared_ptr<CollectiveCommunicator> launcher_communicator(double timeout_seconds) {
  const KetmeshMpiTable& table = usable_table();
  std::int64_t fortran = 0;
  check(table, table.launcher_communicator(&fortran));
  return open(table, fortran, timeout_seconds);
}

void finalize_mpi() {
  Backend& of_process = backend();
  const std::lock_guard lock(of_process.mutex);
  if (of_process.finalized) return;
  std::size_t states = 0;
  for (const auto& [ranks, communicator] : of_process.worlds)
    if (const auto alive = communicator.lock()) states += alive->users();
  if (states > 0)
    throw BackendUnavailable("the MPI backend cannot be finalized: " + std::to_string(states) + " state" + (states == 1 ? "" : "s") +
                                 " over MPI ranks " + (states == 1 ? "is" : "are") + " alive",
                             "destroy them first");
  for (const auto& [ranks, communicator] : of_process.worlds)
    if (const auto open = ranks.lock()) open->close();
  of_process.worlds.clear();
  of_process.finalized = true;
  if (!of_process.initialized_here) return;
  const MpiLibrary library = transport::mpi_library();
  std::int32_t initialized = 0, finalized = 0, level = 0;
  if (library.table->state(&initialized, &finalized, &level) == 0 && initialized != 0 && finalized == 0)
    check(*library.table, library.table->finalize());
}

}  // namespace ketmesh
