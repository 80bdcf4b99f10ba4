#include "ketmesh/kernels/gpu/translate.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/translator.hpp"

namespace ketmesh::kernels::cuda {
namespace {

std::vector<Run> runs_of(const std::vector<int>& positions) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!runs.empty() && positions[i] == runs.back().to + runs.back().length) {
      ++runs.back().length;
    } else {
      runs.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(positions[i]), 1, 0});
    }
  }
  return runs;
}

std::vector<int> identity(int size) {
  std::vector<int> out(static_cast<std::size_t>(size));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

template <typename T>
std::uint32_t append(std::vector<std::byte>& bytes, const std::vector<T>& data) {
  const std::size_t at = aligned(bytes.size());
  bytes.resize(at + data.size() * sizeof(T));
  if (!data.empty()) std::memcpy(bytes.data() + at, data.data(), data.size() * sizeof(T));
  return static_cast<std::uint32_t>(at);
}

std::size_t trip_bytes(int threads) { return aligned(sizeof(Trip::low) + sizeof(Trip::bit) + (std::size_t{4} << (threads - 4))); }

}  // namespace

Translator::Translator(const Pass& pass, const Binding& binding, int local_bits, int real_bytes, int register_bits)
    : pass_(pass),
      binding_(binding),
      local_bits_(local_bits),
      real_bytes_(real_bytes),
      register_bits_(register_bits),
      tile_bits_(static_cast<int>(pass.tile_bits.size())),
      small_(tile_bits_ < kMinTileBits) {
  if (tile_bits_ > kMaxTileBits)
    throw OptionError("a tile of " + std::to_string(tile_bits_) + " qubits; a GPU holds at most " + std::to_string(kMaxTileBits));
  if (!small_ && tile_bits_ - register_bits_ < kMinTileBits - kRegisterBits)
    throw Internal("too few threads for a tile of " + std::to_string(tile_bits_) + " qubits");
  tile_of_.fill(-1);
  for (int j = 0; j < tile_bits_; ++j) tile_of_[pass.tile_bits[static_cast<std::size_t>(j)]] = j;
}

Translation Translator::run() {
  begin_sweep();
  for (const Residency& residency : pass_.residencies) {
    if (!small_) want_registers(residency.register_bits);
    for (std::size_t i = 0; i < residency.steps.size(); ++i) translate_step(residency.steps, i);
  }
  end_sweep(/*last=*/true);
  return std::move(out_);
}

void Translator::begin_sweep() {
  out_.emplace_back();
  ops_.clear();
  touches_.clear();
  guards_.clear();
  trips_.clear();
  maps_.clear();
  groups_.clear();
  parts_.clear();
  coefficients_.clear();
  Program& p = out_.back().program;
  p.tile_bits = tile_bits_;
  p.register_bits = register_bits_;
  std::vector<int> tile(pass_.tile_bits.begin(), pass_.tile_bits.end()), rest;
  for (int b = 0; b < local_bits_; ++b)
    if (tile_of_[static_cast<std::size_t>(b)] < 0) rest.push_back(b);
  const auto fill = [](const std::vector<Run>& runs, Run* to, std::int32_t& count) {
    if (runs.size() > kMaxRuns) throw Internal("a tile of " + std::to_string(runs.size()) + " runs of bits");
    std::copy(runs.begin(), runs.end(), to);
    count = static_cast<std::int32_t>(runs.size());
  };
  fill(runs_of(tile), p.tile_runs, p.num_tile_runs);
  fill(runs_of(rest), p.block_runs, p.num_block_runs);
  epoch_ = 0;
  pending_ = phased_ = false;
  scale_ = 1;
  if (small_) return;
  write_map(Map{});
  load_as(transfer_map());
}

/// Whether a warp loads or stores at least 64 bytes at a time where tile bit j is at place[j].
bool Translator::rows_are_long(const Map& map, const std::vector<int>& place) const {
  unsigned lanes = 0;
  for (int k = 0; k < std::min(tile_bits_ - register_bits_, 5); ++k) lanes |= 1u << place[map.bit[k]];
  if (real_bytes_ == 8) return (lanes & 3u) == 3u;
  if (place[map.bit[tile_bits_ - register_bits_]] == 0) lanes |= 1u;  // pairs
  return (lanes & 7u) == 7u;
}

