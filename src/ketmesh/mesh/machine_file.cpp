// Machine files: the JSON form of a Machine. Every key is checked: unknown ones are refused, errors name key, value and range.
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "ketmesh/base/error.hpp"
#include "ketmesh/mesh/mesh.hpp"

namespace ketmesh {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxRanks = 65536;

struct KindName {
  DeviceKind kind;
  std::string_view name;
};
constexpr KindName kKinds[] = {{DeviceKind::cpu, "cpu"}, {DeviceKind::cuda, "cuda"}};

struct ClassName {
  LinkClass kind;
  std::string_view name;
};
constexpr ClassName kClasses[] = {{LinkClass::same_device, "same_device"},
                                  {LinkClass::same_memory, "same_memory"},
                                  {LinkClass::peer, "peer"},
                                  {LinkClass::host, "host"},
                                  {LinkClass::network, "network"}};

template <typename Table>
std::string_view name_of(const Table& table, auto kind) {
  for (const auto& row : table)
    if (row.kind == kind) return row.name;
  throw Internal("a device or link class without a name");
}

/// One object of the file with the path that errors name.
class Reader {
 public:
  Reader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json_.is_object()) fail(path_, json_, "an object");
  }

  void only(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : json_.items()) {
      bool known = false;
      std::string names;
      for (const auto k : keys) {
        known = known || k == key;
        names += (names.empty() ? "" : ", ") + std::string(k);
      }
      if (!known) throw OptionError("machine file: unknown key " + at(key) + " = " + text(value) + "; keys here: " + names);
    }
  }

  bool has(std::string_view key) const { return json_.contains(key); }
  const Json& get(std::string_view key) const {
    if (!has(key)) throw OptionError("machine file: key " + at(key) + " is missing");
    return json_.at(std::string(key));
  }

  void integer(std::string_view key, int& out, int low) const {
    if (!has(key)) return;
    const Json& value = get(key);
    const std::string range = "an integer from " + std::to_string(low) + " to " + std::to_string(std::numeric_limits<int>::max());
    if (!value.is_number_integer()) fail(at(key), value, range);
    if (value.is_number_unsigned() ? value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max())
                                   : value.get<std::int64_t>() < low)
      fail(at(key), value, range);
    out = value.get<int>();
    if (out < low) fail(at(key), value, range);
  }

  void bytes(std::string_view key, std::uint64_t& out) const {
    if (!has(key)) return;
    const Json& value = get(key);
    if (!value.is_number_unsigned()) fail(at(key), value, "a number of bytes from 0 to 2^64 - 1");
    out = value.get<std::uint64_t>();
  }

  void number(std::string_view key, double& out, bool zero_allowed) const {
    if (!has(key)) return;
    const Json& value = get(key);
    const char* range = zero_allowed ? "a finite number of 0 or more" : "a finite number above 0";
    if (!value.is_number()) fail(at(key), value, range);
    const double x = value.get<double>();
    if (!std::isfinite(x) || x < 0 || (x == 0 && !zero_allowed)) fail(at(key), value, range);
    out = x;
  }

  void string(std::string_view key, std::string& out) const {
    if (!has(key)) return;
    if (!get(key).is_string()) fail(at(key), get(key), "a string");
    out = get(key).get<std::string>();
  }

  void boolean(std::string_view key, bool& out) const {
    if (!has(key)) return;
    if (!get(key).is_boolean()) fail(at(key), get(key), "true or false");
    out = get(key).get<bool>();
  }

  template <typename Table, typename Kind>
  void named(std::string_view key, const Table& table, Kind& out) const {
    if (!has(key)) return;
    const Json& value = get(key);
    std::string names;
    for (const auto& row : table) {
      names += (names.empty() ? "" : ", ") + std::string(row.name);
      if (value.is_string() && value.get<std::string>() == row.name) {
        out = row.kind;
        return;
      }
    }
    fail(at(key), value, "one of " + names);
  }

  const Json& array(std::string_view key, std::size_t low, std::size_t high) const {
    const Json& value = get(key);
    const std::string range = "an array of " + std::to_string(low) + " to " + std::to_string(high) + " items";
    if (!value.is_array() || value.size() < low || value.size() > high) fail(at(key), value, range);
    return value;
  }

  std::string at(std::string_view key) const { return path_.empty() ? std::string(key) : path_ + "." + std::string(key); }

  [[noreturn]] static void fail(const std::string& key, const Json& value, const std::string& range) {
    throw OptionError("machine file: " + (key.empty() ? std::string("the whole") : key) + " = " + text(value) + ": must be " + range);
  }

 private:
  static std::string text(const Json& value) {
    std::string s = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (s.size() > 60) s = s.substr(0, 57) + "...";
    return s;
  }
  const Json& json_;
  std::string path_;
};

