// Samples in files: .npy (mapped, any number type, byte order and order of axes) and .csv.
#pragma once

#include <filesystem>
#include <memory>

#include "ketmesh/encode/batch.hpp"

namespace ketmesh {

/// A file of samples, open while this lives. A one-dimensional array is one sample, a two-dimensional one is [samples][values].
class SampleFile {
 public:
  /// Throws OptionError ("Unsupported file format", number types and shapes that cannot be encoded), ParseError (no such file inside), IoError.
  static SampleFile open(const std::filesystem::path& path);
  ~SampleFile();
  SampleFile(SampleFile&&) noexcept;
  SampleFile& operator=(SampleFile&&) noexcept;
  const SampleView& samples() const noexcept { return view_; }
  bool is_batch() const noexcept { return batch_; }
  /// Rows [first, first + count) of it.
  SampleView rows(std::size_t first, std::size_t count) const;

 private:
  struct Storage;
  SampleFile();
  std::unique_ptr<Storage> storage_;
  SampleView view_;
  bool batch_ = false;
};

}  // namespace ketmesh
