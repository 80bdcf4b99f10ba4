// The one source of both MPI plugins, compiled against Open MPI's and against MPICH's header. The plugin links no MPI: its symbols are those of
// the library that the loader has made visible before it opens the plugin.
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ketmesh/transport/mpi/abi.h"
#include "ketmesh/transport/mpi/family.hpp"

namespace {

using namespace ketmesh::transport::mpi;

static_assert(MPI_THREAD_SINGLE == 0 && MPI_THREAD_FUNNELED == 1 && MPI_THREAD_SERIALIZED == 2 && MPI_THREAD_MULTIPLE == 3,
              "the table numbers the thread levels so");

thread_local std::string last_text;

struct World {
  MPI_Comm source = MPI_COMM_NULL;
  std::array<MPI_Comm, 2> channels{MPI_COMM_NULL, MPI_COMM_NULL};
  int duplicated = 0;
  bool pending = false, ready = false;
  MPI_Request request = MPI_REQUEST_NULL;
  int rank = 0, size = 1, first_on_host = 0;
};

struct Transfer {
  MPI_Request request = MPI_REQUEST_NULL;
  bool receives = false;
};

/// What is open. Handles count up and are never used twice, so that a stale one is found.
struct Handles {
  std::mutex mutex;
  std::int64_t next = 1;
  std::map<std::int64_t, std::unique_ptr<World>> worlds;
  std::map<std::int64_t, Transfer> transfers;
  bool watched = false;  // the end of MPI
};

Handles& handles() {
  static Handles all;
  return all;
}

int fail(int code, std::string text) {
  last_text = std::move(text);
  return code;
}

/// An MPI return code as one of ours.
int check(int code, const char* what) {
  if (code == MPI_SUCCESS) return 0;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0, kind = MPI_SUCCESS;
  MPI_Error_string(code, text, &length);
  MPI_Error_class(code, &kind);
  return fail(kind == MPI_ERR_TRUNCATE ? KETMESH_MPI_TRUNCATED : KETMESH_MPI_FAILED, std::string(what) + ": " + text);
}

/// Nothing may be thrown across the table.
template <typename F>
int guarded(F&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    return fail(KETMESH_MPI_FAILED, error.what());
  } catch (...) {
    return fail(KETMESH_MPI_FAILED, "an exception of unknown type in the MPI plugin");
  }
}

/// Until a communicator has an error handler of its own, errors in its use end the process: they are returned while this lives. (layers: the
/// handlers of the launcher's communicator and of MPI_COMM_SELF judge handles that are no communicator, in MPI 3 and in MPI 4.)
class ReturnErrors {
 public:
  ReturnErrors() {
    for (std::size_t i = 0; i < 2; ++i)
      if (MPI_Comm_get_errhandler(communicator(i), &before_[i]) == MPI_SUCCESS) MPI_Comm_set_errhandler(communicator(i), MPI_ERRORS_RETURN);
  }
  ~ReturnErrors() {
    for (std::size_t i = 0; i < 2; ++i) {
      MPI_Comm_set_errhandler(communicator(i), before_[i]);
      MPI_Errhandler_free(&before_[i]);
    }
  }
  ReturnErrors(const ReturnErrors&) = delete;
  ReturnErrors& operator=(const ReturnErrors&) = delete;

 private:
  static MPI_Comm communicator(std::size_t i) {
    return i == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF;  // layers: allow(world) its error handler judges handles that are none
  }
  std::array<MPI_Errhandler, 2> before_{MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ARE_FATAL};
};

int usable() {
  int initialized = 0, finalized = 0, level = 0, main_thread = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized != 0) return fail(KETMESH_MPI_UNAVAILABLE, "MPI is finalized");
  if (initialized == 0) return fail(KETMESH_MPI_UNAVAILABLE, "MPI is not initialised");
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_FUNNELED)
    return fail(KETMESH_MPI_UNAVAILABLE, "MPI was initialised with thread level single: funneled or higher is needed (MPI_Init_thread)");
  MPI_Is_thread_main(&main_thread);
  if (level == MPI_THREAD_FUNNELED && main_thread == 0)
    return fail(KETMESH_MPI_UNAVAILABLE, "MPI was initialised with thread level funneled by another thread: only that one may use it");
  return 0;
}

