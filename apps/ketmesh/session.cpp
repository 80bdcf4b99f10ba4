#include "session.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ketmesh/base/error.hpp"

namespace ketmesh::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

struct Failure {
  std::string kind, message, hint, file;
  std::size_t line = 0, column = 0;
  int status = kInternal;
};

Failure describe(const std::exception& error) {
  Failure f;
  if (const auto* stop = dynamic_cast<const Interrupted*>(&error)) {
    f = {"Interrupted", stop->what(), "", "", 0, 0, kInterrupted};
    return f;
  }
  f.kind = to_string(ErrorKind::Internal);
  f.message = error.what();
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours == nullptr) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
      f = {std::string(to_string(ErrorKind::DoesNotFit)), "not enough memory", "", "", 0, 0, kDoesNotFit};
    return f;
  }
  f.kind = to_string(ours->kind());
  f.hint = ours->hint();
  switch (ours->kind()) {
    case ErrorKind::ParseError:
    case ErrorKind::CircuitError:
    case ErrorKind::OptionError:
      f.status = kBadInput;
      break;
    case ErrorKind::DoesNotFit:
      f.status = kDoesNotFit;
      break;
    case ErrorKind::BackendUnavailable:
    case ErrorKind::TransportError:
      f.status = kUnavailable;
      break;
    case ErrorKind::IoError:
      f.status = dynamic_cast<const IoError&>(error).side() == IoError::Side::output ? kUnavailable : kBadInput;
      break;
    case ErrorKind::Internal:
      f.status = kInternal;
      break;
  }
  if (const auto* parse = dynamic_cast<const ParseError*>(&error)) {
    f.message = parse->message();
    f.file = parse->file();
    f.line = parse->line();
    f.column = parse->column();
  } else if (const auto* circuit = dynamic_cast<const CircuitError*>(&error)) {
    f.message = circuit->message();
    f.file = circuit->file();
    f.line = circuit->line();
    f.column = circuit->column();
  }
  return f;
}

int say(const Failure& f, const std::string& whole, bool json) {
  std::fprintf(stderr, "error: %s\n", one_line(whole).c_str());
  if (!f.hint.empty()) std::fprintf(stderr, "hint: %s\n", one_line(f.hint).c_str());
  if (json) {
    using nlohmann::ordered_json;
    const auto number = [](std::size_t n) { return n > 0 ? ordered_json(n) : ordered_json(nullptr); };
    ordered_json error;
    error["kind"] = f.kind;
    error["message"] = f.message;
    error["hint"] = f.hint;
    error["file"] = f.file.empty() ? ordered_json(nullptr) : ordered_json(f.file);
    error["line"] = number(f.line);
    error["column"] = number(f.column);
    ordered_json object;
    object["error"] = std::move(error);
    const std::string text = object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return f.status;
}

}  // namespace

void watch_interrupts() { std::signal(SIGINT, on_interrupt); }

void check_interrupt() {
  if (interrupted != 0) throw Interrupted("interrupted; nothing was written");
}

int report(const std::exception& error, const Session& session) {
  const Failure failure = describe(error);
  // What one rank did to the others is said by each of them: the first one may be the one that is gone.
  const bool of_a_rank =
      session.job.over_ranks() && (failure.kind == to_string(ErrorKind::TransportError) || failure.message.starts_with("rank "));
  return of_a_rank || session.job.complains() ? say(failure, error.what(), session.json && session.job.speaks()) : failure.status;
}

int report_usage(const std::string& message, const std::string& hint, const Session& session) {
  if (!session.job.is_first()) return kBadInput;
  return say({std::string(to_string(ErrorKind::OptionError)), message, hint, "", 0, 0, kBadInput}, message, session.json);
}

Progress::Progress(const Session& session)
    : visible_(!session.quiet && session.job.speaks() && isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() { erase(); }

void Progress::erase() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::function<void(std::uint64_t, std::uint64_t, const char*)> Progress::callback() {
  return [this](std::uint64_t done, std::uint64_t total, const char* what) {
    if (interrupted != 0) erase();
    check_interrupt();
    if (visible_) show(done, total, what);
  };
}

void Progress::show(std::uint64_t done, std::uint64_t total, const char* what) {
  using std::chrono::duration;
  const auto now = std::chrono::steady_clock::now();
  if (duration<double>(now - start_).count() < 1.0 || duration<double>(now - last_).count() < 0.2) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r%s %llu of %llu, %.0f s\033[K", what, static_cast<unsigned long long>(done),
               static_cast<unsigned long long>(total), duration<double>(now - start_).count());
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(IoError::Side::input, "cannot read " + path + ": " + std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw IoError(IoError::Side::input, "cannot read " + path + ": " + std::strerror(errno));
  return std::move(text).str();
}

Circuit read_circuit(const std::string& path, const Job& job) {
  // from_qasm takes what holds ';' or a line end for text.
  if (path != "-" && path.find_first_of(";\n") == std::string::npos) return Circuit::from_qasm(path);
  std::string text =
      path == "-" ? job.from_first([] { return std::string(std::istreambuf_iterator<char>(std::cin), {}); }) : read_file(path);
  text += '\n';
  return Circuit::from_qasm(text);
}

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") return print(text);
  const auto fail = [&path] { throw IoError(IoError::Side::output, "cannot write " + path + ": " + std::strerror(errno)); };
  const std::string temporary = path + ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  if (!file) fail();
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int cause = errno;
    std::remove(temporary.c_str());
    errno = cause;
    fail();
  }
}

void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw IoError(IoError::Side::output, std::string("cannot write to stdout: ") + std::strerror(errno));
}

std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw OptionError(fmt::format("{} {}: must be an integer from {} to {}", option, text, low, high));
  return value;
}

double real_number(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw OptionError(fmt::format("{} {}: must be a finite number", option, text));
  return value;
}

std::uint64_t byte_size(std::string_view option, std::string_view text) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr Unit kUnits[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3},
                                    {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {"B", 1}};
  std::string_view digits = text;
  double unit = 1;
  for (const Unit& u : kUnits)
    if (digits.ends_with(u.name)) {
      digits.remove_suffix(u.name.size());
      unit = u.bytes;
      break;
    }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || !(value * unit >= 1) || value * unit > 0x1p62)
    throw OptionError(fmt::format("{} {}: must be a size such as 141GB, 64GiB or a number of bytes", option, text));
  return static_cast<std::uint64_t>(value * unit);
}

int terminal_columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 100;
}

}  // namespace ketmesh::app
