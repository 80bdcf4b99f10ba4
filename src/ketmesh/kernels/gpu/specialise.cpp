#include "ketmesh/kernels/gpu/specialise.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "ketmesh/kernels/gpu/specialise_text.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr std::size_t kMostConstantBytes = 30000;  // a kernel takes 32,764 bytes of parameters

template <typename Real>
class Specialiser {
 public:
  Specialiser(const Sweep& sweep, bool sums_norm)
      : s_(sweep),
        p_(sweep.program),
        bits_(p_.tile_bits),
        registers_(p_.register_bits),
        threads_(bits_ - registers_),
        size_(1 << registers_),
        sums_norm_(sums_norm) {
    for (int j = 0; j < size_; ++j) slot_[static_cast<std::size_t>(j)] = j;
  }

  Specialised run() {
    Specialised out;
    if (bits_ < kMinTileBits) return out;
    for (std::uint32_t k = 0; k < p_.num_ops; ++k)
      if (op_at(k).kind >= OpKind::matrix_any) return out;
    load();
    for (std::uint32_t k = 0; k < p_.num_ops; ++k) write(op_at(k), k);
    store();
    out.constants = std::move(constants_);
    if (out.constants.size() > kMostConstantBytes) return {};
    if (out.constants.empty()) out.constants.resize(sizeof(Real));
    out.shared_bytes = tile_bytes() + static_cast<std::uint32_t>(p_.num_parts * 2 * sizeof(Real));
    out.source = head(out.constants.size() / sizeof(Real)) + body_ + "}\n";
    return out;
  }

 private:
  static std::string text(std::uint64_t v) { return std::to_string(v); }
  static std::string u(std::uint64_t v) { return std::to_string(v) + "u"; }
  static std::string ul(std::uint64_t v) { return std::to_string(v) + "ull"; }
  void line(const std::string& s) { body_ += s + "\n"; }
  std::string fresh(const char* name) { return name + std::to_string(names_++); }

  std::uint32_t tile_bytes() const {
    const unsigned size = 1u << bits_;
    return static_cast<std::uint32_t>((size + (size >> 4) + (size >> 8) + 2) / 2 * 2 * 2 * sizeof(Real));
  }

  template <typename T>
  T from_image(std::size_t at) const {
    T out;
    std::memcpy(&out, s_.image.data() + at, sizeof(T));
    return out;
  }
  Op op_at(std::uint32_t k) const { return from_image<Op>(k * sizeof(Op)); }

  /// The name of a real of the image that becomes a parameter.
  std::string number(std::size_t at) { return constant(from_image<Real>(at)); }
  std::string number(const Op& op, std::size_t k) { return number(op.data + k * sizeof(Real)); }
  std::string constant(Real value) {
    const std::size_t at = constants_.size();
    constants_.resize(at + sizeof(Real));
    std::memcpy(constants_.data() + at, &value, sizeof(Real));
    return "k.v[" + text(at / sizeof(Real)) + "]";
  }

  // ---- conditions

  std::string thread_condition(unsigned mask, unsigned value) const {
    return mask == 0 ? std::string() : "(w & " + u(mask) + ") == " + u(value);
  }
  /// Of the thread and of the tile; empty: always.
  std::string condition(const Op& op, std::uint32_t number) const {
    std::string out = thread_condition(op.thread_mask, op.thread_value);
    for (std::uint32_t g = 0; g < p_.num_guards; ++g) {
      const auto guard = from_image<Guard>(p_.guards_at + g * sizeof(Guard));
      if (guard.op != number) continue;
      if (!out.empty()) out += " && ";
      out += "(outside & " + ul(guard.mask) + ") == " + ul(guard.value);
    }
    return out;
  }

  // ---- amplitudes: register index j is in the variables x<slot>, y<slot>, where flips that a thread's condition decides are still to be done

  int a(int j) const { return slot_[static_cast<std::size_t>(j)]; }
  std::string name(int j) const { return text(static_cast<std::uint64_t>(a(j))); }

  template <typename F>
  void for_pairs(int r, F&& f) const {
    for (int j = 0; j < size_; ++j)
      if ((j >> r & 1) == 0) f(j, j | 1 << r);
  }