World* find_world(std::int64_t handle) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().worlds.find(handle);
  return found == handles().worlds.end() ? nullptr : found->second.get();
}

int bad_world(std::int64_t handle) { return fail(KETMESH_MPI_BAD_HANDLE, "no open world has the handle " + std::to_string(handle)); }

/// The communicator of a channel of an open world, or the null communicator with the error set.
MPI_Comm channel_of(std::int64_t handle, std::int32_t channel) {
  const World* world = find_world(handle);
  if (world == nullptr || !world->ready || channel < 0 || channel > 1) {
    bad_world(handle);
    return MPI_COMM_NULL;
  }
  return world->channels[static_cast<std::size_t>(channel)];
}

const char* last_error() { return last_text.c_str(); }

int library_version(char* out, std::int32_t size) {
  return guarded([&] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = {};
    int length = 0;
    if (const int code = check(MPI_Get_library_version(text, &length), "MPI_Get_library_version")) return code;
    const std::size_t kept = std::string(text).copy(out, static_cast<std::size_t>(size) - 1);
    out[kept] = '\0';
    return 0;
  });
}

int state(std::int32_t* initialized, std::int32_t* finalized, std::int32_t* thread_level) {
  int is_initialized = 0, is_finalized = 0, level = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized != 0 && is_finalized == 0) MPI_Query_thread(&level);
  *initialized = is_initialized;
  *finalized = is_finalized;
  *thread_level = level;
  return 0;
}

