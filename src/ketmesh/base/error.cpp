#include "ketmesh/base/error.hpp"

#include <array>
#include <utility>

namespace ketmesh {
namespace {

std::string placed(const std::string& file, std::size_t line, std::size_t column, const std::string& message) {
  std::string out;
  if (!file.empty()) out += file + ":";
  if (line > 0) out += std::to_string(line) + ":" + std::to_string(column) + ":";
  return out.empty() ? message : out + " " + message;
}

}  // namespace

std::string_view to_string(ErrorKind kind) {
  static constexpr std::array<std::string_view, 8> kNames = {"ParseError",         "CircuitError",   "OptionError", "DoesNotFit",
                                                             "BackendUnavailable", "TransportError", "IoError",     "Internal"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Error::Error(ErrorKind kind, const std::string& message, std::string hint)
    : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

ParseError::ParseError(std::string file, std::size_t line, std::size_t column, const std::string& message, std::string hint)
    : Error(ErrorKind::ParseError, placed(file, line, column, message), std::move(hint)),
      file_(std::move(file)),
      message_(message),
      line_(line),
      column_(column) {}

CircuitError::CircuitError(const std::string& message, std::string hint)
    : Error(ErrorKind::CircuitError, message, std::move(hint)), message_(message) {}

CircuitError::CircuitError(std::string file, std::size_t line, std::size_t column, const std::string& message, std::string hint)
    : Error(ErrorKind::CircuitError, placed(file, line, column, message), std::move(hint)),
      file_(std::move(file)),
      message_(message),
      line_(line),
      column_(column) {}

OptionError::OptionError(const std::string& message, std::string hint) : Error(ErrorKind::OptionError, message, std::move(hint)) {}

DoesNotFit::DoesNotFit(const std::string& message, std::uint64_t needed_bytes, std::uint64_t available_bytes, std::string hint)
    : Error(ErrorKind::DoesNotFit, message, std::move(hint)), needed_(needed_bytes), available_(available_bytes) {}

BackendUnavailable::BackendUnavailable(const std::string& message, std::string hint)
    : Error(ErrorKind::BackendUnavailable, message, std::move(hint)) {}

TransportError::TransportError(const std::string& message, std::string hint) : Error(ErrorKind::TransportError, message, std::move(hint)) {}

IoError::IoError(Side side, const std::string& message, std::string hint)
    : Error(ErrorKind::IoError, message, std::move(hint)), side_(side) {}

Internal::Internal(const std::string& message) : Error(ErrorKind::Internal, message) {}

}  // namespace ketmesh
