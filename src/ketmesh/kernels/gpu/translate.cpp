#include "ketmesh/kernels/gpu/translate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::kernels::cuda {
namespace {

/// Angle in radians as a fraction of a turn in units of 2^-64.
std::int64_t turns(double angle) {
  long double x = static_cast<long double>(angle) / (2 * std::numbers::pi_v<long double>);
  x -= std::floor(x);  // [0, 1)
  const long double scaled = std::ldexp(x, 64);
  return static_cast<std::int64_t>(scaled >= 0x1p64L ? std::uint64_t{0} : static_cast<std::uint64_t>(scaled));
}

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
    begin_program();
    for (const Residency& residency : pass_.residencies) {
      if (!small_) want_registers(residency.register_bits);
      for (std::size_t i = 0; i < residency.steps.size(); ++i) translate_step(residency.steps, i);
    }
    end_program(/*last=*/true);
    return std::move(out_);
  }

 private:
  Program& program() { return out_.programs.back(); }

  void begin_program() {
    out_.programs.emplace_back();
    Program& p = program();
    std::memset(&p, 0, sizeof p);
    used_coefficients_ = 0;
    num_maps_ = 0;
    TileShape& shape = p.shape;
    shape.tile_bits = tile_bits_;
    std::vector<int> tile(pass_.tile_bits.begin(), pass_.tile_bits.end()), rest;
    for (int b = 0; b < local_bits_; ++b)
      if (tile_of_[static_cast<std::size_t>(b)] < 0) rest.push_back(b);
    const auto fill = [](const std::vector<Run>& runs, Run* to, std::int32_t& count) {
      if (runs.size() > kMaxRuns) throw Internal("a tile of " + std::to_string(runs.size()) + " runs of bits");
      std::copy(runs.begin(), runs.end(), to);
      count = static_cast<std::int32_t>(runs.size());
    };
    fill(runs_of(tile), shape.tile_runs, shape.num_tile_runs);
    fill(runs_of(rest), shape.block_runs, shape.num_block_runs);
    for (int j = 0; j < tile_bits_; ++j) shape.positions[j] = pass_.tile_bits[static_cast<std::size_t>(j)];
    if (!small_) current_ = transfer_map();
  }

  /// The map of loads and stores: single precision moves two neighbours (tile bit 0) at once, 16 bytes a thread.
  Map transfer_map() const {
    Map map{};
    const bool pair = sizeof(Real) == 4;
    int k = 0;
    const int threads = tile_bits_ - kRegisterBits;
    for (int b = pair ? 1 : 0; k < threads; ++b) map.bit[k++] = static_cast<std::uint8_t>(b);
    if (pair) map.bit[k++] = 0;
    for (int b = pair ? threads + 1 : threads; b < tile_bits_; ++b) map.bit[k++] = static_cast<std::uint8_t>(b);
    return map;
  }

  void end_program(bool last) {
    if (small_) {
      if (last) store_small();
      return;
    }
    std::vector<int> source(static_cast<std::size_t>(tile_bits_));
    for (int j = 0; j < tile_bits_; ++j) {
      const int to = last && !pass_.store_bits.empty() ? tile_of_[pass_.store_bits[static_cast<std::size_t>(j)]] : j;
      source[static_cast<std::size_t>(to)] = j;
    }
    Map map = transfer_map();
    for (int k = 0; k < tile_bits_; ++k) map.bit[k] = static_cast<std::uint8_t>(source[map.bit[k]]);
    if (std::memcmp(&map, &current_, sizeof map) != 0) emit_trip(map);
  }

  /// A small shard permutes by a table.
  void store_small() {
    if (pass_.store_bits.empty()) return;
    std::vector<std::uint8_t> targets(pass_.tile_bits);
    std::vector<Index> table(std::size_t{1} << tile_bits_);
    bool identity = true;
    for (Index i = 0; i < table.size(); ++i) {
      Index to = 0;
      for (int j = 0; j < tile_bits_; ++j)
        if (bits::test(i, j)) to |= bits::one(tile_of_[pass_.store_bits[static_cast<std::size_t>(j)]]);
      table[i] = to;
      identity = identity && to == i;
    }
    if (identity) return;
    Step step;
    step.kind = StepKind::permutation;
    step.targets = std::move(targets);
    step.table = std::move(table);
    any_op(step);
  }

  // ---- registers

  bool in_registers(int tile_bit) const { return register_of(tile_bit) >= 0; }
  int register_of(int tile_bit) const {
    for (int k = 0; k < kRegisterBits; ++k)
      if (current_.bit[tile_bits_ - kRegisterBits + k] == tile_bit) return k;
    return -1;
  }

  void emit_trip(const Map& map) {
    Op op{};
    op.kind = OpKind::trip;
    op.reg0 = static_cast<std::uint8_t>(add_map(map));
    push(op);
    current_ = map;
  }

  int add_map(const Map& map) {
    program().maps[num_maps_] = map;
    return num_maps_++;
  }

  /// Makes the given physical bits (at most 4) register bits, keeping others that are there.
  void want_registers(std::span<const std::uint8_t> physical) {
    std::vector<int> set;
    for (std::uint8_t b : physical)
      if (tile_of_[b] >= 0 && set.size() < kRegisterBits) set.push_back(tile_of_[b]);
    if (std::all_of(set.begin(), set.end(), [&](int b) { return in_registers(b); })) return;
    for (int k = 0; k < kRegisterBits && set.size() < kRegisterBits; ++k) {
      const int b = current_.bit[tile_bits_ - kRegisterBits + k];
      if (std::find(set.begin(), set.end(), b) == set.end()) set.push_back(b);
    }
    std::sort(set.begin(), set.end());
    emit_trip(map_with(set));
  }

  /// Thread bits so that the lowest lanes fall into different banks: bits of different residues modulo 4 first.
  Map map_with(const std::vector<int>& registers) const {
    Map map{};
    int k = 0;
    std::array<bool, 16> used{};
    for (int b : registers) used[static_cast<std::size_t>(b)] = true;
    for (int residue = 0; residue < 4; ++residue)
      for (int b = residue; b < tile_bits_; b += 4)
        if (!used[static_cast<std::size_t>(b)]) {
          used[static_cast<std::size_t>(b)] = true;
          map.bit[k++] = static_cast<std::uint8_t>(b);
          break;
        }
    for (int b = 0; b < tile_bits_; ++b)
      if (!used[static_cast<std::size_t>(b)]) map.bit[k++] = static_cast<std::uint8_t>(b);
    for (int b : registers) map.bit[k++] = static_cast<std::uint8_t>(b);
    return map;
  }

  // ---- ops

  /// Room for `ops` more ops and what they need; else the pass goes on in another program, where other bits are in registers.
  void reserve(std::size_t coefficients, int maps, int ops = 4) {
    const bool full = program().num_ops + ops + 2 > kMaxOps || num_maps_ + maps + 2 > kMaxMaps ||
                      used_coefficients_ + coefficients * sizeof(Real) > kCoefficientBytes;
    if (!full) return;
    end_program(/*last=*/false);
    begin_program();
  }

  void push(const Op& op) { program().ops[program().num_ops++] = op; }

  std::uint32_t coefficient(std::span<const double> values) {
    const auto at = static_cast<std::uint32_t>(used_coefficients_ / sizeof(Real));
    for (double v : values) {
      const Real r = static_cast<Real>(v);
      std::memcpy(program().coefficients + used_coefficients_, &r, sizeof r);
      used_coefficients_ += sizeof r;
    }
    used_coefficients_ = (used_coefficients_ + 15) / 16 * 16;
    return at;
  }

  void set_controls(Op& op, Index mask, Index value) const {
    bits::for_each(mask, [&](int b) {
      const int j = tile_of_[static_cast<std::size_t>(b)];
      const bool on = bits::test(value, b);
      if (j < 0) {
        op.outside_mask |= bits::one(b);
        if (on) op.outside_value |= bits::one(b);
        return;
      }
      const int r = small_ ? -1 : register_of(j);
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

  void register_matrix(const std::vector<Step>& steps, std::size_t i) {
    const Step& step = steps[i];
    reserve(32, 1);
    const auto resident = [&](const Step& s) {
      return std::all_of(s.targets.begin(), s.targets.end(), [&](std::uint8_t b) { return in_registers(tile_of_[b]); });
    };
    if (!resident(step)) {  // the residency was advice: take the targets of this step and of those after it
      std::vector<std::uint8_t> set;
      for (std::size_t k = i; k < steps.size() && set.size() < kRegisterBits; ++k) {
        if (steps[k].kind != StepKind::matrix || steps[k].targets.size() > 2) continue;
        std::vector<std::uint8_t> more(set);
        for (std::uint8_t b : steps[k].targets)
          if (std::find(more.begin(), more.end(), b) == more.end()) more.push_back(b);
        if (more.size() > kRegisterBits) break;
        set = std::move(more);
      }
      want_registers(set);
    }
    Op op{};
    set_controls(op, step.control_mask, step.control_value);
    const cdouble* m = binding_.matrices.data() + step.matrix;
    op.reg0 = static_cast<std::uint8_t>(register_of(tile_of_[step.targets[0]]));
    if (step.targets.size() == 2) {
      op.kind = OpKind::dense2;
      op.reg1 = static_cast<std::uint8_t>(register_of(tile_of_[step.targets[1]]));
      std::array<int, 4> order{0, 1, 2, 3};
      if (op.reg0 > op.reg1) {
        std::swap(op.reg0, op.reg1);
        order = {0, 2, 1, 3};
      }
      std::array<double, 32> entries{};
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) {
          const cdouble e = m[4 * order[static_cast<std::size_t>(r)] + order[static_cast<std::size_t>(c)]];
          entries[static_cast<std::size_t>(8 * r + 2 * c)] = e.real();
          entries[static_cast<std::size_t>(8 * r + 2 * c + 1)] = e.imag();
        }
      op.data = coefficient(entries);
      return push(op);
    }
    switch (step.shape) {
      case MatrixShape::flip:
        op.kind = OpKind::flip1;
        break;
      case MatrixShape::hadamard:
        op.kind = OpKind::hadamard1;
        break;
      case MatrixShape::real:
        op.kind = OpKind::real1;
        op.data = coefficient(std::array{m[0].real(), m[1].real(), m[2].real(), m[3].real()});
        break;
      case MatrixShape::rx_like:
        op.kind = OpKind::rx1;
        op.data = coefficient(std::array{m[0].real(), m[1].imag(), m[2].imag(), m[3].real()});
        break;
      case MatrixShape::general:
        op.kind = OpKind::dense1;
        op.data =
            coefficient(std::array{m[0].real(), m[0].imag(), m[1].real(), m[1].imag(), m[2].real(), m[2].imag(), m[3].real(), m[3].imag()});
        break;
    }
    push(op);
  }

  /// Matrices of three and more targets, permutations, and everything of a small shard: through shared memory.
  void any_op(const Step& step) {
    reserve(0, 1);
    Op op{};
    // Register bits are no help here: controls on them are tested as tile bits.
    const bool small = std::exchange(small_, true);
    set_controls(op, step.control_mask, step.control_value);
    small_ = small;
    Map map{};
    for (std::size_t k = 0; k < step.targets.size(); ++k) map.bit[k] = static_cast<std::uint8_t>(tile_of_[step.targets[k]]);
    op.data = static_cast<std::uint32_t>(add_map(map));
    op.count = static_cast<std::uint16_t>(step.targets.size());
    const std::size_t size = std::size_t{1} << step.targets.size();
    if (step.kind == StepKind::permutation) {
      op.kind = OpKind::permute_any;
      std::vector<std::uint32_t> inverse(size);
      for (std::size_t k = 0; k < size; ++k) inverse[step.table[k]] = static_cast<std::uint32_t>(k);
      op.extra = add_table(inverse.data(), size * sizeof(std::uint32_t));
    } else {
      op.kind = OpKind::matrix_any;
      std::vector<Real> entries(2 * size * size);
      for (std::size_t k = 0; k < size * size; ++k) {
        entries[2 * k] = static_cast<Real>(binding_.matrices[step.matrix + k].real());
        entries[2 * k + 1] = static_cast<Real>(binding_.matrices[step.matrix + k].imag());
      }
      op.extra = add_table(entries.data(), entries.size() * sizeof(Real));
    }
    push(op);
  }

  std::uint32_t add_table(const void* data, std::size_t bytes) {
    const std::size_t at = (out_.tables.size() + 15) / 16 * 16;
    out_.tables.resize(at + bytes);
    std::memcpy(out_.tables.data() + at, data, bytes);
    return static_cast<std::uint32_t>(at / 16);
  }

  // ---- phases: every term becomes terms of the form "all of these register bits are 1" under conditions of the thread

  void phases(const Step& step) {
    reserve(0, 1, 64);  // before the terms are split by the bits that are in registers now
    std::map<unsigned, std::vector<PhaseEntry>> groups;
    for (const PhaseTerm& term : step.terms) {
      if (term.kind == PhaseTerm::Kind::table) {
        table_term(term, groups);
      } else {
        const bool match = term.kind == PhaseTerm::Kind::match;
        add_term(match ? term.mask : term.control_mask, match ? term.value : term.control_value, match ? 0 : term.mask,
                 turns(binding_.angles[term.angle]), groups);
      }
    }
    for (auto& [set, entries] : groups) {
      std::size_t done = 0;
      while (done < entries.size()) {
        const std::size_t count = std::min<std::size_t>(entries.size() - done, 60000);
        Op op{};
        op.kind = OpKind::phase;
        op.reg_mask = static_cast<std::uint8_t>(set);
        op.data = static_cast<std::uint32_t>(out_.entries.size());
        op.count = static_cast<std::uint16_t>(count);
        out_.entries.insert(out_.entries.end(), entries.begin() + static_cast<std::ptrdiff_t>(done),
                            entries.begin() + static_cast<std::ptrdiff_t>(done + count));
        push(op);
        done += count;
      }
    }
  }

  /// A wide diagonal: its angle is a sum of matches of all its bits.
  void table_term(const PhaseTerm& term, std::map<unsigned, std::vector<PhaseEntry>>& groups) {
    for (Index i = 0; i < bits::one(static_cast<int>(term.bits.size())); ++i) {
      const std::int64_t angle = turns(binding_.angles[term.angle + i]);
      if (angle == 0) continue;
      Index mask = term.control_mask, value = term.control_value;
      for (std::size_t k = 0; k < term.bits.size(); ++k) {
        mask |= bits::one(term.bits[k]);
        if (bits::test(i, static_cast<int>(k))) value |= bits::one(term.bits[k]);
      }
      add_term(mask, value, 0, angle, groups);
    }
  }

  void add_term(Index mask, Index value, Index parity, std::int64_t angle, std::map<unsigned, std::vector<PhaseEntry>>& groups) const {
    PhaseEntry entry{};
    unsigned ones = 0, zeros = 0, signs = 0;
    bits::for_each(mask, [&](int b) {
      const int j = tile_of_[static_cast<std::size_t>(b)];
      const bool on = bits::test(value, b);
      const int r = j < 0 || small_ ? -1 : register_of(j);
      if (j < 0) {
        entry.outside_mask |= bits::one(b);
        if (on) entry.outside_value |= bits::one(b);
      } else if (r < 0) {
        entry.thread_mask = static_cast<std::uint16_t>(entry.thread_mask | (1u << j));
        if (on) entry.thread_value = static_cast<std::uint16_t>(entry.thread_value | (1u << j));
      } else {
        (on ? ones : zeros) |= 1u << r;
      }
    });
    bits::for_each(parity, [&](int b) {
      const int j = tile_of_[static_cast<std::size_t>(b)];
      const int r = j < 0 || small_ ? -1 : register_of(j);
      if (j < 0) {
        entry.outside_parity |= bits::one(b);
      } else if (r < 0) {
        entry.thread_parity = static_cast<std::uint16_t>(entry.thread_parity | (1u << j));
      } else {
        signs |= 1u << r;
      }
    });
    // prod over ones of b * prod over zeros of (1 - b) * prod over signs of (1 - 2b), written out over subsets.
    for (unsigned z = zeros;; z = (z - 1) & zeros) {
      for (unsigned s = signs;; s = (s - 1) & signs) {
        std::uint64_t factor = std::popcount(z) % 2 != 0 ? ~std::uint64_t{0} : 1;
        for (int k = 0; k < std::popcount(s); ++k) factor *= ~std::uint64_t{1};  // -2
        PhaseEntry part = entry;
        part.angle = static_cast<std::int64_t>(static_cast<std::uint64_t>(angle) * factor);
        if (part.angle != 0) groups[ones | z | s].push_back(part);
        if (s == 0) break;
      }
      if (z == 0) break;
    }
  }

  const Pass& pass_;
  const Binding& binding_;
  int local_bits_, tile_bits_;
  bool small_;
  std::array<int, 64> tile_of_{};
  Translation out_;
  Map current_{};
  std::size_t used_coefficients_ = 0;
  int num_maps_ = 0;
};

}  // namespace

template <typename Real>
Translation translate(const Pass& pass, const Binding& binding, int local_bits) {
  return Translator<Real>(pass, binding, local_bits).run();
}
template Translation translate<float>(const Pass&, const Binding&, int);
template Translation translate<double>(const Pass&, const Binding&, int);

}  // namespace ketmesh::kernels::cuda
