#include "ketmesh/api/runner.hpp"

#include <algorithm>
#include <array>

#include "ketmesh/api/checkpointing.hpp"
#include "ketmesh/api/options.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/base/random.hpp"
#include "ketmesh/base/settings.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/runtime/shots.hpp"

namespace ketmesh::api {
namespace {

/// From this size on the memory that is free now is looked at before each run.
constexpr std::uint64_t kLargeState = 64_MiB;

}  // namespace

void check_width(std::size_t num_qubits) {
  if (num_qubits < 1 || num_qubits > static_cast<std::size_t>(kMaxQubits))
    throw CircuitError("a state of " + std::to_string(num_qubits) + " qubits: it must have 1 to " + std::to_string(kMaxQubits),
                       num_qubits > 0 ? "only qubits that are acted upon count for shots, energies and chosen amplitudes" : "");
}

Runner::Runner(SimulatorConfig config, std::shared_ptr<CollectiveCommunicator> communicator)
    : config_(std::move(config)), communicator_(std::move(communicator)) {
  if (communicator_ && communicator_->world() > 1) communicator_->set_timeout(config_.distributed.timeout_seconds);
}

void Runner::meet() {
  if (communicator_ != nullptr || !is_mpi(config_.backend)) return;
  config_.check();
  communicator_ = communicator_for_run(config_, config_.backend);
}

Runner::~Runner() {
  if (spreads() && std::uncaught_exceptions() > 0 && !failed_together_)
    communicator_->post_error({.message = "an exception left the scope of its simulator or state"});
}

Runner::Runner(Runner&&) noexcept = default;
Runner& Runner::operator=(Runner&&) noexcept = default;

void Runner::share(RunRecord& record) const {
  if (!spreads()) return;
  std::array<double, 4> sums = {static_cast<double>(record.bytes_local), static_cast<double>(record.bytes_exchanged),
                                static_cast<double>(record.bytes_between_ranks), static_cast<double>(record.memory_bytes)};
  communicator_->sum(sums);
  record.bytes_local = static_cast<std::uint64_t>(sums[0]);
  record.bytes_exchanged = static_cast<std::uint64_t>(sums[1]);
  record.bytes_between_ranks = static_cast<std::uint64_t>(sums[2]);
  record.memory_bytes = static_cast<std::uint64_t>(sums[3]);
  double* const seconds[] = {&record.seconds_plan, &record.seconds_allocate, &record.seconds_evolve, &record.seconds_exchange,
                             &record.seconds_sample};
  constexpr double kTicks = 1e9;
  std::vector<std::int64_t> slowest;
  for (const double* s : seconds) slowest.push_back(static_cast<std::int64_t>(*s * kTicks));
  communicator_->max(slowest);
  for (std::size_t i = 0; i < slowest.size(); ++i) *seconds[i] = static_cast<double>(slowest[i]) / kTicks;
}

void Runner::read_environment() {
  const Settings settings = read_settings();
  threads_ = config_.threads > 0 ? config_.threads : settings.threads.value_or(0);
  SimulatorConfig used = config_;
  if (used.simd.empty()) used.simd = settings.simd;
  state_options_ = api::state_options(used);
}

void Runner::open(std::size_t num_qubits) {
  if (opened_ && (adopted_ || config_.backend != Backend::automatic)) return;
  meet();
  const Backend backend = choose_backend(config_, communicator_ != nullptr, num_qubits);
  if (opened_ && backend == backend_) return;
  read_environment();
  backend_ = backend;
  const auto ranks = is_mpi(backend_) && communicator_ ? communicator_ : self_communicator();
  const bool shares_device = (config_.distributed.flags & kFlagSharedDevice) != 0;
  context_ = std::make_shared<const DistributedExecutionContext>(ranks, mesh_for_run(config_, backend_, *ranks), threads_, shares_device);
  opened_ = true;
}

void Runner::adopt(std::shared_ptr<const DistributedExecutionContext> context) {
  read_environment();
  context_ = std::move(context);
  communicator_ = context_->shared_collective();
  backend_ = config_.backend;
  if (backend_ == Backend::automatic) {
    const bool several = context_->machine().num_devices() > 1;
    backend_ = context_->world() > 1 ? Backend::distributed_mpi_cpu : several ? Backend::distributed_cpu : Backend::cpu;
  }
  opened_ = adopted_ = true;
}

std::uint64_t Runner::seed(const std::optional<std::uint64_t>& given) const {
  if (given) return *given;
  if (config_.seed) return *config_.seed;
  if (config_.distributed.seed) return *config_.distributed.seed;
  std::uint64_t drawn = fresh_seed();
  if (spreads()) communicator_->broadcast(std::as_writable_bytes(std::span(&drawn, 1)), 0);
  return drawn;
}

std::span<const int> Runner::kept_qubits() const {
  if (!is_distributed(config_.backend)) return {};
  return config_.distributed.global_qubits;
}

runtime::RunSetup Runner::setup(const Job& job, std::uint64_t extra_bytes) {
  runtime::RunSetup setup;
  setup.context = context_;
  setup.plan = plan_options();
  setup.plan.extra_bytes = extra_bytes;
  setup.state = state_options();
  // The conventional engine leaves the layout alone after every gate: what flags 2 and 8 ask for.
  const bool keeps_layout = is_distributed(backend_) && (config_.distributed.flags & (kFlagRestoreLayout | kFlagPinLayout)) != 0;
  setup.engine = config_.engine == Engine::conventional || keeps_layout ? runtime::EngineKind::conventional : runtime::EngineKind::ex;
  setup.cache = &cache_;
  setup.progress = job.progress;
  setup.timeline = job.timeline;
  return setup;
}

ShardedState Runner::zero_state(int num_qubits, RunRecord& record) { return runtime::make_state(setup({}), num_qubits, 1, record); }

Evolved Runner::evolve(const Job& job, bool want_sums, RunRecord& record, std::uint64_t extra_bytes) {
  const Circuit& circuit = *job.circuit;
  const runtime::RunSetup how = setup(job, extra_bytes);
  const int n = static_cast<int>(circuit.num_qubits());
  // Memory is judged before a long circuit is planned.
  if (n > 40 || (bytes_per_amplitude(how.plan.precision) << n) >= kLargeState) plan_state(n, context_->machine(), how.plan);
  if (!job.only_gates && !circuit.only_gates()) {
    runtime::Branch branch;
    runtime::follow_one_branch(how, circuit, *job.values, {.seed = job.seed, .want_block_sums = want_sums}, branch, record);
    return {std::move(*branch.state), std::move(branch.sums)};
  }
  std::optional<ShardedState> state;
  if (job.checkpoint != nullptr && job.checkpoint->any()) {
    const Circuit bound = circuit.bound(*job.values);
    auto left = evolve_saving(how, bound, *job.checkpoint, job.seed, state, record, want_sums);
    return {std::move(*state), std::move(left)};
  }
  auto sums = runtime::evolve(how, circuit, 0, circuit.size(), *job.values, state, record, want_sums);
  return {std::move(*state), std::move(sums)};
}

std::map<ClassicalBits, std::uint64_t> Runner::shots(const Job& job, std::uint64_t shots, RunRecord& record) {
  return runtime::run_shots(setup(job), *job.circuit, *job.values, {.shots = shots, .seed = job.seed}, record).counts;
}

void Runner::advance(std::optional<ShardedState>& state, bool untouched, const Job& job, ClassicalBits& bits, std::uint64_t& ordinal,
                     RunRecord& record) {
  runtime::RunSetup how = setup(job);
  how.plan.shards = state->placement().num_shards();
  runtime::Branch branch;
  branch.bits = bits;
  branch.ordinal = ordinal;
  const int n = state->num_qubits();
  if (!untouched) branch.state.swap(state);
  state.reset();  // an untouched one is made again in the layout that suits the circuit
  const auto take_back = [&] {
    state = std::move(branch.state);
    bits = branch.bits;
    ordinal = branch.ordinal;
  };
  try {
    runtime::follow_one_branch(how, *job.circuit, *job.values, {.seed = job.seed, .final_measurements = true}, branch, record);
  } catch (...) {
    take_back();
    if (untouched) state.reset();  // it was |0..0>, and is so again
    if (!state) state.emplace(zero_state(n, record));
    throw;
  }
  take_back();
}

void Runner::try_plan(const Circuit& circuit, const ShardedState& state) const {
  if (!circuit.only_gates()) return;
  PlanOptions options = plan_options();
  options.shards = state.placement().num_shards();
  options.start_given = true;
  options.start_layout = state.layout();
  const Plan plan = make_plan(circuit, context_->machine(), options);
  static_cast<void>(bind(plan, circuit, {}));
}

void Runner::check_snapshot(const ShardedState& state, std::size_t held) const {
  PlanOptions options = plan_options();
  options.shards = state.placement().num_shards();
  options.check_memory = false;
  const Plan alone = plan_state(state.num_qubits(), context_->machine(), options);
  std::uint64_t largest = 0;
  for (const DeviceMemory& device : alone.memory.per_device) largest = std::max(largest, device.bytes);
  options.extra_bytes = largest * (held + 1);
  options.check_memory = true;
  plan_state(state.num_qubits(), context_->machine(), options);
}

void Runner::fold_global_phase(ShardedState& state) const {
  if (state.global_phase() == 0) return;
  const cdouble factor = std::polar(1.0, state.global_phase());
  for (const transport::OwnedShard& own : state.own_shards()) own.kernels->scale(own.context, own.shard, factor);
  state.clear_global_phase();
}

Distribution Runner::describe(const RunRecord& record, const ShardedState* state) const {
  Distribution d;
  d.engine = to_string(config_.engine);
  d.backend = to_string(backend_);
  d.precision = to_string(config_.effective_precision());
  d.threads = context_->threads();
  d.ranks = context_->world();
  d.placement = is_distributed(backend_) ? config_.distributed.placement : "auto";
  d.transport = record.transport;
  for (const DeviceMesh& mesh : context_->machine().ranks)
    for (const Device& device : mesh.devices) d.devices.push_back(device.id());
  d.stages = record.exchanges + (record.passes > 0 || record.exchanges > 0 ? 1 : 0);
  d.passes = record.passes;
  d.exchanges = record.exchanges;
  d.bytes_local = record.bytes_local;
  d.bytes_exchanged = record.bytes_exchanged;
  d.bytes_between_ranks = record.bytes_between_ranks;
  d.memory_bytes = record.memory_bytes;
  d.plan_cached = record.plan_cached;
  d.simd = kernel_level();
  if (state != nullptr) {
    d.shards = state->placement().num_shards();
    for (const Placement::Owner& owner : state->placement().owners) d.shard_owners.push_back(owner.rank);
  } else {
    d.shard_owners = {0};
  }
  d.notes = record.notes;
  const kernels::CudaStatus& cuda = kernels::cuda_status();
  if (config_.backend == Backend::automatic && backend_ == Backend::cpu)
    d.notes.emplace_back("auto: the processor; " +
                         (cuda.available ? "a GPU is taken from " + std::to_string(kAutomaticGpuQubits) + " qubits on" : cuda.reason));
  return d;
}

std::string Runner::kernel_level() const {
  if (context_->mesh().devices.front().kind == DeviceKind::cuda)
    return std::string(kernels::cuda_kernels(config_.effective_precision()).level);
  const StateOptions& options = state_options();
  if (options.kernels == KernelChoice::reference) return "reference";
  return std::string(kernels::cpu_kernels(config_.effective_precision(), options.level).level);
}

}  // namespace ketmesh::api
