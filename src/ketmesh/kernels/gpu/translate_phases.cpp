// Phase layers as ops: by tables where only bits of the tile decide, by sums of parts where bits outside take part.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/translator.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr int kClassBits = 4;

cdouble unit(std::uint64_t turns) {
  return std::polar(1.0, static_cast<double>(static_cast<std::int64_t>(turns)) * 0x1p-63 * std::numbers::pi);
}

std::uint64_t angle_at(unsigned index, const std::vector<std::pair<PhaseCondition, std::uint64_t>>& fixed) {
  std::uint64_t sum = 0;
  for (const auto& [condition, angle] : fixed)
    if ((index & condition.mask) == condition.value) sum += std::popcount(index & condition.parity) % 2 != 0 ? ~angle + 1 : angle;
  return sum;
}

}  // namespace

/// A wide diagonal: one look-up an amplitude.
void Translator::wide_diagonal(const PhaseTerm& term) {
  room(0, 2);
  Op op{};
  op.kind = OpKind::diagonal_any;
  std::array<Map, 2> maps{};
  for (std::size_t k = 0; k < term.bits.size(); ++k) {
    const int j = tile_of_[term.bits[k]];
    maps[k / 16].bit[k % 16] = static_cast<std::uint8_t>(j >= 0 ? j : 128 + term.bits[k]);
  }
  op.data = static_cast<std::uint32_t>(maps_.size());
  maps_.insert(maps_.end(), maps.begin(), maps.end());
  op.count = static_cast<std::uint8_t>(term.bits.size());
  std::vector<cdouble> factors(std::size_t{1} << term.bits.size());
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = std::polar(1.0, binding_.angles[term.angle + i]);
  op.extra = table(factors);
  set(op, controls(term.control_mask, term.control_value, false));
  push(op, (1u << register_bits_) - 1);
}

void Translator::phases(const Step& step) {
  constexpr std::size_t kExpandedBits = 5;  // a table term of more bits is looked up, not expanded
  for (const PhaseTerm& term : step.terms)
    if (term.kind == PhaseTerm::Kind::table && term.bits.size() > kExpandedBits) wide_diagonal(term);
  // Pieces that surely fit: a term becomes at most 4^register bits parts in as many groups, nearly always one or two.
  constexpr std::size_t kPiece = 256;
  std::vector<PhaseTerm> piece;
  for (const PhaseTerm& term : step.terms) {
    if (term.kind == PhaseTerm::Kind::table && term.bits.size() > kExpandedBits) continue;
    piece.push_back(term);
    if (piece.size() == kPiece) {
      phase_piece(piece);
      piece.clear();
    }
  }
  phase_piece(piece);
}

void Translator::phase_piece(const std::vector<PhaseTerm>& terms) {
  PhaseSplit split = split_terms(terms);
  if (split.groups().empty()) return;
  std::size_t parts = 0;
  for (const auto& [set, conditions] : split.groups()) parts += conditions.size();
  if (parts > kMaxParts / 2) {  // tables whose bits are spread over everything
    if (terms.size() == 1) throw Internal("one phase term of " + std::to_string(parts) + " parts");
    const auto middle = terms.begin() + static_cast<std::ptrdiff_t>(terms.size() / 2);
    phase_piece({terms.begin(), middle});
    phase_piece({middle, terms.end()});
    return;
  }
  const std::size_t sweeps = out_.size();
  room(0, 1, 16, parts);
  if (out_.size() != sweeps) split = split_terms(terms);  // other bits are in registers now
  phase_op(split);
}

PhaseSplit Translator::split_terms(const std::vector<PhaseTerm>& terms) const {
  PhaseSplit split(tile_of_, small_ ? std::span<const std::uint8_t>()
                                    : std::span(current_.bit + tile_bits_ - register_bits_, static_cast<std::size_t>(register_bits_)));
  for (const PhaseTerm& term : terms) split.add(term, binding_.angles);
  return split;
}