/// The registers of loads and stores where nothing asks for others: single precision moves two neighbours, 16 bytes, at once.
Map Translator::transfer_map() const {
  std::vector<int> registers;
  for (int b = tile_bits_ - register_bits_; b < tile_bits_; ++b) registers.push_back(b);
  if (real_bytes_ == 4) registers[0] = 0;
  return transfer_map(registers, identity(tile_bits_));
}

/// Lanes in the order of places. Of the five lowest the one comes last that would share a bank with another.
Map Translator::transfer_map(const std::vector<int>& registers, const std::vector<int>& place) const {
  std::vector<int> threads;
  for (int b = 0; b < tile_bits_; ++b)
    if (std::find(registers.begin(), registers.end(), b) == registers.end()) threads.push_back(b);
  std::sort(threads.begin(), threads.end(),
            [&](int a, int b) { return place[static_cast<std::size_t>(a)] < place[static_cast<std::size_t>(b)]; });
  if (threads.size() >= 5) {
    for (std::size_t k = 0; k < 4; ++k)
      if (std::any_of(threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(k),
                      [&](int b) { return (b - threads[k]) % 4 == 0; })) {
        std::rotate(threads.begin() + static_cast<std::ptrdiff_t>(k), threads.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                    threads.begin() + 5);
        break;
      }
  }
  Map map{};
  std::copy(threads.begin(), threads.end(), map.bit);
  std::copy(registers.begin(), registers.end(), map.bit + threads.size());
  return map;
}

/// Makes `map` the one of the load: nothing has been done yet.
void Translator::load_as(const Map& map) {
  const Trip trip = trip_of(map);
  std::memcpy(trips_.data(), &trip, trip_bytes(tile_bits_ - register_bits_));
  for (int k = 0; k < tile_bits_; ++k) out_.back().program.load_bits[k] = pass_.tile_bits[map.bit[k]];
  current_ = map;
}

void Translator::end_sweep(bool last) {
  if (small_) {
    if (last) store_small();
    return assemble();
  }
  std::vector<int> place = identity(tile_bits_);  // where tile bit j is stored
  if (last && !pass_.store_bits.empty())
    for (std::size_t j = 0; j < place.size(); ++j) place[j] = tile_of_[pass_.store_bits[j]];
  // From the registers that are there, where that makes long rows.
  const std::vector<int> registers(current_.bit + tile_bits_ - register_bits_, current_.bit + tile_bits_);
  const Map same = transfer_map(registers, place);
  if (epoch_ > 0 && rows_are_long(same, place)) {
    relane(same);
  } else if (!rows_are_long(current_, place)) {
    std::vector<int> source(place.size());
    for (std::size_t j = 0; j < place.size(); ++j) source[static_cast<std::size_t>(place[j])] = static_cast<int>(j);
    Map map = transfer_map();
    for (int k = 0; k < tile_bits_; ++k) map.bit[k] = static_cast<std::uint8_t>(source[map.bit[k]]);
    trip(map);
  }
  for (int k = 0; k < tile_bits_; ++k)
    out_.back().program.store_bits[k] = pass_.tile_bits[static_cast<std::size_t>(place[current_.bit[k]])];
  assemble();
}

/// Numbers the threads since the last trip anew: its map becomes `map` of the same registers, tables by thread are reordered.
void Translator::relane(const Map& map) {
  const int threads = tile_bits_ - register_bits_;
  std::vector<std::size_t> before(std::size_t{1} << threads);  // the number that a thread had
  for (std::size_t t = 0; t < before.size(); ++t)
    for (int k = 0; k < threads; ++k)
      for (int q = 0; q < threads; ++q)
        if (map.bit[k] == current_.bit[q]) before[t] |= (t >> k & 1u) << q;
  const auto reorder = [&](std::uint32_t at) {
    std::byte* const entries = out_.back().tables.data() + std::size_t{16} * at;
    const std::size_t size = 2 * static_cast<std::size_t>(real_bytes_);
    const std::vector<std::byte> old(entries, entries + size * before.size());
    for (std::size_t t = 0; t < before.size(); ++t) std::memcpy(entries + t * size, old.data() + before[t] * size, size);
  };
  for (std::size_t k = epoch_; k < ops_.size(); ++k) {
    if (ops_[k].kind == OpKind::phase_thread) reorder(ops_[k].extra);
    if (ops_[k].kind == OpKind::phases)
      for (std::uint32_t g = ops_[k].data; g < ops_[k].data + ops_[k].count; ++g)
        if (groups_[g].table >= 0) reorder(static_cast<std::uint32_t>(groups_[g].table));
  }
  const Trip trip = trip_of(map);
  std::memcpy(trips_.data() + ops_[epoch_ - 1].data, &trip, trip_bytes(tile_bits_ - register_bits_));
  current_ = map;
}

