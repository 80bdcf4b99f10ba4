#include "ketmesh/kernels/cpu/emit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/cpu/emit_phases.hpp"
#include "ketmesh/kernels/cpu/lift.hpp"
#include "ketmesh/kernels/cpu/phase_table.hpp"

namespace ketmesh::kernels::cpu {
namespace {

/// Where a tile bit sits during a sweep.
struct Seat {
  bool lane = false;
  int bit = 0;  ///< of the lane number, or of the register vector number
};

template <typename Real>
class Emitter {
 public:
  Emitter(const std::vector<TileOp>& ops, const Binding& binding, const std::array<std::int8_t, 64>& position, Program<Real>& program)
      : ops_(ops), program_(program), phases_(binding, position, program), lanes_(std::uint32_t{1} << program.lane_bits) {}

  void group(const PlannedGroup& planned) {
    Group group;
    if (planned.wide >= 0) {
      wide(ops_[static_cast<std::size_t>(planned.wide)]);
      group.wide = static_cast<std::int32_t>(program_.wides.size()) - 1;
      program_.groups.push_back(group);
      return;
    }
    const std::uint32_t all = (std::uint32_t{1} << (program_.padded_bits - program_.lane_bits)) - 1;
    const std::uint32_t chunk = planned.chunk >> program_.lane_bits;
    group.outer_mask = all & ~chunk;
    group.first_sweep = static_cast<std::uint32_t>(program_.sweeps.size());
    group.num_sweeps = static_cast<std::uint32_t>(planned.sweeps.size());
    for (const auto& planned_sweep : planned.sweeps) {
      Sweep sweep;
      registers_ = planned_sweep.registers >> program_.lane_bits;
      int r = 0;
      for (std::uint32_t m = registers_; m != 0; m &= m - 1)
        sweep.positions[static_cast<std::size_t>(r++)] = static_cast<std::uint8_t>(std::countr_zero(m));
      sweep.inner_mask = chunk & ~registers_;
      sweep.first_op = static_cast<std::uint32_t>(program_.ops.size());
      for (const auto& item : planned_sweep.items) {
        if (item.op >= 0)
          operation(ops_[static_cast<std::size_t>(item.op)]);
        else
          phases_.emit(item.terms, registers_);
      }
      sweep.num_ops = static_cast<std::uint32_t>(program_.ops.size()) - sweep.first_op;
      program_.sweeps.push_back(sweep);
    }
    program_.groups.push_back(group);
  }

 private:
  Seat seat(int tile_bit) const {
    if (tile_bit < program_.lane_bits) return {true, tile_bit};
    return {false, std::popcount(registers_ & ((std::uint32_t{1} << (tile_bit - program_.lane_bits)) - 1))};
  }

  void operation(const TileOp& op) {
    op_ = MicroOp{};
    op_.condition = phases_.condition(op.condition);
    lane_mask_ = op.control_mask & (lanes_ - 1);
    lane_value_ = op.control_value & (lanes_ - 1);
    const std::uint32_t mask = op.control_mask >> program_.lane_bits, value = op.control_value >> program_.lane_bits;
    op_.block_mask = mask & ~registers_;
    op_.block_value = value & ~registers_;
    register_mask_ = register_value_ = 0;
    int r = 0;
    for (std::uint32_t m = registers_; m != 0; m &= m - 1, ++r) {
      const std::uint32_t bit = m & (~m + 1);
      if ((mask & bit) != 0) register_mask_ |= 1U << r;
      if ((value & bit) != 0) register_value_ |= 1U << r;
    }
    free_ = op.control_mask == 0 && op.condition.always();
    switch (op.kind) {
      case OpKind::matrix1:
        return matrix1(op);
      case OpKind::flip:
        return flip(op);
      case OpKind::matrix2:
        return matrix2(op);
      case OpKind::cross2:
        return cross(op);
      case OpKind::exchange:
        return exchange(op);
      case OpKind::term:
      case OpKind::wide:
        break;
    }
    throw Internal("a tile operation where none belongs");
  }

  bool lane_holds(std::uint32_t lane) const { return (lane & lane_mask_) == lane_value_; }

  /// Sets `vectors` of the operation: those, numbered without the bits of `skipped`, in which the register controls hold.
  void choose_vectors(std::uint32_t skipped) {
    op_.vectors = 0;
    const std::uint32_t kept = ((1U << program_.register_bits) - 1) & ~skipped;
    for (std::uint32_t v = 0; v < (1U << program_.register_bits); ++v)
      if ((v & skipped) == 0 && (v & register_mask_) == register_value_)
        op_.vectors = static_cast<std::uint16_t>(op_.vectors | 1U << compact(v, kept));
  }

