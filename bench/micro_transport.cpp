// Exchanges between GPUs of this process beside plain copies between them: micro_transport DEVICES [n] [workspace MiB], DEVICES a comma list of ordinals, an
// ordinal twice for two parts of one GPU. Prints one JSON object a line: bytes that leave each GPU a second by each transport, and by copies of as many bytes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/state/sharded_state.hpp"

using namespace ketmesh;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void synchronize(const ShardedState& state) {
  for (const auto& own : state.own_shards()) own.kernels->synchronize(own.context);
}

/// The fastest of some repeats after one that makes what is needed.
template <typename F>
double fastest(const ShardedState& state, F&& run) {
  double best = 1e30;
  for (int k = 0; k <= 5; ++k) {
    synchronize(state);
    const auto start = Clock::now();
    run();
    synchronize(state);
    if (k > 0) best = std::min(best, seconds_since(start));
  }
  return best;
}

/// The top half of each shard to another one's memory and back the same way, all at once: what links and copy engines give.
double copy_rate(const ShardedState& state) {
  const auto own = state.own_shards();
  const std::size_t half = static_cast<std::size_t>(bytes_per_amplitude(state.precision()) << (state.placement().local_bits() - 1));
  const double seconds = fastest(state, [&] {
    for (std::size_t k = 0; k < own.size(); ++k) {
      auto* const to = static_cast<std::byte*>(own[k ^ 1U].shard.data) + half;
      own[k].kernels->copy(own[k].context, to, own[k].shard.data, half);
    }
  });
  return static_cast<double>(half) / seconds / 1e9;
}

void measure(const std::vector<int>& ordinals, int n, std::uint64_t workspace) {
  DeviceMesh mesh{kernels::cuda_devices(ordinals), 0};
  const auto context = std::make_shared<DistributedExecutionContext>(self_communicator(), std::move(mesh), 1, true);
  Placement placement;
  placement.num_qubits = n;
  while ((std::size_t{1} << placement.shard_bits) < ordinals.size()) ++placement.shard_bits;
  const int shards = placement.num_shards(), local = placement.local_bits();
  for (int s = 0; s < shards; ++s) placement.owners.push_back({0, s * static_cast<int>(ordinals.size()) / shards});
  for (const auto transport : {transport::DeviceTransport::peer, transport::DeviceTransport::nccl, transport::DeviceTransport::staged})
    for (const bool contiguous : {true, false}) {
      StateOptions options;
      options.workspace_bytes = workspace;
      options.transport.wanted = transport;
      const std::string name(to_string(transport));
      try {
        ShardedState state(context, placement, Precision::single, options);
        state.set_basis(0);
        Exchange step;
        step.contiguous = contiguous;
        step.pairs.push_back({static_cast<std::uint8_t>(contiguous ? local - 1 : 0), static_cast<std::uint8_t>(n - 1)});
        std::uint64_t bytes = 0;
        const double seconds = fastest(state, [&] { bytes = state.exchange(step).bytes; });
        const double rate = static_cast<double>(bytes) / shards / seconds / 1e9;
        std::printf(
            "{\"wanted\": \"%s\", \"used\": \"%s\", \"contiguous\": %s, \"n\": %d, \"shards\": %d, \"workspace_MiB\": %.0f, "
            "\"GBps_each\": %.1f, \"copy_GBps_each\": %.1f}\n",
            name.c_str(), std::string(state.transport_name()).c_str(), contiguous ? "true" : "false", n, shards,
            static_cast<double>(workspace) / 1048576, rate, copy_rate(state));
      } catch (const Error& error) {
        std::printf("{\"wanted\": \"%s\", \"refused\": \"%s\"}\n", name.c_str(), error.what());
        break;
      }
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> ordinals;
  std::stringstream list(argc > 1 ? argv[1] : "0,0");
  for (std::string item; std::getline(list, item, ',');) ordinals.push_back(std::atoi(item.c_str()));
  if (ordinals.size() < 2) {
    std::fprintf(stderr, "micro_transport: at least two devices\n");
    return 2;
  }
  if (!kernels::cuda_status().available) {
    std::fprintf(stderr, "micro_transport: %s\n", kernels::cuda_status().reason.c_str());
    return 3;
  }
  const int n = argc > 2 ? std::atoi(argv[2]) : 28;
  const std::uint64_t workspace = (argc > 3 ? static_cast<std::uint64_t>(std::atoi(argv[3])) : 512) << 20;
  measure(ordinals, n, workspace);
  return 0;
}