  /// Does the flip of a register bit that waits.
  void settle_flip(int r) {
    std::string& flip = flips_[static_cast<std::size_t>(r)];
    if (flip.empty()) return;
    for_pairs(r, [&](int i, int j) { line("CHOOSE(" + name(i) + "," + name(j) + "," + flip + ")"); });
    flip.clear();
  }
  void settle_flips(unsigned bits) {
    for (int r = 0; r < registers_; ++r)
      if ((bits >> r & 1u) != 0) settle_flip(r);
  }
  void add_flip(int r, const std::string& more) {
    std::string& flip = flips_[static_cast<std::size_t>(r)];
    const std::string joined = fresh("f");
    line("const bool " + joined + " = " + (flip.empty() ? more : flip + " != (" + more + ")") + ";");
    flip = joined;
  }
  void swap_all(int r) {
    for_pairs(r, [&](int i, int j) { std::swap(slot_[static_cast<std::size_t>(i)], slot_[static_cast<std::size_t>(j)]); });
  }

  void multiply(int j, const std::string& x, const std::string& y) { line("TIMES(" + name(j) + "," + x + "," + y + ")"); }
  void multiply_all(const std::string& x, const std::string& y) {
    for (int j = 0; j < size_; ++j) multiply(j, x, y);
  }
  void add_pending(const std::string& x, const std::string& y, bool more) {
    line(more ? "{const R u = qx; qx = u * " + x + " - qy * " + y + "; qy = u * " + y + " + qy * " + x + ";}"
              : "qx = " + x + "; qy = " + y + ";");
  }

  // ---- where things are

  /// Tile index of a thread, or place of its tile index in memory: sum of runs of bits of `from`.
  static std::string spread_text(const std::string& from, const std::vector<std::pair<int, int>>& bits, bool wide) {
    std::string out;
    for (std::size_t k = 0; k < bits.size();) {
      std::size_t n = k + 1;
      while (n < bits.size() && bits[n].first - bits[k].first == static_cast<int>(n - k) &&
             bits[n].second - bits[k].second == static_cast<int>(n - k))
        ++n;
      const std::uint64_t mask = ((std::uint64_t{1} << (n - k)) - 1) << bits[k].first;
      const int shift = bits[k].second - bits[k].first;
      std::string part = "(" + from + " & " + (wide ? ul(mask) : u(mask)) + ")";
      if (wide) part = "(unsigned long long)" + part;
      if (shift != 0) part = "(" + part + (shift > 0 ? " << " : " >> ") + text(static_cast<std::uint64_t>(std::abs(shift))) + ")";
      out += (out.empty() ? "" : " | ") + part;
      k = n;
    }
    return out.empty() ? (wide ? "0ull" : "0u") : out;
  }
  static std::vector<std::pair<int, int>> bits_of(const Run* runs, int count) {
    std::vector<std::pair<int, int>> out;
    for (int k = 0; k < count; ++k)
      for (int b = 0; b < runs[k].length; ++b) out.emplace_back(runs[k].from + b, runs[k].to + b);
    return out;
  }

  /// What register index j adds to the address in the shard.
  std::uint64_t offset_of(const std::uint8_t* bits, int j) const {
    std::uint64_t out = 0;
    for (int r = 0; r < registers_; ++r)
      if ((j >> r & 1) != 0) out += std::uint64_t{1} << bits[threads_ + r];
    return out;
  }
  bool pairs(const std::uint8_t* bits) const { return sizeof(Real) == 4 && bits[threads_] == 0; }
  /// Address of a thread's amplitude 0.
  std::string mine(const std::uint8_t* bits) const {
    std::vector<std::pair<int, int>> place;
    for (int k = 0; k < threads_; ++k) place.emplace_back(k, bits[k]);
    return "data + block + (" + spread_text("t", place, true) + ")";
  }

