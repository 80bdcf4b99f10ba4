#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ketmesh::app {
namespace {

/// Lines of at most 100 columns, broken at spaces; those after the first begin with `indent`.
std::string wrapped(std::string text, const std::string& indent) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  while (text.size() > kWidth) {
    std::size_t cut = text.rfind(' ', kWidth);
    if (cut == std::string::npos || cut <= indent.size()) cut = kWidth;
    out.append(text, 0, cut).append("\n");
    text.replace(0, text[cut] == ' ' ? cut + 1 : cut, indent);
  }
  return out + text + "\n";
}

constexpr std::size_t kRows = 16;  // of counts, amplitudes, probabilities on a terminal

/// The middle of a long text is left out.
std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  if (width < 8) return text.substr(0, width);
  const std::size_t head = (width - 3 + 1) / 2;
  return text.substr(0, head) + "..." + text.substr(text.size() - (width - 3 - head));
}

std::string left_out(std::size_t all, const char* what) {
  return all > kRows ? fmt::format("  ... and {} more {}\n", all - kRows, what) : "";
}

void histogram(std::string& out, const Result& r, BitOrder order, std::size_t columns) {
  std::vector<std::pair<std::string, std::uint64_t>> rows(r.counts.begin(), r.counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::size_t shown = std::min(rows.size(), kRows);
  const std::size_t digits = rows.empty() ? 1 : std::to_string(rows[0].second).size();
  const std::size_t key_width = rows.empty() ? 0 : std::min(rows[0].first.size(), columns / 2);
  const std::size_t used = 2 + key_width + 2 + digits + 2 + 7 + 2;
  const std::size_t bar_width = columns > used + 4 ? std::min<std::size_t>(columns - used, 40) : 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [key, count] = rows[i];
    const double share = static_cast<double>(count) / static_cast<double>(r.shots);
    const double relative = static_cast<double>(count) / static_cast<double>(rows[0].second);
    const auto length = static_cast<std::size_t>(std::lround(relative * static_cast<double>(bar_width)));
    out += fmt::format("  {:<{}}  {:>{}}  {:6.2f}%  {}\n", shortened(counts_key(key, order), key_width), key_width, count, digits,
                       100 * share, std::string(length, '#'));
  }
  out += left_out(rows.size(), "outcomes");
}

void row(std::string& out, std::string_view name, const std::string& planned, const std::string& done) {
  out += fmt::format("  {:<26} {:>14} {:>14}\n", name, planned, done);
}

std::string count(std::uint64_t n) { return std::to_string(n); }

}  // namespace

std::string human_bytes(double bytes) {
  static constexpr std::array<const char*, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.{}f} {}", bytes, bytes < 10 ? 2 : 1, kUnits[unit]);
}

std::string human_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string result_table(const Result& r, const std::vector<std::string>& observables, const Plan* plan, BitOrder order, int columns_) {
  const auto columns = static_cast<std::size_t>(columns_);
  std::string out = fmt::format("{} qubit{}", r.num_qubits, r.num_qubits == 1 ? "" : "s");
  if (r.acted_qubits != r.num_qubits) out += fmt::format(" ({} acted upon)", r.acted_qubits);
  if (r.shots > 0) out += fmt::format(", {} shots", r.shots);
  out += fmt::format(", seed {}\n", r.seed);
  if (!r.counts.empty()) {
    out += order == BitOrder::big ? "\n  counts, bit 0 leftmost\n" : "\n  counts, bit 0 rightmost\n";
    histogram(out, r, order, columns);
  }
  if (!r.expectation_values.empty()) {
    out += "\n  expectation values\n";
    const std::size_t shown = std::min(r.expectation_values.size(), kRows);
    std::size_t width = 0;
    for (std::size_t i = 0; i < shown; ++i) width = std::max(width, std::min(observables[i].size(), columns / 2));
    for (std::size_t i = 0; i < shown; ++i)
      out += fmt::format("  {:<{}}  {:+.9f}\n", shortened(observables[i], width), width, r.expectation_values[i]);
    out += left_out(r.expectation_values.size(), "values");
    if (r.qubits_after < r.qubits_before)
      out += fmt::format("  computed on light cones of at most {} of {} qubits\n", r.qubits_after, r.qubits_before);
  }
  if (!r.amplitudes.empty()) {
    out += "\n  amplitudes\n";
    std::size_t shown = 0;
    for (const auto& [index, value] : r.amplitudes) {
      if (shown++ == kRows) break;
      out += fmt::format("  {:>20}  {:+.9f} {:+.9f}i\n", index, value.real(), value.imag());
    }
    out += left_out(r.amplitudes.size(), "amplitudes");
  }
  if (!r.probabilities.empty()) {
    out += "\n  probabilities\n";
    for (std::size_t i = 0; i < std::min(r.probabilities.size(), kRows); ++i)
      out += fmt::format("  {:>20}  {:.9f}\n", i, r.probabilities[i]);
    out += left_out(r.probabilities.size(), "probabilities");
  }

  const Distribution& d = r.distribution;
  std::string devices;
  for (const std::string& name : d.devices) devices += (devices.empty() ? "" : ",") + name;
  out += fmt::format("\n  {} on {} ({}), {} precision, {} thread{}, {} shard{}\n", d.engine, d.backend,
                     devices.empty() ? d.simd : devices + " " + d.simd, d.precision, d.threads, d.threads == 1 ? "" : "s", d.shards,
                     d.shards == 1 ? "" : "s");
  const auto planned = [plan](auto value) { return plan != nullptr ? value(*plan) : std::string("-"); };
  row(out, "", plan != nullptr ? "planned" : "", "done");
  row(out, "passes", planned([](const Plan& p) { return count(p.num_passes()); }), count(d.passes));
  row(out, "exchanges", planned([](const Plan& p) { return count(p.num_exchanges()); }), count(d.exchanges));
  row(out, "read and written", planned([](const Plan& p) { return human_bytes(static_cast<double>(p.bytes_local)); }),
      human_bytes(static_cast<double>(d.bytes_local)));
  if (d.shards > 1)
    row(out, "exchanged", planned([](const Plan& p) { return human_bytes(static_cast<double>(p.bytes_exchanged_total())); }),
        human_bytes(static_cast<double>(d.bytes_exchanged)));
  row(out, "memory", planned([](const Plan& p) {
        double bytes = 0;
        for (const DeviceMemory& device : p.memory.per_device) bytes += static_cast<double>(device.bytes);
        return human_bytes(bytes);
      }),
      human_bytes(static_cast<double>(d.memory_bytes)));
  row(out, "to evolve", planned([](const Plan& p) { return human_seconds(p.seconds_total); }), human_seconds(r.seconds.evolve));
  row(out, "in all", "", human_seconds(r.seconds.total));
  for (const std::string& note : d.notes) out += wrapped("  note: " + note, "        ");
  return out;
}

