// Shots: draws are sorted, cut at the block sums, and looked up in one streaming read of the blocks that have any.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/draws.hpp"
#include "ketmesh/measure/lookup.hpp"
#include "ketmesh/measure/measure.hpp"

namespace ketmesh::measure {
namespace {

constexpr double kDrawUnit = 0x1.0p-53;
constexpr int kPieceQubits = 12;  // outcomes of a block that are looked up at a time, where the layout allows
constexpr int kSharedBits = 4;    // blocks that differ only in these physical bits share rows of memory and are read together
constexpr std::size_t kBufferDoubles = 1 << 18;  // of probabilities in flight: they stay in the second cache
constexpr std::uint64_t kMinChunk = 1 << 21, kMaxChunk = 1 << 28;

/// A block of outcomes and its draws, as a range of the sorted ones.
struct BlockDraws {
  Index block = 0;
  Index physical = 0;  ///< physical index of its first outcome
  std::size_t begin = 0, end = 0;
};

/// Reads |a|^2 of logically contiguous pieces of blocks.
class PieceReader {
 public:
  PieceReader(const ShardedState& state, int block_qubits) : state_(state), block_qubits_(block_qubits) {
    // A piece holds every qubit of the block that lies within a row of memory: else rows would be read once a piece.
    piece_qubits_ = std::min(block_qubits, kPieceQubits);
    const auto& layout = state.layout();
    for (int bit = 0; bit < std::min(kSharedBits, layout.num_qubits()); ++bit) {
      const int q = layout.qubit_at(bit);
      if (q < block_qubits)
        piece_qubits_ = std::max(piece_qubits_, q + 1);
      else
        shared_ |= bits::one(bit);
    }
    for (int q = 0; q < piece_qubits_; ++q) free_.push_back(static_cast<std::uint8_t>(layout.bit_of(q)));
  }
  Index pieces() const { return bits::one(block_qubits_ - piece_qubits_); }
  Index piece_size() const { return bits::one(piece_qubits_); }
  /// Blocks with the same key share rows of memory.
  Index key(const BlockDraws& b) const { return b.physical & ~shared_; }

  /// out[g * piece_size() + j]: outcome j of piece `piece` of blocks[g], where this rank has it; else 0.
  void read_own(std::span<const BlockDraws> blocks, Index piece, std::vector<double>& out) {
    const Index offset = piece_offset(piece);
    fixed_.clear();
    for (const auto& b : blocks) fixed_.push_back(b.physical | offset);
    out.resize(blocks.size() << piece_qubits_);
    if (state_.context().world() > 1) std::fill(out.begin(), out.end(), 0.0);  // entries of other ranks' shards
    for (const auto& own : state_.own_shards()) own.kernels->probabilities(own.context, own.shard, free_, fixed_, out.data());
    for (const auto& own : state_.own_shards()) own.kernels->synchronize(own.context);
  }
  /// The same on every rank.
  void read(std::span<const BlockDraws> blocks, Index piece, std::vector<double>& out) {
    read_own(blocks, piece, out);
    state_.context().collective().sum(out);
  }
  /// Physical bits of the piece's outcomes, lowest first; those of the piece number.
  std::span<const std::uint8_t> free_bits() const { return free_; }
  Index piece_offset(Index piece) const { return state_.layout().to_physical(piece << piece_qubits_); }

 private:
  const ShardedState& state_;
  int block_qubits_, piece_qubits_ = 0;
  Index shared_ = 0;
  std::vector<std::uint8_t> free_;
  std::vector<Index> fixed_;
};

/// Over several ranks each block is looked up by one of those that have some of it; what the others have goes there.
class Handover {
 public:
  Handover(const ShardedState& state, const PieceReader& reader, int block_qubits)
      : state_(state), reader_(reader), local_(state.placement().local_bits()), world_(static_cast<std::size_t>(state.context().world())) {
    for (int q = 0; q < block_qubits; ++q) {
      const int bit = state.layout().bit_of(q);
      if (bit >= local_) block_shards_ |= bits::one(bit - local_);
    }
    const auto free = reader.free_bits();
    for (std::size_t j = 0; j < free.size(); ++j)
      if (free[j] >= local_) {
        global_places_ |= bits::one(static_cast<int>(j));
        shard_bits_.push_back(free[j] - local_);
      }
  }

