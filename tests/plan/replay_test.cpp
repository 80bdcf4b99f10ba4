// Plans of random circuits, replayed with the reference kernels and compared with the gates written out one after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh {
namespace {

using Vector = std::vector<cdouble>;

/// The judge: every operation as a matrix on the whole state, in the order of the circuit.
Vector run_circuit(const Circuit& circuit, Vector state) {
  for (const Operation op : circuit) {
    const ResolvedGate g = resolve(op);
    const std::vector<cdouble> m = target_matrix(op);
    const std::size_t size = std::size_t{1} << g.targets.size();
    Index target_mask = 0, mask = 0, value = 0;
    for (const Qubit q : g.targets) target_mask |= bits::one(static_cast<int>(q));
    for (const Control c : g.controls) {
      mask |= bits::one(static_cast<int>(c.qubit));
      if (c.value != 0) value |= bits::one(static_cast<int>(c.qubit));
    }
    const std::span<const Qubit> targets(g.targets);
    Vector out(state);
    for (Index i = 0; i < state.size(); ++i) {
      if ((i & mask) != value) continue;
      const Index row = bits::gather(i, targets);
      out[i] = 0;
      for (Index c = 0; c < size; ++c) out[i] += m[row * size + c] * state[(i & ~target_mask) | bits::scatter(c, targets)];
    }
    state = std::move(out);
  }
  return state;
}

/// The plan on one array that holds all shards one after another.
Vector run_plan(const Plan& plan, const Binding& binding, const Vector& given) {
  const int n = plan.num_qubits, local = plan.placement.local_bits();
  const kernels::Kernels& k = kernels::reference_kernels(Precision::double_);
  const kernels::DeviceContext context;
  const Layout first = plan.stages.empty() ? plan.final_layout : plan.stages[0].layout;
  Vector state(std::size_t{1} << n);
  for (Index i = 0; i < state.size(); ++i) {
    cdouble a = plan.start.kind == Start::Kind::given ? given[i] : cdouble(i == 0 ? 1 : 0);
    if (plan.start.kind == Start::Kind::product) {
      a = 1;
      for (int q = 0; q < n; ++q) a *= binding.matrices[plan.start.qubit_vectors[static_cast<std::size_t>(q)] + (bits::test(i, q) ? 1 : 0)];
    }
    state[first.to_physical(i)] = a;
  }
  for (const Stage& stage : plan.stages) {
    for (const Pass& pass : stage.passes) {
      const auto prepared = k.prepare_pass(context, pass, binding, local);
      for (Index s = 0; s < bits::one(n - local); ++s)
        k.run_pass(context, prepared, {state.data() + (s << local), local, s << local}, nullptr);
    }
    Vector moved(state.size());
    for (Index i = 0; i < state.size(); ++i) {
      Index to = i;
      for (const auto& p : stage.exchange.pairs) {
        to &= ~(bits::one(p.local_bit) | bits::one(p.global_bit));
        if (bits::test(i, p.global_bit)) to |= bits::one(p.local_bit);
        if (bits::test(i, p.local_bit)) to |= bits::one(p.global_bit);
      }
      moved[to] = state[i];
    }
    state = std::move(moved);
  }
  Vector logical(state.size());
  for (Index i = 0; i < state.size(); ++i) logical[i] = state[plan.final_layout.to_physical(i)] * std::polar(1.0, binding.global_phase);
  return logical;
}

class RandomCircuit {
 public:
  Circuit circuit;

  RandomCircuit(std::uint64_t seed, int n, int gates) : circuit(static_cast<std::size_t>(n)), random_(seed), n_(n) {
    for (int k = 0; k < gates; ++k) add();
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }
  double angle() { return std::uniform_real_distribution<double>(-3, 3)(random_); }

  std::vector<Qubit> some(int count) {
    std::vector<Qubit> all;
    for (int q = 0; q < n_; ++q) all.push_back(static_cast<Qubit>(q));
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(static_cast<std::size_t>(count));
    return all;
  }

  void add() {
    // Common gates more often: parity networks, swaps and diagonals are where canonicalising can go wrong.
    static constexpr std::array kCommon = {Gate::cx, Gate::cx, Gate::cx, Gate::rz,  Gate::cz, Gate::swap,
                                           Gate::h,  Gate::rx, Gate::cp, Gate::rzz, Gate::x,  Gate::t};
    const auto table = gate_table();
    const GateRow& row = below(2) == 0 ? gate_row(kCommon[static_cast<std::size_t>(below(kCommon.size()))])
                                       : table[static_cast<std::size_t>(below(table.size()))];
    if (!row.is_unitary) return;
    if (row.has_payload || row.gate == Gate::gphase) return payload(row.gate);
    std::vector<Parameter> parameters;
    for (int p = 0; p < row.num_parameters; ++p) parameters.emplace_back(angle());
    const int controls = below(4) == 0 ? 1 + below(2) : 0;
    const int width = row.num_qubits >= 0 ? row.num_qubits : 1 + below(3);
    if (width + controls > n_) return;
    std::vector<Qubit> q = some(width + controls);
    std::vector<Control> c;
    for (int k = 0; k < controls; ++k) c.push_back(control_on(q[static_cast<std::size_t>(width + k)], below(2) != 0));
    q.resize(static_cast<std::size_t>(width));
    circuit.append(row.gate, std::span<const Qubit>(q), std::span<const Parameter>(parameters), std::span<const Control>(c));
  }

