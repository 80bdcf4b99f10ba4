// Exchanges between ranks beside a plain copy: exchange [qubits] [repeats] [ranks]. The ranks are threads of this process, one core each. Prints the bytes
// that all ranks sent a second (the fastest of the repeats) and their ratio to the bytes that as many threads copy a second with memcpy in the same run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "ketmesh/state/sharded_state.hpp"

using namespace ketmesh;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What one rank saw of one kind of exchange.
struct Seen {
  double seconds = 1e30, copy_seconds = 1e30;
  std::uint64_t bytes = 0;
};

/// The q highest local bits with the q highest shard bits: blocks are contiguous; or with the lowest local ones, which are packed first.
Exchange exchange_of(const Placement& placement, int q, bool contiguous) {
  Exchange step;
  const int local = placement.local_bits();
  for (int i = 0; i < q; ++i)
    step.pairs.push_back(
        {static_cast<std::uint8_t>(contiguous ? local - q + i : i), static_cast<std::uint8_t>(placement.num_qubits - q + i)});
  step.contiguous = contiguous;
  return step;
}

/// Exchanges and plain copies of as many bytes by turns, so that both meet the same machine; the fastest of each.
Seen measure(CollectiveCommunicator& ranks, ShardedState& state, const Exchange& step, int repeats) {
  Seen seen;
  std::vector<char> from, to;
  for (int k = 0; k <= repeats; ++k) {  // the first one touches memory
    ranks.barrier();
    auto start = Clock::now();
    seen.bytes = state.exchange(step).bytes_between_ranks;
    ranks.barrier();
    if (k > 0) seen.seconds = std::min(seen.seconds, seconds_since(start));
    from.resize(static_cast<std::size_t>(seen.bytes));
    to.resize(from.size());
    ranks.barrier();
    start = Clock::now();
    std::memcpy(to.data(), from.data(), from.size());
    ranks.barrier();
    if (k > 0) seen.copy_seconds = std::min(seen.copy_seconds, seconds_since(start));
  }
  return seen;
}

void work(const std::shared_ptr<CollectiveCommunicator>& ranks, int n, int repeats) {
  const auto context = std::make_shared<DistributedExecutionContext>(ranks, DeviceMesh::cpu(1, std::uint64_t{1} << 40), 1);
  Placement placement;
  placement.num_qubits = n;
  while ((1 << placement.shard_bits) < ranks->world()) ++placement.shard_bits;
  const int shards = placement.num_shards();
  for (int s = 0; s < shards; ++s) placement.owners.push_back({s * ranks->world() / shards, 0});
  ShardedState state(context, placement, Precision::single);
  state.set_basis(0);
  for (int q = 1; q <= placement.shard_bits; ++q)
    for (const bool contiguous : {true, false}) {
      const Seen seen = measure(*ranks, state, exchange_of(placement, q, contiguous), repeats);
      double sent[] = {static_cast<double>(seen.bytes)};
      ranks->sum(sent);
      if (ranks->rank() != 0) continue;
      const double rate = sent[0] / seen.seconds / 1e9, copied = sent[0] / seen.copy_seconds / 1e9;
      std::printf("%d ranks, n = %d, %d pairs, %-10s  %7.2f GB/s sent, %7.2f GB/s copied, ratio %.2f\n", ranks->world(), n, q,
                  contiguous ? "contiguous" : "scattered", rate, copied, rate / copied);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 26, repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  const int ranks = argc > 3 ? std::atoi(argv[3]) : 2;
  if (n < 8 || n > 40 || repeats < 1 || ranks < 2 || ranks > 64) {
    std::fprintf(stderr, "exchange [qubits: 8 to 40] [repeats: from 1] [ranks: 2 to 64]\n");
    return 2;
  }
  const auto world = threads_world(ranks);
  std::vector<std::thread> threads;
  for (const auto& end : world) threads.emplace_back([&, end] { work(std::make_shared<CollectiveCommunicator>(end), n, repeats); });
  for (auto& thread : threads) thread.join();
  return 0;
}
