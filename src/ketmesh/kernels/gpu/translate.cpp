#include "ketmesh/kernels/gpu/translate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/phase_parts.hpp"

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

template <typename T>
std::uint32_t append(std::vector<std::byte>& bytes, const T* data, std::size_t count) {
  const std::size_t at = (bytes.size() + 15) / 16 * 16;
  bytes.resize(at + count * sizeof(T));
  if (count > 0) std::memcpy(bytes.data() + at, data, count * sizeof(T));
  return static_cast<std::uint32_t>(at);
}

template <typename Real>
class Translator {
 public:
  Translator(const Pass& pass, const Binding& binding, int local_bits)
      : pass_(pass),
        binding_(binding),
        local_bits_(local_bits),
        tile_bits_(static_cast<int>(pass.tile_bits.size())),
        small_(tile_bits_ < kMinTileBits) {
    if (tile_bits_ > kMaxTileBits)
      throw OptionError("a tile of " + std::to_string(tile_bits_) + " qubits; a GPU holds at most " + std::to_string(kMaxTileBits));
    tile_of_.fill(-1);
    for (int j = 0; j < tile_bits_; ++j) tile_of_[pass.tile_bits[static_cast<std::size_t>(j)]] = j;
  }

  Translation run() {
    begin_sweep();
    for (const Residency& residency : pass_.residencies) {
      if (!small_) want_registers(residency.register_bits);
      for (std::size_t i = 0; i < residency.steps.size(); ++i) translate_step(residency.steps, i);
    }
    end_sweep(/*last=*/true);
    return std::move(out_);
  }

 private:
  void begin_sweep() {
    out_.emplace_back();
    ops_.clear();
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
    next_trip_ = -1;
    epoch_ = 0;
    if (!small_) current_ = transfer_map();
  }

  /// The map of loads and stores: single precision moves two neighbours (tile bit 0) at once, 16 bytes a thread.
  Map transfer_map() const {
    Map map{};
    const bool pair = sizeof(Real) == 4;
    const int threads = tile_bits_ - kRegisterBits;
    int k = 0;
    for (int b = pair ? 1 : 0; k < threads; ++b) map.bit[k++] = static_cast<std::uint8_t>(b);
    if (pair) map.bit[k++] = 0;
    for (int b = pair ? threads + 1 : threads; b < tile_bits_; ++b) map.bit[k++] = static_cast<std::uint8_t>(b);
    return map;
  }

