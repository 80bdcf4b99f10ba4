// A state as a .npy file (NumPy format version 1.0: numpy.lib.format), under a temporary name until it is whole. All ranks write, each its windows
// of the logical order.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/base/random.hpp"
#include "ketmesh/state/part_buffer.hpp"

namespace ketmesh {
namespace {

constexpr int kBlockQubits = 15, kWindowQubits = 18;
constexpr std::size_t kInFlight = 4;  // windows of other ranks that wait for them to take what this rank sent

/// A file under a temporary name, opened by every rank; gone when it is not kept.
class PartialFile {
 public:
  /// Collective. Rank 0 makes the file.
  PartialFile(const std::filesystem::path& path, CollectiveCommunicator& ranks) : path_(path), makes_(ranks.rank() == 0) {
    std::uint64_t attempt = fresh_seed();
    ranks.broadcast(std::as_writable_bytes(std::span(&attempt, 1)), 0);
    temporary_ = path.string() + ".part-" + std::to_string(attempt);
    if (makes_) open(O_CREAT | O_EXCL, "cannot be created");
    ranks.barrier();
    if (!makes_) open(0, "is not seen from this rank: all ranks need the same folder");
  }
  ~PartialFile() {
    if (fd_ >= 0) ::close(fd_);
    if (makes_ && !kept_) ::unlink(temporary_.c_str());
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(const void* data, std::size_t bytes, std::uint64_t at) {
    const char* p = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t done = ::pwrite(fd_, p, std::min<std::size_t>(bytes, 1_GiB), static_cast<off_t>(at));
      if (done < 0) {
        if (errno == EINTR) continue;
        fail("cannot be written");
      }
      p += done;
      at += static_cast<std::uint64_t>(done);
      bytes -= static_cast<std::size_t>(done);
    }
  }

  /// Collective: on the disk and under its own name, or an error.
  void keep(CollectiveCommunicator& ranks) {
    if (::fsync(fd_) != 0) fail("cannot be written");
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0) fail("cannot be written");
    ranks.barrier();
    if (!makes_) return;
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be renamed into place");
    kept_ = true;
    sync_folder();
  }

 private:
  void open(int flags, const char* what) {
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    // A constructor that throws runs no destructor: a file that was there already is not removed.
    if (fd_ < 0) fail(what);
  }
  [[noreturn]] void fail(const char* what) const {
    throw IoError(IoError::Side::output, path_.string() + ": " + what + ": " + std::strerror(errno));
  }
  void sync_folder() const {
    const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);  // best effort: some file systems refuse it for folders
    ::close(fd);
  }
  std::filesystem::path path_;
  std::string temporary_;
  int fd_ = -1;
  bool makes_, kept_ = false;
};

std::string npy_header(Precision precision, Index count) {
  std::string dictionary = std::string("{'descr': '") + (precision == Precision::single ? "<c8" : "<c16") +
                           "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  constexpr std::size_t kPrefix = 10;
  while ((kPrefix + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

/// What this rank sent and must keep until it is through.
template <typename T>
class Outbox {
 public:
  explicit Outbox(CollectiveCommunicator& ranks) : ranks_(ranks) {}
  ~Outbox() {
    for (const auto& letter : letters_) ranks_.cancel(letter.request);
  }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void send(int to, std::vector<T>&& values) {
    if (letters_.size() == kInFlight) finish_oldest();
    auto& letter = letters_.emplace_back(Letter{to, std::move(values), 0});
    letter.request = ranks_.send(to, std::as_bytes(std::span(letter.values)));
  }
  void drain() {
    while (!letters_.empty()) finish_oldest();
  }

 private:
  struct Letter {
    int to;
    std::vector<T> values;
    CollectiveCommunicator::Request request;
  };
  void finish_oldest() {
    const Letter letter = std::move(letters_.front());
    letters_.pop_front();
    ranks_.wait(letter.request, letter.to);
  }
  CollectiveCommunicator& ranks_;
  std::deque<Letter> letters_;
};

/// Windows of the logical order, one after the other. The rank that has all of a window writes it, else each rank one in turn, with parts that the others
/// send. A rank waits only for windows that lie before its own, so the first one that is not written can always go on.
template <typename T>
void write_amplitudes(const ShardedState& state, PartialFile& file, std::uint64_t begin_of_data) {
  CollectiveCommunicator& ranks = state.context().collective();
  const int block_qubits = std::min(state.num_qubits(), kBlockQubits), window_qubits = std::min(state.num_qubits(), kWindowQubits);
  const state::BlockMap map(state.layout(), state.placement(), block_qubits);
  state::PartBuffer<T> parts(state);
  std::vector<T> window(std::size_t{1} << window_qubits);
  Outbox<T> outbox(ranks);
  const Index size = Index{1} << state.num_qubits();
  for (Index begin = 0; begin < size; begin += window.size()) {
    for (Index at = 0; at < window.size(); at += Index{1} << block_qubits) parts.add(map, begin + at, at);
    int writer = static_cast<int>((begin >> window_qubits) % static_cast<Index>(ranks.world()));
    for (int r = 0; r < ranks.world(); ++r)
      if (parts.of_rank(r).size() == window.size()) writer = r;
    if (writer == ranks.rank()) {
      for (int r = 0; r < ranks.world(); ++r)
        if (r != writer && !parts.of_rank(r).empty()) ranks.wait(ranks.receive(r, std::as_writable_bytes(std::span(parts.of_rank(r)))), r);
      parts.place(std::span<T>(window));
      file.write(window.data(), window.size() * sizeof(T), begin_of_data + begin * sizeof(T));
    } else if (!parts.of_rank(ranks.rank()).empty()) {
      outbox.send(writer, std::move(parts.of_rank(ranks.rank())));
    }
    parts.clear();
  }
  outbox.drain();
}

}  // namespace

void write_npy(const ShardedState& state, const std::filesystem::path& path) {
  CollectiveCommunicator& ranks = state.context().collective();
  PartialFile file(path, ranks);
  const std::string header = npy_header(state.precision(), Index{1} << state.num_qubits());
  if (ranks.rank() == 0) file.write(header.data(), header.size(), 0);
  if (state.precision() == Precision::single)
    write_amplitudes<cfloat>(state, file, header.size());
  else
    write_amplitudes<cdouble>(state, file, header.size());
  file.keep(ranks);
}

}  // namespace ketmesh
