#include "ketmesh/kernels/cpu/emit_phases.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::cpu {
namespace {

/// Depends on the tile through at most one bit, so that a product over bits can hold it.
bool is_linear(const TileTerm& t) { return t.table == nullptr && std::popcount(t.bits()) <= 1; }

DynamicTable::Entry entry_of(const TileTerm& t, std::uint32_t involved) {
  DynamicTable::Entry entry;
  entry.condition = t.condition;
  entry.parity_mask = t.outside_parity;
  entry.angle0 = entry.angle1 = t.angle;
  if (t.bits() != 0) entry.bit = std::countr_zero(compact(t.bits(), involved));
  if (t.parity_mask != 0) entry.angle1 = -t.angle;
  // A control on the bit of the parity itself leaves one of the two.
  if (t.mask != 0) (t.value != 0 ? entry.angle0 : entry.angle1) = 0;
  return entry;
}

}  // namespace

template <typename Real>
std::int32_t PhaseEmitter<Real>::condition(const Condition& wanted) {
  if (wanted.always()) return -1;
  auto& all = program_.conditions;
  const auto found = std::find(all.begin(), all.end(), wanted);
  if (found != all.end()) return static_cast<std::int32_t>(found - all.begin());
  all.push_back(wanted);
  return static_cast<std::int32_t>(all.size()) - 1;
}

template <typename Real>
std::uint32_t PhaseEmitter<Real>::add_table(const std::vector<cdouble>& values, bool with_sums) {
  const std::size_t lanes = std::size_t{1} << program_.lane_bits, first = program_.tables.size(), parts = with_sums ? 3 : 2;
  program_.tables.resize(first + parts * values.size());
  Real* out = program_.tables.data() + first;
  for (std::size_t v = 0; v < values.size(); v += lanes, out += parts * lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      const double re = values[v + l].real(), im = values[v + l].imag();
      out[l] = static_cast<Real>(re);
      out[lanes + l] = static_cast<Real>(with_sums ? im - re : im);
      if (with_sums) out[2 * lanes + l] = static_cast<Real>(re + im);
    }
  return static_cast<std::uint32_t>(first);
}

/// Table vector of each vector index with the bits of `blocks` counted: a table of the low 6 bits and one of the others.
template <typename Real>
std::uint32_t PhaseEmitter<Real>::compaction(std::uint32_t blocks) {
  for (const auto& [mask, offset] : compactions_)
    if (mask == blocks) return offset;
  auto& all = program_.compactions;
  const auto offset = static_cast<std::uint32_t>(all.size());
  const int bits = program_.padded_bits - program_.lane_bits;
  for (std::uint32_t i = 0; i < 64; ++i) all.push_back(compact(i, blocks));
  const int shift = std::popcount(blocks & 63U);
  for (std::uint32_t i = 0; i < (bits > 6 ? std::uint32_t{1} << (bits - 6) : 1U); ++i) all.push_back(compact(i, blocks >> 6) << shift);
  compactions_.emplace_back(blocks, offset);
  return offset;
}

template <typename Real>
MicroOp PhaseEmitter<Real>::operation(std::uint32_t involved, std::uint32_t registers) {
  MicroOp op;
  op.code = Code::phases;
  const std::uint32_t vectors = involved >> program_.lane_bits;
  // The compact index counts register and block bits in their order, so each part is a sum of its bits' weights.
  std::uint32_t weight = 1;
  int r = 0;
  std::array<std::uint32_t, kMaxRegisterBits> register_weight{};
  for (std::uint32_t bit = 1; bit != 0 && bit <= (vectors | registers); bit <<= 1) {
    if ((registers & bit) != 0) register_weight[static_cast<std::size_t>(r++)] = (vectors & bit) != 0 ? weight : 0;
    if ((vectors & bit) != 0) weight <<= 1;
  }
  for (std::uint32_t v = 0; v < op.register_offset.size(); ++v)
    for (int b = 0; b < kMaxRegisterBits; ++b)
      if (((v >> b) & 1) != 0) op.register_offset[v] += register_weight[static_cast<std::size_t>(b)];
  op.compaction = compaction(vectors);  // register bits of a block's first vector are 0
  return op;
}

template <typename Real>
void PhaseEmitter<Real>::skip_ones(MicroOp& op, const std::vector<cdouble>& values) const {
  const std::size_t lanes = std::size_t{1} << program_.lane_bits;
  for (std::size_t v = 0; v < (std::size_t{1} << program_.register_bits); ++v) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(op.register_offset[v] * lanes);
    if (std::all_of(first, first + static_cast<std::ptrdiff_t>(lanes), [](cdouble x) { return x == 1.0; }))
      op.vectors = static_cast<std::uint16_t>(op.vectors & ~(1U << v));
  }
}

