#include "ketmesh/api/checkpointing.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ketmesh/api/checks.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/state/checkpoint.hpp"
#include "ketmesh/state/checkpoint_manifest.hpp"

namespace ketmesh::api {
namespace {

using Json = nlohmann::ordered_json;

Circuit rest_of(const Circuit& circuit, std::size_t first) {
  Circuit rest(circuit.num_qubits());
  for (std::size_t i = first; i < circuit.size(); ++i) rest.append(circuit[i]);
  return rest;
}

std::string identity(const Circuit& circuit) {
  const std::string text = circuit.to_qasm(3);
  return std::to_string(state::checksum(text.data(), text.size()));
}

/// How many operations are run between two looks at the clock: as many as are predicted to take `seconds`.
std::size_t first_window(const runtime::RunSetup& setup, const Circuit& circuit, std::size_t first, double seconds) {
  PlanOptions options = setup.plan;
  options.check_memory = false;
  const std::size_t left = circuit.size() - first;
  const double predicted =
      make_plan(circuit, first, std::min(circuit.size(), first + setup.window), setup.context->machine(), options).seconds_total;
  return std::clamp<std::size_t>(predicted > seconds ? static_cast<std::size_t>(static_cast<double>(left) * seconds / predicted) : left, 1,
                                 std::max<std::size_t>(left, 1));
}

}  // namespace

std::string to_text(const RunNotes& notes) {
  const Json json{{"circuit", notes.circuit},
                  {"operations_done", notes.done},
                  {"remaining", notes.remaining.empty() ? "" : notes.remaining.to_qasm(3)},
                  {"classical_bits", notes.bits.key(notes.bits.size())},
                  {"seed", notes.seed},
                  {"ordinal", notes.ordinal}};
  return json.dump();
}

RunNotes notes_from_text(const std::string& text, const std::filesystem::path& folder) {
  const Json json = Json::parse(text, nullptr, false);
  RunNotes notes;
  try {
    notes.circuit = json.at("circuit").get<std::string>();
    notes.done = json.at("operations_done").get<std::size_t>();
    const auto remaining = json.at("remaining").get<std::string>();
    if (!remaining.empty()) notes.remaining = Circuit::from_qasm(remaining);
    const auto bits = json.at("classical_bits").get<std::string>();
    notes.bits = ClassicalBits(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) notes.bits.set(static_cast<Clbit>(i), bits[i] == '1');
    notes.seed = json.at("seed").get<std::uint64_t>();
    notes.ordinal = json.at("ordinal").get<std::uint64_t>();
  } catch (const Json::exception& error) {
    throw IoError(IoError::Side::input, folder.string() + ": the notes of this checkpoint are of another kind: " + error.what());
  }
  return notes;
}

std::uint64_t saved_seed(const std::filesystem::path& folder) { return notes_from_text(inspect_checkpoint(folder).notes, folder).seed; }

measure::BlockSums evolve_saving(const runtime::RunSetup& setup, const Circuit& circuit, const CheckpointOptions& options,
                                 std::uint64_t seed, std::optional<ShardedState>& state, RunRecord& record, bool want_block_sums) {
  RunNotes notes;
  notes.circuit = identity(circuit);
  notes.seed = seed;
  state = runtime::make_state(setup, static_cast<int>(circuit.num_qubits()), runtime::widest_gate(circuit), record);
  if (!options.resume_path.empty()) {
    const RunNotes saved = notes_from_text(inspect_checkpoint(options.resume_path).notes, options.resume_path);
    if (saved.circuit != notes.circuit || saved.done > circuit.size())
      throw OptionError(options.resume_path + ": this checkpoint is of another circuit, or of other parameters",
                        "resume with the file, the parameters and the outputs that the run began with");
    load_checkpoint(*state, options.resume_path);
    notes.done = saved.done;
  }
  const auto save = [&] {
    notes.remaining = rest_of(circuit, notes.done);
    save_checkpoint(*state, options.save_path, to_text(notes));
  };
  const bool in_windows = options.every_seconds > 0 && !options.save_path.empty();
  std::size_t window = in_windows ? first_window(setup, circuit, notes.done, options.every_seconds) : circuit.size();
  measure::BlockSums sums;
  auto last_saved = Clock::now();
  do {
    const auto begin = Clock::now();
    const std::size_t end = std::min(circuit.size(), notes.done + std::max<std::size_t>(window, 1));
    sums = runtime::evolve(setup, circuit, notes.done, end, {}, state, record, want_block_sums && end == circuit.size());
    const double took = std::max(since(begin), 1e-6);
    const auto ran = static_cast<double>(end - notes.done);
    notes.done = end;
    if (end == circuit.size() || !in_windows) continue;
    if (since(last_saved) >= 0.9 * options.every_seconds) {
      save();
      last_saved = Clock::now();
    }
    // The prediction may be wrong: what was measured decides the next window.
    window = static_cast<std::size_t>(std::clamp(ran * options.every_seconds / took, 1.0, static_cast<double>(circuit.size())));
  } while (notes.done < circuit.size());
  if (!options.save_path.empty()) save();
  return sums;
}

}  // namespace ketmesh::api