  void end_sweep(bool last) {
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
      if (std::memcmp(&map, &current_, sizeof map) != 0) {
        trip(map);
        Op op{};
        op.kind = OpKind::none;
        push(op);
      }
    }
    assemble();
  }

  void assemble() {
    Sweep& sweep = out_.back();
    Program& p = sweep.program;
    std::vector<std::byte>& image = sweep.image;
    p.num_ops = static_cast<std::uint32_t>(ops_.size());
    p.num_parts = static_cast<std::uint32_t>(parts_.size());
    append(image, ops_.data(), ops_.size());
    p.trips_at = append(image, trips_.data(), trips_.size());
    p.maps_at = append(image, maps_.data(), maps_.size());
    p.groups_at = append(image, groups_.data(), groups_.size());
    p.parts_at = append(image, parts_.data(), parts_.size());
    const std::uint32_t coefficients_at = append(image, coefficients_.data(), coefficients_.size());
    image.resize((image.size() + 15) / 16 * 16);
    for (std::size_t k = 0; k < ops_.size(); ++k) {
      Op& op = ops_[k];
      if (op.kind >= OpKind::dense1 && op.kind <= OpKind::dense2) op.data += coefficients_at;
    }
    std::memcpy(image.data(), ops_.data(), ops_.size() * sizeof(Op));
    p.image_bytes = static_cast<std::uint32_t>(image.size());
  }

  /// A small tile permutes by a table.
  void store_small() {
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

  // ---- registers

  int register_of(int tile_bit) const {
    for (int k = 0; k < kRegisterBits; ++k)
      if (current_.bit[tile_bits_ - kRegisterBits + k] == tile_bit) return k;
    return -1;
  }

  /// The next op begins with a trip to this map.
  void trip(const Map& map) {
    const int thread_bits = tile_bits_ - kRegisterBits;
    std::vector<std::uint16_t> places(std::size_t{1} << thread_bits);
    for (unsigned t = 0; t < places.size(); ++t)
      for (int b = 0; b < thread_bits; ++b) places[t] = static_cast<std::uint16_t>(places[t] | (t >> b & 1u) << map.bit[b]);
    Trip out{};
    out.places = append(out_.back().tables, places.data(), places.size()) / 16;
    for (int r = 0; r < kRegisterBits; ++r) out.bit[r] = static_cast<std::uint16_t>(1u << map.bit[thread_bits + r]);
    trips_.push_back(out);
    next_trip_ = static_cast<int>(trips_.size()) - 1;
    current_ = map;
    epoch_ = ops_.size();
  }

  /// Makes the given physical bits (at most 4) register bits, keeping others that are there.
  void want_registers(std::span<const std::uint8_t> physical) {
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
  Map map_with(const std::vector<int>& registers) const {
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

  // ---- ops

  /// Goes on in another sweep, where other bits are in registers, when the image would grow too large.
  void room(std::size_t coefficients, std::size_t maps, std::size_t groups = 0, std::size_t parts = 0) {
    const std::size_t bytes = (ops_.size() + 4) * sizeof(Op) + (trips_.size() + 3) * sizeof(Trip) + (maps_.size() + maps) * sizeof(Map) +
                              (groups_.size() + groups) * sizeof(PhaseGroup) + (parts_.size() + parts) * sizeof(PhasePart) +
                              (coefficients_.size() + coefficients) * sizeof(Real) + 128;
    if (ops_.empty() || (bytes <= kMaxImageBytes && parts_.size() + parts <= kMaxParts && trips_.size() + 3 < 120)) return;
    end_sweep(/*last=*/false);
    begin_sweep();
  }

  void push(Op op) {
    op.trip = static_cast<std::int8_t>(std::exchange(next_trip_, -1));
    ops_.push_back(op);
  }

  std::uint32_t coefficient(std::span<const double> values) {
    const auto at = static_cast<std::uint32_t>(coefficients_.size() * sizeof(Real));
    for (const double v : values) coefficients_.push_back(static_cast<Real>(v));
    return at;
  }

  void set_controls(Op& op, Index mask, Index value, bool with_registers) const {
    bits::for_each(mask, [&](int b) {
      const int j = tile_of_[static_cast<std::size_t>(b)];
      const bool on = bits::test(value, b);
      if (j < 0) {
        op.outside_mask |= bits::one(b);
        if (on) op.outside_value |= bits::one(b);
        return;
      }
      const int r = with_registers ? register_of(j) : -1;
      if (r < 0) {
        op.thread_mask = static_cast<std::uint16_t>(op.thread_mask | (1u << j));
        if (on) op.thread_value = static_cast<std::uint16_t>(op.thread_value | (1u << j));
      } else {
        op.reg_mask = static_cast<std::uint8_t>(op.reg_mask | (1u << r));
        if (on) op.reg_value = static_cast<std::uint8_t>(op.reg_value | (1u << r));
      }
    });
  }

  void translate_step(const std::vector<Step>& steps, std::size_t i) {
    const Step& step = steps[i];
    switch (step.kind) {
      case StepKind::phases:
        return phases(step);
      case StepKind::permutation:
        return any_op(step);
      case StepKind::matrix:
        if (small_ || step.targets.size() > 2) return any_op(step);
        return register_matrix(steps, i);
    }
    throw Internal("a step of an unknown kind");
  }

  /// The residency was advice: takes the targets of this step and of those after it into registers.
  void make_resident(const std::vector<Step>& steps, std::size_t i) {
    const auto resident = [&](std::uint8_t b) { return register_of(tile_of_[b]) >= 0; };
    if (std::all_of(steps[i].targets.begin(), steps[i].targets.end(), resident)) return;
    std::vector<std::uint8_t> set;
    for (std::size_t k = i; k < steps.size() && set.size() < kRegisterBits; ++k) {
      if (steps[k].kind != StepKind::matrix || steps[k].targets.size() > 2) continue;
      std::vector<std::uint8_t> more(set);
      for (const std::uint8_t b : steps[k].targets)
        if (std::find(more.begin(), more.end(), b) == more.end()) more.push_back(b);
      if (more.size() > kRegisterBits) break;
      set = std::move(more);
    }
    want_registers(set);
  }

  void register_matrix(const std::vector<Step>& steps, std::size_t i) {
    const Step& step = steps[i];
    room(32, 1);
    make_resident(steps, i);
    Op op{};
    set_controls(op, step.control_mask, step.control_value, true);
    const cdouble* m = binding_.matrices.data() + step.matrix;
    const int r0 = register_of(tile_of_[step.targets[0]]);
    if (step.targets.size() == 2) {
      const int r1 = register_of(tile_of_[step.targets[1]]);
      op.kind = OpKind::dense2;
      op.reg0 = static_cast<std::uint8_t>(std::min(r0, r1));
      op.reg1 = static_cast<std::uint8_t>(std::max(r0, r1));
      const std::array<int, 4> order = r0 < r1 ? std::array{0, 1, 2, 3} : std::array{0, 2, 1, 3};
      std::array<double, 32> entries{};
      for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 4; ++c) {
          const cdouble e = m[4 * order[r] + order[c]];
          entries[8 * r + 2 * c] = e.real();
          entries[8 * r + 2 * c + 1] = e.imag();
        }
      op.data = coefficient(entries);
      return push(op);
    }
    op.registers = static_cast<std::uint8_t>(1 << r0);
    std::vector<double> entries;
    switch (step.shape) {
      case MatrixShape::flip:
        op.kind = OpKind::flip1;
        break;
      case MatrixShape::hadamard:
        op.kind = OpKind::hadamard1;
        break;
      case MatrixShape::real:
        op.kind = OpKind::real1;
        entries = {m[0].real(), m[1].real(), m[2].real(), m[3].real()};
        break;
      case MatrixShape::rx_like:
        op.kind = OpKind::rx1;
        entries = {m[0].real(), m[1].imag(), m[2].imag(), m[3].real()};
        break;
      case MatrixShape::general:
        op.kind = OpKind::dense1;
        for (int k = 0; k < 4; ++k) entries.insert(entries.end(), {m[k].real(), m[k].imag()});
        break;
    }
    layer(op, r0, entries);
  }

  static bool touches(const Op& op, unsigned bit_mask) {
    switch (op.kind) {
      case OpKind::none:
        return false;
      case OpKind::dense2:
        return ((1u << op.reg0 | 1u << op.reg1 | op.reg_mask) & bit_mask) != 0;
      case OpKind::phases:
        return (op.reg_mask & bit_mask) != 0;  // the union of its groups' sets
      case OpKind::matrix_any:
      case OpKind::permute_any:
        return true;
      default:
        return ((op.registers | op.reg_mask) & bit_mask) != 0;
    }
  }

  /// Joins an uncontrolled gate to an earlier layer of its kind, past ops that leave its bit alone. Every bit of a layer has a slot of
  /// coefficients, so that joining moves nothing.
  void layer(Op op, int reg, const std::vector<double>& entries) {
    const unsigned bit = 1u << reg;
    const bool plain = op.outside_mask == 0 && op.thread_mask == 0 && op.reg_mask == 0;
    if (plain)
      for (std::size_t k = ops_.size(); k-- > epoch_;) {
        Op& other = ops_[k];
        const bool same = other.kind == op.kind && other.outside_mask == 0 && other.thread_mask == 0 && other.reg_mask == 0;
        if (same && (other.registers & bit) == 0) {
          other.registers = static_cast<std::uint8_t>(other.registers | bit);
          write_slot(other.data, reg, entries);
          return;
        }
        if (touches(other, bit)) break;
      }
    op.data = static_cast<std::uint32_t>(coefficients_.size() * sizeof(Real));
    coefficients_.resize(coefficients_.size() + kRegisterBits * entries.size());
    write_slot(op.data, reg, entries);
    push(op);
  }

  void write_slot(std::uint32_t at, int reg, const std::vector<double>& entries) {
    const std::size_t first = at / sizeof(Real) + static_cast<std::size_t>(reg) * entries.size();
    for (std::size_t k = 0; k < entries.size(); ++k) coefficients_[first + k] = static_cast<Real>(entries[k]);
  }

  /// Matrices of three and more targets, permutations, and everything of a small tile: through shared memory.
  void any_op(const Step& step) {
    room(0, 1);
    Op op{};
    set_controls(op, step.control_mask, step.control_value, false);
    Map map{};
    for (std::size_t k = 0; k < step.targets.size(); ++k) map.bit[k] = static_cast<std::uint8_t>(tile_of_[step.targets[k]]);
    maps_.push_back(map);
    op.data = static_cast<std::uint32_t>(maps_.size() - 1);
    op.count = static_cast<std::uint8_t>(step.targets.size());
    const std::size_t size = std::size_t{1} << step.targets.size();
    std::vector<std::byte>& tables = out_.back().tables;
    if (step.kind == StepKind::permutation) {
      op.kind = OpKind::permute_any;
      std::vector<std::uint32_t> inverse(size);
      for (std::size_t k = 0; k < size; ++k) inverse[step.table[k]] = static_cast<std::uint32_t>(k);
      op.extra = append(tables, inverse.data(), inverse.size()) / 16;
    } else {
      op.kind = OpKind::matrix_any;
      std::vector<Real> entries(2 * size * size);
      for (std::size_t k = 0; k < size * size; ++k) {
        entries[2 * k] = static_cast<Real>(binding_.matrices[step.matrix + k].real());
        entries[2 * k + 1] = static_cast<Real>(binding_.matrices[step.matrix + k].imag());
      }
      op.extra = append(tables, entries.data(), entries.size()) / 16;
    }
    push(op);
  }

  /// A wide diagonal: one look-up an amplitude.
  void wide_diagonal(const PhaseTerm& term) {
    room(0, 2);
    Op op{};
    op.kind = OpKind::diagonal_any;
    set_controls(op, term.control_mask, term.control_value, false);
    std::array<Map, 2> maps{};
    for (std::size_t k = 0; k < term.bits.size(); ++k) {
      const int j = tile_of_[term.bits[k]];
      maps[k / 16].bit[k % 16] = static_cast<std::uint8_t>(j >= 0 ? j : 128 + term.bits[k]);
    }
    op.data = static_cast<std::uint32_t>(maps_.size());
    maps_.insert(maps_.end(), maps.begin(), maps.end());
    op.count = static_cast<std::uint8_t>(term.bits.size());
    std::vector<Real> table(std::size_t{2} << term.bits.size());
    for (std::size_t i = 0; i < table.size() / 2; ++i) {
      table[2 * i] = static_cast<Real>(std::cos(binding_.angles[term.angle + i]));
      table[2 * i + 1] = static_cast<Real>(std::sin(binding_.angles[term.angle + i]));
    }
    op.extra = append(out_.back().tables, table.data(), table.size()) / 16;
    push(op);
  }

  void phases(const Step& step) {
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

  void phase_piece(const std::vector<PhaseTerm>& terms) {
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

  PhaseSplit split_terms(const std::vector<PhaseTerm>& terms) const {
    PhaseSplit split(tile_of_,
                     small_ ? std::span<const std::uint8_t>() : std::span(current_.bit + tile_bits_ - kRegisterBits, kRegisterBits));
    for (const PhaseTerm& term : terms) split.add(term, binding_.angles);
    return split;
  }

  void phase_op(const PhaseSplit& split) {
    Op op{};
    op.kind = OpKind::phases;
    op.data = static_cast<std::uint32_t>(groups_.size());
    Sweep& sweep = out_.back();
    for (const auto& [set, parts] : split.groups()) {
      op.reg_mask = static_cast<std::uint8_t>(op.reg_mask | set);
      ++op.count;
      PhaseGroup group{};
      group.set = static_cast<std::uint16_t>(set);
      group.first_part = static_cast<std::uint32_t>(parts_.size());
      group.table = -1;
      std::vector<std::pair<PhaseCondition, std::uint64_t>> fixed;  // the same in every tile: a table by thread
      for (const auto& [condition, entries] : parts) {
        if (entries.size() == 1 && entries[0].mask == 0 && entries[0].parity == 0 && !small_) {
          fixed.emplace_back(condition, static_cast<std::uint64_t>(entries[0].angle));
          continue;
        }
        parts_.push_back({condition.mask, condition.value, condition.parity, static_cast<std::uint16_t>(entries.size()),
                          static_cast<std::uint32_t>(sweep.entries.size()), 0});
        sweep.entries.insert(sweep.entries.end(), entries.begin(), entries.end());
        ++group.part_count;
      }
      if (!fixed.empty()) group.table = static_cast<std::int32_t>(phase_table(fixed));
      groups_.push_back(group);
    }
    push(op);
  }

  /// exp(i angle) for each thread under the present map.
  std::uint32_t phase_table(const std::vector<std::pair<PhaseCondition, std::uint64_t>>& fixed) {
    const int thread_bits = tile_bits_ - kRegisterBits;
    std::vector<Real> table(std::size_t{2} << thread_bits);
    for (unsigned t = 0; t < 1u << thread_bits; ++t) {
      unsigned index = 0;
      for (int b = 0; b < thread_bits; ++b) index |= (t >> b & 1u) << current_.bit[b];
      std::uint64_t sum = 0;
      for (const auto& [condition, angle] : fixed)
        if ((index & condition.mask) == condition.value) sum += std::popcount(index & condition.parity) % 2 != 0 ? ~angle + 1 : angle;
      const double radians = static_cast<double>(static_cast<std::int64_t>(sum)) * 0x1p-63 * std::numbers::pi;
      table[2 * t] = static_cast<Real>(std::cos(radians));
      table[2 * t + 1] = static_cast<Real>(std::sin(radians));
    }
    return append(out_.back().tables, table.data(), table.size()) / 16;
  }

  const Pass& pass_;
  const Binding& binding_;
  int local_bits_, tile_bits_;
  bool small_;
  std::array<int, 64> tile_of_{};
  Translation out_;
  // Of the sweep that is being made:
  std::vector<Op> ops_;
  std::vector<Trip> trips_;
  std::vector<Map> maps_;
  std::vector<PhaseGroup> groups_;
  std::vector<PhasePart> parts_;
  std::vector<Real> coefficients_;
  Map current_{};
  int next_trip_ = -1;
  std::size_t epoch_ = 0;  // first op under the present map
};

}  // namespace

template <typename Real>
Translation translate(const Pass& pass, const Binding& binding, int local_bits) {
  return Translator<Real>(pass, binding, local_bits).run();
}
template Translation translate<float>(const Pass&, const Binding&, int);
template Translation translate<double>(const Pass&, const Binding&, int);

}  // namespace ketmesh::kernels::cuda
