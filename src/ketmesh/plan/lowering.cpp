#include "ketmesh/plan/lowering.hpp"

#include <algorithm>
#include <array>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/plan/cost.hpp"
#include "ketmesh/plan/steps.hpp"

namespace ketmesh::plan {
namespace {

std::vector<std::uint8_t> bit_list(Index mask) {
  std::vector<std::uint8_t> out;
  bits::for_each(mask, [&](int b) { out.push_back(static_cast<std::uint8_t>(b)); });
  return out;
}

// The first stage from `from` on in which a wire is local; the number of stages when it never is.
std::size_t next_local_stage(const std::vector<ScheduledStage>& schedule, std::size_t from, int wire) {
  while (from < schedule.size() && !bits::test(schedule[from].local, wire)) ++from;
  return from;
}

class Lowering {
 public:
  Lowering(const Circuit& circuit, const CanonicalCircuit& canonical, const std::vector<ScheduledStage>& schedule, const Levels& levels,
           const Layout& first, const std::vector<int>& fast_first, Plan& plan)
      : canonical_(canonical),
        schedule_(schedule),
        levels_(levels),
        fast_first_(fast_first),
        layout_(first),
        plan_(plan),
        steps_(circuit, canonical, plan) {}

  void run() {
    steps_.write_start();
    for (std::size_t s = 0; s < schedule_.size(); ++s) stage(s);
    steps_.write_global_phase();
    steps_.finish();
    plan_.final_layout = layout_of_qubits(true);
  }

 private:
  // Wires are the qubits as the plan begins; at its end a qubit is where its last wire is.
  Layout layout_of_qubits(bool at_end) const {
    std::array<int, kMaxQubits> bit{};
    for (int q = 0; q < canonical_.num_qubits; ++q)
      bit[static_cast<std::size_t>(q)] = layout_.bit_of(at_end ? canonical_.wire_of[static_cast<std::size_t>(q)] : q);
    return Layout(std::span<const int>(bit.data(), static_cast<std::size_t>(canonical_.num_qubits)));
  }

  void stage(std::size_t s) {
    Stage out;
    out.layout = layout_of_qubits(false);
    const auto& passes = schedule_[s].passes;
    for (std::size_t p = 0; p < passes.size(); ++p) out.passes.push_back(pass(s, p));
    if (s + 1 < schedule_.size()) out.exchange = exchange(s);
    plan_.stages.push_back(std::move(out));
  }

  Pass pass(std::size_t s, std::size_t p) {
    const auto& scheduled = schedule_[s].passes[p];
    Pass out;
    const Index tile = layout_.mask_to_physical(scheduled.tile);
    out.tile_bits = bit_list(tile);
    out.row_bits = std::min(levels_.row, static_cast<int>(out.tile_bits.size()));
    for (const auto& r : scheduled.residencies) {
      Residency residency;
      residency.register_bits = bit_list(layout_.mask_to_physical(r.registers));
      for (const auto& item : r.items) steps_.write(item, layout_, residency.steps);
      out.residencies.push_back(std::move(residency));
    }
    const auto before = layout_;
    prepare_next(s, p, tile);
    for (const auto b : out.tile_bits) out.store_bits.push_back(static_cast<std::uint8_t>(layout_.bit_of(before.qubit_at(b))));
    return out;
  }

  // Moves wires among the tile's bits so that what follows finds them where it wants them.
  void prepare_next(std::size_t s, std::size_t p, Index tile) {
    const auto& scheduled = schedule_[s].passes[p];
    const bool last = p + 1 == schedule_[s].passes.size();
    const bool leaves = last && s + 1 < schedule_.size();
    if (last && !leaves) return;
    const Index leaving = leaves ? schedule_[s].local & ~schedule_[s + 1].local : 0;
    if (leaves) move_to_top(leaving, tile);
    const auto* next = leaves ? next_pass(s + 1) : &schedule_[s].passes[p + 1];
    if (next == nullptr) return;
    keep_in_rows(scheduled.tile & next->tile & ~leaving, tile);
  }

  const ScheduledPass* next_pass(std::size_t s) const {
    for (; s < schedule_.size(); ++s)
      if (!schedule_[s].passes.empty()) return &schedule_[s].passes.front();
    return nullptr;
  }

  // The wires that leave take the shard's top bits, when the tile holds them all: blocks are contiguous then.
  void move_to_top(Index leaving, Index tile) {
    const int count = bits::count(leaving), local = plan_.placement.local_bits();
    const Index top = bits::low_mask(local) & ~bits::low_mask(local - count);
    const Index at = layout_.mask_to_physical(leaving);
    if (((at ^ top) & at & ~tile) != 0 || ((at ^ top) & top & ~tile) != 0) return;
    Index misplaced = at & ~top;  // those that are there already may lie outside the tile and stay
    bits::for_each(top & ~at, [&](int b) {
      layout_.swap_bits(b, bits::lowest(misplaced));
      misplaced &= misplaced - 1;
    });
  }