void Translator::assemble() {
  Sweep& sweep = out_.back();
  Program& p = sweep.program;
  std::vector<std::byte>& image = sweep.image;
  p.num_ops = static_cast<std::uint32_t>(ops_.size());
  p.num_parts = static_cast<std::uint32_t>(parts_.size());
  p.num_guards = static_cast<std::uint32_t>(guards_.size());
  p.phased = pending_ || phased_;
  p.pending = pending_;
  p.scale[0] = scale_.real();
  p.scale[1] = scale_.imag();
  ops_.emplace_back();  // the kernel reads one ahead
  append(image, ops_);
  p.guards_at = append(image, guards_);
  p.trips_at = append(image, trips_);
  p.maps_at = append(image, maps_);
  p.groups_at = append(image, groups_);
  p.parts_at = append(image, parts_);
  const std::uint32_t coefficients_at = append(image, coefficients_);
  image.resize(aligned(image.size()));
  for (Op& op : ops_) {
    if (op.kind == OpKind::trip) op.data += p.trips_at;
    if (op.kind >= OpKind::rotation && op.kind <= OpKind::rescale) op.data += coefficients_at;
  }
  std::memcpy(image.data(), ops_.data(), ops_.size() * sizeof(Op));
  p.image_bytes = static_cast<std::uint32_t>(image.size());
}

/// A small tile permutes by a table.
void Translator::store_small() {
  if (pass_.store_bits.empty() || pass_.store_bits == pass_.tile_bits) return;
  Step step;
  step.kind = StepKind::permutation;
  step.targets = pass_.tile_bits;
  step.table.resize(std::size_t{1} << tile_bits_);
  for (Index i = 0; i < step.table.size(); ++i)
    for (int j = 0; j < tile_bits_; ++j)
      if (bits::test(i, j)) step.table[i] |= bits::one(tile_of_[pass_.store_bits[static_cast<std::size_t>(j)]]);
  any_op(step);
}

int Translator::register_of(int tile_bit) const {
  for (int k = 0; k < register_bits_; ++k)
    if (current_.bit[tile_bits_ - register_bits_ + k] == tile_bit) return k;
  return -1;
}

Trip Translator::trip_of(const Map& map) const {
  const auto both = [&](int k) {
    const unsigned i = 1u << map.bit[k];
    return i | pad(i) << 16;
  };
  Trip out{};
  for (unsigned t = 0; t < 16; ++t)
    for (int b = 0; b < 4; ++b) out.low[t] += (t >> b & 1u) * both(b);
  const int high = tile_bits_ - register_bits_ - 4;
  for (unsigned t = 0; t < 1u << high; ++t)
    for (int b = 0; b < high; ++b) out.high[t] += (t >> b & 1u) * both(4 + b);
  for (int r = 0; r < register_bits_; ++r) out.bit[r] = both(tile_bits_ - register_bits_ + r);
  return out;
}

std::uint32_t Translator::write_map(const Map& map) {
  const Trip trip = trip_of(map);
  const std::size_t at = trips_.size();
  trips_.resize(at + trip_bytes(tile_bits_ - register_bits_));
  std::memcpy(trips_.data() + at, &trip, trip_bytes(tile_bits_ - register_bits_));
  return static_cast<std::uint32_t>(at);
}

void Translator::trip(const Map& map) {
  Op op{};
  op.kind = OpKind::trip;
  op.registers = pending_ ? 1 : 0;
  op.data = write_map(map);
  push(op, (1u << register_bits_) - 1);
  current_ = map;
  epoch_ = ops_.size();
  pending_ = false;
}

