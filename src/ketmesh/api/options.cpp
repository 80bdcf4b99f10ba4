// The option table: each key with the exact text that it takes.
#include "ketmesh/api/options.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "ketmesh/api/config.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

constexpr std::uint64_t kMaxOrdinal = 65535;
constexpr int kMaxShards = 1 << 20;

struct Key {
  std::string_view name;
  std::string_view range;
  void (*set)(DistributedOptions&, std::string_view, const Key&);
  std::string (*get)(const DistributedOptions&);
};

[[noreturn]] void refuse(const Key& key, std::string_view value) {
  throw OptionError(std::string(key.name) + " = \"" + std::string(value) + "\": must be " + std::string(key.range));
}

/// Digits only: no sign, space, prefix or fraction.
std::optional<std::uint64_t> digits(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t number(const Key& key, std::string_view text, std::uint64_t low, std::uint64_t high) {
  const auto value = digits(text);
  if (!value || *value < low || *value > high) refuse(key, text);
  return *value;
}

std::vector<int> list(const Key& key, std::string_view text, std::uint64_t high) {
  std::vector<int> values;
  if (text.empty()) return values;
  for (std::size_t at = 0;;) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto value = digits(text.substr(at, comma - at));
    if (!value || *value > high) refuse(key, text);
    values.push_back(static_cast<int>(*value));
    if (comma == text.size()) return values;
    at = comma + 1;
  }
}

std::string join(const std::vector<int>& values) {
  std::string text;
  for (const int v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

bool has_duplicates(const std::vector<int>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j)
      if (values[i] == values[j]) return true;
  return false;
}

constexpr bool flags_exclude(std::uint64_t flags) { return (flags & kFlagRestoreLayout) != 0 && (flags & kFlagPinLayout) != 0; }

constexpr std::array<std::string_view, 5> kTransports = {"auto", "peer", "nccl", "mpi", "staged"};

const std::array<Key, 16> kKeys = {{
    {"distributed_devices", "a comma list of device ordinals from 0 to 65535, or empty for all",
     [](DistributedOptions& o, std::string_view v, const Key& k) { o.devices = list(k, v, kMaxOrdinal); },
     [](const DistributedOptions& o) { return join(o.devices); }},
    {"distributed_global_qubits", "a comma list of distinct qubits from 0 to 61, or empty for the planner's choice",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       auto qubits = list(k, v, kMaxQubits - 1);
       if (has_duplicates(qubits)) refuse(k, v);
       o.global_qubits = std::move(qubits);
     },
     [](const DistributedOptions& o) { return join(o.global_qubits); }},
    {"distributed_backend", "ex or conventional",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       if (v != "ex" && v != "conventional") refuse(k, v);
       o.engine = v == "ex" ? Engine::ex : Engine::conventional;
     },
     [](const DistributedOptions& o) { return std::string(to_string(o.engine)); }},
    {"distributed_flags", "an integer from 0 to 31 (2 and 8 exclude each other)",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       const std::uint64_t flags = number(k, v, 0, 31);
       if (flags_exclude(flags)) refuse(k, v);
       o.flags = static_cast<unsigned>(flags);
     },
     [](const DistributedOptions& o) { return std::to_string(o.flags); }},
    {"distributed_max_queued_gates", "an integer from 1 to 65536",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       o.max_queued_gates = static_cast<std::uint32_t>(number(k, v, 1, 65536));
     },
     [](const DistributedOptions& o) { return std::to_string(o.max_queued_gates); }},
    {"distributed_transfer_workspace_bytes", "a multiple of 256 from 1048576 to 1073741824",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       const std::uint64_t bytes = number(k, v, 1_MiB, 1_GiB);
       if (bytes % 256 != 0) refuse(k, v);
       o.transfer_workspace_bytes = bytes;
     },
     [](const DistributedOptions& o) { return std::to_string(o.transfer_workspace_bytes); }},
    {"distributed_snapshot_storage", "gpu or host",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       if (v != "gpu" && v != "host") refuse(k, v);
       o.snapshot_storage = v == "gpu" ? SnapshotStorage::device : SnapshotStorage::host;
     },
     [](const DistributedOptions& o) { return std::string(o.snapshot_storage == SnapshotStorage::device ? "gpu" : "host"); }},
    {"distributed_host_qubit_indexing", "auto, local or global",
     [](DistributedOptions&, std::string_view v, const Key& k) {
       if (v != "auto" && v != "local" && v != "global") refuse(k, v);  // accepted without effect
     },
     [](const DistributedOptions&) { return std::string("auto"); }},
    {"mpi_communicator", "a decimal 64-bit integer, the Fortran handle of a communicator",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       std::int64_t handle = 0;
       const std::string_view unsigned_part = v.starts_with('-') ? v.substr(1) : v;
       if (unsigned_part.empty() || unsigned_part.find_first_not_of("0123456789") != std::string_view::npos) refuse(k, v);
       const auto [end, error] = std::from_chars(v.data(), v.data() + v.size(), handle);
       if (error != std::errc{} || end != v.data() + v.size()) refuse(k, v);
       o.mpi_communicator = handle;
     },
     [](const DistributedOptions& o) { return o.mpi_communicator ? std::to_string(*o.mpi_communicator) : ""; }},
    {"mpi_p2p_bits", "an integer from 0 to 5",
     [](DistributedOptions& o, std::string_view v, const Key& k) { o.mpi_p2p_bits = static_cast<int>(number(k, v, 0, 5)); },
     [](const DistributedOptions& o) { return o.mpi_p2p_bits ? std::to_string(*o.mpi_p2p_bits) : ""; }},
    {"precision", "single or double",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       if (v != "single" && v != "double") refuse(k, v);
       o.precision = v == "single" ? Precision::single : Precision::double_;
     },
     [](const DistributedOptions& o) { return o.precision ? std::string(to_string(*o.precision)) : ""; }},
    {"seed", "an integer from 0 to 18446744073709551615",
     [](DistributedOptions& o, std::string_view v, const Key& k) { o.seed = number(k, v, 0, std::numeric_limits<std::uint64_t>::max()); },
     [](const DistributedOptions& o) { return o.seed ? std::to_string(*o.seed) : ""; }},
    {"distributed_transport", "one of auto, peer, nccl, mpi, staged",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       for (std::size_t i = 0; i < kTransports.size(); ++i)
         if (kTransports[i] == v) {
           o.transport = static_cast<TransportChoice>(i);
           return;
         }
       refuse(k, v);
     },
     [](const DistributedOptions& o) { return std::string(to_string(o.transport)); }},
    {"distributed_shards", "0 (by the placement rule) or a power of two from 1 to 1048576",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       const std::uint64_t shards = number(k, v, 0, kMaxShards);
       if (shards != 0 && !std::has_single_bit(shards)) refuse(k, v);
       o.shards = static_cast<int>(shards);
     },
     [](const DistributedOptions& o) { return std::to_string(o.shards); }},
    {"distributed_placement", "auto, equal, round_robin, or explicit: and the shards of each rank (explicit:2,1,1)",
     [](DistributedOptions& o, std::string_view v, const Key& k) {
       if (!api::parse_placement(v)) refuse(k, v);
       o.placement = v;
     },
     [](const DistributedOptions& o) { return o.placement; }},
    {"distributed_timeout_seconds", "an integer from 1 to 86400",
     [](DistributedOptions& o, std::string_view v, const Key& k) { o.timeout_seconds = static_cast<double>(number(k, v, 1, 86400)); },
     [](const DistributedOptions& o) {
       std::string text = std::to_string(o.timeout_seconds);
       text.erase(text.find_last_not_of('0') + 1);
       if (text.ends_with('.')) text.pop_back();
       return text;
     }},
}};

