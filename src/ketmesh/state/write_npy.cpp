// A state as a .npy file (NumPy format version 1.0: numpy.lib.format), written in blocks under a temporary name.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh {
namespace {

constexpr Index kBlock = Index{1} << 18;

/// A file under a temporary name; gone when it is not kept.
class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& path) : path_(path), temporary_(path.string() + ".part-" + std::to_string(::getpid())) {
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) fail("cannot be created");
  }
  ~PartialFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!kept_) ::unlink(temporary_.c_str());
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(const void* data, std::size_t bytes) {
    const char* p = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t done = ::write(fd_, p, std::min<std::size_t>(bytes, 1_GiB));
      if (done < 0) {
        if (errno == EINTR) continue;
        fail("cannot be written");
      }
      p += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }

  /// On the disk and under its own name, or an error.
  void keep() {
    if (::fsync(fd_) != 0) fail("cannot be written");
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0) fail("cannot be written");
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be renamed into place");
    kept_ = true;
    sync_folder();
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    const int reason = errno;
    // A constructor that throws runs no destructor: a file that was there already is not removed.
    throw IoError(IoError::Side::output, path_.string() + ": " + what + ": " + std::strerror(reason));
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
  bool kept_ = false;
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

template <typename T>
void write_amplitudes(const ShardedState& state, PartialFile* file) {
  const Index size = Index{1} << state.num_qubits();
  std::vector<T> block(static_cast<std::size_t>(std::min(size, kBlock)));
  for (Index begin = 0; begin < size; begin += static_cast<Index>(block.size())) {
    state.to_host(begin, begin + static_cast<Index>(block.size()), std::span<T>(block));
    if (file != nullptr) file->write(block.data(), block.size() * sizeof(T));
  }
}

}  // namespace

void write_npy(const ShardedState& state, const std::filesystem::path& path) {
  // Rank 0 writes; the others hand over what they hold.
  std::unique_ptr<PartialFile> file;
  if (state.context().rank() == 0) {
    file = std::make_unique<PartialFile>(path);
    const std::string header = npy_header(state.precision(), Index{1} << state.num_qubits());
    file->write(header.data(), header.size());
  }
  if (state.precision() == Precision::single)
    write_amplitudes<cfloat>(state, file.get());
  else
    write_amplitudes<cdouble>(state, file.get());
  if (file != nullptr) file->keep();
}

}  // namespace ketmesh