int initialize() {
  return guarded([] {
    int provided = 0;
    if (const int code = check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread")) return code;
    return usable();
  });
}

int finalize() {
  return guarded([] { return check(MPI_Finalize(), "MPI_Finalize"); });
}

int abort_job(std::int32_t code) {
  return guarded([code] {
    // layers: allow(world, mpi-abort) the command line's last resort
    return check(MPI_Abort(MPI_COMM_WORLD, code), "MPI_Abort");
  });
}

int launcher_communicator(std::int64_t* fortran) {
  return guarded([&] {
    if (const int code = usable()) return code;
    *fortran = MPI_Comm_c2f(MPI_COMM_WORLD);  // layers: allow(world) asked for by the launcher
    return 0;
  });
}

int free_channels(World& world) {
  int code = 0;
  for (int k = 0; k < world.duplicated; ++k)
    if (const int failed = check(MPI_Comm_free(&world.channels[static_cast<std::size_t>(k)]), "MPI_Comm_free")) code = failed;
  return code;
}

/// Called by MPI_Finalize before anything ends, whoever calls it: nothing of ours outlives MPI.
int at_finalize(MPI_Comm, int, void*, void*) {
  const std::lock_guard lock(handles().mutex);
  for (auto& [handle, world] : handles().worlds) free_channels(*world);
  handles().worlds.clear();
  handles().transfers.clear();
  return MPI_SUCCESS;
}

int watch_finalize() {
  const std::lock_guard lock(handles().mutex);
  if (handles().watched) return 0;
  int key = MPI_KEYVAL_INVALID;
  if (const int code = check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr), "MPI_Comm_create_keyval"))
    return code;
  if (const int code = check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr")) return code;
  handles().watched = true;
  return check(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");  // freed when the attribute is
}

int start_duplicate(World& world) {
  const auto k = static_cast<std::size_t>(world.duplicated);
  const int code = check(MPI_Comm_idup(world.source, &world.channels[k], &world.request), "MPI_Comm_idup");
  world.pending = code == 0;
  return code;
}

int open_world(std::int64_t fortran, std::int64_t* out) {
  return guarded([&] {
    if (const int code = usable()) return code;
    if (fortran != static_cast<MPI_Fint>(fortran) || !may_be_communicator(static_cast<MPI_Fint>(fortran)))
      return fail(KETMESH_MPI_BAD_HANDLE, std::to_string(fortran) + " is no handle of a communicator");
    const ReturnErrors returning;
    auto world = std::make_unique<World>();
    world->source = MPI_Comm_f2c(static_cast<MPI_Fint>(fortran));
    int between = 0;
    if (world->source == MPI_COMM_NULL || MPI_Comm_test_inter(world->source, &between) != MPI_SUCCESS)
      return fail(KETMESH_MPI_BAD_HANDLE, std::to_string(fortran) + " is no handle of a communicator");
    if (between != 0)
      return fail(KETMESH_MPI_BAD_HANDLE, std::to_string(fortran) + " is an intercommunicator: one group of ranks is needed");
    if (const int code = watch_finalize()) return code;
    if (const int code = start_duplicate(*world)) return code;
    const std::lock_guard lock(handles().mutex);
    *out = handles().next++;
    handles().worlds.emplace(*out, std::move(world));
    return 0;
  });
}

/// Names, error handlers and figures, once both duplicates are there.
int complete(World& world) {
  static constexpr std::array<const char*, 2> kNames = {"ketmesh data", "ketmesh control"};
  for (std::size_t k = 0; k < 2; ++k) {
    if (const int code = check(MPI_Comm_set_errhandler(world.channels[k], MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler")) return code;
    if (const int code = check(MPI_Comm_set_name(world.channels[k], kNames[k]), "MPI_Comm_set_name")) return code;
  }
  const MPI_Comm control = world.channels[KETMESH_MPI_CONTROL];
  MPI_Comm_rank(control, &world.rank);
  MPI_Comm_size(control, &world.size);
  // Every rank has come as far as this, so a collective that waits does not wait long.
  MPI_Comm host = MPI_COMM_NULL;
  if (const int code = check(MPI_Comm_split_type(control, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &host), "MPI_Comm_split_type"))
    return code;
  world.first_on_host = world.rank;
  const int code = check(MPI_Bcast(&world.first_on_host, 1, MPI_INT, 0, host), "MPI_Bcast");
  MPI_Comm_free(&host);
  if (code != 0) return code;
  world.ready = true;
  return 0;
}

int test_world(std::int64_t handle, std::int32_t* done) {
  return guarded([&] {
    World* const world = find_world(handle);
    if (world == nullptr) return bad_world(handle);
    *done = world->ready ? 1 : 0;
    if (world->ready) return 0;
    const ReturnErrors returning;
    int arrived = 0;
    if (const int code = check(MPI_Test(&world->request, &arrived, MPI_STATUS_IGNORE), "MPI_Comm_idup")) return code;
    if (arrived == 0) return 0;
    world->pending = false;
    if (++world->duplicated < 2) return start_duplicate(*world);
    const int code = complete(*world);
    *done = code == 0 ? 1 : 0;
    return code;
  });
}

int describe_world(std::int64_t handle, std::int32_t* rank, std::int32_t* size, std::int32_t* first_on_host) {
  return guarded([&] {
    const World* const world = find_world(handle);
    if (world == nullptr || !world->ready) return bad_world(handle);
    *rank = world->rank;
    *size = world->size;
    *first_on_host = world->first_on_host;
    return 0;
  });
}

int close_world(std::int64_t handle) {
  return guarded([&] {
    std::unique_ptr<World> world;
    {
      const std::lock_guard lock(handles().mutex);
      const auto found = handles().worlds.find(handle);
      if (found == handles().worlds.end()) return bad_world(handle);
      world = std::move(found->second);
      handles().worlds.erase(found);
    }
    if (!world->pending) return free_channels(*world);
    world.release();  // NOLINT: MPI still writes to it
    return 0;
  });
}

int keep(Transfer transfer, std::int64_t* out) {
  const std::lock_guard lock(handles().mutex);
  *out = handles().next++;
  handles().transfers.emplace(*out, transfer);
  return 0;
}

bool too_long(std::uint64_t bytes) { return bytes >= (std::uint64_t{1} << 30); }

int send(std::int64_t world, std::int32_t channel, const void* data, std::uint64_t bytes, std::int32_t to, std::int32_t tag,
         std::int64_t* request) {
  return guarded([&] {
    const MPI_Comm comm = channel_of(world, channel);
    if (comm == MPI_COMM_NULL) return KETMESH_MPI_BAD_HANDLE;
    if (too_long(bytes)) return fail(KETMESH_MPI_FAILED, "a message of " + std::to_string(bytes) + " bytes: must be below 2^30");
    MPI_Request started = MPI_REQUEST_NULL;
    if (const int code = check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm, &started), "MPI_Isend")) return code;
    return keep({started, false}, request);
  });
}

int receive(std::int64_t world, std::int32_t channel, void* data, std::uint64_t bytes, std::int32_t from, std::int32_t tag,
            std::int64_t* request) {
  return guarded([&] {
    const MPI_Comm comm = channel_of(world, channel);
    if (comm == MPI_COMM_NULL) return KETMESH_MPI_BAD_HANDLE;
    if (too_long(bytes)) return fail(KETMESH_MPI_FAILED, "a message of " + std::to_string(bytes) + " bytes: must be below 2^30");
    MPI_Request started = MPI_REQUEST_NULL;
    if (const int code =
            check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, comm, &started), "MPI_Irecv"))
      return code;
    return keep({started, true}, request);
  });
}