  // Row bits must hold wires of the next tile; when one has to move, as many of the shared wires as fit go to the lowest bits.
  void keep_in_rows(Index shared, Index tile) {
    const int rows = std::min(levels_.row, bits::count(tile));
    const Index at = layout_.mask_to_physical(shared);
    if ((bits::low_mask(rows) & ~at) == 0) return;
    Index low = 0, rest = tile;
    for (int i = bits::count(shared); i > 0; --i) {
      low |= rest & (~rest + 1);
      rest &= rest - 1;
    }
    Index misplaced = at & ~low;
    bits::for_each(low & ~at, [&](int b) {
      layout_.swap_bits(b, bits::lowest(misplaced));
      misplaced &= misplaced - 1;
    });
  }

  // Who comes back soonest takes the place with the fastest link. (Without a pass before it the scheduler has relied on the pairs.)
  void pair_by_link(std::size_t s, std::vector<WirePair>& pairs) const {
    if (fast_first_.empty() || schedule_[s].passes.empty()) return;
    std::vector<int> leaving, entering;
    for (const auto& pair : pairs) {
      leaving.push_back(pair.leaves);
      entering.push_back(pair.enters);
    }
    const auto comes_back = [&](int wire) { return next_local_stage(schedule_, s + 1, wire); };
    const auto rank_of_link = [&](int wire) { return std::find(fast_first_.begin(), fast_first_.end(), layout_.bit_of(wire)); };
    std::stable_sort(leaving.begin(), leaving.end(), [&](int a, int b) { return comes_back(a) < comes_back(b); });
    std::stable_sort(entering.begin(), entering.end(), [&](int a, int b) { return rank_of_link(a) < rank_of_link(b); });
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {leaving[i], entering[i]};
  }

  Exchange exchange(std::size_t s) {
    Exchange out;
    auto pairs = exchange_pairs(schedule_[s].local, schedule_[s + 1].local);
    pair_by_link(s, pairs);
    for (const auto& pair : pairs) {
      out.pairs.push_back({static_cast<std::uint8_t>(layout_.bit_of(pair.leaves)), static_cast<std::uint8_t>(layout_.bit_of(pair.enters))});
      layout_.swap_qubits(pair.leaves, pair.enters);
    }
    std::sort(out.pairs.begin(), out.pairs.end(), [](const auto& a, const auto& b) { return a.local_bit < b.local_bit; });
    const int count = static_cast<int>(out.pairs.size()), top = plan_.placement.local_bits() - count;
    out.contiguous = true;
    for (int i = 0; i < count; ++i) out.contiguous = out.contiguous && out.pairs[static_cast<std::size_t>(i)].local_bit == top + i;
    return out;
  }

  const CanonicalCircuit& canonical_;
  const std::vector<ScheduledStage>& schedule_;
  Levels levels_;
  const std::vector<int>& fast_first_;
  Layout layout_;  // of wires
  Plan& plan_;
  StepWriter steps_;
};

}  // namespace

Layout first_layout(const std::vector<ScheduledStage>& schedule, int num_qubits, const std::vector<int>& fast_first) {
  const Index all = bits::low_mask(num_qubits);
  const auto& passes = schedule[0].passes;
  const Index local = schedule[0].local;
  const Index leaving = schedule.size() > 1 ? local & ~schedule[1].local : 0;
  const Index first = passes.empty() ? 0 : passes[0].tile;
  Index second = first;
  if (passes.size() > 1)
    second = passes[1].tile;
  else if (schedule.size() > 1 && !schedule[1].passes.empty())
    second = schedule[1].passes[0].tile & ~leaving;
  std::array<int, kMaxQubits> bit{};
  int next = 0;
  Index placed = 0;
  const auto place = [&](Index wires) {
    bits::for_each(wires & all & ~placed, [&](int w) { bit[static_cast<std::size_t>(w)] = next++; });
    placed |= wires & all;
  };
  place(first & second);
  place(first);
  place(local & ~leaving);
  place(leaving);
  if (!fast_first.empty()) {
    std::vector<int> global;
    bits::for_each(all & ~placed, [&](int w) { global.push_back(w); });
    std::stable_sort(global.begin(), global.end(),
                     [&](int a, int b) { return next_local_stage(schedule, 0, a) < next_local_stage(schedule, 0, b); });
    for (std::size_t i = 0; i < global.size(); ++i) bit[static_cast<std::size_t>(global[i])] = fast_first[i];
    placed = all;
  }
  place(all);
  return Layout(std::span<const int>(bit.data(), static_cast<std::size_t>(num_qubits)));
}

void lower(const Circuit& circuit, const CanonicalCircuit& canonical, const std::vector<ScheduledStage>& schedule, const Levels& levels,
           const Layout* fixed, const std::vector<int>& fast_first, Plan& plan) {
  const Layout first = fixed != nullptr ? *fixed : first_layout(schedule, canonical.num_qubits, fast_first);
  Lowering(circuit, canonical, schedule, levels, first, fast_first, plan).run();
}

}  // namespace ketmesh::plan
