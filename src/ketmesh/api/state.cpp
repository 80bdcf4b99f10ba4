#include "ketmesh/api/state.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "ketmesh/api/arguments.hpp"
#include "ketmesh/api/checkpointing.hpp"
#include "ketmesh/api/estimator.hpp"
#include "ketmesh/api/gather.hpp"
#include "ketmesh/api/runner.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/encode/sharded.hpp"
#include "ketmesh/state/checkpoint.hpp"

namespace ketmesh {

using namespace api;

namespace {

struct Saved {
  ShardedState state;
  ClassicalBits bits;
  bool untouched = false;
};

void check_indices(std::span<const Index> indices, int n) {
  for (const Index i : indices)
    if ((i >> n) != 0)
      throw OptionError("amplitude " + std::to_string(i) + " is out of range: " + std::to_string(n) + " qubits have indices 0 to " +
                        std::to_string((Index{1} << n) - 1));
}

std::vector<int> checked_qubits(std::span<const Qubit> qubits, int n) {
  std::vector<int> out;
  for (const Qubit q : qubits) {
    if (q >= static_cast<Qubit>(n))
      throw CircuitError("qubit " + std::to_string(q) + " is out of range: the state has qubits 0 to " + std::to_string(n - 1));
    if (std::find(out.begin(), out.end(), static_cast<int>(q)) != out.end())
      throw CircuitError("qubit " + std::to_string(q) + " is listed twice");
    out.push_back(static_cast<int>(q));
  }
  return out;
}

}  // namespace

struct DistributedState::Impl {
  Impl(SimulatorConfig config, std::shared_ptr<const DistributedExecutionContext> given, int num_qubits)
      : runner(std::move(config), nullptr), n(num_qubits), queue(static_cast<std::size_t>(std::max(num_qubits, 1))) {
    runner.config().check();
    if (num_qubits < 0)
      throw CircuitError("a state of " + std::to_string(num_qubits) + " qubits: it must have 1 to " + std::to_string(kMaxQubits));
    check_width(static_cast<std::size_t>(num_qubits));
    if (given) runner.adopt(std::move(given));
    runner.together(
        "state", [&] { return arguments(runner.config(), n); },
        [&] {
          runner.open(static_cast<std::size_t>(n));
          seed = runner.seed(std::nullopt);
          state.emplace(runner.zero_state(n, record));
        });
  }

  /// read(state) after a flush, as one call of all ranks; `more` is hashed with the queue.
  template <typename F, typename... T>
  auto reading(std::string_view call, F&& read, const T&... more) {
    return runner.together(
        call, [&] { return arguments(queue, more...); }, [&] { return read(flushed()); });
  }

  ShardedState& flushed() {
    flush();
    return *state;
  }

  bool queues() const {
    return (runner.config().distributed.flags & (kFlagRestoreLayout | kFlagPinLayout)) == 0 || !is_distributed(runner.backend());
  }

  void flush() {
    if (queue.empty()) return;
    runner.together(
        "flush", [&] { return arguments(queue); }, [&] { flush_here(); });
  }

  void flush_here() {
    Circuit pending = std::move(queue);
    queue = Circuit(static_cast<std::size_t>(n));
    try {
      advance(pending, {});
    } catch (const CircuitError& error) {
      name_gate(pending, error);
    } catch (const OptionError& error) {
      name_gate(pending, error);
    }
    flushed_gates += pending.size();
  }

  /// Finds the first of the queued gates that fails alone and says which one it was.
  template <typename E>
  [[noreturn]] void name_gate(const Circuit& pending, const E& error) const {
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const Operation op = pending[i];
      Circuit one(static_cast<std::size_t>(n));
      one.append(op);
      std::string cause;
      try {
        runner.try_plan(one, *state);
      } catch (const Error& e) {
        cause = e.what();
      }
      if (cause.empty()) continue;
      const std::string place = op.line > 0 ? " (line " + std::to_string(op.line) + ")" : "";
      std::string what = "gate number " + std::to_string(flushed_gates + i);
      what += place;
      what += ", ";
      what += to_string(op.gate);
      what += ": ";
      what += cause;
      throw E(what, error.hint());
    }
    throw E(error);
  }

  void advance(const Circuit& circuit, const ParameterValues& values) {
    const Job job{&circuit, &values, seed, progress};
    runner.advance(state, untouched, job, bits, ordinal, record);
    untouched = false;
  }