  void begin_coefficients() { op_.coefficients = static_cast<std::uint32_t>(program_.coefficients.size()); }
  template <typename F>
  void coefficient(F of_lane) {
    for (std::uint32_t l = 0; l < lanes_; ++l) program_.coefficients.push_back(static_cast<Real>(of_lane(l)));
  }
  void constant(double value) {
    coefficient([value](std::uint32_t) { return value; });
  }
  template <typename F>
  void complex_coefficient(F of_lane) {
    coefficient([&](std::uint32_t l) { return of_lane(l).real(); });
    coefficient([&](std::uint32_t l) { return of_lane(l).imag(); });
  }
  /// Three real numbers an entry: re, im - re, re + im.
  template <typename F>
  void gauss_coefficient(F of_lane) {
    coefficient([&](std::uint32_t l) { return of_lane(l).real(); });
    coefficient([&](std::uint32_t l) { return of_lane(l).imag() - of_lane(l).real(); });
    coefficient([&](std::uint32_t l) { return of_lane(l).real() + of_lane(l).imag(); });
  }
  void begin_shuffles() { op_.shuffle = static_cast<std::uint32_t>(program_.shuffles.size()); }
  template <typename F>
  void shuffle(F source_of_lane) {
    for (std::uint32_t l = 0; l < lanes_; ++l)
      program_.shuffles.push_back(static_cast<typename Program<Real>::ShuffleIndex>(source_of_lane(l)));
  }
  void exchange_lanes(std::uint32_t mask) {
    begin_shuffles();
    shuffle([mask](std::uint32_t l) { return l ^ mask; });
  }
  void done(Code code) {
    op_.code = code;
    program_.ops.push_back(op_);
  }

  void matrix1(const TileOp& op) {
    const Seat at = seat(op.targets[0]);
    std::array<cdouble, 4> m;
    std::copy_n(op.matrix.begin(), 4, m.begin());
    if (free_)
      if (const auto lifted = lift(m.data())) {
        if (grow(1 / std::abs(lifted->scale))) return lifted_rotation(at, *lifted);
        for (auto& x : m) x *= program_.scale;  // amplitudes have grown enough: this one brings them back
        program_.scale = 1;
        growth_ = 1;
      }
    begin_coefficients();
    if (at.lane) {
      const auto bit = std::uint32_t{1} << at.bit;
      const auto entry = [&](std::uint32_t l, bool other) -> cdouble {
        if (!lane_holds(l)) return other ? 0.0 : 1.0;
        const bool row = (l & bit) != 0, column = row != other;
        return m[(row ? 2U : 0U) + (column ? 1U : 0U)];
      };
      for (const bool other : {false, true}) complex_coefficient([&](std::uint32_t l) { return entry(l, other); });
      exchange_lanes(bit);
      choose_vectors(0);
      return done(Code::lane_matrix);
    }
    for (std::size_t i = 0; i < 4; ++i)
      complex_coefficient([&](std::uint32_t l) -> cdouble { return lane_holds(l) ? m[i] : cdouble(i == 0 || i == 3 ? 1.0 : 0.0); });
    op_.bit = static_cast<std::uint8_t>(at.bit);
    choose_vectors(1U << at.bit);
    done(Code::matrix);
  }

  /// Whether a deferred scale of 1 / factor keeps all amplitudes far from overflow.
  bool grow(double factor) {
    constexpr double kLimit = sizeof(Real) == 4 ? 1e12 : 1e100;
    if (growth_ * factor > kLimit) return false;
    growth_ *= factor;
    return true;
  }

  void lifted_rotation(const Seat& at, const Lift& l) {
    // The scale of the numbers as they are stored: the angle is off by their rounding, the norm is not.
    const double product = std::abs(static_cast<double>(static_cast<Real>(l.a)) * static_cast<double>(static_cast<Real>(l.b)));
    program_.scale *= l.scale * (std::sqrt(1 + std::abs(l.a * l.b)) / std::sqrt(1 + product));
    begin_coefficients();
    if (!at.lane) {
      op_.bit = static_cast<std::uint8_t>(at.bit);
      constant(l.a);
      constant(l.b);
      return done(l.code);
    }
    const auto bit = std::uint32_t{1} << at.bit;
    const auto ab = [&](std::uint32_t lane) { return (lane & bit) != 0 ? l.b : l.a; };
    const auto sign = [&](std::uint32_t lane) { return (lane & bit) != 0 ? -1.0 : 1.0; };
    exchange_lanes(bit);
    switch (l.code) {
      case Code::lift_dp:
        coefficient(ab);
        return done(Code::lane_lift);
      case Code::lift_ap:
        coefficient(ab);
        return done(Code::lane_anti);
      case Code::hadamard:
        coefficient(sign);
        return done(Code::lane_anti);
      case Code::lift_rx:
        coefficient(ab);
        return done(Code::lane_lift_rx);
      case Code::lift_rx_swap:
        coefficient(ab);
        return done(Code::lane_anti_rx);
      case Code::lift_dm:
        coefficient(sign);
        coefficient(ab);
        return done(Code::lane_real);
      case Code::lift_am:
        coefficient(ab);
        coefficient(sign);
        return done(Code::lane_real);
      default:
        throw Internal("a lifted rotation of no known form");
    }
  }