std::string machine_table(const MachineReport& report, int columns) {
  std::string out =
      fmt::format("ketmesh {}, {} thread{}, SIMD {} (of", report.version, report.threads, report.threads == 1 ? "" : "s", report.simd);
  for (const std::string& level : report.simd_levels) out += " " + level;
  out += ")\n\n  device      memory free   fast memory    bandwidth  name\n";
  for (const DeviceMesh& mesh : report.machine.ranks)
    for (const Device& device : mesh.devices)
      out += fmt::format("  {:<8} {:>14} {:>13} {:>7.1f} GB/s  {}\n", device.id(), human_bytes(static_cast<double>(device.memory_bytes)),
                         human_bytes(static_cast<double>(device.fast_memory_bytes)), device.memory_bandwidth * 1e-9,
                         shortened(device.name, static_cast<std::size_t>(std::max(columns - 55, 10))));
  out += "\n  largest n            single  double\n";
  for (const CapacityReport& capacity : report.capacities)
    out += fmt::format("  {:<20} {:>6} {:>7}\n", capacity.placement, capacity.single_qubits, capacity.double_qubits);
  out += "\n  plugins\n";
  for (const PluginReport& plugin : report.plugins)
    out += fmt::format("  {:<6} {}{}\n", plugin.name, plugin.available ? "available" : "not available: ",
                       plugin.available ? (plugin.detail.empty() ? "" : ": " + plugin.detail) : plugin.reason);
  return out;
}

std::string bench_table(const BenchReport& report) {
  const Distribution& d = report.best.distribution;
  const Seconds &best = report.best.seconds, &first = report.first.seconds;
  std::string out = fmt::format("{} n = {}: {} gates, {} precision, {} {}, {} thread{}\n", report.name, report.num_qubits, report.gates,
                                d.precision, d.backend, d.simd, d.threads, d.threads == 1 ? "" : "s");
  out += fmt::format("  {:<10} {:>12} {:>12}\n", "", "first run", report.repeats > 1 ? "best" : "");
  const auto line = [&](const char* name, double a, double b) {
    out += fmt::format("  {:<10} {:>12} {:>12}\n", name, human_seconds(a), report.repeats > 1 ? human_seconds(b) : "");
  };
  line("plan", first.plan, best.plan);
  line("allocate", first.allocate, best.allocate);
  line("evolve", first.evolve, best.evolve);
  if (d.exchanges > 0) line("exchange", first.exchange, best.exchange);
  line("total", first.total, best.total);
  out += fmt::format("  {} passes, {} exchanges, {} read and written, {:.0f} % of {:.1f} GB/s\n", d.passes, d.exchanges,
                     human_bytes(static_cast<double>(d.bytes_local)), 100 * report.share_of_bandwidth(), report.bandwidth * 1e-9);
  return out;
}

}  // namespace ketmesh::app
