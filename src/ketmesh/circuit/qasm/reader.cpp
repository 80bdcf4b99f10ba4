// The public entry points of reading: sources, includes, and the loop over statements.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/qasm.hpp"
#include "ketmesh/circuit/qasm/executor.hpp"
#include "ketmesh/circuit/qasm/parser.hpp"

namespace ketmesh {
namespace {

namespace fs = std::filesystem;
using namespace qasm;

/// Throws IoError.
std::string file_text(const fs::path& path, std::uint64_t max_bytes) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw IoError(IoError::Side::input, "cannot read " + path.string() + ": it is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(IoError::Side::input, "cannot open " + path.string());
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > max_bytes)
    throw IoError(IoError::Side::input, fmt::format("{} has {} bytes; the limit is {}", path.string(), size, max_bytes));
  std::string text;
  if (!error) text.reserve(static_cast<std::size_t>(size));
  std::vector<char> chunk(std::size_t{1} << 20);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), in.gcount() > 0) {  // pipes tell no size
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_bytes)
      throw IoError(IoError::Side::input, fmt::format("{} has more than {} bytes, the limit", path.string(), max_bytes));
  }
  if (in.bad()) throw IoError(IoError::Side::input, "cannot read " + path.string());
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const QasmOptions& options, const fs::path& path)
      : options_(options),
        tokens_(sources_, names_, sources_.add(options.file_name, text)),
        parser_(tokens_, sources_, names_),
        executor_(sources_, names_, options, tokens_.version) {
    paths_.push_back(path);
    if (!path.empty()) included_.push_back(canonical(path));
  }

  Circuit read() {
    parser_.header();
    Statement s;
    for (;;) {
      if (!parser_.next(s)) {
        if (tokens_.leave()) continue;
        break;
      }
      if (s.kind == Statement::Kind::include) {
        include(s);
      } else if (run(s) == Executor::Flow::end_) {
        break;
      }
    }
    return executor_.finish(tokens_.place());
  }

 private:
  Executor::Flow run(const Statement& s) {
    try {
      return executor_.run(s);
    } catch (const CircuitError& e) {
      if (e.line() > 0) throw;
      sources_.circuit_error(executor_.place(), e.message(), e.hint());
    }
  }

  static fs::path canonical(const fs::path& path) {
    std::error_code error;
    fs::path out = fs::weakly_canonical(path, error);
    return error ? path : out;
  }

  static bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error) && !fs::is_directory(path, error);
  }

  bool lies_below(const fs::path& path) const {
    const fs::path whole = canonical(path);
    return std::any_of(options_.include_paths.begin(), options_.include_paths.end(), [&](const fs::path& root) {
      const fs::path base = canonical(root);
      return std::mismatch(base.begin(), base.end(), whole.begin(), whole.end()).first == base.end();
    });
  }

  fs::path find(const Statement& s) const {
    fs::path wanted(s.text);
    if (wanted.is_absolute()) {
      if (!lies_below(wanted))
        sources_.parse_error(
            s.name_place,
            fmt::format("include '{}': an absolute file must lie below an include path that the caller allows", shown(s.text)));
      if (is_file(wanted)) return wanted;
    } else {
      std::vector<fs::path> folders;
      const fs::path& here = paths_[s.place.file];
      if (!here.empty()) folders.push_back(here.parent_path());
      if (!options_.directory.empty()) folders.push_back(options_.directory);
      folders.insert(folders.end(), options_.include_paths.begin(), options_.include_paths.end());
      for (const fs::path& folder : folders) {
        if (is_file(folder / wanted)) return folder / wanted;
      }
    }
    sources_.parse_error(
        s.name_place, fmt::format("include file '{}' is not found; expected a file beside this one or in an include path", shown(s.text)));
  }

  void include(const Statement& s) {
    if (s.text == "qelib1.inc" || s.text == "stdgates.inc") {  // their gates are known anyway
      tokens_.take();
      return;
    }
    if (s.text.empty() || s.text.find('\0') != std::string::npos) sources_.parse_error(s.name_place, "malformed file name of an include");
    const fs::path path = find(s);
    const fs::path whole = canonical(path);
    if (std::find(included_.begin(), included_.end(), whole) != included_.end()) {  // twice is harmless, a cycle too
      tokens_.take();
      return;
    }
    if (tokens_.depth() > static_cast<std::size_t>(kMaxNesting))
      sources_.parse_error(s.place, fmt::format("includes nested deeper than {} levels", kMaxNesting));
    included_.push_back(whole);
    std::string text;
    try {
      text = file_text(path, options_.max_bytes);
    } catch (const IoError& e) {
      sources_.parse_error(s.name_place, e.what());
    }
    paths_.push_back(path);
    tokens_.enter(sources_.add_owned(path.string(), std::move(text)));
    // A version line of an included file must be that of the text.
    const int version = tokens_.version;
    if (tokens_.at(Word::OPENQASM_)) {
      const Place place = tokens_.place();
      parser_.header();
      if (tokens_.version != version)
        sources_.parse_error(place, fmt::format("the included file is OpenQASM {}, the text is version {}", tokens_.version, version));
    }
  }

  const QasmOptions& options_;
  Sources sources_;
  Names names_;
  Tokens tokens_;
  Parser parser_;
  Executor executor_;
  std::vector<fs::path> paths_;     // by source; empty for a text
  std::vector<fs::path> included_;  // canonical
};

}  // namespace

Circuit read_qasm(std::string_view text, const QasmOptions& options) {
  if (text.size() > options.max_bytes)
    throw ParseError(options.file_name, 1, 1, fmt::format("the text has {} bytes; the limit is {}", text.size(), options.max_bytes));
  return Reader(text, options, {}).read();
}

Circuit read_qasm_file(const std::filesystem::path& path, QasmOptions options) {
  const std::string text = file_text(path, options.max_bytes);
  if (options.file_name.empty()) options.file_name = path.string();
  return Reader(text, options, path).read();
}

Circuit Circuit::from_qasm(std::string_view path_or_text) {
  if (path_or_text.find_first_of(";\n") != std::string_view::npos) return read_qasm(path_or_text);
  return read_qasm_file(std::filesystem::path(path_or_text));
}

}  // namespace ketmesh