  /// Who looks a block up, and whether this rank has to do with it.
  struct Role {
    int looker;
    bool involved;
  };
  Role role(const BlockDraws& block) const {
    std::vector<int> owners;
    for (Index k = 0; k < bits::one(bits::count(block_shards_)); ++k)
      owners.push_back(owner((block.physical >> local_) | bits::deposit(k, block_shards_)));
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    return {owners[block.block % owners.size()], std::binary_search(owners.begin(), owners.end(), state_.context().rank())};
  }

  /// Completes the entries of the blocks that this rank looks up.
  void run(std::span<const BlockDraws> blocks, std::span<const int> lookers, Index piece, std::vector<double>& p) {
    CollectiveCommunicator& ranks = state_.context().collective();
    to_.assign(world_, {});
    from_.assign(world_, {});
    each_part(blocks, piece, [&](std::size_t g, int has, Index place) {
      if (has == lookers[g]) return;
      if (has == ranks.rank())
        each_element(place, [&](Index j) { to_[static_cast<std::size_t>(lookers[g])].push_back(p[g * reader_.piece_size() + j]); });
      else if (lookers[g] == ranks.rank())
        from_[static_cast<std::size_t>(has)].resize(from_[static_cast<std::size_t>(has)].size() + elements());
    });
    std::vector<std::span<const std::byte>> out;
    std::vector<std::span<std::byte>> in;
    for (std::size_t r = 0; r < world_; ++r) {
      out.push_back(std::as_bytes(std::span(to_[r])));
      in.push_back(std::as_writable_bytes(std::span(from_[r])));
    }
    ranks.all_to_all(out, in);
    std::vector<std::size_t> next(world_, 0);
    each_part(blocks, piece, [&](std::size_t g, int has, Index place) {
      if (has == lookers[g] || lookers[g] != ranks.rank()) return;
      const auto& values = from_[static_cast<std::size_t>(has)];
      auto& at = next[static_cast<std::size_t>(has)];
      each_element(place, [&](Index j) { p[g * reader_.piece_size() + j] = values[at++]; });
    });
  }

 private:
  int owner(Index shard) const { return state_.placement().owners[static_cast<std::size_t>(shard)].rank; }
  Index elements() const { return reader_.piece_size() >> bits::count(global_places_); }
  /// f(block, rank that has the part, places of its shard bits in the piece), in the same order on every rank.
  template <typename F>
  void each_part(std::span<const BlockDraws> blocks, Index piece, F&& f) const {
    const Index offset = reader_.piece_offset(piece);
    for (std::size_t g = 0; g < blocks.size(); ++g)
      for (Index k = 0; k < bits::one(static_cast<int>(shard_bits_.size())); ++k) {
        const Index shard = ((blocks[g].physical | offset) >> local_) | bits::scatter(k, std::span<const int>(shard_bits_));
        f(g, owner(shard), bits::deposit(k, global_places_));
      }
  }
  template <typename F>
  void each_element(Index place, F&& f) const {
    const Index rest = (reader_.piece_size() - 1) & ~global_places_;
    for (Index j = 0; j < elements(); ++j) f(place | bits::deposit(j, rest));
  }