  void load() {
    line("const unsigned t = threadIdx.x;");
    line("const unsigned long long block = " + spread_text("blockIdx.x", bits_of(p_.block_runs, p_.num_block_runs), true) + ";");
    line("const unsigned long long outside = base | block;");
    line("C* mine = " + mine(p_.load_bits) + ";");
    line("R qx = 1, qy = 0;");
    for (int j = 0; j < size_; ++j) line("R x" + text(static_cast<std::uint64_t>(j)) + ", y" + text(static_cast<std::uint64_t>(j)) + ";");
    const bool two = pairs(p_.load_bits);
    for (int j = 0; j < size_; j += two ? 2 : 1)
      line((two ? "LOAD2(" : "LOAD1(") + std::to_string(j) + "," + std::to_string(j + 1) + "," + ul(offset_of(p_.load_bits, j)) + ")");
    if (p_.num_parts > 0) {
      line("C* const units = (C*)(sm + " + u(tile_bytes()) + ");");
      line("for (unsigned i = t; i < " + u(p_.num_parts) + "; i += " + u(1u << threads_) +
           ") units[i] = part_unit(parts[i], entries, outside);");
      line("__syncthreads();");
    }
    line("unsigned w, p;");
    go(p_.trips_at);
  }

  /// Takes the map of a trip as the present one.
  void go(std::size_t at) {
    std::array<unsigned, kMaxTileBits> place{};
    const auto at32 = [&](std::size_t k) { return from_image<std::uint32_t>(at + 4 * k) & 0xffffu; };
    for (int k = 0; k < threads_; ++k) place[static_cast<std::size_t>(k)] = k < 4 ? at32(1u << k) : at32(24 + (1u << (k - 4)));
    for (int r = 0; r < registers_; ++r) register_place_[static_cast<std::size_t>(r)] = at32(16 + static_cast<std::size_t>(r));
    std::vector<std::pair<int, int>> bits;
    for (int k = 0; k < threads_; ++k) bits.emplace_back(k, std::countr_zero(place[static_cast<std::size_t>(k)]));
    line("w = " + spread_text("t", bits, false) + "; p = PLACE(w);");
  }
  unsigned offset(int r) const { return static_cast<unsigned>(pad(register_place_[static_cast<std::size_t>(r)]) * 2 * sizeof(Real)); }

  void trip(const Op& op) {
    if (op.registers != 0) multiply_all("qx", "qy");
    // A flip that waits becomes another place: the bases of the amplitudes whose register bit is 0 and 1.
    std::vector<std::pair<int, std::string>> bases(static_cast<std::size_t>(size_), {0, "p"});  // what is added, from where
    for (int r = 0; r < registers_; ++r) {
      const std::string& flip = flips_[static_cast<std::size_t>(r)];
      if (flip.empty()) {
        for (int j = 0; j < size_; ++j)
          if ((j >> r & 1) != 0) bases[static_cast<std::size_t>(j)].first += static_cast<int>(offset(r));
        continue;
      }
      const std::string moved = fresh("o");
      line("const unsigned " + moved + " = " + flip + " ? " + u(offset(r)) + " : 0u;");
      std::vector<std::pair<std::string, std::string>> made;
      for (int j = 0; j < size_; ++j) {
        std::string& from = bases[static_cast<std::size_t>(j)].second;
        const std::string want = from + ((j >> r & 1) != 0 ? " + " + u(offset(r)) + " - " : " + ") + moved;
        std::string have;
        for (const auto& [expression, variable] : made)
          if (expression == want) have = variable;
        if (have.empty()) {
          have = fresh("b");
          line("const unsigned " + have + " = " + want + ";");
          made.emplace_back(want, have);
        }
        from = have;
      }
      flips_[static_cast<std::size_t>(r)].clear();
    }
    for (int j = 0; j < size_; ++j)
      line("PUT(" + bases[static_cast<std::size_t>(j)].second + " + " + u(static_cast<unsigned>(bases[static_cast<std::size_t>(j)].first)) +
           "," + name(j) + ")");
    line("__syncthreads();");
    go(op.data);
    for (int j = 0; j < size_; ++j) {
      slot_[static_cast<std::size_t>(j)] = j;
      unsigned add = 0;
      for (int r = 0; r < registers_; ++r)
        if ((j >> r & 1) != 0) add += offset(r);
      line("GET(p + " + u(add) + "," + std::to_string(j) + ")");
    }
  }

  // ---- ops