void Translator::phase_op(const PhaseSplit& split) {
  // What is the same in every tile goes into tables.
  std::map<unsigned, Fixed> fixed, left;
  if (!small_) {
    for (const auto& [set, parts] : split.groups())
      for (const auto& [condition, entries] : parts)
        if (entries.size() == 1 && entries[0].mask == 0 && entries[0].parity == 0)
          fixed[set].emplace_back(condition, static_cast<std::uint64_t>(entries[0].angle));
    fixed_phases(fixed, left);
  }
  Op op{};
  op.kind = OpKind::phases;
  op.data = static_cast<std::uint32_t>(groups_.size());
  op.reg0 = pending_ ? 1 : 0;
  unsigned touched = 0;
  Sweep& sweep = out_.back();
  for (const auto& [set, parts] : split.groups()) {
    PhaseGroup group{};
    group.set = static_cast<std::uint16_t>(set);
    group.first_part = static_cast<std::uint32_t>(parts_.size());
    group.table = -1;
    for (const auto& [condition, entries] : parts) {
      if (!small_ && entries.size() == 1 && entries[0].mask == 0 && entries[0].parity == 0) continue;
      parts_.push_back({condition.mask, condition.value, condition.parity, static_cast<std::uint16_t>(entries.size()),
                        static_cast<std::uint32_t>(sweep.entries.size()), 0});
      sweep.entries.insert(sweep.entries.end(), entries.begin(), entries.end());
      ++group.part_count;
    }
    if (const auto it = left.find(set); it != left.end()) group.table = static_cast<std::int32_t>(phase_table(it->second));
    if (group.part_count == 0 && group.table < 0) continue;
    groups_.push_back(group);
    ++op.count;
    touched |= set;
    pending_ |= set == 0 && !small_;
  }
  if (op.count > 0) push(op, touched);
}

/// Ops of tables for phases that only bits of the tile decide; `left`: sets whose phases hang on many bits of the thread.
void Translator::fixed_phases(const std::map<unsigned, Fixed>& fixed, std::map<unsigned, Fixed>& left) {
  struct Bin {
    unsigned bits = 0;
    std::map<unsigned, Fixed> sets;
  };
  std::vector<Bin> bins;
  for (const auto& [set, parts] : fixed) {
    unsigned bits = 0;
    for (const auto& [condition, angle] : parts) bits |= condition.mask | condition.parity;
    if (set == 0) {
      if (bits == 0) {
        scale_ *= unit(angle_at(0, parts));
        phased_ = true;
        continue;
      }
      Op op{};
      op.kind = OpKind::phase_thread;
      op.registers = pending_ ? 1 : 0;
      op.extra = phase_table(parts);
      push(op, 0);
      pending_ = true;
      continue;
    }
    const auto fits = [&](const Bin& b) { return std::popcount(b.bits | bits) <= kClassBits; };
    const auto bin = std::find_if(bins.begin(), bins.end(), fits);
    if (std::popcount(bits) > kClassBits) {
      left[set] = parts;
    } else if (bin != bins.end()) {
      bin->bits |= bits;
      bin->sets[set] = parts;
    } else {
      bins.push_back({bits, {{set, parts}}});
    }
  }
  for (const Bin& bin : bins) {
    if (bin.sets.size() == 1 && std::popcount(bin.sets.begin()->first) > 1) {  // few amplitudes: cheaper by themselves
      left.insert(*bin.sets.begin());
    } else {
      class_table(bin.sets, bin.bits);
    }
  }
}

void Translator::class_table(const std::map<unsigned, Fixed>& sets, unsigned bits) {
  std::vector<int> positions;
  bits::for_each(Index{bits}, [&](int b) { positions.push_back(b); });
  const unsigned size = 1u << register_bits_;
  std::vector<cdouble> factors(std::size_t{size} << positions.size());
  for (unsigned k = 0; k < 1u << positions.size(); ++k) {
    unsigned index = 0;
    for (std::size_t p = 0; p < positions.size(); ++p) index |= (k >> p & 1u) << positions[p];
    std::array<std::uint64_t, 1u << kMostRegisterBits> angles{};
    for (const auto& [set, parts] : sets) {
      const std::uint64_t angle = angle_at(index, parts);
      for (unsigned j = 0; j < size; ++j)
        if ((j & set) == set) angles[j] += angle;
    }
    for (unsigned j = 0; j < size; ++j) factors[(std::size_t{j} << positions.size()) + k] = unit(angles[j]);
  }
  Op op{};
  op.kind = OpKind::diagonal;
  for (int p = 0; p < kClassBits; ++p)
    op.data |= (static_cast<std::size_t>(p) < positions.size() ? static_cast<unsigned>(positions[static_cast<std::size_t>(p)]) : 15u)
               << 4 * p;
  op.extra = table(factors);
  unsigned touched = 0;
  for (const auto& [set, parts] : sets) touched |= set;
  push(op, touched);
}

/// Tile index of a thread under the present map, registers 0.
unsigned Translator::thread_index(unsigned thread) const {
  unsigned index = 0;
  for (int b = 0; b < tile_bits_ - register_bits_; ++b) index |= (thread >> b & 1u) << current_.bit[b];
  return index;
}

/// exp(i angle) for each thread under the present map.
std::uint32_t Translator::phase_table(const Fixed& fixed) {
  std::vector<cdouble> factors(std::size_t{1} << (tile_bits_ - register_bits_));
  for (unsigned t = 0; t < factors.size(); ++t) factors[t] = unit(angle_at(thread_index(t), fixed));
  return table(factors);
}

}  // namespace ketmesh::kernels::cuda
