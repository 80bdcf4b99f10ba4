#include "ketmesh/transport/agreement.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"

namespace ketmesh::transport {
namespace {

/// What every rank brings to an agreement.
struct Said {
  std::array<char, 32> call{}, version{};
  std::uint64_t arguments = 0;
};

template <std::size_t N>
void put(std::string_view text, std::array<char, N>& to) {
  std::copy_n(text.begin(), std::min(text.size(), N - 1), to.begin());
}

std::string rank_text(std::size_t rank) { return "rank " + std::to_string(rank); }

RankError describe(const std::exception_ptr& failure) {
  RankError out;
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    out.kind = error.kind();
    out.message = error.what();
    out.hint = error.hint();
    if (const auto* memory = dynamic_cast<const DoesNotFit*>(&error)) {
      out.needed_bytes = memory->needed_bytes();
      out.available_bytes = memory->available_bytes();
    }
    if (const auto* file = dynamic_cast<const IoError*>(&error)) out.side = file->side();
  } catch (const std::bad_alloc&) {
    out.kind = ErrorKind::DoesNotFit;
    out.message = "not enough memory";
  } catch (const std::exception& error) {
    out.message = error.what();
  } catch (...) {
    out.message = "an exception of an unknown kind";
  }
  return out;
}

[[noreturn]] void raise(const RankError& error, const std::string& message) {
  switch (error.kind) {
    case ErrorKind::ParseError:
    case ErrorKind::CircuitError:
      throw CircuitError(message, error.hint);
    case ErrorKind::OptionError:
      throw OptionError(message, error.hint);
    case ErrorKind::DoesNotFit:
      throw DoesNotFit(message, error.needed_bytes, error.available_bytes, error.hint);
    case ErrorKind::BackendUnavailable:
      throw BackendUnavailable(message, error.hint);
    case ErrorKind::TransportError:
      throw TransportError(message, error.hint);
    case ErrorKind::IoError:
      throw IoError(error.side, message, error.hint);
    case ErrorKind::Internal:
      throw Internal(message);
  }
  throw Internal(message);
}

}  // namespace

void agree(CollectiveCommunicator& ranks, std::string_view call, std::uint64_t arguments) {
  ranks.set_step(std::string(call) + ", agreement");
  Said mine;
  put(call, mine.call);
  put(KETMESH_VERSION, mine.version);
  mine.arguments = arguments;
  std::vector<Said> all(static_cast<std::size_t>(ranks.world()));
  ranks.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r].version != all[0].version)
      throw TransportError(rank_text(r) + " runs version " + all[r].version.data() + " of the library, rank 0 version " +
                           all[0].version.data());
    if (all[r].call != all[0].call)
      throw TransportError(rank_text(r) + " calls " + all[r].call.data() + ", rank 0 calls " + all[0].call.data());
    if (all[r].arguments != all[0].arguments)
      throw TransportError(
          rank_text(r) + " differs from rank 0 in " + std::string(call) + ": another circuit, other parameters or other options",
          "every rank makes the same calls with the same arguments");
  }
  ranks.set_step(call);
}

void settle(CollectiveCommunicator& ranks, std::string_view call, const std::exception_ptr& failure) {
  const RankError mine = describe(failure);
  const std::vector<RankError> all = ranks.settle(mine);
  const bool alike =
      std::all_of(all.begin(), all.end(), [&](const RankError& e) { return e.kind == all[0].kind && e.message == all[0].message; });
  // Where every rank fails alike, each throws what it caught: with all its parts.
  if (alike) std::rethrow_exception(failure);
  const auto first = std::find_if(all.begin(), all.end(), [](const RankError& e) { return e.first_hand; });
  const auto silent =
      std::find_if(all.begin(), all.end(), [](const RankError& e) { return !e.first_hand && e.kind == ErrorKind::TransportError; });
  const RankError& cause = first != all.end() ? *first : silent != all.end() ? *silent : all[0];
  raise(cause, rank_text(static_cast<std::size_t>(cause.rank)) + " failed in " + std::string(call) + ": " + cause.message);
}

}  // namespace ketmesh::transport
