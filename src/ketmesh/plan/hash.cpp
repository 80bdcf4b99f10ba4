#include "ketmesh/plan/hash.hpp"

namespace ketmesh::plan {
namespace {

class Hasher {
 public:
  void add(std::uint64_t v) {  // the finaliser of splitmix64 (Steele et al., OOPSLA 2014) over a running state
    state_ += v + 0x9e3779b97f4a7c15U;
    state_ = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9U;
    state_ = (state_ ^ (state_ >> 27)) * 0x94d049bb133111ebU;
    state_ ^= state_ >> 31;
  }
  void add(const std::vector<std::uint8_t>& bytes) {
    add(bytes.size());
    for (const auto b : bytes) add(std::uint64_t{b});
  }
  void add(const Layout& layout) {
    for (int q = 0; q < layout.num_qubits(); ++q) add(static_cast<std::uint64_t>(layout.bit_of(q)));
  }
  void add(const Step& s) {
    add((static_cast<std::uint64_t>(s.kind) << 8) | static_cast<std::uint64_t>(s.shape));
    add(s.targets);
    add(s.control_mask);
    add(s.control_value);
    add(std::uint64_t{s.matrix});
    for (const auto t : s.table) add(t);
    for (const auto& t : s.terms) {
      add((static_cast<std::uint64_t>(t.kind) << 32) | t.angle);
      add(t.mask);
      add(t.value);
      add(t.control_mask);
      add(t.control_value);
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace

std::uint64_t hash_plan(const Plan& plan, const Circuit& circuit, std::size_t first, std::size_t last) {
  Hasher h;
  h.add(circuit.structural_hash());
  h.add(first);
  h.add(last);
  h.add(static_cast<std::uint64_t>(plan.num_qubits));
  h.add(static_cast<std::uint64_t>(plan.precision));
  h.add(static_cast<std::uint64_t>(plan.placement.shard_bits));
  for (const auto& o : plan.placement.owners) h.add((static_cast<std::uint64_t>(o.rank) << 32) | static_cast<std::uint64_t>(o.device));
  h.add(static_cast<std::uint64_t>(plan.start.kind));
  for (const auto v : plan.start.qubit_vectors) h.add(std::uint64_t{v});
  for (const auto& stage : plan.stages) {
    h.add(stage.layout);
    for (const auto& pass : stage.passes) {
      h.add(pass.tile_bits);
      h.add(pass.store_bits);
      for (const auto& r : pass.residencies) {
        h.add(r.register_bits);
        for (const auto& step : r.steps) h.add(step);
      }
    }
    for (const auto& p : stage.exchange.pairs) h.add((std::uint64_t{p.local_bit} << 8) | p.global_bit);
  }
  h.add(plan.final_layout);
  for (const auto w : plan.recipe_words) h.add(w);
  return h.value();
}

}  // namespace ketmesh::plan