  void fill_from(const std::filesystem::path& folder, const CheckpointInfo& info) {
    RunNotes notes = notes_from_text(info.notes, folder);
    runner.together(
        "load", [&] { return arguments(n); }, [&] { load_checkpoint(*state, folder); });
    untouched = false;
    bits = notes.bits;
    seed = notes.seed;
    ordinal = notes.ordinal;
    for (const Operation op : notes.remaining) queue.append(op);
  }

  Runner runner;
  int n;
  Circuit queue;
  std::size_t flushed_gates = 0;
  RunRecord record;
  std::function<void(std::uint64_t, std::uint64_t, const char*)> progress;
  std::optional<ShardedState> state;
  bool untouched = true;  ///< |0..0> in any layout still
  ClassicalBits bits;
  std::uint64_t seed = 0, ordinal = 0;
  std::map<std::size_t, Saved> snapshots;
  std::size_t next_snapshot = 1;
};

namespace {

void check_length(const DistributedState& state, std::size_t length) {
  const Index most = vector_len(state.num_qubits(), Encoding::amplitude);
  if (length == 0) throw OptionError("sample 0: data cannot be empty");
  if (length > most)
    throw OptionError("sample 0: length " + std::to_string(length) + " exceeds state vector size " + std::to_string(most) + " of " +
                      std::to_string(state.num_qubits()) + " qubits");
}

}  // namespace

DistributedState::DistributedState(const DistributedExecutionContext& context, int num_qubits, Precision precision,
                                   SimulatorConfig config) {
  config.precision = precision;
  impl_ = std::make_unique<Impl>(std::move(config), std::make_shared<const DistributedExecutionContext>(context), num_qubits);
}

DistributedState::DistributedState(int num_qubits, SimulatorConfig config)
    : impl_(std::make_unique<Impl>(std::move(config), nullptr, num_qubits)) {}