  void write(const Op& op, std::uint32_t k) {
    switch (op.kind) {
      case OpKind::trip:
        return trip(op);
      case OpKind::rotation:
      case OpKind::reflection:
      case OpKind::rx:
      case OpKind::lift:
      case OpKind::lift_phase:
      case OpKind::dense1:
        for (int r = 0; r < registers_; ++r)
          if ((op.registers >> r & 1) != 0) one_target(op, k, r);
        return;
      case OpKind::flip:
        for (int r = 0; r < registers_; ++r)
          if ((op.registers >> r & 1) != 0) flip(op, k, r);
        return;
      case OpKind::cx:
        return cx(op, k);
      case OpKind::dense2:
      case OpKind::odd2:
        return two_targets(op, k);
      case OpKind::rescale: {
        const std::string factor = number(op, 0);
        for (int j = 0; j < size_; ++j) line("SCALE(" + name(j) + "," + factor + ")");
        return;
      }
      case OpKind::settle:
        return multiply_all("qx", "qy");
      case OpKind::phase_thread: {
        const std::string g = table_entry(op.extra);
        return add_pending(g + ".x", g + ".y", op.registers != 0);
      }
      case OpKind::diagonal:
        return diagonal(op);
      case OpKind::phases:
        for (std::uint32_t g = op.data; g < op.data + op.count; ++g) phase_group(g, op.reg0 != 0);
        return;
      default:
        return;  // none; ops of any targets were refused
    }
  }

  void one_target(const Op& op, std::uint32_t k, int r) {
    const std::string& flip = flips_[static_cast<std::size_t>(r)];
    const auto pairs = [&](const std::string& what, const std::string& numbers) {
      for_pairs(r, [&](int i, int j) {
        if ((i & op.reg_mask) == op.reg_value) line(what + "(" + name(i) + "," + name(j) + numbers + ")");
      });
    };
    const auto slot = static_cast<std::size_t>(r);
    switch (op.kind) {
      case OpKind::rotation: {
        const std::string t = number(op, slot), s = fresh("s");
        line("{const R " + s + " = " + (flip.empty() ? t : flip + " ? -" + t + " : " + t) + ";");  // X before it turns it round
        pairs("ROTATE", "," + s);
        return line("}");
      }
      case OpKind::rx:
        return pairs("RX", "," + number(op, slot));  // X before it changes nothing
      case OpKind::reflection:
        settle_flip(r);
        return pairs("REFLECT", "," + number(op, slot));
      case OpKind::lift:
        settle_flip(r);
        return pairs("LIFT", "," + number(op, 2 * slot) + "," + number(op, 2 * slot + 1));
      case OpKind::lift_phase: {
        settle_flip(r);
        std::string numbers;
        for (std::size_t n = 0; n < 6; ++n) numbers += "," + number(op, 8 * slot + n);
        return pairs("LIFT_PHASE", numbers);
      }
      default: {
        settle_flips(1u << r | op.reg_mask);
        const std::string holds = condition(op, k);
        std::string numbers;
        for (std::size_t n = 0; n < 8; ++n) numbers += "," + number(op, 8 * slot + n);
        line(holds.empty() ? "{" : "if (" + holds + ") {");
        pairs("DENSE", numbers);
        return line("}");
      }
    }
  }

  void flip(const Op& op, std::uint32_t k, int r) {
    const std::string holds = condition(op, k);
    if (op.reg_mask == 0) {
      if (holds.empty()) return swap_all(r);
      return add_flip(r, holds);
    }
    settle_flips(1u << r | op.reg_mask);
    const std::string chosen = fresh("f");
    if (!holds.empty()) line("const bool " + chosen + " = " + holds + ";");
    for_pairs(r, [&](int i, int j) {
      if ((i & op.reg_mask) != op.reg_value) return;
      if (holds.empty()) return std::swap(slot_[static_cast<std::size_t>(i)], slot_[static_cast<std::size_t>(j)]);
      line("CHOOSE(" + name(i) + "," + name(j) + "," + chosen + ")");
    });
  }

  void cx(const Op& op, std::uint32_t k) {
    const std::string holds = condition(op, k);
    const int control = op.reg0, target = op.reg1;
    if (!holds.empty()) settle_flips(1u << control | 1u << target);
    const std::string waits = flips_[static_cast<std::size_t>(control)];
    if (!waits.empty()) add_flip(target, waits);  // X on the control goes through as X on both
    const std::string chosen = fresh("f");
    if (!holds.empty()) line("const bool " + chosen + " = " + holds + ";");
    for_pairs(target, [&](int i, int j) {
      if ((i >> control & 1) == 0) return;
      if (holds.empty()) return std::swap(slot_[static_cast<std::size_t>(i)], slot_[static_cast<std::size_t>(j)]);
      line("CHOOSE(" + name(i) + "," + name(j) + "," + chosen + ")");
    });
  }

