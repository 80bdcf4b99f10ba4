#include "output.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ketmesh::app {
namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& object) { return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n"; }

ordered_json seconds_json(const Seconds& s) {
  return {{"parse", s.parse},       {"plan", s.plan},     {"allocate", s.allocate}, {"evolve", s.evolve},
          {"exchange", s.exchange}, {"sample", s.sample}, {"total", s.total}};
}

ordered_json distribution_json(const Distribution& d) {
  return {{"engine", d.engine},
          {"backend", d.backend},
          {"precision", d.precision},
          {"simd", d.simd},
          {"threads", d.threads},
          {"ranks", d.ranks},
          {"devices", d.devices},
          {"shards", d.shards},
          {"placement", d.placement},
          {"transport", d.transport},
          {"stages", d.stages},
          {"passes", d.passes},
          {"exchanges", d.exchanges},
          {"bytes_local", d.bytes_local},
          {"bytes_exchanged", d.bytes_exchanged},
          {"bytes_between_ranks", d.bytes_between_ranks},
          {"shard_owners", d.shard_owners},
          {"memory_bytes", d.memory_bytes},
          {"plan_cached", d.plan_cached},
          {"notes", d.notes}};
}

}  // namespace

std::string counts_key(std::string_view key, BitOrder order) {
  std::string text(key);
  if (order == BitOrder::little) std::reverse(text.begin(), text.end());
  return text;
}

std::string result_json(const Result& r, BitOrder order) {
  ordered_json object;
  object["num_qubits"] = r.num_qubits;
  object["acted_qubits"] = r.acted_qubits;
  object["shots"] = r.shots;
  object["seed"] = r.seed;
  // Keys differ already: looking each up in an object that keeps its order would be a search through all of them.
  ordered_json counts = ordered_json::object();
  auto& rows = counts.get_ref<ordered_json::object_t&>();
  rows.reserve(r.counts.size());
  for (const auto& [key, count] : r.counts) rows.emplace_back(counts_key(key, order), count);
  object["counts"] = std::move(counts);
  object["bit_order"] = order == BitOrder::big ? "big" : "little";
  ordered_json registers = ordered_json::array();
  for (const Register& reg : r.registers) registers.push_back({{"name", reg.name}, {"offset", reg.offset}, {"size", reg.size}});
  object["registers"] = std::move(registers);
  object["expectation_values"] = r.expectation_values;
  if (!r.expectation_values.empty()) {
    object["qubits_before"] = r.qubits_before;
    object["qubits_after"] = r.qubits_after;
  }
  ordered_json amplitudes = ordered_json::object();
  for (const auto& [index, value] : r.amplitudes)
    amplitudes.get_ref<ordered_json::object_t&>().emplace_back(std::to_string(index), ordered_json{value.real(), value.imag()});
  object["amplitudes"] = std::move(amplitudes);
  object["probabilities"] = r.probabilities;
  object["distribution"] = distribution_json(r.distribution);
  object["seconds"] = seconds_json(r.seconds);
  return dump(object);
}

std::string plan_json(const Plan& plan, std::size_t declared_qubits) {
  int ranks = 1;
  int devices_per_rank = 1;
  for (const DeviceMemory& device : plan.memory.per_device) ranks = std::max(ranks, device.rank + 1);
  for (int rank = 0; rank < ranks; ++rank) {
    int count = 0;
    for (const DeviceMemory& device : plan.memory.per_device) count += device.rank == rank ? 1 : 0;
    devices_per_rank = std::max(devices_per_rank, count);
  }
  ordered_json object;
  object["num_qubits"] = declared_qubits;
  object["acted_qubits"] = plan.num_qubits;
  object["precision"] = to_string(plan.precision);
  object["ranks"] = ranks;
  object["devices_per_rank"] = devices_per_rank;
  object["shards"] = plan.placement.num_shards();
  object["local_qubits"] = plan.placement.local_bits();
  object["tile_qubits"] = plan.tile_bits;
  object["gates"] = {{"input", plan.gates_input}, {"planned", plan.gates_planned}};
  object["stages"] = plan.stages.size();
  object["passes"] = plan.num_passes();
  object["exchanges"] = plan.num_exchanges();
  object["bytes_local"] = plan.bytes_local;
  object["bytes_exchanged_total"] = plan.bytes_exchanged_total();
  object["bytes_exchanged_max_rank"] = plan.bytes_exchanged_max_rank();
  object["bytes_between_ranks"] = plan.bytes_between_ranks();
  object["largest_share"] = plan.largest_share;
  object["flops"] = plan.flops;
  ordered_json devices = ordered_json::array();
  for (const DeviceMemory& device : plan.memory.per_device)
    devices.push_back(
        {{"rank", device.rank}, {"device", device.device}, {"bytes", device.bytes}, {"capacity", device.capacity}, {"fits", device.fits}});
  object["memory"] = {{"state_bytes", plan.memory.state_bytes},
                      {"workspace_bytes", plan.memory.workspace_bytes},
                      {"per_device", std::move(devices)},
                      {"fits", plan.memory.fits}};
  object["seconds"] = {{"evolve", plan.seconds_evolve}, {"exchange", plan.seconds_exchange}, {"total", plan.seconds_total}};
  object["hash"] = plan.hash;
  return dump(object);
}

std::string machine_json(const MachineReport& report) {
  ordered_json object;
  object["version"] = report.version;
  object["threads"] = report.threads;
  object["simd"] = report.simd;
  object["simd_levels"] = report.simd_levels;
  object["machine"] = ordered_json::parse(report.machine.to_json());
  ordered_json plugins = ordered_json::array();
  for (const PluginReport& plugin : report.plugins)
    plugins.push_back({{"name", plugin.name}, {"available", plugin.available}, {"reason", plugin.reason}, {"detail", plugin.detail}});
  object["plugins"] = std::move(plugins);
  ordered_json capacities = ordered_json::array();
  for (const CapacityReport& capacity : report.capacities)
    capacities.push_back(
        {{"placement", capacity.placement}, {"single_qubits", capacity.single_qubits}, {"double_qubits", capacity.double_qubits}});
  object["largest_n"] = std::move(capacities);
  return dump(object);
}

double BenchReport::share_of_bandwidth() const {
  const double seconds = best.seconds.evolve;
  if (seconds <= 0 || bandwidth <= 0) return 0;
  return static_cast<double>(best.distribution.bytes_local) / seconds / bandwidth;
}

std::string bench_json(const BenchReport& report) {
  ordered_json object;
  object["name"] = report.name;
  object["num_qubits"] = report.num_qubits;
  object["gates"] = report.gates;
  object["repeats"] = report.repeats;
  object["passes"] = report.best.distribution.passes;
  object["exchanges"] = report.best.distribution.exchanges;
  object["bytes_local"] = report.best.distribution.bytes_local;
  object["share_of_bandwidth"] = report.share_of_bandwidth();
  object["seconds"] = seconds_json(report.best.seconds);
  object["first_seconds"] = seconds_json(report.first.seconds);
  object["distribution"] = distribution_json(report.best.distribution);
  return dump(object);
}

}  // namespace ketmesh::app