DistributedState::DistributedState(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DistributedState::~DistributedState() = default;
DistributedState::DistributedState(DistributedState&&) noexcept = default;
DistributedState& DistributedState::operator=(DistributedState&&) noexcept = default;

int DistributedState::num_qubits() const { return impl_->n; }
Precision DistributedState::precision() const { return impl_->state->precision(); }
Layout DistributedState::layout() {
  return impl_->reading("layout", [](ShardedState& state) { return state.layout(); });
}

DistributedState& DistributedState::apply(const Circuit& circuit, const ParameterValues& values) {
  if (circuit.num_qubits() > static_cast<std::size_t>(impl_->n))
    throw CircuitError("a circuit of " + std::to_string(circuit.num_qubits()) + " qubits on a state of " + std::to_string(impl_->n));
  if (circuit.empty()) return *this;
  impl_->runner.together(
      "apply", [&] { return arguments(impl_->queue, circuit, values); },
      [&] {
        impl_->flush();
        if (circuit.num_qubits() == static_cast<std::size_t>(impl_->n)) return impl_->advance(circuit, values);
        std::vector<Qubit> same(circuit.num_qubits());
        for (std::size_t q = 0; q < same.size(); ++q) same[q] = static_cast<Qubit>(q);
        impl_->advance(circuit.remapped(same, static_cast<std::size_t>(impl_->n)), values);
      });
  return *this;
}

DistributedState& DistributedState::apply(const Operation& operation) {
  impl_->queue.append(operation);
  if (!impl_->queues() || impl_->queue.size() >= impl_->runner.config().distributed.max_queued_gates) impl_->flush();
  return *this;
}

DistributedState& DistributedState::encode(Encoding encoding, std::span<const double> sample, const EncodeOptions& options) {
  if (encoding == Encoding::amplitude) {
    check_length(*this, sample.size());
    return encode(encoding, [sample](Index begin, std::span<cdouble> values) {
      for (std::size_t i = 0; i < values.size() && begin + i < sample.size(); ++i) values[i] = sample[begin + i];
    });
  }
  const std::vector<cdouble> values(sample.begin(), sample.end());
  return encode(encoding, std::span<const cdouble>(values), options);
}

DistributedState& DistributedState::encode(Encoding encoding, std::span<const cdouble> sample, const EncodeOptions& options) {
  Impl& impl = *impl_;
  if (encoding == Encoding::amplitude) {
    check_length(*this, sample.size());
    return encode(encoding, [sample](Index begin, std::span<cdouble> values) {
      for (std::size_t i = 0; i < values.size() && begin + i < sample.size(); ++i) values[i] = sample[begin + i];
    });
  }
  check_sample(encoding, impl.n, sample);
  const bool by_circuit = encoding == Encoding::iqp || encoding == Encoding::zz_feature_map;
  const Circuit circuit = by_circuit ? encoding_circuit(encoding, impl.n, sample, options) : Circuit(static_cast<std::size_t>(impl.n));
  impl.queue = Circuit(static_cast<std::size_t>(impl.n));
  impl.state->clear_global_phase();
  if (by_circuit) {
    impl.state->set_basis(0);
    impl.untouched = true;  // the plan may choose the layout
    impl.advance(circuit, {});
    return *this;
  }
  encode_product(*impl.state, encoding, sample);
  impl.untouched = false;
  return *this;
}

DistributedState& DistributedState::encode(Encoding encoding, const std::function<void(Index begin, std::span<cdouble> values)>& source) {
  if (encoding != Encoding::amplitude)
    throw OptionError(std::string(to_string(encoding)) + " encoding takes a sample, not a source of ranges; amplitude encoding takes both");
  impl_->untouched = false;
  encode_amplitudes(*impl_->state, source);
  impl_->queue = Circuit(static_cast<std::size_t>(impl_->n));
  return *this;
}

void DistributedState::flush() { impl_->flush(); }

void DistributedState::on_progress(std::function<void(std::uint64_t, std::uint64_t, const char*)> progress) {
  impl_->progress = std::move(progress);
}

double DistributedState::norm_squared() {
  return impl_->reading("norm_squared", [](ShardedState& state) { return measure::norm_squared(state); });
}

std::vector<double> DistributedState::probabilities(std::span<const Qubit> qubits) {
  const auto chosen = checked_qubits(qubits, impl_->n);
  return impl_->reading(
      "probabilities", [&](ShardedState& state) { return all_probabilities(state, chosen); }, chosen.size());
}

std::map<std::string, std::uint64_t> DistributedState::sample(std::uint64_t shots, std::uint64_t seed) {
  constexpr std::uint64_t kMaxShots = 0xffffffffu;
  if (shots > kMaxShots)
    throw OptionError("shots = " + std::to_string(shots) + ": must be an integer from 0 to " + std::to_string(kMaxShots));
  std::map<std::string, std::uint64_t> counts;
  if (shots == 0) return counts;
  const auto samples = impl_->reading(
      "sample", [&](ShardedState& state) { return measure::sample(state, shots, seed, 0, nullptr, impl_->progress); }, shots, seed);
  for (const measure::SampleCount& sample : samples) {
    std::string key(static_cast<std::size_t>(impl_->n), '0');
    for (std::size_t q = 0; q < key.size(); ++q)
      if (((sample.outcome >> q) & 1u) != 0) key[q] = '1';
    counts[key] += sample.count;
  }
  return counts;
}

std::vector<double> DistributedState::expectation(std::span<const PauliSum> observables) {
  return impl_->reading(
      "expectation", [&](ShardedState& state) { return measure::expectation(state, observables); }, observables);
}

std::vector<cdouble> DistributedState::amplitudes(std::span<const Index> indices) {
  check_indices(indices, impl_->n);
  return impl_->reading(
      "amplitudes", [&](ShardedState& state) { return state.amplitudes(indices); }, indices.size());
}

Index DistributedState::measure(std::span<const Qubit> qubits) {
  const auto chosen = checked_qubits(qubits, impl_->n);
  if (chosen.empty()) return 0;
  return impl_->reading(
      "measure",
      [&](ShardedState& state) {
        const auto p = all_probabilities(state, chosen);
        const auto outcome = measure::choose(p, draw_uniform(impl_->seed, DrawPurpose::branch, 0, impl_->ordinal++));
        measure::collapse(state, chosen, outcome.value, outcome.probability);
        impl_->untouched = false;
        return outcome.value;
      },
      chosen.size());
}

const ClassicalBits& DistributedState::classical_bits() const { return impl_->bits; }

std::vector<ShardView> DistributedState::local_shards() {
  ShardedState& state = impl_->flushed();
  impl_->runner.fold_global_phase(state);  // who reads the memory itself must find the phase in it
  impl_->untouched = false;                // and may write
  return state.local_shards();
}

ShardView DistributedState::gather(std::string_view device) {
  return impl_->reading("gather", [&](ShardedState& state) { return api::gather(state, device); });
}

void DistributedState::canonicalise() {
  impl_->reading("canonicalise", [](ShardedState& state) { state.canonicalise(); });
}

std::vector<cdouble> DistributedState::to_host(Index begin, Index end) {
  const Index size = Index{1} << impl_->n;
  if (begin > end || end > size)
    throw OptionError("amplitudes " + std::to_string(begin) + " to " + std::to_string(end) + " are out of range: the state has 0 to " +
                      std::to_string(size));
  const std::uint64_t available = impl_->runner.context()->mesh().devices.front().memory_bytes;
  if (end - begin > available / sizeof(cdouble))
    throw DoesNotFit("the export of " + std::to_string(end - begin) + " amplitudes needs " + std::to_string(end - begin) +
                         " x 16 bytes of host memory; " + std::to_string(available) + " bytes are there",
                     (end - begin) > (std::uint64_t{1} << 59) ? ~std::uint64_t{0} : (end - begin) * sizeof(cdouble), available,
                     "export ranges, or write a file");
  return impl_->reading(
      "to_host", [&](ShardedState& state) { return on_host(state, begin, end, impl_->progress); }, begin, end);
}

void DistributedState::from_host(Index begin, std::span<const cdouble> values) {
  const Index size = Index{1} << impl_->n;
  if (begin > size || values.size() > size - begin)
    throw OptionError("amplitudes " + std::to_string(begin) + " to " + std::to_string(begin + values.size()) +
                      " are out of range: the state has 0 to " + std::to_string(size));
  ShardedState& state = impl_->flushed();
  impl_->untouched = false;
  if (state.precision() == Precision::double_) {
    state.from_host<cdouble>(begin, values);
  } else {
    std::vector<cfloat> rounded(values.size());
    std::transform(values.begin(), values.end(), rounded.begin(),
                   [](cdouble v) { return cfloat(static_cast<float>(v.real()), static_cast<float>(v.imag())); });
    state.from_host<cfloat>(begin, rounded);
  }
}

void DistributedState::write_npy(const std::filesystem::path& path) {
  impl_->reading("write_npy", [&](ShardedState& state) { ketmesh::write_npy(state, path, impl_->progress); });
}

void DistributedState::save(const std::filesystem::path& folder) {
  impl_->reading("save", [&](ShardedState& state) {
    RunNotes notes;
    notes.bits = impl_->bits;
    notes.seed = impl_->seed;
    notes.ordinal = impl_->ordinal;
    save_checkpoint(state, folder, to_text(notes));
  });
}

namespace {

SimulatorConfig config_of(const CheckpointInfo& info, SimulatorConfig config) {
  if (!config.precision && !config.distributed.precision) config.precision = info.precision;
  return config;
}

}  // namespace

DistributedState DistributedState::load(const std::filesystem::path& folder, SimulatorConfig config) {
  const CheckpointInfo info = inspect_checkpoint(folder);
  auto impl = std::make_unique<Impl>(config_of(info, std::move(config)), nullptr, info.num_qubits);
  impl->fill_from(folder, info);
  return DistributedState(std::move(impl));
}

DistributedState DistributedState::load(const DistributedExecutionContext& context, const std::filesystem::path& folder,
                                        SimulatorConfig config) {
  const CheckpointInfo info = inspect_checkpoint(folder);
  auto impl = std::make_unique<Impl>(config_of(info, std::move(config)), std::make_shared<const DistributedExecutionContext>(context),
                                     info.num_qubits);
  impl->fill_from(folder, info);
  return DistributedState(std::move(impl));
}

std::size_t DistributedState::snapshot() {
  return impl_->reading("snapshot", [&](ShardedState& state) {
    impl_->runner.check_snapshot(state, impl_->snapshots.size());
    const std::size_t id = impl_->next_snapshot++;
    impl_->snapshots.emplace(id, Saved{state.snapshot(), impl_->bits, impl_->untouched});
    return id;
  });
}

void DistributedState::restore(std::size_t snapshot) {
  const auto found = impl_->snapshots.find(snapshot);
  if (found == impl_->snapshots.end()) throw OptionError("there is no snapshot " + std::to_string(snapshot));
  impl_->queue = Circuit(static_cast<std::size_t>(impl_->n));  // what was not applied yet is gone with the state that it was for
  impl_->state->restore(found->second.state);
  impl_->bits = found->second.bits;
  impl_->untouched = found->second.untouched;
}

void DistributedState::drop(std::size_t snapshot) {
  if (impl_->snapshots.erase(snapshot) == 0) throw OptionError("there is no snapshot " + std::to_string(snapshot));
}

Distribution DistributedState::distribution() const {
  Runner& runner = impl_->runner;
  return runner.together(
      "distribution", [] { return std::uint64_t{0}; },
      [&] {
        RunRecord record = impl_->record;
        runner.share(record);
        return runner.describe(record, &*impl_->state);
      });
}

}  // namespace ketmesh
