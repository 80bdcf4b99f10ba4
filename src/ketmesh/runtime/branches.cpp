#include "ketmesh/runtime/branches.hpp"

#include <algorithm>
#include <utility>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/reach.hpp"
#include "ketmesh/runtime/preparation.hpp"
#include "ketmesh/runtime/sweep.hpp"

namespace ketmesh::runtime {
namespace {

// Qubits whose joint probabilities make one table: 8 MiB of it. Wider measurements are drawn in parts, from the highest qubits down.
constexpr std::size_t kTableQubits = 20;

}  // namespace

BranchWalker::BranchWalker(const Program& program, History& history, const WalkOptions& options, RunRecord& record)
    : program_(program), history_(history), options_(options), record_(record), local_bits_(history.local_bits()) {}

void BranchWalker::run(const ShotRanges& shots, std::map<ClassicalBits, std::uint64_t>& counts) {
  counts_ = &counts;
  const Circuit& circuit = program_.circuit();
  Path path{Cursor(circuit),
            ClassicalBits(std::max(circuit.num_clbits(), options_.first_bits.size())),
            options_.first_ordinal,
            {},
            std::vector<bool>(circuit.num_qubits(), !options_.fresh),
            Pending(circuit.num_qubits(), circuit.num_clbits()),
            shots};
  for (std::size_t b = 0; b < options_.first_bits.size(); ++b)
    path.bits.set(static_cast<Clbit>(b), options_.first_bits.get(static_cast<Clbit>(b)));
  walk(std::move(path));
  while (!waiting_.empty()) {
    Waiting next = std::move(waiting_.back());
    waiting_.pop_back();
    if (!next.first) history_.go_back(next.position, next.last);
    if (next.needs_collapse) history_.apply(std::move(next.collapse));
    if (next.joint.open > 0) {
      divide_path(std::move(next.path), std::move(next.joint));
      continue;
    }
    complete(next.path, next.joint);
    walk(std::move(next.path));
  }
}

void BranchWalker::walk(Path path) {
  while (const auto place = path.cursor.next())
    if (!step(path, *place)) return;
  finish(std::move(path));
}

bool BranchWalker::step(Path& path, Cursor::Place place) {
  const Circuit& block = *place.block;
  const Operation op = block[place.i];
  if (has_no_effect(op.gate)) {
    path.pending.skip(block, place.i);
    return true;
  }
  switch (op.gate) {
    case Gate::if_else: {
      const Payload& payload = op.payload();
      const std::size_t chosen = payload.condition->truth(path.bits) ? 0 : 1;
      if (chosen < payload.blocks.size()) path.cursor.enter(payload.blocks[chosen]);
      return true;
    }
    case Gate::measure: {
      if (program_.is_final(block, place.i) && options_.final_measurements != FinalMeasurements::at_once) {
        if (options_.final_measurements == FinalMeasurements::sampled)
          for (std::size_t j = 0; j < op.qubits.size(); ++j) path.put_off.push_back({op.qubits[j], op.clbits[j]});
        return true;
      }
      Joint joint;
      joint.qubits.assign(op.qubits.begin(), op.qubits.end());
      joint.bits.assign(op.clbits.begin(), op.clbits.end());
      return draw(path, std::move(joint));
    }
    case Gate::reset:
    case Gate::initialize: {
      Joint joint;
      joint.gate = op.gate;
      for (const auto q : op.qubits)
        if (path.touched[q]) joint.qubits.push_back(static_cast<int>(q));
      joint.prepared.assign(op.qubits.begin(), op.qubits.end());
      if (op.gate == Gate::initialize) joint.payload = *op.shared_payload;
      return draw(path, std::move(joint));
    }
    default:
      break;
  }
  visit_operands(
      op, [&](Qubit q) { path.touched[q] = true; }, [](Clbit, bool) {});
  path.pending.add(block, place.i);
  if (path.pending.owned_size() >= history_.setup().window) flush(path, false);
  return true;
}

bool BranchWalker::draw(Path& path, Joint joint) {
  // Qubits that are |0> for sure need no look at the state; the operation still counts.
  if (joint.qubits.empty()) {
    ++path.ordinal;
    complete(path, joint);
    return true;
  }
  flush(path, false);
  joint.open = joint.qubits.size();
  divide_path(std::move(path), std::move(joint));
  return false;
}

void BranchWalker::divide_path(Path path, Joint joint) {
  const std::size_t part = std::min(kTableQubits, joint.open), low = joint.open - part;
  const bool first_part = joint.open == joint.qubits.size();
  const std::vector<int> qubits(joint.qubits.begin() + static_cast<std::ptrdiff_t>(low),
                                joint.qubits.begin() + static_cast<std::ptrdiff_t>(joint.open));
  std::vector<ShotGroup> groups;
  const OutcomeTable table = [&] {
    const Stopwatch watch(record_.seconds_sample);
    return OutcomeTable(measure::probabilities(history_.state(), qubits));
  }();
  const std::uint64_t seed = options_.seed, ordinal = path.ordinal;
  const DrawPurpose purpose = options_.purpose;
  if (first_part)
    groups = divide(
        path.shots, table, [=](std::uint64_t shot, std::uint64_t) { return draw_uniform(seed, purpose, shot, ordinal); }, low > 0);
  else
    groups = divide(
        path.shots, table, [&](std::uint64_t, std::uint64_t place) { return joint.draws[place]; }, low > 0);
  if (first_part) ++path.ordinal;
  joint.open = low;
  if (groups.size() > 1) history_.save();
  // The last of waiting_ goes first: the smallest group, on the state as it is.
  for (std::size_t g = groups.size(); g-- > 0;) {
    ShotGroup& group = groups[g];
    Waiting branch{path, joint, {}, true, history_.position(), g == 0, g + 1 == groups.size()};
    branch.path.shots = std::move(group.shots);
    branch.joint.value |= group.value << low;
    branch.joint.draws = std::move(group.draws);
    branch.collapse.kind = Event::Kind::collapse;
    branch.collapse.qubits = qubits;
    branch.collapse.value = group.value;
    branch.collapse.probability = table.probability(group.value);
    branch.needs_collapse = table.probability(group.value) != table.total();
    waiting_.push_back(std::move(branch));
  }
}

void BranchWalker::complete(Path& path, const Joint& joint) {
  if (joint.gate == Gate::measure) {
    for (std::size_t j = 0; j < joint.bits.size(); ++j) {
      const Clbit bit = joint.bits[j];
      path.bits.set(bit, bits::test(joint.value, static_cast<int>(j)));
      std::erase_if(path.put_off, [bit](const PutOff& p) { return p.bit == bit; });  // overwritten before it was looked up
    }
    return;
  }
  for (std::size_t j = 0; j < joint.qubits.size(); ++j)
    if (bits::test(joint.value, static_cast<int>(j))) path.pending.add_flip(static_cast<Qubit>(joint.qubits[j]));
  for (const auto q : joint.prepared) path.touched[q] = joint.gate == Gate::initialize;
  if (joint.gate != Gate::initialize) return;
  const auto& amplitudes = joint.payload->values;
  if (joint.prepared.size() <= std::min(kPreparationGateQubits, static_cast<std::size_t>(local_bits_))) {
    path.pending.add_unitary(preparation_matrix(amplitudes), joint.prepared);
    return;
  }
  flush(path, false);
  Event event;
  event.kind = Event::Kind::preparation;
  event.qubits.assign(joint.prepared.begin(), joint.prepared.end());
  event.payload = joint.payload;
  history_.apply(std::move(event));
}

void BranchWalker::flush(Path& path, bool want_block_sums) {
  if (path.pending.empty()) return;
  Event event;
  event.gates = path.pending.take();
  history_.apply(std::move(event), want_block_sums);
}

void BranchWalker::finish(Path path) {
  ++record_.branches;
  last_ordinal_ = path.ordinal;
  // Of several measurements into one bit the last one counts.
  std::vector<PutOff> measured;
  for (const auto& p : path.put_off) {
    std::erase_if(measured, [&](const PutOff& other) { return other.bit == p.bit; });
    measured.push_back(p);
  }
  if (!measured.empty() || options_.keep_state) {
    flush(path, !measured.empty() || options_.want_block_sums);
    history_.state();
  }
  if (path.shots.size() == 0) return;
  if (measured.empty()) {
    (*counts_)[path.bits] += path.shots.size();
    return;
  }
  const Stopwatch watch(record_.seconds_sample);
  // Which way must not depend on how draws fell, so that a shot that falls otherwise by rounding changes no other shot.
  std::vector<Qubit> distinct;
  for (const auto& p : measured) distinct.push_back(p.qubit);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (program_.is_static() || distinct.size() > kTableQubits)
    sample_whole(path, measured);
  else
    sample_marginal(path, measured);
}

void BranchWalker::count(const Path& path, const std::vector<PutOff>& measured, Index value, std::uint64_t shots) {
  ClassicalBits bits = path.bits;
  for (const auto& p : measured) bits.set(p.bit, bits::test(value, static_cast<int>(p.qubit)));
  (*counts_)[std::move(bits)] += shots;
}

void BranchWalker::sample_whole(const Path& path, const std::vector<PutOff>& measured) {
  ShardedState& state = history_.state();
  measure::BlockSums made;
  const measure::BlockSums* sums = &history_.sums();
  if (sums->sums.empty() && path.shots.ranges().size() > 1) {
    made = measure::block_sums(state);
    sums = &made;
  }
  Index mask = 0;
  for (const auto& p : measured) mask |= bits::one(static_cast<int>(p.qubit));
  for (const auto& range : path.shots.ranges()) {
    auto samples = measure::sample(state, range.count, options_.seed, range.first, sums->sums.empty() ? nullptr : sums);
    // Outcomes that differ only in qubits that nobody measured are one.
    for (auto& s : samples) s.outcome &= mask;
    if (mask != bits::low_mask(state.num_qubits()))
      std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.outcome < b.outcome; });
    for (std::size_t i = 0; i < samples.size();) {
      std::uint64_t together = 0;
      const Index outcome = samples[i].outcome;
      for (; i < samples.size() && samples[i].outcome == outcome; ++i) together += samples[i].count;
      count(path, measured, outcome, together);
    }
  }
}

void BranchWalker::sample_marginal(const Path& path, const std::vector<PutOff>& measured) {
  Index mask = 0;
  for (const auto& p : measured) mask |= bits::one(static_cast<int>(p.qubit));
  std::vector<int> qubits;
  bits::for_each(mask, [&](int q) { qubits.push_back(q); });
  const OutcomeTable table(measure::probabilities(history_.state(), qubits));
  const std::uint64_t seed = options_.seed;
  for (const auto& group : divide(
           path.shots, table,
           [=](std::uint64_t shot, std::uint64_t) { return draw_uniform(seed, DrawPurpose::terminal_sampling, shot, 0); }, false))
    count(path, measured, bits::deposit(group.value, mask), group.shots.size());
}

}  // namespace ketmesh::runtime
