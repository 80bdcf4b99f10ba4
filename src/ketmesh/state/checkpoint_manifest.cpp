#include "ketmesh/state/checkpoint_manifest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "ketmesh/base/error.hpp"

namespace ketmesh::state {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "ketmesh checkpoint";
constexpr int kVersion = 1;

std::string hex(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = kDigits[(value >> (4 * i)) & 15u];
  return text;
}

std::string checksum_of(const std::string& text) { return hex(checksum(text.data(), text.size())); }

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw IoError(IoError::Side::input, path.string() + ": " + what);
}

Json to_json(const Manifest& manifest) {
  Json shards = Json::array();
  for (const ShardFile& file : manifest.shards) {
    Json sums = Json::array();
    for (const std::uint64_t sum : file.checksums) sums.push_back(hex(sum));
    shards.push_back({{"file", file.name}, {"bytes", file.bytes}, {"checksums", std::move(sums)}});
  }
  return {{"format", kFormat},
          {"version", kVersion},
          {"num_qubits", manifest.num_qubits},
          {"local_qubits", manifest.local_qubits},
          {"precision", to_string(manifest.precision)},
          {"bit_of_qubit", manifest.layout.bits()},
          {"global_phase", manifest.global_phase},
          {"chunk_bytes", kChunkBytes},
          {"shards", std::move(shards)},
          {"notes", manifest.notes}};
}

Manifest from_json(const Json& json) {
  Manifest manifest;
  manifest.num_qubits = json.at("num_qubits").get<int>();
  manifest.local_qubits = json.at("local_qubits").get<int>();
  manifest.precision = json.at("precision").get<std::string>() == to_string(Precision::single) ? Precision::single : Precision::double_;
  manifest.layout = Layout(json.at("bit_of_qubit").get<std::vector<int>>());
  manifest.global_phase = json.at("global_phase").get<double>();
  manifest.notes = json.at("notes").get<std::string>();
  for (const Json& shard : json.at("shards")) {
    ShardFile file{shard.at("file").get<std::string>(), shard.at("bytes").get<std::uint64_t>(), {}};
    for (const Json& sum : shard.at("checksums")) file.checksums.push_back(std::stoull(sum.get<std::string>(), nullptr, 16));
    manifest.shards.push_back(std::move(file));
  }
  return manifest;
}

}  // namespace

std::uint64_t checksum(const void* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }

std::uint64_t chunks_of(std::uint64_t bytes) { return (bytes + kChunkBytes - 1) / kChunkBytes; }

std::string to_text(const Manifest& manifest) {
  Json json = to_json(manifest);
  json["checksum"] = checksum_of(json.dump());
  return json.dump(1) + "\n";
}

Manifest read_manifest(const std::filesystem::path& folder) {
  const auto path = folder / kManifestName;
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, "there is no such file: the folder holds no finished checkpoint");
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("checksum")) refuse(path, "is cut short or no manifest of a checkpoint");
  const Json sum = json.at("checksum");
  json.erase("checksum");
  if (sum != checksum_of(json.dump())) refuse(path, "was changed after it was written: its checksum differs");
  if (json.value("format", "") != kFormat || json.value("version", 0) != kVersion)
    refuse(path, "is of format \"" + json.value("format", "") + "\" version " + std::to_string(json.value("version", 0)) +
                     "; this program reads \"" + kFormat + "\" version " + std::to_string(kVersion));
  try {
    return from_json(json);
  } catch (const Json::exception& error) {
    refuse(path, std::string("has not the keys of a manifest: ") + error.what());
  }
}

}  // namespace ketmesh::state