  void payload(Gate gate) {
    const int k = 1 + below(static_cast<std::size_t>(std::min(3, n_)));
    const std::vector<Qubit> q = some(k);
    std::string letters;
    for (int j = 0; j < k; ++j) letters += "IXYZ"[below(4)];
    std::vector<cdouble> phases;
    std::vector<Index> table;
    for (Index j = 0; j < bits::one(k); ++j) {
      phases.push_back(std::polar(1.0, angle()));
      table.push_back(j);
    }
    std::shuffle(table.begin(), table.end(), random_);
    std::vector<cdouble> matrix(phases.size() * phases.size());
    for (std::size_t j = 0; j < phases.size(); ++j) matrix[table[j] * phases.size() + j] = phases[j];
    switch (gate) {
      case Gate::pauli:
        circuit.pauli(letters, q);
        break;
      case Gate::rotation:
        circuit.rotation(letters, q, angle());
        break;
      case Gate::diagonal:
        circuit.diagonal(phases, q);
        break;
      case Gate::permutation:
        circuit.permutation(table, q);
        break;
      case Gate::gphase:
        circuit.gphase(angle());
        break;
      case Gate::unitary:
        circuit.unitary(matrix, q);
        break;
      default:
        FAIL() << "a payload that this test does not make: " << to_string(gate);
    }
  }

  std::mt19937_64 random_;
  int n_;
};

double largest_difference(const Vector& a, const Vector& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

Machine one_device() {
  Machine machine;
  machine.ranks.push_back(DeviceMesh::cpu(1, 1_GiB));
  return machine;
}

PlanOptions options_of(std::uint64_t seed, int n) {
  PlanOptions options;
  options.precision = Precision::double_;
  options.tile_bits = 3 + static_cast<int>(seed % 4);
  options.row_bits = 1;
  options.shards = n - static_cast<int>(seed % 3) < 5 ? 1 : 1 << (seed % 3);
  return options;
}

TEST(PlanReplay, RandomCircuitsFromZero) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const int n = 2 + static_cast<int>(seed % 7);
    const RandomCircuit r(seed, n, 10 + static_cast<int>(seed % 50));
    const Plan plan = make_plan(r.circuit, one_device(), options_of(seed, n));
    Vector zero(std::size_t{1} << n);
    zero[0] = 1;
    ASSERT_LT(largest_difference(run_plan(plan, bind(plan, r.circuit), zero), run_circuit(r.circuit, zero)), 1e-12)
        << "seed " << seed << "\n"
        << r.circuit.str() << explain(plan);
  }
}

TEST(PlanReplay, RandomCircuitsOverUnequalLinks) {
  // Ranks on hosts in runs, in turn, and one by one; as many ranks as shards or fewer.
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const int n = 7 + static_cast<int>(seed % 2);
    const RandomCircuit r(seed + 500, n, 20 + static_cast<int>(seed % 50));
    Machine machine;
    const int ranks = 3 + static_cast<int>(seed % 6);
    for (int k = 0; k < ranks; ++k) {
      machine.ranks.push_back(DeviceMesh::cpu(1, 1_GiB));
      machine.ranks.back().host = seed % 2 == 0 ? k / 2 : k % 2;
    }
    PlanOptions options = options_of(seed, n);
    options.shards = 8;
    const Plan plan = make_plan(r.circuit, machine, options);
    Vector zero(std::size_t{1} << n);
    zero[0] = 1;
    ASSERT_LT(largest_difference(run_plan(plan, bind(plan, r.circuit), zero), run_circuit(r.circuit, zero)), 1e-12)
        << "seed " << seed << "\n"
        << r.circuit.str() << explain(plan);
    options.full_mesh = true;
    const Plan blind = make_plan(r.circuit, machine, options);
    EXPECT_EQ(plan.num_exchanges(), blind.num_exchanges());
    EXPECT_EQ(plan.bytes_exchanged_total(), blind.bytes_exchanged_total());
  }
}

TEST(PlanReplay, ThousandsOfPhasesStayExact) {
  Circuit circuit(2);
  circuit.h(0).h(1).cx(0, 1);
  for (int k = 0; k < 3000; ++k) circuit.rz(0, 3.1).sx(1).rz(1, 2.9).cp(0, 1, 2.7);
  const Vector zero = {1, 0, 0, 0};
  const Plan plan = make_plan(circuit, one_device(), options_of(1, 2));
  // sx is 1/sqrt2 times integers: 3,000 of them drift by 3,000 roundings of its norm.
  ASSERT_LT(largest_difference(run_plan(plan, bind(plan, circuit), zero), run_circuit(circuit, zero)), 5e-13);
}

TEST(PlanReplay, RandomCircuitsFromAGivenState) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const int n = 3 + static_cast<int>(seed % 6);
    const RandomCircuit r(seed + 1000, n, 5 + static_cast<int>(seed % 40));
    PlanOptions options = options_of(seed, n);
    options.start_given = true;
    std::vector<int> bit;
    for (int q = 0; q < n; ++q) bit.push_back(q);
    std::shuffle(bit.begin(), bit.end(), random);
    options.start_layout = Layout(bit);
    Vector start(std::size_t{1} << n);
    for (auto& a : start) a = cdouble(normal(random), normal(random)) / std::sqrt(2.0 * static_cast<double>(start.size()));
    const Plan plan = make_plan(r.circuit, one_device(), options);
    ASSERT_TRUE(plan.stages.empty() || plan.stages[0].layout == *options.start_layout);
    ASSERT_LT(largest_difference(run_plan(plan, bind(plan, r.circuit), start), run_circuit(r.circuit, start)), 1e-12)
        << "seed " << seed << "\n"
        << r.circuit.str() << explain(plan);
  }
}

}  // namespace
}  // namespace ketmesh
