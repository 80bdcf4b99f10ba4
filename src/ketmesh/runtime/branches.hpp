// Walks all branches that the shots of a program take.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ketmesh/base/random.hpp"
#include "ketmesh/circuit/classical.hpp"
#include "ketmesh/runtime/history.hpp"
#include "ketmesh/runtime/program.hpp"
#include "ketmesh/runtime/shot_ranges.hpp"

namespace ketmesh::runtime {

enum class FinalMeasurements : std::uint8_t { sampled, ignored, at_once };

struct WalkOptions {
  std::uint64_t seed = 0;
  DrawPurpose purpose = DrawPurpose::measurement;
  bool keep_state = false;  ///< evolve to the end even when nothing is measured there
  FinalMeasurements final_measurements = FinalMeasurements::sampled;
  bool want_block_sums = false;
  bool fresh = true;  ///< the state starts as |0..0>
  ClassicalBits first_bits = ClassicalBits();
  std::uint64_t first_ordinal = 0;
};

class BranchWalker {
 public:
  BranchWalker(const Program& program, History& history, const WalkOptions& options, RunRecord& record);
  void run(const ShotRanges& shots, std::map<ClassicalBits, std::uint64_t>& counts);
  std::uint64_t last_ordinal() const noexcept { return last_ordinal_; }

 private:
  struct PutOff {
    Qubit qubit;
    Clbit bit;
  };
  /// A measurement, a reset or a preparation (which resets first) whose qubits are drawn jointly, the highest ones first.
  struct Joint {
    Gate gate = Gate::measure;
    std::vector<int> qubits;      ///< that are drawn
    std::vector<Clbit> bits;      ///< measure
    std::vector<Qubit> prepared;  ///< initialize: all its qubits
    std::shared_ptr<const Payload> payload;
    std::size_t open = 0;       ///< qubits[0 .. open) are not drawn yet
    Index value = 0;            ///< drawn so far
    std::vector<double> draws;  ///< what is left of each shot's draw after the first part
  };
  struct Path {
    Cursor cursor;
    ClassicalBits bits;
    std::uint64_t ordinal = 0;
    std::vector<PutOff> put_off;
    std::vector<bool> touched;  ///< qubits that may be other than |0>
    Pending pending;
    ShotRanges shots;
  };
  /// A branch that waits for its turn.
  struct Waiting {
    Path path;
    Joint joint;
    Event collapse;
    bool needs_collapse = true;
    std::size_t position = 0;
    bool first = true, last = true;
  };

  void walk(Path path);                        ///< up to its end or its next division
  bool step(Path& path, Cursor::Place place);  ///< false: the path was divided, others wait for it
  bool draw(Path& path, Joint joint);
  void divide_path(Path path, Joint joint);
  void complete(Path& path, const Joint& joint);
  void flush(Path& path, bool want_block_sums);
  void finish(Path path);
  void sample_marginal(const Path& path, const std::vector<PutOff>& measured);
  void sample_whole(const Path& path, const std::vector<PutOff>& measured);
  void count(const Path& path, const std::vector<PutOff>& measured, Index value, std::uint64_t shots);

  const Program& program_;
  History& history_;
  WalkOptions options_;
  RunRecord& record_;
  int local_bits_;
  std::vector<Waiting> waiting_;
  std::map<ClassicalBits, std::uint64_t>* counts_ = nullptr;
  std::uint64_t last_ordinal_ = 0;
};

}  // namespace ketmesh::runtime
