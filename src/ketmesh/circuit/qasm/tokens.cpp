#include "ketmesh/circuit/qasm/tokens.hpp"

#include <fmt/format.h>

namespace ketmesh::qasm {

Tokens::Tokens(Sources& sources, Names& names, std::uint32_t file) : sources_(&sources), names_(&names) {
  lexers_.emplace_back(sources, names, file);
  token_ = lexers_.back().next();
}

Token Tokens::take() {
  const Token taken = token_;
  token_ = lexers_.back().next();
  return taken;
}

bool Tokens::accept(Tok kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

bool Tokens::accept(Word word) {
  if (!at(word)) return false;
  take();
  return true;
}

Token Tokens::expect(Tok kind, std::string_view what) {
  if (!at(kind)) unexpected(what);
  return take();
}

Token Tokens::expect_name(std::string_view what) {
  if (!at(Tok::name)) unexpected(what);
  if (is_reserved(token_.name, version)) {
    sources_->parse_error(place(), fmt::format("unexpected reserved word '{}'; expected {}", text(token_), what));
  }
  return take();
}

std::string_view Tokens::text(const Token& token) const {
  return sources_->text(token.place.file).substr(token.place.offset, token.length);
}

std::string Tokens::shown_token() const { return at(Tok::end) ? std::string("end of the file") : "'" + shown(text(token_)) + "'"; }

void Tokens::unexpected(std::string_view expected) const {
  sources_->parse_error(place(), fmt::format("unexpected {}; expected {}", shown_token(), expected));
}

void Tokens::enter(std::uint32_t file) {
  lexers_.emplace_back(*sources_, *names_, file);
  token_ = lexers_.back().next();
}

bool Tokens::leave() {
  if (lexers_.size() == 1) return false;
  lexers_.pop_back();
  token_ = lexers_.back().next();
  return true;
}

void Tokens::skip_line() {
  lexers_.back().skip_line();
  token_ = lexers_.back().next();
}

Nesting::Nesting(int& depth, const Sources& sources, Place place, std::string_view what) : depth_(&depth) {
  if (depth >= kMaxNesting) sources.parse_error(place, fmt::format("{} nested deeper than {} levels", what, kMaxNesting));
  ++depth;
}

}  // namespace ketmesh::qasm
