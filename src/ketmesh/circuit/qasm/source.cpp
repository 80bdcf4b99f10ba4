#include "ketmesh/circuit/qasm/source.hpp"

#include <utility>

#include "ketmesh/base/error.hpp"

namespace ketmesh::qasm {

std::uint32_t Sources::add(std::string name, std::string_view text) {
  files_.push_back(File{std::move(name), {}, text});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::uint32_t Sources::add_owned(std::string name, std::string text) {
  files_.push_back(File{std::move(name), std::move(text), {}});
  files_.back().text = files_.back().owned;
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::size_t Sources::column(Place place) const {
  const std::string_view text = files_[place.file].text;
  std::size_t begin = place.offset;
  while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r') --begin;
  if (text.substr(begin, 3) == "\xEF\xBB\xBF" && begin == 0 && place.offset >= 3) begin = 3;
  std::size_t column = 1;
  for (std::size_t i = begin; i < place.offset; ++i) {
    column += (static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u;  // continuation bytes are no characters
  }
  return column;
}

void Sources::parse_error(Place place, const std::string& message, std::string hint) const {
  throw ParseError(name(place.file), place.line, column(place), message, std::move(hint));
}

void Sources::circuit_error(Place place, const std::string& message, std::string hint) const {
  throw CircuitError(name(place.file), place.line, column(place), message, std::move(hint));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out;
  std::size_t end = text.size();
  if (end > kLongest) {
    end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;  // never half a character
  }
  for (const char c : text.substr(0, end)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  if (end < text.size()) out += "...";
  return out;
}

}  // namespace ketmesh::qasm
