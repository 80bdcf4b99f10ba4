// The texts that are being read, places in them, and errors that carry a place.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ketmesh::qasm {

/// A position in one of the sources. Columns are computed when an error needs them.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 1;    ///< 1-based
  std::uint32_t offset = 0;  ///< bytes from the start of the text
};

class Sources {
 public:
  /// The text must outlive this object.
  std::uint32_t add(std::string name, std::string_view text);
  std::uint32_t add_owned(std::string name, std::string text);
  std::size_t count() const noexcept { return files_.size(); }
  const std::string& name(std::uint32_t file) const { return files_[file].name; }
  std::string_view text(std::uint32_t file) const { return files_[file].text; }
  /// 1-based, counted in characters (not bytes) of UTF-8; a byte-order mark is no column.
  std::size_t column(Place place) const;

  [[noreturn]] void parse_error(Place place, const std::string& message, std::string hint = {}) const;
  [[noreturn]] void circuit_error(Place place, const std::string& message, std::string hint = {}) const;

 private:
  struct File {
    std::string name;
    std::string owned;
    std::string_view text;
  };
  std::deque<File> files_;  // stable addresses: `text` may point into `owned`
};

/// At most 40 characters of a text for a message, control characters replaced.
std::string shown(std::string_view text);

}  // namespace ketmesh::qasm