int bad_request(std::int64_t handle) { return fail(KETMESH_MPI_BAD_HANDLE, "no transfer has the handle " + std::to_string(handle)); }

int test(std::int64_t handle, std::int32_t* done, std::uint64_t* bytes) {
  return guarded([&] {
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().transfers.find(handle);
    if (found == handles().transfers.end()) return bad_request(handle);
    int arrived = 0, count = 0;
    MPI_Status status;
    const int code = check(MPI_Test(&found->second.request, &arrived, &status), "MPI_Test");
    if (code != 0 || arrived != 0) handles().transfers.erase(found);
    if (code != 0) return code;
    *done = arrived;
    if (arrived == 0) return 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *bytes = count < 0 ? 0 : static_cast<std::uint64_t>(count);
    return 0;
  });
}

/// Tests until it has ended or the time is over.
bool ends_within(MPI_Request& request, std::int32_t milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  int ended = 0;
  do {
    if (MPI_Test(&request, &ended, MPI_STATUS_IGNORE) != MPI_SUCCESS) return true;
  } while (ended == 0 && std::chrono::steady_clock::now() < end);
  return ended != 0;
}

int cancel(std::int64_t handle, std::int32_t milliseconds, std::int32_t* ended) {
  return guarded([&] {
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().transfers.find(handle);
    if (found == handles().transfers.end()) return bad_request(handle);
    Transfer transfer = found->second;
    handles().transfers.erase(found);
    *ended = 1;
    // A send cannot be taken back by every MPI, and one that is under way ends when the other side takes it.
    if (transfer.receives) MPI_Cancel(&transfer.request);
    if (ends_within(transfer.request, milliseconds)) return 0;
    *ended = 0;
    return check(MPI_Request_free(&transfer.request), "MPI_Request_free");
  });
}

int takes_device_memory(int32_t* takes) {
  return guarded([takes] {
    *takes = says_it_takes_device_memory() ? 1 : 0;
    return 0;
  });
}

constexpr KetmeshMpiTable kTable = {
    KETMESH_MPI_ABI_VERSION, KETMESH_BUILD_ID, KETMESH_MPI_FAMILY, last_error,     library_version, state, initialize, finalize, abort_job,
    launcher_communicator,   open_world,       test_world,         describe_world, close_world,     send,  receive,    test,     cancel,
    takes_device_memory};

}  // namespace

extern "C" __attribute__((visibility("default"))) const KetmeshMpiTable* ketmesh_mpi_table(std::uint32_t version) {
  return version == KETMESH_MPI_ABI_VERSION ? &kTable : nullptr;
}
