#include "ketmesh/api/c_guard.hpp"

#include <cstdlib>
#include <new>

#include "ketmesh/base/error.hpp"

namespace ketmesh::api {
namespace {

template <std::size_t N>
void copy_into(char (&target)[N], std::string_view text) noexcept {
  std::size_t length = std::min(text.size(), N - 1);
  // A cut must not end inside a UTF-8 character.
  if (length < text.size())
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0u) == 0x80u) --length;
  std::memcpy(target, text.data(), length);
  target[length] = '\0';
}

ketmesh_code code_of(const std::exception& cause) noexcept {
  if (const auto* ours = dynamic_cast<const Error*>(&cause)) return static_cast<ketmesh_code>(static_cast<int>(ours->kind()) + 1);
  if (dynamic_cast<const BadArgument*>(&cause) != nullptr) return KETMESH_BAD_ARGUMENT;
  if (dynamic_cast<const Stopped*>(&cause) != nullptr) return KETMESH_STOPPED;
  if (dynamic_cast<const std::bad_alloc*>(&cause) != nullptr) return KETMESH_DOES_NOT_FIT;
  return KETMESH_INTERNAL;
}

}  // namespace

std::vector<PauliSum> observables_for(const char* text, const double* values, std::size_t capacity, std::size_t* count) {
  need(text, "observables");
  need(count, "count");
  std::vector<PauliSum> sums = parse_observables(text);
  *count = sums.size();
  if (capacity < sums.size())
    throw BadArgument("room for " + std::to_string(capacity) + " values, " + std::to_string(sums.size()) + " observables");
  if (!sums.empty()) need(values, "values");
  return sums;
}

ketmesh_code fill_error(ketmesh_error* error, const std::exception& cause) noexcept {
  const ketmesh_code code = code_of(cause);
  if (error == nullptr) return code;
  error->code = code;
  error->line = error->column = 0;
  copy_into(error->message, cause.what());
  error->hint[0] = '\0';
  if (const auto* ours = dynamic_cast<const Error*>(&cause)) copy_into(error->hint, ours->hint());
  if (const auto* parse = dynamic_cast<const ParseError*>(&cause)) {
    error->line = parse->line();
    error->column = parse->column();
  } else if (const auto* circuit = dynamic_cast<const CircuitError*>(&cause)) {
    error->line = circuit->line();
    error->column = circuit->column();
  }
  return code;
}

ketmesh_code fill_unknown(ketmesh_error* error) noexcept {
  if (error != nullptr) {
    *error = {};
    error->code = KETMESH_INTERNAL;
    copy_into(error->message, "something that is no std::exception was thrown");
  }
  return KETMESH_INTERNAL;
}

char* copy_text(std::string_view text) {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) throw std::bad_alloc();
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

RunOptions run_options(const ketmesh_run_options* options) {
  RunOptions out;
  if (options == nullptr) return out;
  out.shots = options->shots;
  if (options->has_seed != 0) out.seed = options->seed;
  if (options->observables != nullptr) out.observables = parse_observables(options->observables);
  const auto indices = array(options->amplitudes, options->num_amplitudes, "amplitudes");
  out.amplitudes.assign(indices.begin(), indices.end());
  out.probabilities = options->probabilities != 0;
  if (options->statevector_path != nullptr) out.statevector_path = options->statevector_path;
  const auto names = array(options->parameter_names, options->num_parameters, "parameter_names");
  const auto values = array(options->parameter_values, options->num_parameters, "parameter_values");
  for (std::size_t i = 0; i < names.size(); ++i) {
    need(names[i], "a parameter name");
    out.parameters[names[i]] = values[i];
  }
  if (options->progress != nullptr)
    out.progress = [callback = options->progress, user = options->user](std::uint64_t done, std::uint64_t total, const char* what) {
      if (callback(done, total, what, user) != 0) throw Stopped("stopped by the progress callback");
    };
  return out;
}

}  // namespace ketmesh::api

extern "C" {

const char* ketmesh_version(void) { return KETMESH_VERSION; }

const char* ketmesh_code_name(ketmesh_code code) {
  switch (code) {
    case KETMESH_OK:
      return "Ok";
    case KETMESH_PARSE_ERROR:
      return "ParseError";
    case KETMESH_CIRCUIT_ERROR:
      return "CircuitError";
    case KETMESH_OPTION_ERROR:
      return "OptionError";
    case KETMESH_DOES_NOT_FIT:
      return "DoesNotFit";
    case KETMESH_BACKEND_UNAVAILABLE:
      return "BackendUnavailable";
    case KETMESH_TRANSPORT_ERROR:
      return "TransportError";
    case KETMESH_IO_ERROR:
      return "IoError";
    case KETMESH_INTERNAL:
      return "Internal";
    case KETMESH_STOPPED:
      return "Stopped";
    case KETMESH_BAD_ARGUMENT:
      return "BadArgument";
  }
  return "Unknown";
}

void ketmesh_text_free(char* text) { std::free(text); }

void ketmesh_run_options_init(ketmesh_run_options* options) {
  if (options == nullptr) return;
  *options = {};
  options->shots = 1024;
}

}  // extern "C"