Link read_link(const Json& json, const std::string& path, Link link) {
  const Reader reader(json, path);
  reader.only({"class", "bandwidth", "latency"});
  reader.named("class", kClasses, link.kind);
  reader.number("bandwidth", link.bandwidth, false);
  reader.number("latency", link.latency, true);
  return link;
}

Device read_device(const Json& json, const std::string& path, int place) {
  const Reader reader(json, path);
  reader.only({"kind", "ordinal", "name", "memory_bytes", "fast_memory_bytes", "memory_bandwidth", "flops_single", "flops_double",
               "numa_node", "uuid"});
  Device device;
  device.ordinal = place;
  reader.named("kind", kKinds, device.kind);
  reader.integer("ordinal", device.ordinal, 0);
  reader.string("name", device.name);
  reader.get("memory_bytes");
  reader.bytes("memory_bytes", device.memory_bytes);
  reader.bytes("fast_memory_bytes", device.fast_memory_bytes);
  reader.number("memory_bandwidth", device.memory_bandwidth, false);
  reader.number("flops_single", device.flops_single, false);
  reader.number("flops_double", device.flops_double, false);
  reader.integer("numa_node", device.numa_node, -1);
  reader.string("uuid", device.uuid);
  return device;
}

Json link_json(const Link& link) {
  return {{"class", name_of(kClasses, link.kind)}, {"bandwidth", link.bandwidth}, {"latency", link.latency}};
}

Json device_json(const Device& d) {
  return {{"kind", name_of(kKinds, d.kind)},
          {"ordinal", d.ordinal},
          {"name", d.name},
          {"memory_bytes", d.memory_bytes},
          {"fast_memory_bytes", d.fast_memory_bytes},
          {"memory_bandwidth", d.memory_bandwidth},
          {"flops_single", d.flops_single},
          {"flops_double", d.flops_double},
          {"numa_node", d.numa_node},
          {"uuid", d.uuid}};
}

}  // namespace

Machine Machine::from_json(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw OptionError("machine file: no JSON at byte " + std::to_string(error.byte) + ": " + error.what());
  }
  const Reader reader(json, "");
  reader.only({"ranks", "inside_rank", "inside_host", "between_hosts", "links", "allow_shared"});
  Machine machine;
  const Json& ranks = reader.array("ranks", 1, kMaxRanks);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::string path = "ranks[" + std::to_string(r) + "]";
    const Reader mesh_reader(ranks[r], path);
    mesh_reader.only({"host", "devices"});
    DeviceMesh mesh;
    mesh_reader.integer("host", mesh.host, 0);
    const Json& devices = mesh_reader.array("devices", 1, 1024);
    for (std::size_t d = 0; d < devices.size(); ++d)
      mesh.devices.push_back(read_device(devices[d], path + ".devices[" + std::to_string(d) + "]", static_cast<int>(d)));
    machine.ranks.push_back(std::move(mesh));
  }
  if (reader.has("inside_rank")) machine.inside_rank = read_link(reader.get("inside_rank"), "inside_rank", machine.inside_rank);
  if (reader.has("inside_host")) machine.inside_host = read_link(reader.get("inside_host"), "inside_host", machine.inside_host);
  if (reader.has("between_hosts")) machine.between_hosts = read_link(reader.get("between_hosts"), "between_hosts", machine.between_hosts);
  if (reader.has("links")) {
    const Json& rows = reader.array("links", 0, machine.num_devices());
    for (std::size_t a = 0; a < rows.size(); ++a) {
      const std::string path = "links[" + std::to_string(a) + "]";
      if (!rows[a].is_array()) Reader::fail(path, rows[a], "an array of links");
      std::vector<Link> row;
      for (std::size_t b = 0; b < rows[a].size(); ++b) row.push_back(read_link(rows[a][b], path + "[" + std::to_string(b) + "]", Link{}));
      machine.links.push_back(std::move(row));
    }
  }
  reader.boolean("allow_shared", machine.allow_shared);
  machine.check();
  return machine;
}

std::string Machine::to_json() const {
  Json json;
  json["ranks"] = Json::array();
  for (const auto& mesh : ranks) {
    Json devices = Json::array();
    for (const auto& device : mesh.devices) devices.push_back(device_json(device));
    json["ranks"].push_back({{"host", mesh.host}, {"devices", std::move(devices)}});
  }
  json["inside_rank"] = link_json(inside_rank);
  json["inside_host"] = link_json(inside_host);
  json["between_hosts"] = link_json(between_hosts);
  if (!links.empty()) {
    json["links"] = Json::array();
    for (const auto& row : links) {
      Json out = Json::array();
      for (const auto& link : row) out.push_back(link_json(link));
      json["links"].push_back(std::move(out));
    }
  }
  json["allow_shared"] = allow_shared;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ketmesh