/// Makes the given physical bits (at most 4) register bits, keeping others that are there.
void Translator::want_registers(std::span<const std::uint8_t> physical) {
  std::vector<int> set;
  for (const std::uint8_t b : physical)
    if (tile_of_[b] >= 0 && set.size() < static_cast<std::size_t>(register_bits_)) set.push_back(tile_of_[b]);
  if (std::all_of(set.begin(), set.end(), [&](int b) { return register_of(b) >= 0; })) return;
  for (int k = 0; k < register_bits_ && set.size() < static_cast<std::size_t>(register_bits_); ++k) {
    const int b = current_.bit[tile_bits_ - register_bits_ + k];
    if (std::find(set.begin(), set.end(), b) == set.end()) set.push_back(b);
  }
  std::sort(set.begin(), set.end());
  room(0, 1);
  if (ops_.empty()) {
    const std::vector<int> place = identity(tile_bits_);
    if (const Map map = transfer_map(set, place); rows_are_long(map, place)) return load_as(map);
  }
  trip(map_with(set));
}

/// Thread bits so that the lowest lanes fall into different banks: bits of different residues modulo 4 first.
Map Translator::map_with(const std::vector<int>& registers) const {
  Map map{};
  int k = 0;
  std::array<bool, 16> used{};
  for (const int b : registers) used[static_cast<std::size_t>(b)] = true;
  for (int residue = 0; residue < 4; ++residue)
    for (int b = residue; b < tile_bits_; b += 4)
      if (!used[static_cast<std::size_t>(b)]) {
        used[static_cast<std::size_t>(b)] = true;
        map.bit[k++] = static_cast<std::uint8_t>(b);
        break;
      }
  for (int b = 0; b < tile_bits_; ++b)
    if (!used[static_cast<std::size_t>(b)]) map.bit[k++] = static_cast<std::uint8_t>(b);
  for (const int b : registers) map.bit[k++] = static_cast<std::uint8_t>(b);
  return map;
}

void Translator::room(std::size_t reals, std::size_t maps, std::size_t groups, std::size_t parts) {
  const std::size_t bytes = (ops_.size() + 6) * sizeof(Op) + (guards_.size() + 2) * sizeof(Guard) + trips_.size() +
                            3 * trip_bytes(small_ ? 4 : tile_bits_ - register_bits_) + (maps_.size() + maps) * sizeof(Map) +
                            (groups_.size() + groups) * sizeof(PhaseGroup) + (parts_.size() + parts) * sizeof(PhasePart) +
                            coefficients_.size() + (reals + 8) * static_cast<std::size_t>(real_bytes_) + 128;
  if (ops_.empty() || (bytes <= kMaxImageBytes && parts_.size() + parts <= kMaxParts)) return;
  end_sweep(/*last=*/false);
  begin_sweep();
}

void Translator::push(const Op& op, unsigned touches) {
  ops_.push_back(op);
  touches_.push_back(touches);
}

void Translator::put(std::vector<std::byte>& to, std::size_t at, double value) const {
  if (real_bytes_ == 4) {
    const auto v = static_cast<float>(value);
    std::memcpy(to.data() + at, &v, 4);
  } else {
    std::memcpy(to.data() + at, &value, 8);
  }
}

std::uint32_t Translator::coefficients(std::span<const double> values) {
  const std::size_t at = aligned(coefficients_.size());
  const auto size = static_cast<std::size_t>(real_bytes_);
  coefficients_.resize(at + values.size() * size);
  for (std::size_t k = 0; k < values.size(); ++k) put(coefficients_, at + k * size, values[k]);
  return static_cast<std::uint32_t>(at);
}

std::uint32_t Translator::table(std::span<const cdouble> values) {
  std::vector<std::byte>& tables = out_.back().tables;
  const std::size_t at = aligned(tables.size());
  const auto size = static_cast<std::size_t>(real_bytes_);
  tables.resize(at + 2 * values.size() * size);
  for (std::size_t k = 0; k < values.size(); ++k) {
    put(tables, at + 2 * k * size, values[k].real());
    put(tables, at + (2 * k + 1) * size, values[k].imag());
  }
  return static_cast<std::uint32_t>(at / 16);
}

template <typename Real>
Translation translate(const Pass& pass, const Binding& binding, int local_bits, int register_bits) {
  return Translator(pass, binding, local_bits, sizeof(Real), register_bits).run();
}
template Translation translate<float>(const Pass&, const Binding&, int, int);
template Translation translate<double>(const Pass&, const Binding&, int, int);

}  // namespace ketmesh::kernels::cuda
