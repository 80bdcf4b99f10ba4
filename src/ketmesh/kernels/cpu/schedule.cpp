#include "ketmesh/kernels/cpu/schedule.hpp"

#include <algorithm>
#include <bit>

namespace ketmesh::kernels::cpu {
namespace {

/// Bits of a phase table that lies in the first cache beside a chunk.
constexpr int kTableBits = 10;

class Scheduler {
 public:
  Scheduler(const std::vector<TileOp>& ops, int padded_bits, const VectorShape& shape)
      : ops_(ops), shape_(shape), all_((std::uint32_t{1} << padded_bits) - 1), lanes_((std::uint32_t{1} << shape.lane_bits) - 1) {
    remaining_.resize(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) remaining_[i] = static_cast<std::uint32_t>(i);
  }

  std::vector<PlannedGroup> run() {
    while (!remaining_.empty()) {
      if (ops_[remaining_.front()].kind == OpKind::wide)
        wide();
      else
        sweep();
    }
    if (!pending_.empty()) {
      if (groups_.empty() || groups_.back().wide >= 0) append({fill(0), {}});
      groups_.back().sweeps.back().items.push_back(take(pending_.size(), [](const TileTerm&) { return true; }));
    }
    for (auto& group : groups_) group.chunk = fill_to(group.chunk, shape_.chunk_bits);
    return std::move(groups_);
  }

 private:
  void wide() {
    const std::uint32_t index = remaining_.front();
    remaining_.erase(remaining_.begin());
    if ((pending_bits_ & ops_[index].moved) != 0) {
      PlannedSweep before{fill(0), {}};
      before.items.push_back(take(pending_.size(), [](const TileTerm&) { return true; }));
      append(std::move(before));
    }
    PlannedGroup group;
    group.wide = static_cast<std::int32_t>(index);
    groups_.push_back(std::move(group));
  }

  /// Takes every operation that may run now and whose moved bits fit the registers, in order.
  void sweep() {
    std::uint32_t registers = 0, moved = 0, touched = 0;  // moved, touched: by what was left behind
    std::vector<std::uint32_t> chosen, left;
    std::size_t i = 0;
    for (; i < remaining_.size(); ++i) {
      const std::uint32_t index = remaining_[i];
      const TileOp& op = ops_[index];
      if (op.kind == OpKind::term) {
        if ((op.term.bits() & moved) == 0) {
          chosen.push_back(index);
          continue;
        }
        touched |= op.term.bits();
      } else {
        const std::uint32_t wanted = registers | (op.moved & ~lanes_);
        if (op.kind != OpKind::wide && (op.moved & (moved | touched)) == 0 && (op.control_mask & moved) == 0 &&
            std::popcount(wanted) <= shape_.register_bits) {
          registers = wanted;
          chosen.push_back(index);
          continue;
        }
        moved |= op.moved;
        touched |= op.control_mask;
      }
      left.push_back(index);
      if (moved == all_) {
        ++i;
        break;
      }
    }
    left.insert(left.end(), remaining_.begin() + static_cast<std::ptrdiff_t>(i), remaining_.end());
    remaining_.swap(left);
    PlannedSweep planned{fill(registers), {}};
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      const std::uint32_t index = chosen[c];
      const TileOp& op = ops_[index];
      if (op.kind == OpKind::term) {
        pending_.push_back(op.term);
        pending_bits_ |= op.term.bits();
        continue;
      }
      if ((pending_bits_ & op.moved) != 0) {
        std::uint32_t soon = 0;
        for (std::size_t later = c; later < chosen.size(); ++later) soon |= ops_[chosen[later]].moved;
        flush_for(op, soon, planned);
      }
      planned.items.push_back({static_cast<std::int32_t>(index), {}});
    }
    if (!planned.items.empty()) append(std::move(planned));
  }

  /// Applies the pending terms that `op` asks for, and with them those that later operations of the sweep (on the bits `soon`) would
  /// ask for one by one, and whatever else fits: a table costs the same however many terms are in it, as long as it is small.
  void flush_for(const TileOp& op, std::uint32_t soon, PlannedSweep& planned) {
    bool needed = false, dynamic = op.kind == OpKind::exchange;
    std::uint32_t least = planned.registers | lanes_, wanted = least;
    for (const auto& term : pending_) {
      if ((term.bits() & op.moved) != 0) {
        needed = true;
        if (!term.is_static()) dynamic = true;
        least |= term.bits();
      }
      if ((term.bits() & soon) != 0 && term.is_static()) wanted |= term.bits();
    }
    if (!needed) return;
    if (dynamic) {
      planned.items.push_back(take(pending_.size(), [](const TileTerm&) { return true; }));
      return;
    }
    wanted |= least;
    if (std::popcount(wanted) > kTableBits) wanted = least;
    for (const auto& term : pending_)
      if (term.is_static() && std::popcount(wanted | term.bits()) <= kTableBits) wanted |= term.bits();
    planned.items.push_back(take(pending_.size(), [&](const TileTerm& t) { return t.is_static() && (t.bits() & ~wanted) == 0; }));
  }

  template <typename Predicate>
  PlannedItem take(std::size_t count, Predicate wanted) {
    PlannedItem item;
    std::vector<TileTerm> kept;
    pending_bits_ = 0;
    item.terms.reserve(count);
    for (auto& term : pending_) {
      if (wanted(term)) {
        item.terms.push_back(term);
      } else {
        pending_bits_ |= term.bits();
        kept.push_back(term);
      }
    }
    pending_.swap(kept);
    return item;
  }

  std::uint32_t fill_to(std::uint32_t mask, int count) const {
    std::uint32_t free = all_ & ~lanes_ & ~mask;
    while (std::popcount(mask) < count && free != 0) {
      mask |= free & (~free + 1);
      free &= free - 1;
    }
    return mask;
  }
  std::uint32_t fill(std::uint32_t registers) const { return fill_to(registers, shape_.register_bits); }

  void append(PlannedSweep sweep) {
    if (groups_.empty() || groups_.back().wide >= 0 || std::popcount(groups_.back().chunk | sweep.registers) > shape_.chunk_bits)
      groups_.emplace_back();
    groups_.back().chunk |= sweep.registers;
    groups_.back().sweeps.push_back(std::move(sweep));
  }

  const std::vector<TileOp>& ops_;
  const VectorShape& shape_;
  const std::uint32_t all_, lanes_;
  std::vector<std::uint32_t> remaining_;
  std::vector<TileTerm> pending_;
  std::uint32_t pending_bits_ = 0;
  std::vector<PlannedGroup> groups_;
};

}  // namespace

std::vector<PlannedGroup> schedule(const std::vector<TileOp>& ops, int padded_bits, const VectorShape& shape) {
  return Scheduler(ops, padded_bits, shape).run();
}

}  // namespace ketmesh::kernels::cpu
