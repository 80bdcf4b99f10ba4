#include "ketmesh/state/checkpoint_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "ketmesh/base/error.hpp"

namespace ketmesh::state {
namespace {

constexpr std::size_t kPage = 4096;

bool on_pages(const void* data, std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(data) % kPage == 0 && bytes % kPage == 0; }

/// A file system may refuse direct access (tmpfs does); the page cache serves then.
int open_direct(const std::filesystem::path& path, int flags, bool& direct) {
  const int fd = ::open(path.c_str(), flags | O_DIRECT | O_CLOEXEC, 0666);
  direct = fd >= 0;
  return fd >= 0 || errno != EINVAL ? fd : ::open(path.c_str(), flags | O_CLOEXEC, 0666);
}

void set_direct(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  ::fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);  // best effort: some file systems refuse it for folders
  ::close(fd);
}

}  // namespace

ShardWriter::ShardWriter(std::filesystem::path path) : path_(std::move(path)) {
  fd_ = open_direct(path_, O_WRONLY | O_CREAT | O_EXCL, direct_);
  if (fd_ < 0) fail("cannot be created");
}

ShardWriter::ShardWriter(ShardWriter&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), direct_(other.direct_), kept_(std::exchange(other.kept_, true)) {}

ShardWriter::~ShardWriter() {
  if (fd_ >= 0) ::close(fd_);
  if (!kept_) ::unlink(path_.c_str());
}

void ShardWriter::append(const std::byte* data, std::size_t bytes) {
  if (direct_ && !on_pages(data, bytes)) {
    set_direct(fd_, false);
    direct_ = false;
  }
  while (bytes > 0) {
    const ssize_t done = ::write(fd_, data, bytes);
    if (done < 0) {
      if (errno == EINTR) continue;
      fail("cannot be written");
    }
    data += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void ShardWriter::sync() {
  if (::fsync(fd_) != 0) fail("cannot be written");
  const int closed = ::close(std::exchange(fd_, -1));
  if (closed != 0) fail("cannot be written");
}

void ShardWriter::fail(const char* what) const {
  throw IoError(IoError::Side::output, path_.string() + ": " + what + ": " + std::generic_category().message(errno));
}

ShardReader::ShardReader(const std::filesystem::path& folder, const ShardFile& file) : path_(folder / file.name), file_(file) {
  fd_ = open_direct(path_, O_RDONLY, direct_);
  if (fd_ < 0)
    throw IoError(IoError::Side::input,
                  path_.string() + ": a shard of the checkpoint cannot be opened: " + std::generic_category().message(errno));
  struct stat about {};
  if (::fstat(fd_, &about) != 0 || static_cast<std::uint64_t>(about.st_size) != file_.bytes) {
    ::close(fd_);
    throw IoError(IoError::Side::input,
                  path_.string() + ": has " + std::to_string(about.st_size) + " bytes; the manifest says " + std::to_string(file_.bytes));
  }
}

ShardReader::~ShardReader() { ::close(fd_); }

std::size_t ShardReader::bytes_of(std::uint64_t chunk) const {
  return static_cast<std::size_t>(std::min(kChunkBytes, file_.bytes - chunk * kChunkBytes));
}

void ShardReader::read(std::uint64_t chunk, std::byte* to) {
  const std::size_t bytes = bytes_of(chunk);
  const std::uint64_t begin = chunk * kChunkBytes;
  if (direct_ && !on_pages(to, bytes)) {
    set_direct(fd_, false);
    direct_ = false;
  }
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(fd_, to + done, bytes - done, static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw IoError(IoError::Side::input, path_.string() + ": cannot be read at byte " + std::to_string(begin + done) + ": " +
                                              (got == 0 ? "it ends there" : std::generic_category().message(errno)));
    done += static_cast<std::size_t>(got);
  }
  if (checksum(to, bytes) != file_.checksums.at(chunk))
    throw IoError(IoError::Side::input, path_.string() + ": bytes " + std::to_string(begin) + " to " + std::to_string(begin + bytes) +
                                            " are not those that were written: their checksum differs");
}

void write_text_file(const std::filesystem::path& path, const std::string& text) {
  auto temporary = path;
  temporary += ".part";
  ::unlink(temporary.c_str());
  ShardWriter writer(temporary);
  writer.append(reinterpret_cast<const std::byte*>(text.data()), text.size());
  writer.sync();
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw IoError(IoError::Side::output, path.string() + ": cannot be renamed into place: " + error.message());
  writer.keep();
  sync_folder(path.parent_path());
}

}  // namespace ketmesh::state