  void flip(const TileOp& op) {
    const Seat at = seat(op.targets[0]);
    if (at.lane) {
      const auto bit = std::uint32_t{1} << at.bit;
      begin_shuffles();
      shuffle([&](std::uint32_t l) { return lane_holds(l) ? l ^ bit : l; });
      choose_vectors(0);
      return done(Code::lane_permute);
    }
    op_.bit = static_cast<std::uint8_t>(at.bit);
    choose_vectors(1U << at.bit);
    if (lane_mask_ == 0) return done(Code::swap);
    begin_coefficients();
    lane_select([&](std::uint32_t l) { return lane_holds(l); });
    done(Code::swap_lanes);
  }

  /// A vector whose lanes are all ones or all zeros.
  template <typename F>
  void lane_select(F chosen) {
    for (std::uint32_t l = 0; l < lanes_; ++l) {
      Real bits = 0;
      if (chosen(l)) std::memset(&bits, 0xff, sizeof bits);
      program_.coefficients.push_back(bits);
    }
  }

  /// `matrix` on (low, high) seats: registers before lanes are told apart by the caller; bits are swapped so that seat order is ascending.
  void matrix2(const TileOp& op) {
    Seat low = seat(op.targets[0]), high = seat(op.targets[1]);
    std::array<cdouble, 16> m = op.matrix;
    // First the lane, or the lower bit.
    if ((high.lane && !low.lane) || (low.lane == high.lane && low.bit > high.bit)) {
      std::swap(low, high);
      const auto exchanged = [](std::size_t i) { return (i & 1) << 1 | i >> 1; };
      for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 4; ++c) m[4 * r + c] = op.matrix[4 * exchanged(r) + exchanged(c)];
    }
    const auto one = [](bool holds, cdouble x, bool diagonal) { return holds ? x : cdouble(diagonal ? 1.0 : 0.0); };
    begin_coefficients();
    if (!low.lane) {
      for (std::size_t i = 0; i < 16; ++i) gauss_coefficient([&](std::uint32_t l) { return one(lane_holds(l), m[i], i % 5 == 0); });
      return two_registers(low, high, Code::matrix4);
    }
    const auto low_bit = std::uint32_t{1} << low.bit;
    if (!high.lane) {
      for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t c = 0; c < 2; ++c)
          for (std::size_t other = 0; other < 2; ++other)
            gauss_coefficient([&](std::uint32_t l) {
              const std::size_t b = (l & low_bit) != 0 ? 1 : 0;
              return one(lane_holds(l), m[4 * (2 * r + b) + 2 * c + (b ^ other)], r == c && other == 0);
            });
      exchange_lanes(low_bit);
      op_.bit = static_cast<std::uint8_t>(high.bit);
      choose_vectors(1U << high.bit);
      return done(Code::matrix4_lane);
    }
    const auto high_bit = std::uint32_t{1} << high.bit;
    begin_shuffles();
    for (std::size_t d = 0; d < 4; ++d) {
      gauss_coefficient([&](std::uint32_t l) {
        const std::size_t row = ((l & low_bit) != 0 ? 1U : 0U) | ((l & high_bit) != 0 ? 2U : 0U);
        return one(lane_holds(l), m[4 * row + (row ^ d)], d == 0);
      });
      if (d > 0) shuffle([&](std::uint32_t l) { return l ^ ((d & 1) != 0 ? low_bit : 0) ^ ((d & 2) != 0 ? high_bit : 0); });
    }
    choose_vectors(0);
    done(Code::matrix4_lanes);
  }

  void two_registers(const Seat& low, const Seat& high, Code code) {
    op_.bit = static_cast<std::uint8_t>(low.bit + high.bit - 1);  // (0,1) (0,2) (1,2)
    choose_vectors(1U << low.bit | 1U << high.bit);
    done(code);
  }