template <typename Real>
void PhaseEmitter<Real>::emit_static(const std::vector<TileTerm>& terms, std::uint32_t registers, std::int32_t when) {
  const std::uint32_t lanes = (std::uint32_t{1} << program_.lane_bits) - 1;
  std::uint32_t involved = lanes;
  for (const auto& t : terms) involved |= t.bits();
  MicroOp op = operation(involved, registers);
  const auto values = phase_table(terms, involved, binding_, position_);
  if (((involved >> program_.lane_bits) & ~registers) == 0) skip_ones(op, values);
  op.table = add_table(values, true);
  op.condition = when;
  program_.ops.push_back(op);
}

template <typename Real>
DynamicTable::Lookup PhaseEmitter<Real>::lookup(const TileTerm& term, std::uint32_t involved) const {
  DynamicTable::Lookup out;
  out.condition = term.condition;
  const auto& bits = term.table->bits;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> inside;  // compact bit -> index bit
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const int p = position_[bits[i]];
    if (p < 0)
      out.outside.emplace_back(bits[i], static_cast<std::uint8_t>(i));
    else
      inside.emplace_back(compact(std::uint32_t{1} << p, involved), std::uint32_t{1} << i);
  }
  const std::uint32_t mask = compact(term.mask, involved), value = compact(term.value, involved);
  out.index.resize(std::size_t{1} << std::popcount(involved));
  const auto none = static_cast<std::uint32_t>(std::size_t{1} << bits.size());  // the controls fail: a one
  for (std::uint32_t x = 0; x < out.index.size(); ++x) {
    if ((x & mask) != value) {
      out.index[x] = none;
      continue;
    }
    for (const auto& [from, to] : inside)
      if ((x & from) != 0) out.index[x] |= to;
  }
  // Twice the size: `none` may be combined with the outside part.
  out.values.assign(std::size_t{2} << bits.size(), 1.0);
  for (std::size_t i = 0; i < (std::size_t{1} << bits.size()); ++i) {
    const double angle = binding_.angles[term.table->angle + i];
    out.values[i] = {std::cos(angle), std::sin(angle)};
  }
  return out;
}

template <typename Real>
void PhaseEmitter<Real>::emit_dynamic(const std::vector<TileTerm>& fixed, const std::vector<TileTerm>& varying, std::uint32_t registers) {
  std::uint32_t involved = (std::uint32_t{1} << program_.lane_bits) - 1;
  for (const auto& t : fixed) involved |= t.bits();
  for (const auto& t : varying) involved |= t.bits();
  DynamicTable table;
  table.index_bits = static_cast<std::uint32_t>(std::popcount(involved));
  for (const auto& t : varying) {
    table.key_mask |= t.condition.mask | t.condition.parity_mask | t.outside_parity | t.outside_table;
    if (t.table != nullptr)
      table.lookups.push_back(lookup(t, involved));
    else
      table.entries.push_back(entry_of(t, involved));
  }
  if (!fixed.empty()) {
    table.has_static = true;
    table.static_table = add_table(phase_table(fixed, involved, binding_, position_), false);
  }
  table.scratch = static_cast<std::uint32_t>(program_.dynamic_size);
  program_.dynamic_size += std::size_t{2} << table.index_bits;
  MicroOp op = operation(involved, registers);
  op.code = Code::phases_varying;
  op.dynamic = static_cast<std::int32_t>(program_.dynamic_tables.size());
  program_.dynamic_tables.push_back(std::move(table));
  program_.ops.push_back(op);
}

template <typename Real>
void PhaseEmitter<Real>::emit(const std::vector<TileTerm>& terms, std::uint32_t registers) {
  std::vector<TileTerm> fixed, varying;
  std::vector<std::pair<Condition, std::vector<TileTerm>>> conditional;
  const auto add_conditional = [&](Condition when, TileTerm term) {
    auto found = std::find_if(conditional.begin(), conditional.end(), [&](const auto& c) { return c.first == when; });
    if (found == conditional.end()) found = conditional.insert(conditional.end(), {when, {}});
    found->second.push_back(term);
  };
  for (const auto& t : terms) {
    if (t.is_static()) {
      fixed.push_back(t);
    } else if (t.outside_table != 0 || is_linear(t)) {
      varying.push_back(t);
    } else if (t.outside_parity == 0) {
      add_conditional(t.condition, t);
    } else {
      TileTerm part = t;
      for (const bool odd : {false, true}) {
        Condition when = t.condition;
        when.parity_mask = t.outside_parity;
        when.odd = odd;
        part.angle = odd ? -t.angle : t.angle;
        add_conditional(when, part);
      }
    }
  }
  if (!varying.empty())
    emit_dynamic(fixed, varying, registers);
  else if (!fixed.empty())
    emit_static(fixed, registers, -1);
  for (const auto& [when, group] : conditional) emit_static(group, registers, condition(when));
}

template class PhaseEmitter<float>;
template class PhaseEmitter<double>;

}  // namespace ketmesh::kernels::cpu