  const ShardedState& state_;
  const PieceReader& reader_;
  int local_;
  std::size_t world_;
  Index block_shards_ = 0;       // shard bits that hold qubits of a block
  Index global_places_ = 0;      // bits of an outcome's number in a piece that are shard bits ...
  std::vector<int> shard_bits_;  // ... and which
  std::vector<std::vector<double>> to_, from_;
};

/// The running sums at which blocks begin; the last one is the total.
std::vector<double> running_sums(std::span<const double> sums) {
  std::vector<double> running(sums.size() + 1, 0.0);
  for (std::size_t b = 0; b < sums.size(); ++b) running[b + 1] = running[b] + sums[b];
  if (!(running.back() > 0) || !std::isfinite(running.back()))
    throw Internal("cannot sample from a state whose squared norm is " + std::to_string(running.back()));
  return running;
}

/// Ranges of the sorted draws that fall on blocks, in logical order; every draw is in one of them.
std::vector<BlockDraws> cut_draws(std::span<const std::uint64_t> draws, std::span<const double> running, double unit, const Layout& layout,
                                  int block_qubits) {
  std::vector<BlockDraws> cut;
  std::size_t begin = 0, last_possible = 0;
  for (std::size_t b = 0; b + 1 < running.size(); ++b)
    if (running[b + 1] > running[b]) last_possible = b;
  for (std::size_t b = 0; b <= last_possible && begin < draws.size(); ++b) {
    const double border = running[b + 1];
    // Rounding may leave a draw at the total itself: the last block that is possible takes it.
    const auto end =
        b == last_possible
            ? draws.size()
            : static_cast<std::size_t>(std::partition_point(draws.begin() + static_cast<std::ptrdiff_t>(begin), draws.end(),
                                                            [&](std::uint64_t d) { return static_cast<double>(d) * unit < border; }) -
                                       draws.begin());
    const Index block = b;
    if (end > begin) cut.push_back({block, layout.to_physical(block << block_qubits), begin, end});
    begin = end;
  }
  return cut;
}

/// In place of an outcome: the block has none that is possible (its sum was not of these amplitudes).
constexpr std::uint64_t kOrphan = ~std::uint64_t{0};

/// Orphans go to the first possible outcome. Returns whether there were any.
bool place_orphans(const ShardedState& state, std::span<std::uint64_t> outcomes, std::size_t num_blocks, int block_qubits) {
  if (std::find(outcomes.begin(), outcomes.end(), kOrphan) == outcomes.end()) return false;
  PieceReader reader(state, block_qubits);
  std::vector<double> p;
  for (Index b = 0; b < num_blocks; ++b) {
    const BlockDraws block{b, state.layout().to_physical(b << block_qubits), 0, 0};
    for (Index piece = 0; piece < reader.pieces(); ++piece) {
      reader.read({&block, 1}, piece, p);
      const auto found = std::find_if(p.begin(), p.end(), [](double x) { return x > 0; });
      if (found == p.end()) continue;
      std::replace(outcomes.begin(), outcomes.end(), kOrphan,
                   (b << block_qubits) + piece * reader.piece_size() + static_cast<Index>(found - p.begin()));
      return true;
    }
  }
  throw Internal("cannot sample from a state of zeros");
}

/// What each rank looked up, to all others.
void share_outcomes(CollectiveCommunicator& ranks, std::span<std::uint64_t> draws, std::span<const BlockDraws> cut,
                    std::span<const Handover::Role> roles) {
  std::vector<std::uint64_t> part;
  for (int r = 0; r < ranks.world(); ++r) {
    part.clear();
    for (std::size_t k = 0; k < cut.size(); ++k)
      if (roles[k].looker == r)
        part.insert(part.end(), draws.begin() + static_cast<std::ptrdiff_t>(cut[k].begin),
                    draws.begin() + static_cast<std::ptrdiff_t>(cut[k].end));
    ranks.broadcast(std::as_writable_bytes(std::span(part)), r);
    auto from = part.begin();
    for (std::size_t k = 0; k < cut.size(); ++k) {
      if (roles[k].looker != r) continue;
      const auto count = static_cast<std::ptrdiff_t>(cut[k].end - cut[k].begin);
      std::copy_n(from, count, draws.begin() + static_cast<std::ptrdiff_t>(cut[k].begin));
      from += count;
    }
  }
}

/// Replaces each sorted draw by its outcome; they ascend then, but for orphans.
void look_up(const ShardedState& state, std::span<std::uint64_t> draws, std::span<const double> running, int block_qubits) {
  const double unit = running.back() * kDrawUnit;
  auto cut = cut_draws(draws, running, unit, state.layout(), block_qubits);
  PieceReader reader(state, block_qubits);
  std::sort(cut.begin(), cut.end(), [&](const BlockDraws& a, const BlockDraws& b) {
    return reader.key(a) != reader.key(b) ? reader.key(a) < reader.key(b) : a.physical < b.physical;
  });
  std::vector<double> p;
  const int threads = state.context().threads(), me = state.context().rank();
  const bool alone = state.context().world() == 1;
  Handover handover(state, reader, block_qubits);
  std::vector<Handover::Role> roles;
  for (const auto& b : cut) roles.push_back(handover.role(b));
  for (std::size_t first = 0; first < cut.size();) {
    // As many blocks as the buffer holds; those that share rows stay together.
    std::size_t last = first;
    while (last < cut.size()) {
      std::size_t next = last + 1;
      while (next < cut.size() && reader.key(cut[next]) == reader.key(cut[last])) ++next;
      if (last > first && (next - first) * reader.piece_size() > kBufferDoubles) break;
      last = next;
    }
    std::vector<BlockDraws> blocks;
    std::vector<int> lookers;
    std::vector<BlockLookup> lookups;
    for (std::size_t k = first; k < last; ++k) {
      if (!roles[k].involved) continue;
      const BlockDraws& b = blocks.emplace_back(cut[k]);
      lookers.push_back(roles[k].looker);
      lookups.emplace_back(draws.subspan(b.begin, b.end - b.begin), unit, running[b.block], b.block << block_qubits);
    }
    for (Index piece = 0; piece < reader.pieces(); ++piece) {
      reader.read_own(blocks, piece, p);
      if (!alone) handover.run(blocks, lookers, piece, p);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1 && p.size() > (1 << kPieceQubits))
      for (std::size_t g = 0; g < lookups.size(); ++g)
        if (lookers[g] == me) lookups[g].feed(std::span<const double>(p).subspan(g * reader.piece_size(), reader.piece_size()));
    }
    for (std::size_t g = 0; g < lookups.size(); ++g)
      if (lookers[g] == me && !lookups[g].finish()) std::ranges::fill(lookups[g].rest(), kOrphan);
    first = last;
  }
  if (!alone) share_outcomes(state.context().collective(), draws, cut, roles);
  if (place_orphans(state, draws, running.size() - 1, block_qubits)) std::sort(draws.begin(), draws.end());
}

using Counts = std::vector<SampleCount>;

Counts count_sorted(std::span<const std::uint64_t> outcomes) {
  Counts counts;
  for (const auto outcome : outcomes) {
    if (counts.empty() || counts.back().outcome != outcome) counts.push_back({outcome, 0});
    ++counts.back().count;
  }
  return counts;
}

Counts merge(const Counts& a, const Counts& b) {
  Counts out;
  out.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->outcome < j->outcome)) {
      out.push_back(*i++);
    } else {
      out.push_back(*j++);
      if (i != a.end() && i->outcome == out.back().outcome) out.back().count += (i++)->count;
    }
  }
  return out;
}