const Key& find_key(std::string_view name) {
  for (const Key& key : kKeys)
    if (key.name == name) return key;
  std::string names;
  for (const Key& key : kKeys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  throw OptionError("unknown option \"" + std::string(name) + "\": the keys are " + names);
}

}  // namespace

namespace api {

std::optional<PlacementText> parse_placement(std::string_view text) {
  if (text == "auto") return PlacementText{PlacementPolicy::automatic, {}};
  if (text == "equal") return PlacementText{PlacementPolicy::equal, {}};
  if (text == "round_robin") return PlacementText{PlacementPolicy::round_robin, {}};
  constexpr std::string_view kExplicit = "explicit:";
  if (!text.starts_with(kExplicit)) return std::nullopt;
  PlacementText parsed{PlacementPolicy::explicit_counts, {}};
  text.remove_prefix(kExplicit.size());
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto value = digits(text.substr(at, comma - at));
    if (!value || *value > kMaxShards) return std::nullopt;
    parsed.shards_per_rank.push_back(static_cast<int>(*value));
    sum += *value;
    at = comma + 1;
  }
  if (!std::has_single_bit(sum)) return std::nullopt;
  return parsed;
}

}  // namespace api

std::string_view to_string(TransportChoice transport) { return kTransports[static_cast<std::size_t>(transport)]; }

void DistributedOptions::set(std::string_view key, std::string_view value) {
  const Key& row = find_key(key);
  row.set(*this, value, row);  // each row checks first and assigns last
}

std::string DistributedOptions::get(std::string_view key) const { return find_key(key).get(*this); }

std::vector<std::string_view> DistributedOptions::keys() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kKeys));
  for (const Key& key : kKeys) names.push_back(key.name);
  return names;
}

void DistributedOptions::check_ranges() const {
  // A value is in range when its own text would be accepted.
  DistributedOptions scratch;
  for (const Key& key : kKeys) {
    if (key.name == "distributed_timeout_seconds") continue;
    const std::string text = key.get(*this);
    const bool may_be_unset = text.empty() && key.name != "distributed_placement";
    if (!may_be_unset) key.set(scratch, text, key);
  }
  if (!std::isfinite(timeout_seconds) || timeout_seconds <= 0 || timeout_seconds > 86400)
    refuse(find_key("distributed_timeout_seconds"), std::to_string(timeout_seconds));
}

}  // namespace ketmesh