  void cross(const TileOp& op) {
    Seat low = seat(op.targets[0]), high = seat(op.targets[1]);
    if ((high.lane && !low.lane) || (low.lane == high.lane && low.bit > high.bit)) std::swap(low, high);
    const auto factor = [&](std::uint32_t l, bool odd, bool difference) {
      return lane_holds(l) ? op.matrix[(odd ? 2U : 0U) + (difference ? 1U : 0U)] : cdouble(1.0);
    };
    const auto is_identity = [&](bool odd) { return op.matrix[odd ? 2 : 0] == 1.0 && op.matrix[odd ? 3 : 1] == 1.0; };
    begin_coefficients();
    if (!low.lane) {
      for (const bool odd : {false, true})
        for (const bool difference : {false, true}) half_factor([&](std::uint32_t l) { return factor(l, odd, difference); });
      return two_registers(low, high, is_identity(false) ? Code::cross_odd : is_identity(true) ? Code::cross_even : Code::cross);
    }
    const auto low_bit = std::uint32_t{1} << low.bit;
    if (!high.lane) {  // of the first vector of a pair; the second is shuffled beside it
      for (const bool difference : {false, true}) half_factor([&](std::uint32_t l) { return factor(l, (l & low_bit) != 0, difference); });
      exchange_lanes(low_bit);
      op_.bit = static_cast<std::uint8_t>(high.bit);
      choose_vectors(1U << high.bit);
      return done(Code::cross_lane);
    }
    const auto both = low_bit | std::uint32_t{1} << high.bit;
    const auto entry = [&](std::uint32_t l, bool other) {
      const bool odd = (std::popcount(l & both) & 1) != 0;
      const cdouble sum = factor(l, odd, false), difference = factor(l, odd, true);
      return (other ? sum - difference : sum + difference) / 2.0;
    };
    for (const bool other : {false, true}) complex_coefficient([&](std::uint32_t l) { return entry(l, other); });
    exchange_lanes(both);
    choose_vectors(0);
    done(Code::lane_matrix);
  }

  template <typename F>
  void half_factor(F of_lane) {
    complex_coefficient([&](std::uint32_t l) { return 0.5 * round_to_norm<Real>(of_lane(l)); });
  }

  void exchange(const TileOp& op) {
    const Seat first = seat(op.targets[0]), second = seat(op.targets[1]);
    const auto bit = std::uint32_t{1} << first.bit;
    if (second.lane) {
      const auto other = std::uint32_t{1} << second.bit;
      begin_shuffles();
      shuffle([&](std::uint32_t l) { return ((l & bit) != 0) != ((l & other) != 0) ? l ^ bit ^ other : l; });
      return done(Code::lane_permute);
    }
    exchange_lanes(bit);
    begin_coefficients();
    lane_select([&](std::uint32_t l) { return (l & bit) != 0; });
    op_.bit = static_cast<std::uint8_t>(second.bit);
    done(Code::transpose);
  }

  void wide(const TileOp& op) {
    WideOp made = *op.wide;
    made.condition = phases_.condition(op.condition);
    made.free_mask = ((std::uint32_t{1} << program_.tile_bits) - 1) & ~op.moved & ~op.control_mask;
    program_.wides.push_back(std::move(made));
  }

  const std::vector<TileOp>& ops_;
  Program<Real>& program_;
  PhaseEmitter<Real> phases_;
  const std::uint32_t lanes_;
  std::uint32_t registers_ = 0;  ///< mask in the vector index
  MicroOp op_;
  bool free_ = false;
  std::uint32_t lane_mask_ = 0, lane_value_ = 0, register_mask_ = 0, register_value_ = 0;
  double growth_ = 1;
};

}  // namespace

template <typename Real>
void emit(const std::vector<TileOp>& ops, const std::vector<PlannedGroup>& groups, const Binding& binding,
          const std::array<std::int8_t, 64>& position, Program<Real>& program) {
  Emitter<Real> emitter(ops, binding, position, program);
  for (const auto& group : groups) emitter.group(group);
}

template void emit(const std::vector<TileOp>&, const std::vector<PlannedGroup>&, const Binding&, const std::array<std::int8_t, 64>&,
                   Program<float>&);
template void emit(const std::vector<TileOp>&, const std::vector<PlannedGroup>&, const Binding&, const std::array<std::int8_t, 64>&,
                   Program<double>&);

}  // namespace ketmesh::kernels::cpu