/// Shots that the device draws, looks up and counts itself, in one read of the state: all of them, where the state is one shard of such a device.
class DeviceShots {
 public:
  static constexpr std::uint64_t kChunk = 1 << 22;  // draws that it holds at a time

  DeviceShots(const ShardedState& state, std::uint64_t seed, std::span<const double> running, int block_qubits) : state_(state) {
    constexpr int kLeastBits = 8;
    if (state.context().world() > 1 || state.own_shards().size() != 1 || block_qubits < kLeastBits) return;
    possible_ = state.own_shards().front().kernels->sample != nullptr;
    for (std::size_t b = 0; b + 1 < running.size(); ++b) {
      largest_ = std::max(largest_, (running[b + 1] - running[b]) / running.back());
      if (running[b + 1] > running[b]) draws_.last_possible = b;
    }
    for (int q = 0; q < state.num_qubits(); ++q) bits_.push_back(static_cast<std::uint8_t>(state.layout().bit_of(q)));
    draws_.bits = bits_;
    draws_.block_bits = block_qubits;
    draws_.running = running;
    draws_.unit = running.back() * kDrawUnit;
    draws_.seed = seed;
  }
  DeviceShots(const DeviceShots&) = delete;
  DeviceShots& operator=(const DeviceShots&) = delete;

