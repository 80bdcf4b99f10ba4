// A plan as a table for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ketmesh/plan/plan.hpp"

namespace ketmesh {
namespace {

constexpr std::size_t kMostRows = 40;  // of passes; long plans are cut in the middle

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

std::string seconds_text(double s) {
  if (s >= 1) return fmt::format("{:.3g} s", s);
  return s >= 1e-3 ? fmt::format("{:.3g} ms", s * 1e3) : fmt::format("{:.3g} us", s * 1e6);
}

/// "0-5 8 12-20": bits as ranges.
std::string ranges(std::vector<std::uint8_t> bits) {
  std::sort(bits.begin(), bits.end());
  std::string out;
  for (std::size_t i = 0; i < bits.size();) {
    std::size_t j = i;
    while (j + 1 < bits.size() && bits[j + 1] == bits[j] + 1) ++j;
    out += fmt::format("{}{}", out.empty() ? "" : " ", bits[i]);
    if (j > i) out += fmt::format("-{}", bits[j]);
    i = j + 1;
  }
  return out;
}

struct Work {
  std::size_t matrices = 0, layers = 0, permutations = 0;
};

Work work_of(const Pass& pass) {
  Work w;
  for (const Residency& r : pass.residencies)
    for (const Step& s : r.steps) ++(s.kind == StepKind::matrix ? w.matrices : s.kind == StepKind::phases ? w.layers : w.permutations);
  return w;
}

std::string row(std::size_t stage, std::size_t pass, const Pass& p) {
  const Work w = work_of(p);
  return fmt::format("{:>5} {:>5}  {:<34.34} {:>11} {:>8} {:>8} {:>12}\n", stage + 1, pass + 1, ranges(p.tile_bits), p.residencies.size(),
                     w.matrices + w.permutations, w.layers, p.store_bits == p.tile_bits || p.store_bits.empty() ? "" : "permuted");
}

std::string exchange_row(std::size_t stage, const Exchange& e) {
  std::string pairs;
  for (const auto& p : e.pairs) pairs += fmt::format("{}{}<->{}", pairs.empty() ? "" : " ", p.local_bit, p.global_bit);
  return fmt::format("{:>5} {:>5}  exchange {} ({})\n", stage + 1, "", pairs, bytes_text(static_cast<double>(e.bytes)));
}

}  // namespace

std::string explain(const Plan& plan) {
  const Placement& at = plan.placement;
  std::string out =
      fmt::format("{} qubits, {} precision: {} shard{} of 2^{} amplitudes, tiles of 2^{}\n", plan.num_qubits, to_string(plan.precision),
                  at.num_shards(), at.num_shards() == 1 ? "" : "s", at.local_bits(), plan.tile_bits);
  out += fmt::format("gates {} read, {} planned; stages {}, passes {}, exchanges {}\n", plan.gates_input, plan.gates_planned,
                     plan.stages.size(), plan.num_passes(), plan.num_exchanges());
  out += fmt::format("start {}; read and written {}, exchanged {}, {:.4g} Gflop; predicted {}\n",
                     plan.start.kind == Start::Kind::given     ? "as given"
                     : plan.start.kind == Start::Kind::product ? "a product state, written"
                                                               : "|0..0>, written",
                     bytes_text(static_cast<double>(plan.bytes_local)), bytes_text(static_cast<double>(plan.bytes_exchanged_total())),
                     static_cast<double>(plan.flops) * 1e-9, seconds_text(plan.seconds_total));
  out += fmt::format("{:>5} {:>5}  {:<34} {:>11} {:>8} {:>8} {:>12}\n", "stage", "pass", "tile bits", "residencies", "gates", "phases",
                     "store");
  std::size_t rows = 0;
  const std::size_t total = plan.num_passes();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    for (std::size_t p = 0; p < plan.stages[s].passes.size(); ++p, ++rows) {
      if (total > kMostRows && rows == kMostRows / 2)
        out += fmt::format("{:>5} {:>5}  ({} passes more)\n", "...", "...", total - kMostRows);
      if (total > kMostRows && rows >= kMostRows / 2 && rows < total - kMostRows / 2) continue;
      out += row(s, p, plan.stages[s].passes[p]);
    }
    if (!plan.stages[s].exchange.pairs.empty()) out += exchange_row(s, plan.stages[s].exchange);
  }
  out += fmt::format("memory: state {}, workspace {}{}\n", bytes_text(static_cast<double>(plan.memory.state_bytes)),
                     bytes_text(static_cast<double>(plan.memory.workspace_bytes)), plan.memory.fits ? "" : " - does not fit");
  for (const DeviceMemory& d : plan.memory.per_device)
    out += fmt::format("  rank {} {:<8} {:>12} of {:>12}{}\n", d.rank, d.device, bytes_text(static_cast<double>(d.bytes)),
                       bytes_text(static_cast<double>(d.capacity)), d.fits ? "" : "  does not fit");
  return out;
}

}  // namespace ketmesh