  void two_targets(const Op& op, std::uint32_t k) {
    const int b0 = 1 << op.reg0, b1 = 1 << op.reg1;
    settle_flips(static_cast<unsigned>(b0 | b1 | op.reg_mask));
    const std::string holds = condition(op, k);
    std::string numbers, x, y, t;
    if (op.kind == OpKind::odd2 && op.extra != 0) {
      x = number(op, 0), y = number(op, 1), t = number(op, 8);
    } else {
      for (std::size_t n = 0; n < (op.kind == OpKind::odd2 ? 8u : 32u); ++n) numbers += "," + number(op, n);
    }
    line(holds.empty() ? "{" : "if (" + holds + ") {");
    for (int j = 0; j < size_; ++j) {
      if ((j & (b0 | b1)) != 0 || (j & op.reg_mask) != op.reg_value) continue;
      if (op.kind == OpKind::odd2 && op.extra != 0) {
        line("RX(" + name(j | b0) + "," + name(j | b1) + "," + t + ")");
        multiply(j | b0, x, y);
        multiply(j | b1, x, y);
      } else if (op.kind == OpKind::odd2)
        line("DENSE(" + name(j | b0) + "," + name(j | b1) + numbers + ")");
      else
        line("DENSE2(" + name(j) + "," + name(j | b0) + "," + name(j | b1) + "," + name(j | b0 | b1) + numbers + ")");
    }
    line("}");
  }

  /// Reads the entry of the thread in a table by thread; the name of the variable.
  std::string table_entry(std::uint32_t at) {
    std::string g = fresh("g");
    line("const C " + g + " = __ldg((const C*)(tables + " + u(std::uint64_t{16} * at) + ") + t);");
    return g;
  }

  /// Amplitudes with the same factor in every class share its number or its reading; those with the factor 1 are left alone. Which ones are the
  /// same follows from the terms of the phases, but for angles of rare values, which then have a kernel of their own.
  void diagonal(const Op& op) {
    std::vector<std::pair<int, int>> bits;  // thread bit, bit of the class
    for (int q = 0; q < 4; ++q)
      if ((op.data >> 4 * q & 15u) != 15u) bits.emplace_back(static_cast<int>(op.data >> 4 * q & 15u), q);
    using Factor = std::array<Real, 2>;
    const std::size_t classes = std::size_t{1} << bits.size(), at = std::size_t{16} * op.extra;
    std::map<std::vector<Factor>, std::vector<int>> groups;
    std::vector<const std::vector<Factor>*> order;
    unsigned touched = 0;
    for (int j = 1; j < size_; ++j) {
      std::vector<Factor> factors(classes);
      std::memcpy(factors.data(), s_.tables.data() + at + static_cast<std::size_t>(j) * classes * sizeof(Factor), classes * sizeof(Factor));
      if (std::all_of(factors.begin(), factors.end(), [](const Factor& f) { return f == Factor{1, 0}; })) continue;
      const auto [group, added] = groups.try_emplace(std::move(factors));
      if (added) order.push_back(&group->first);
      group->second.push_back(j);
      touched |= static_cast<unsigned>(j);
    }
    settle_flips(touched);
    if (!bits.empty()) line("{const C* const d = (const C*)(tables + " + u(at) + ") + (" + spread_text("w", bits, false) + ");");
    for (const auto* factors : order) {
      const std::vector<int>& js = groups[*factors];
      std::string x, y;
      if (bits.empty()) {
        x = constant((*factors)[0][0]), y = constant((*factors)[0][1]);
      } else {
        const std::string g = fresh("g");
        line("const C " + g + " = __ldg(d + " + u(static_cast<std::uint64_t>(js[0]) * classes) + ");");
        x = g + ".x", y = g + ".y";
      }
      for (const int j : js) multiply(j, x, y);
    }
    if (!bits.empty()) line("}");
  }

