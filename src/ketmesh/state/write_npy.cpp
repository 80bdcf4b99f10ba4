// A state as a .npy file (NumPy format version 1.0: numpy.lib.format), under a temporary name until it is whole. All ranks write, each its windows
// of the logical order.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/base/random.hpp"
#include "ketmesh/state/part_buffer.hpp"

namespace ketmesh {
namespace {

constexpr int kBlockQubits = 15, kWindowQubits = 18;

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

/// Windows of the logical order, as many at a time as there are ranks. The rank that has all of a window writes it, else each rank one in turn, with parts
/// that the others send.
template <typename T>
class WindowWriter {
 public:
  WindowWriter(const ShardedState& state, PartialFile& file, std::uint64_t begin_of_data)
      : state_(state),
        ranks_(state.context().collective()),
        file_(file),
        begin_of_data_(begin_of_data),
        world_(static_cast<std::size_t>(ranks_.world())),
        block_qubits_(std::min(state.num_qubits(), kBlockQubits)),
        size_(std::size_t{1} << std::min(state.num_qubits(), kWindowQubits)),
        map_(state.layout(), state.placement(), block_qubits_) {}

  void run(const std::function<void(std::uint64_t, std::uint64_t, const char*)>& progress) {
    const Index windows = (Index{1} << state_.num_qubits()) / size_;
    for (Index first = 0; first < windows; first += world_) {
      const Index count = std::min<Index>(world_, windows - first);
      batch(first, count);
      if (progress) progress((first + count) * size_, windows * size_, "write");
    }
  }

 private:
  void batch(Index first, Index count) {
    std::vector<state::PartBuffer<T>> windows;
    std::vector<int> writers;
    for (Index w = 0; w < count; ++w) {
      auto& parts = windows.emplace_back(state_);
      for (Index at = 0; at < size_; at += Index{1} << block_qubits_) parts.add(map_, (first + w) * size_ + at, at);
      writers.push_back(static_cast<int>(w));
      for (int r = 0; r < ranks_.world(); ++r)
        if (parts.of_rank(r).size() == size_) writers.back() = r;
      // Only the writer needs room for what the others have.
      for (int r = 0; r < ranks_.world() && writers.back() != ranks_.rank(); ++r)
        if (r != ranks_.rank()) parts.of_rank(r) = {};
    }
    hand_over(windows, writers);
    std::vector<T> window(size_);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      if (writers[w] != ranks_.rank()) continue;
      windows[w].place(std::span<T>(window));
      file_.write(window.data(), size_ * sizeof(T), begin_of_data_ + (first + w) * size_ * sizeof(T));
    }
  }

  /// Each rank's parts to the writers of their windows.
  void hand_over(std::vector<state::PartBuffer<T>>& windows, const std::vector<int>& writers) {
    std::vector<std::vector<T>> to(world_), from(world_);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const auto writer = static_cast<std::size_t>(writers[w]);
      const auto& mine = windows[w].of_rank(ranks_.rank());
      if (writers[w] != ranks_.rank()) to[writer].insert(to[writer].end(), mine.begin(), mine.end());
      for (std::size_t r = 0; r < world_ && writers[w] == ranks_.rank(); ++r)
        from[r].resize(from[r].size() + windows[w].of_rank(static_cast<int>(r)).size());
    }
    std::vector<std::span<const std::byte>> out;
    std::vector<std::span<std::byte>> in;
    for (std::size_t r = 0; r < world_; ++r) {
      out.push_back(std::as_bytes(std::span(to[r])));
      in.push_back(std::as_writable_bytes(std::span(from[r])));
    }
    ranks_.all_to_all(out, in);
    std::vector<std::size_t> next(world_, 0);
    for (std::size_t w = 0; w < windows.size(); ++w)
      for (std::size_t r = 0; r < world_ && writers[w] == ranks_.rank(); ++r) {
        auto& values = windows[w].of_rank(static_cast<int>(r));
        if (static_cast<int>(r) != ranks_.rank())
          std::copy_n(from[r].begin() + static_cast<std::ptrdiff_t>(next[r]), values.size(), values.begin());
        next[r] += values.size();
      }
  }

  const ShardedState& state_;
  CollectiveCommunicator& ranks_;
  PartialFile& file_;
  std::uint64_t begin_of_data_;
  std::size_t world_;
  int block_qubits_;
  std::size_t size_;
  state::BlockMap map_;
};

}  // namespace

void write_npy(const ShardedState& state, const std::filesystem::path& path,
               const std::function<void(std::uint64_t, std::uint64_t, const char*)>& progress) {
  CollectiveCommunicator& ranks = state.context().collective();
  PartialFile file(path, ranks);
  const std::string header = npy_header(state.precision(), Index{1} << state.num_qubits());
  if (ranks.rank() == 0) file.write(header.data(), header.size(), 0);
  if (state.precision() == Precision::single)
    WindowWriter<cfloat>(state, file, header.size()).run(progress);
  else
    WindowWriter<cdouble>(state, file, header.size()).run(progress);
  file.keep(ranks);
}

}  // namespace ketmesh
