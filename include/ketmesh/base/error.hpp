// Every exception that leaves the library. `what()` is the whole message; members hold the parts.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ketmesh {

enum class ErrorKind : std::uint8_t {
  ParseError,
  CircuitError,
  OptionError,
  DoesNotFit,
  BackendUnavailable,
  TransportError,
  IoError,
  Internal,
};

std::string_view to_string(ErrorKind kind);  ///< "ParseError", ...

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {});
  ErrorKind kind() const noexcept { return kind_; }
  const std::string& hint() const noexcept { return hint_; }  ///< what to do about it; may be empty

 private:
  ErrorKind kind_;
  std::string hint_;
};

/// Untrusted text that cannot be understood. Line and column are 1-based; 0 when unknown.
class ParseError : public Error {
 public:
  ParseError(std::string file, std::size_t line, std::size_t column, const std::string& message, std::string hint = {});
  const std::string& file() const noexcept { return file_; }
  std::size_t line() const noexcept { return line_; }
  std::size_t column() const noexcept { return column_; }
  const std::string& message() const noexcept { return message_; }  ///< without the place

 private:
  std::string file_, message_;
  std::size_t line_, column_;
};

/// A gate, qubit, parameter or observable that cannot be. Has a place when it came from a text.
class CircuitError : public Error {
 public:
  explicit CircuitError(const std::string& message, std::string hint = {});
  CircuitError(std::string file, std::size_t line, std::size_t column, const std::string& message, std::string hint = {});
  const std::string& file() const noexcept { return file_; }
  std::size_t line() const noexcept { return line_; }
  std::size_t column() const noexcept { return column_; }
  const std::string& message() const noexcept { return message_; }

 private:
  std::string file_, message_;
  std::size_t line_ = 0, column_ = 0;
};

/// An option whose value is not of its type or range, or options that exclude each other.
class OptionError : public Error {
 public:
  explicit OptionError(const std::string& message, std::string hint = {});
};

/// A request larger than the memory. Bytes are of the fullest device.
class DoesNotFit : public Error {
 public:
  DoesNotFit(const std::string& message, std::uint64_t needed_bytes, std::uint64_t available_bytes, std::string hint = {});
  std::uint64_t needed_bytes() const noexcept { return needed_; }
  std::uint64_t available_bytes() const noexcept { return available_; }

 private:
  std::uint64_t needed_, available_;
};

class BackendUnavailable : public Error {
 public:
  explicit BackendUnavailable(const std::string& message, std::string hint = {});
};

/// A rank that differs, is lost, or a transfer that failed.
class TransportError : public Error {
 public:
  explicit TransportError(const std::string& message, std::string hint = {});
};

class IoError : public Error {
 public:
  enum class Side : std::uint8_t { input, output };
  IoError(Side side, const std::string& message, std::string hint = {});
  Side side() const noexcept { return side_; }

 private:
  Side side_;
};

/// A broken promise inside the library; please report.
class Internal : public Error {
 public:
  explicit Internal(const std::string& message);
};

}  // namespace ketmesh
