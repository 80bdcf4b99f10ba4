// What every subcommand shares: how it answers, how it is interrupted, how it shows that it is alive.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

#include "job.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh::app {

struct Session {
  Job job;                       ///< the processes of this run
  bool json = false;             ///< one JSON object on stdout, also on failure
  bool quiet = false;            ///< no progress on stderr
  std::function<void()> action;  ///< of the subcommand that was chosen
};

/// Thrown by the progress callback after SIGINT. To other ranks it is a rank that left.
class Interrupted : public TransportError {
 public:
  using TransportError::TransportError;
};

enum ExitCode : int { kOk = 0, kBadInput = 1, kDoesNotFit = 2, kUnavailable = 3, kInternal = 4, kInterrupted = 130 };

/// From now on SIGINT sets a flag (a second one ends the process at once).
void watch_interrupts();
/// Throws Interrupted once the flag is set.
void check_interrupt();

/// Says what failed: a line `error: ...` and perhaps `hint: ...` on stderr, with json one object on stdout. Returns the exit status.
/// Of several ranks the first one speaks, and each one whose job broke.
int report(const std::exception& error, const Session& session);
int report_usage(const std::string& message, const std::string& hint, const Session& session);

/// Long work on a terminal: one line on stderr that is rewritten and erased in the end.
class Progress {
 public:
  explicit Progress(const Session& session);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Looks at the interrupt flag too.
  std::function<void(std::uint64_t, std::uint64_t, const char*)> callback();

 private:
  void show(std::uint64_t done, std::uint64_t total, const char* what);
  void erase();
  bool visible_ = false, shown_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

/// A circuit from a path, or from stdin for "-" (that of the first rank).
Circuit read_circuit(const std::string& path, const Job& job);
std::string read_file(const std::string& path);
/// Writes under a temporary name beside `path` and renames, so that no half file bears the name. "-": stdout. Throws IoError (output).
void write_file(const std::string& path, std::string_view text);
/// Prints to stdout; throws IoError (output) when it cannot be written.
void print(std::string_view text);

/// Digits only within [low, high]; throws OptionError naming the option, the text and the range.
std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t low, std::uint64_t high);
/// A finite number; throws OptionError.
double real_number(std::string_view option, std::string_view text);
/// "141GB", "64GiB", "1000000": bytes; throws OptionError.
std::uint64_t byte_size(std::string_view option, std::string_view text);

/// Columns of the terminal on stdout, 100 when it is none.
int terminal_columns();

}  // namespace ketmesh::app
