#include "ketmesh/kernels/gpu/translate.hpp"

#include <algorithm>
#include <cstring>
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

std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

template <typename T>
std::uint32_t append(std::vector<std::byte>& bytes, const std::vector<T>& data) {
  const std::size_t at = aligned(bytes.size());
  bytes.resize(at + data.size() * sizeof(T));
  if (!data.empty()) std::memcpy(bytes.data() + at, data.data(), data.size() * sizeof(T));
  return static_cast<std::uint32_t>(at);
}

std::size_t trip_bytes(int tile_bits) { return aligned(sizeof(Trip::low) + sizeof(Trip::bit) + (std::size_t{4} << (tile_bits - 8))); }

}  // namespace

Translator::Translator(const Pass& pass, const Binding& binding, int local_bits, int real_bytes)
    : pass_(pass),
      binding_(binding),
      local_bits_(local_bits),
      real_bytes_(real_bytes),
      tile_bits_(static_cast<int>(pass.tile_bits.size())),
      small_(tile_bits_ < kMinTileBits) {
  if (tile_bits_ > kMaxTileBits)
    throw OptionError("a tile of " + std::to_string(tile_bits_) + " qubits; a GPU holds at most " + std::to_string(kMaxTileBits));
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
  for (int j = 0; j < tile_bits_; ++j) p.positions[j] = pass_.tile_bits[static_cast<std::size_t>(j)];
  epoch_ = 0;
  pending_ = phased_ = false;
  scale_ = 1;
  if (small_) return;
  current_ = transfer_map();
  write_map(current_);
}

/// The map of loads and stores: single precision moves two neighbours (tile bit 0) at once, 16 bytes a thread.
Map Translator::transfer_map() const {
  Map map{};
  const bool pair = real_bytes_ == 4;
  const int threads = tile_bits_ - kRegisterBits;
  int k = 0;
  for (int b = pair ? 1 : 0; k < threads; ++b) map.bit[k++] = static_cast<std::uint8_t>(b);
  if (pair) map.bit[k++] = 0;
  for (int b = pair ? threads + 1 : threads; b < tile_bits_; ++b) map.bit[k++] = static_cast<std::uint8_t>(b);
  return map;
}

void Translator::end_sweep(bool last) {
  if (small_) {
    if (last) store_small();
  } else {
    std::vector<int> source(static_cast<std::size_t>(tile_bits_));
    for (int j = 0; j < tile_bits_; ++j) {
      const int to = last && !pass_.store_bits.empty() ? tile_of_[pass_.store_bits[static_cast<std::size_t>(j)]] : j;
      source[static_cast<std::size_t>(to)] = j;
    }
    Map map = transfer_map();
    for (int k = 0; k < tile_bits_; ++k) map.bit[k] = static_cast<std::uint8_t>(source[map.bit[k]]);
    if (std::memcmp(&map, &current_, sizeof map) != 0) trip(map);
  }
  assemble();
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
  for (int k = 0; k < kRegisterBits; ++k)
    if (current_.bit[tile_bits_ - kRegisterBits + k] == tile_bit) return k;
  return -1;
}

std::uint32_t Translator::write_map(const Map& map) {
  const auto both = [&](int k) {
    const unsigned i = 1u << map.bit[k];
    return i | pad(i) << 16;
  };
  Trip out{};
  for (unsigned t = 0; t < 16; ++t)
    for (int b = 0; b < 4; ++b) out.low[t] += (t >> b & 1u) * both(b);
  for (unsigned t = 0; t < 1u << (tile_bits_ - 8); ++t)
    for (int b = 0; b < tile_bits_ - 8; ++b) out.high[t] += (t >> b & 1u) * both(4 + b);
  for (int r = 0; r < kRegisterBits; ++r) out.bit[r] = both(tile_bits_ - kRegisterBits + r);
  const std::size_t at = trips_.size();
  trips_.resize(at + trip_bytes(tile_bits_));
  std::memcpy(trips_.data() + at, &out, trip_bytes(tile_bits_));
  return static_cast<std::uint32_t>(at);
}

void Translator::trip(const Map& map) {
  Op op{};
  op.kind = OpKind::trip;
  op.registers = pending_ ? 1 : 0;
  op.data = write_map(map);
  push(op, 15);
  current_ = map;
  epoch_ = ops_.size();
  pending_ = false;
}

/// Makes the given physical bits (at most 4) register bits, keeping others that are there.
void Translator::want_registers(std::span<const std::uint8_t> physical) {
  std::vector<int> set;
  for (const std::uint8_t b : physical)
    if (tile_of_[b] >= 0 && set.size() < kRegisterBits) set.push_back(tile_of_[b]);
  if (std::all_of(set.begin(), set.end(), [&](int b) { return register_of(b) >= 0; })) return;
  for (int k = 0; k < kRegisterBits && set.size() < kRegisterBits; ++k) {
    const int b = current_.bit[tile_bits_ - kRegisterBits + k];
    if (std::find(set.begin(), set.end(), b) == set.end()) set.push_back(b);
  }
  std::sort(set.begin(), set.end());
  room(0, 1);
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
                            3 * trip_bytes(std::max(tile_bits_, kMinTileBits)) + (maps_.size() + maps) * sizeof(Map) +
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
Translation translate(const Pass& pass, const Binding& binding, int local_bits) {
  return Translator(pass, binding, local_bits, sizeof(Real)).run();
}
template Translation translate<float>(const Pass&, const Binding&, int);
template Translation translate<double>(const Pass&, const Binding&, int);

}  // namespace ketmesh::kernels::cuda