  void phase_group(std::uint32_t number, bool more) {
    const auto group = from_image<PhaseGroup>(p_.groups_at + number * sizeof(PhaseGroup));
    const std::string g = fresh("g");
    line("R " + g + "x = 1, " + g + "y = 0;");
    if (group.table >= 0) {
      const std::string e = table_entry(static_cast<std::uint32_t>(group.table));
      line(g + "x = " + e + ".x; " + g + "y = " + e + ".y;");
    }
    for (std::uint32_t k = group.first_part; k < group.first_part + group.part_count; ++k) {
      const auto part = from_image<PhasePart>(p_.parts_at + k * sizeof(PhasePart));
      const std::string holds = thread_condition(part.thread_mask, part.thread_value);
      line("{C e = units[" + text(k) + "];");
      if (part.thread_parity != 0) line("if ((__popc(w & " + u(part.thread_parity) + ") & 1) != 0) e.y = -e.y;");
      if (!holds.empty()) line("if (!(" + holds + ")) {e.x = 1; e.y = 0;}");
      const bool first = k == group.first_part && group.table < 0;
      line(first ? g + "x = e.x; " + g + "y = e.y;}"
                 : "const R u = " + g + "x; " + g + "x = u * e.x - " + g + "y * e.y; " + g + "y = u * e.y + " + g + "y * e.x;}");
    }
    if (group.set == 0) return add_pending(g + "x", g + "y", more);
    settle_flips(group.set);
    for (int j = 0; j < size_; ++j)
      if ((j & group.set) == group.set) multiply(j, g + "x", g + "y");
  }

  void store() {
    settle_flips(~0u);
    const auto sx = static_cast<Real>(p_.scale[0]), sy = static_cast<Real>(p_.scale[1]);
    if (p_.phased) {
      add_pending(constant(sx), constant(sy), p_.pending);
      multiply_all("qx", "qy");
    } else if (p_.scale[0] != 1) {
      const std::string factor = constant(sx);
      for (int j = 0; j < size_; ++j) line("SCALE(" + name(j) + "," + factor + ")");
    }
    line("mine = " + mine(p_.store_bits) + ";");
    const bool two = pairs(p_.store_bits);
    for (int j = 0; j < size_; j += two ? 2 : 1)
      line((two ? "STORE2(" : "STORE1(") + name(j) + "," + (two ? name(j + 1) : "0") + "," + ul(offset_of(p_.store_bits, j)) + ")");
    if (!sums_norm_) return;
    line("if (norm.sums != nullptr) {");
    line("const unsigned long long at = base + (mine - data);");
    for (int j = 0; j < size_; ++j) line("add_norm(norm, at + " + ul(offset_of(p_.store_bits, j)) + ", NORM(" + name(j) + "));");
    line("}");
  }

  std::string head(std::size_t constants) const {
    // 64 registers a thread that holds 32 of them of amplitudes, 96 or 128 for 64.
    const int threads = 1 << threads_, most = registers_ > kRegisterBits ? (bits_ > 12 ? 512 : 640) : sizeof(Real) == 4 ? 1024 : 512;
    std::string out = sizeof(Real) == 4 ? "typedef float R; typedef float2 C;\n" : "typedef double R; typedef double2 C;\n";
    out += "#define C_BYTES " + text(2 * sizeof(Real)) + "\n";
    out += kSpecialiseText;
    out += "struct K { R v[" + text(constants) + "]; };\n";
    out += "extern \"C\" __global__ void __launch_bounds__(" + text(static_cast<std::uint64_t>(threads)) + ", " +
           text(static_cast<std::uint64_t>(threads < most ? most / threads : 1)) + ")\n";
    out +=
        "tile_pass(C* data, unsigned long long base, const Part* parts, const Entry* entries, const unsigned char* tables, const "
        "__grid_constant__ Norm norm, const __grid_constant__ K k) {\n";
    out += "extern __shared__ __align__(16) unsigned char sm[];\n";
    return out;
  }

  const Sweep& s_;
  const Program& p_;
  int bits_, registers_, threads_, size_;
  bool sums_norm_;
  std::string body_;
  std::vector<std::byte> constants_;
  unsigned names_ = 0;
  std::array<int, 1 << kMostRegisterBits> slot_{};
  std::array<std::string, kMostRegisterBits> flips_;
  std::array<unsigned, kMostRegisterBits> register_place_{};
};

}  // namespace

template <typename Real>
Specialised specialise(const Sweep& sweep, bool sums_norm) {
  return Specialiser<Real>(sweep, sums_norm).run();
}
template Specialised specialise<float>(const Sweep&, bool);
template Specialised specialise<double>(const Sweep&, bool);

}  // namespace ketmesh::kernels::cuda