  bool possible(std::uint64_t count) const {
    constexpr double kMostOfOneBlock = 1 << 16;  // draws of one block are placed one after another
    return possible_ && largest_ * static_cast<double>(std::min(count, kChunk)) <= kMostOfOneBlock;
  }
  /// Nothing when a block had no possible outcome: the host looks for another one.
  std::optional<Counts> count(std::uint64_t first_shot, std::uint64_t count) {
    const auto& own = state_.own_shards().front();
    draws_.first_shot = first_shot;
    draws_.count = count;
    Counts counts = own.kernels->sample(own.context, own.shard, draws_);
    if (!counts.empty() && counts.back().outcome == kOrphan) return std::nullopt;
    return counts;
  }

 private:
  const ShardedState& state_;
  bool possible_ = false;
  double largest_ = 0;  // share of a block
  std::vector<std::uint8_t> bits_;
  kernels::ShotDraws draws_;
};

/// Draws held at a time: a small part of the state's memory, the same number on every rank.
std::uint64_t chunk_of(const ShardedState& state) {
  const std::uint64_t bytes =
      bits::one(state.num_qubits()) * bytes_per_amplitude(state.precision()) / static_cast<std::uint64_t>(state.context().world());
  return std::clamp(bytes / 512, kMinChunk, kMaxChunk);
}

}  // namespace

std::vector<SampleCount> sample(const ShardedState& state, std::uint64_t shots, std::uint64_t seed, std::uint64_t first_shot,
                                const BlockSums* sums, const std::function<void(std::uint64_t, std::uint64_t, const char*)>& progress) {
  if (shots == 0) return {};
  BlockSums made;
  if (sums == nullptr || sums->sums.empty()) {
    made = block_sums(state);
    sums = &made;
  }
  const int block_qubits = sums->block_qubits(state.num_qubits());
  if (block_qubits < 0 || !std::has_single_bit(sums->sums.size()))
    throw Internal(std::to_string(sums->sums.size()) + " block sums for a state of " + std::to_string(state.num_qubits()) + " qubits");
  const auto running = running_sums(sums->sums);
  DeviceShots device(state, seed, running, block_qubits);
  const bool on_device = device.possible(shots);
  const std::uint64_t chunk = on_device ? std::min(chunk_of(state), DeviceShots::kChunk) : chunk_of(state);
  // Counts of chunks, merged as soon as two are of like size: the work of merging stays in proportion to the shots.
  std::vector<Counts> parts;
  for (std::uint64_t done = 0; done < shots;) {
    const std::uint64_t count = std::min(chunk, shots - done);
    std::optional<Counts> counts;
    if (on_device) counts = device.count(first_shot + done, count);
    if (!counts) {
      auto draws = sorted_draws(seed, first_shot + done, count, state.context().threads());
      look_up(state, draws, running, block_qubits);
      counts = count_sorted(draws);
    }
    parts.push_back(std::move(*counts));
    done += count;
    if (progress) progress(done, shots, "shots");
    while (parts.size() > 1 && (done >= shots || 2 * parts.back().size() >= parts[parts.size() - 2].size())) {
      parts[parts.size() - 2] = merge(parts[parts.size() - 2], parts.back());
      parts.pop_back();
    }
  }
  return std::move(parts.front());
}

std::vector<SampleCount> sample_table(std::span<const double> probabilities, std::uint64_t shots, std::uint64_t seed) {
  if (shots == 0) return {};
  double total = 0;
  for (const double p : probabilities) total += p;
  if (!(total > 0) || !std::isfinite(total)) throw Internal("cannot sample from probabilities that sum to " + std::to_string(total));
  auto draws = sorted_draws(seed, 0, shots, 1);
  BlockLookup lookup(draws, total * kDrawUnit, 0, 0);
  lookup.feed(probabilities);
  if (!lookup.finish()) throw Internal("cannot sample from a table of zeros");
  return count_sorted(draws);
}

}  // namespace ketmesh::measure
