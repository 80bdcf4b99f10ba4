// Planning: a pure function of circuit, machine and options. Reads gate kinds, constants and which parameters are shared; never values.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/mesh/mesh.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh {

enum class PlacementPolicy : std::uint8_t { automatic, equal, round_robin, explicit_counts };

struct PlanOptions {
  Precision precision = Precision::single;
  DeviceKind target = DeviceKind::cpu;  ///< decides default tile and row bits
  int tile_bits = 0;                    ///< 0: from the device's fast memory (CPU 15 single, 14 double; GPU 12)
  int row_bits = 0;                     ///< 0: CPU 6, GPU 4
  int register_bits = 0;                ///< 0: CPU 3, GPU 4
  int shards = 0;                       ///< S; 0: from the machine by the placement rule
  PlacementPolicy policy = PlacementPolicy::automatic;
  std::vector<int> shards_per_rank;        ///< explicit_counts
  std::vector<int> global_qubits;          ///< ordered; which start as shard-index bits; empty: free
  std::uint64_t workspace_bytes = 16_MiB;  ///< of exchanges
  std::uint64_t extra_bytes = 0;           ///< a device, what the caller will hold beside (snapshots, encode buffers)
  std::optional<Layout> start_layout;      ///< of a given state; nullopt: |0..0>, any layout
  bool start_given = false;                ///< the state holds amplitudes already (start_layout must be set)
  bool full_mesh = false;                  ///< every link counts alike; else bits that are exchanged often sit on fast ones
  bool check_memory = true;                ///< throw DoesNotFit; false: only say so in the plan
};

/// Shards over devices: design, section 1 (placement). Throws OptionError naming the value and the range, DoesNotFit.
class PlacementPlanner {
 public:
  virtual ~PlacementPlanner() = default;
  virtual Placement place(int num_qubits, int widest_gate, const Machine& machine, const PlanOptions& options) const;
};

/// Plans the unitary operations [first, last) of a circuit of at most 62 qubits (barriers and delays are skipped; measurements, resets,
/// initialize and if_else are refused with CircuitError: the executor splits at them).
Plan make_plan(const Circuit& circuit, std::size_t first, std::size_t last, const Machine& machine, const PlanOptions& options);
Plan make_plan(const Circuit& circuit, const Machine& machine, const PlanOptions& options);

/// The numbers for a plan, from the circuit that it was made of or one of the same structure.
Binding bind(const Plan& plan, const Circuit& circuit, const ParameterValues& values = {});
void bind(const Plan& plan, const Circuit& circuit, const ParameterValues& values, Binding& reuse);

/// The same with the value of every parameter of every operation, in the order of the circuit, instead of names: for many bindings of one circuit.
void bind(const Plan& plan, const Circuit& circuit, std::span<const double> angles, Binding& reuse);

/// Only the state, without gates: placement and memory of n qubits; throws as make_plan does.
Plan plan_state(int num_qubits, const Machine& machine, const PlanOptions& options);

}  // namespace ketmesh
