// One shard's amplitudes on a disk, chunk by chunk, past the page cache where the file system allows it.
#pragma once

#include <cstddef>
#include <filesystem>

#include "ketmesh/state/checkpoint_manifest.hpp"

namespace ketmesh::state {

/// A file that is removed again unless it is kept.
class ShardWriter {
 public:
  /// Throws IoError (output), as all its members do, naming the file and the system's reason.
  explicit ShardWriter(std::filesystem::path path);
  ~ShardWriter();
  ShardWriter(ShardWriter&&) noexcept;
  ShardWriter& operator=(ShardWriter&&) = delete;

  /// Appends a chunk; whole ones that lie on a page boundary go to the disk directly.
  void append(const std::byte* data, std::size_t bytes);
  void sync();                            ///< what was appended is on the disk
  void keep() noexcept { kept_ = true; }  ///< it belongs to a finished checkpoint now

 private:
  [[noreturn]] void fail(const char* what) const;
  std::filesystem::path path_;
  int fd_ = -1;
  bool direct_ = false, kept_ = false;
};

/// Reads chunks of a shard's file and compares their checksums.
class ShardReader {
 public:
  /// Throws IoError (input): the file is not there or has not the bytes that the manifest says.
  ShardReader(const std::filesystem::path& folder, const ShardFile& file);
  ~ShardReader();
  ShardReader(const ShardReader&) = delete;
  ShardReader& operator=(const ShardReader&) = delete;

  std::size_t bytes_of(std::uint64_t chunk) const;
  /// `to` has room for bytes_of(chunk). Throws IoError (input) that names file and bytes when it was changed.
  void read(std::uint64_t chunk, std::byte* to);

 private:
  std::filesystem::path path_;
  const ShardFile& file_;
  int fd_ = -1;
  bool direct_ = false;
};

/// Writes `text` under a temporary name and renames it to `path` when it is on the disk. Throws IoError (output).
void write_text_file(const std::filesystem::path& path, const std::string& text);

}  // namespace ketmesh::state
