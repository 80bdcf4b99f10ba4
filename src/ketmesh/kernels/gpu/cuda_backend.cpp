#include "ketmesh/kernels/gpu/cuda_backend.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/base/random.hpp"
#include "ketmesh/kernels/gpu/abi.h"
#include "ketmesh/kernels/gpu/device_link.hpp"
#include "ketmesh/kernels/gpu/pauli_tiles.hpp"
#include "ketmesh/kernels/gpu/specialise.hpp"
#include "ketmesh/kernels/gpu/translate.hpp"

namespace ketmesh::kernels {
namespace {

constexpr const char* kLibrary = "libketmesh_cuda.so";

std::string_view compile_mode() {
  const char* mode = std::getenv("KETMESH_CUDA_COMPILE");
  return mode != nullptr ? mode : "";
}
bool always_compiles() { return compile_mode() == "always"; }

/// The source of a kernel takes about a millisecond to write: as long as a pass on 2^27 amplitudes.
bool wants_own_kernel(int local_bits) {
  constexpr int kLeastBits = 26;
  return always_compiles() || (local_bits >= kLeastBits && compile_mode() != "never");
}

/// Whether a plan is met for the first time.
bool is_new(std::uint64_t plan_hash, int bytes_of_real) {
  static std::mutex mutex;
  static std::set<std::pair<std::uint64_t, int>> known;
  const std::lock_guard lock(mutex);
  return known.emplace(plan_hash, bytes_of_real).second;
}

struct Plugin {
  const KetmeshCudaTable* table = nullptr;
  CudaStatus status;
};

std::string beside(std::string_view path, std::string_view name) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string(name) : std::string(path.substr(0, slash + 1)) + std::string(name);
}

/// Where the plugin may be: what the user says (nothing else then), beside this library, the library path.
std::vector<std::string> candidates() {
  const char* chosen = std::getenv("KETMESH_CUDA_LIBRARY");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> out;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&candidates), &self) != 0 && self.dli_fname != nullptr)
    out.push_back(beside(self.dli_fname, kLibrary));
  out.emplace_back(kLibrary);
  return out;
}

Plugin open_plugin() {
  Plugin plugin;
  void* library = nullptr;
  for (const std::string& path : candidates()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      plugin.status.library = path;
      break;
    }
    const char* why = dlerror();
    plugin.status.reason = std::string("the CUDA plugin cannot be opened: ") + (why != nullptr ? why : path);
  }
  if (library == nullptr) return plugin;
  const auto entry = reinterpret_cast<KetmeshCudaEntry>(dlsym(library, "ketmesh_cuda_table"));
  if (entry == nullptr) {
    plugin.status.reason = plugin.status.library + " is not a CUDA plugin of Ketmesh";
    return plugin;
  }
  const KetmeshCudaTable* table = entry(KETMESH_CUDA_ABI_VERSION);
  if (table == nullptr) {
    plugin.status.reason = plugin.status.library + " is of another version";
    return plugin;
  }
  std::int32_t count = 0;
  if (table->device_count(&count) != 0) {
    plugin.status.reason = std::string("no GPU can be used: ") + table->last_error();
    return plugin;
  }
  if (count == 0) {
    plugin.status.reason = "the driver shows no GPU";
    return plugin;
  }
  plugin.table = table;
  plugin.status.available = true;
  plugin.status.reason.clear();
  return plugin;
}

const Plugin& plugin() {
  static const Plugin loaded = open_plugin();
  return loaded;
}

void check(int code, const char* what, std::uint64_t bytes = 0) {
  if (code == 0) return;
  const std::string text = std::string(what) + ": " + plugin().table->last_error();
  if (code == KETMESH_CUDA_OUT_OF_MEMORY) throw DoesNotFit(text + " (" + std::to_string(bytes) + " bytes)", bytes, 0);
  throw Internal(text);
}

KetmeshCudaShard c_shard(const Shard& s) { return {s.data, s.local_bits, s.base}; }

/// The functions of the table for one precision.
template <int kRealBytes>
struct Functions {
  using Real = std::conditional_t<kRealBytes == 4, float, double>;

  static constexpr int kPauliTile = kRealBytes == 4 ? 13 : 12, kPauliRows = kRealBytes == 4 ? 5 : 4;  // 64 KiB, rows of 256 bytes

  static const KetmeshCudaTable& table() { return *plugin().table; }
  static KetmeshCudaContext c_context(const DeviceContext& c) { return {c.ordinal, kRealBytes, c.stream}; }

  static void* allocate(const DeviceContext& context, std::size_t bytes) {
    const auto c = c_context(context);
    void* out = nullptr;
    check(table().allocate(&c, bytes, &out), "memory of a GPU", bytes);
    return out;
  }
  static void release(const DeviceContext& context, void* data, std::size_t bytes) noexcept {
    const auto c = c_context(context);
    table().release(&c, data, bytes);  // a failure has no one to tell; the next call on the device reports it
  }
  static void copy(const DeviceContext& context, void* to, const void* from, std::size_t bytes) {
    const auto c = c_context(context);
    check(table().copy(&c, to, from, bytes), "copy");
  }
  static void copy_host(const DeviceContext& context, void* to, const void* from, std::size_t bytes) {
    copy(context, to, from, bytes);
    synchronize(context);
  }
  static void synchronize(const DeviceContext& context) {
    const auto c = c_context(context);
    check(table().synchronize(&c), "synchronize");
  }

  static void fill_zero(const DeviceContext& context, const Shard& shard) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().fill_zero(&c, &s), "fill_zero");
  }
  static void fill_basis(const DeviceContext& context, const Shard& shard, Index physical, cdouble amplitude) {
    fill_zero(context, shard);
    if (physical < shard.base || physical - shard.base >= shard.size()) return;
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().set_amplitude(&c, &s, physical - shard.base, amplitude.real(), amplitude.imag()), "fill_basis");
  }
  static void fill_product(const DeviceContext& context, const Shard& shard, std::span<const std::array<cdouble, 2>> factors,
                           cdouble scale) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().fill_product(&c, &s, reinterpret_cast<const double*>(factors.data()), static_cast<std::int32_t>(factors.size()),
                               scale.real(), scale.imag()),
          "fill_product");
  }

  /// The programs of one pass on a device; usually one.
  struct Prepared {
    std::vector<std::int64_t> handles;
    ~Prepared() {
      for (const std::int64_t h : handles) table().unprepare(h);
    }
  };

  struct OwnKernel {
    cuda::Sweep sweep;
    cuda::Specialised kernel;
    bool sums_norm = false;
  };
  /// One for each sweep of the interpreter; of one whose source is empty there is none.
  static std::vector<OwnKernel> own_kernels(const Pass& pass, const Binding& binding, int local_bits,
                                            const cuda::Translation& interpreted) {
    std::vector<OwnKernel> out(interpreted.size());
    if (!wants_own_kernel(local_bits)) return out;
    // Where the plan asks for it a thread holds 32 amplitudes; in double precision its registers do not suffice.
    const bool wide = kRealBytes == 4 && pass.tile_bits.size() > cuda::kMinTileBits && interpreted.size() == 1 &&
                      std::any_of(pass.residencies.begin(), pass.residencies.end(),
                                  [](const Residency& r) { return r.register_bits.size() > cuda::kRegisterBits; });
    cuda::Translation sweeps = wide ? cuda::translate<Real>(pass, binding, local_bits, cuda::kMostRegisterBits) : interpreted;
    if (sweeps.size() != interpreted.size()) sweeps = interpreted;
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k].sums_norm = pass.sums_norm && k + 1 == out.size();
      out[k].kernel = cuda::specialise<Real>(sweeps[k], out[k].sums_norm);
      out[k].sweep = std::move(sweeps[k]);
    }
    return out;
  }

  /// All kernels of a plan compile side by side where each run would wait for them one by one.
  static void announce(const DeviceContext& context, const Plan& plan, const Binding& binding) {
    if (!always_compiles() || !is_new(plan.hash, kRealBytes)) return;
    const auto c = c_context(context);
    const int local_bits = plan.placement.local_bits();
    for (const Stage& stage : plan.stages)
      for (const Pass& pass : stage.passes)
        for (const OwnKernel& own : own_kernels(pass, binding, local_bits, cuda::translate<Real>(pass, binding, local_bits)))
          if (!own.kernel.source.empty()) check(table().compile(&c, own.kernel.source.c_str()), "compile");
  }

  static PreparedPass prepare_pass(const DeviceContext& context, const Pass& pass, const Binding& binding, int local_bits) {
    const auto c = c_context(context);
    const cuda::Translation translation = cuda::translate<Real>(pass, binding, local_bits);
    auto prepared = std::make_shared<Prepared>();
    const auto join = [](const cuda::Sweep& sweep, cuda::Program& program) {
      program = sweep.program;
      std::vector<std::byte> data = sweep.image;
      const auto add = [&](const void* from, std::size_t bytes) {
        const std::size_t at = (data.size() + 15) / 16 * 16;
        data.resize(at + bytes);
        if (bytes > 0) std::memcpy(data.data() + at, from, bytes);
        return at;
      };
      program.entries_at = add(sweep.entries.data(), sweep.entries.size() * sizeof(cuda::PhaseEntry));
      program.tables_at = add(sweep.tables.data(), sweep.tables.size());
      return data;
    };
    for (const OwnKernel& own : own_kernels(pass, binding, local_bits, translation)) {
      const cuda::Sweep& sweep = translation[prepared->handles.size()];
      cuda::Program program, own_program;
      const std::vector<std::byte> data = join(sweep, program);
      std::vector<std::byte> own_data;
      if (!own.kernel.source.empty()) own_data = join(own.sweep, own_program);
      const KetmeshCudaKernel kernel{own.kernel.source.c_str(),
                                     own.kernel.constants.data(),
                                     own.kernel.constants.size(),
                                     own.kernel.shared_bytes,
                                     own.sums_norm ? 1 : 0,
                                     &own_program,
                                     own_data.data(),
                                     own_data.size()};
      std::int64_t handle = 0;
      check(table().prepare(&c, &program, data.data(), data.size(), own.kernel.source.empty() ? nullptr : &kernel, &handle),
            "prepare_pass");
      prepared->handles.push_back(handle);
    }
    return prepared;
  }

  static void run_pass(const DeviceContext& context, const PreparedPass& pass, const Shard& shard, const NormBins* bins) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    const auto& handles = static_cast<const Prepared*>(pass.get())->handles;
    for (std::size_t k = 0; k < handles.size(); ++k) {
      const bool sum = bins != nullptr && k + 1 == handles.size();
      check(table().run_pass(&c, handles[k], &s, sum ? bins->bits.data() : nullptr, sum ? static_cast<std::int32_t>(bins->bits.size()) : 0,
                             sum ? bins->sums : nullptr),
            "run_pass");
    }
  }

  static void marginals(const DeviceContext& context, const Shard& shard, std::span<const std::uint8_t> bits, double* out) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().marginals(&c, &s, bits.data(), static_cast<std::int32_t>(bits.size()), out), "marginals");
  }
  static void collapse(const DeviceContext& context, const Shard& shard, Index mask, Index value, cdouble scale) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().collapse(&c, &s, mask, value, scale.real(), scale.imag()), "collapse");
  }
  static void scale(const DeviceContext& context, const Shard& shard, cdouble factor) { collapse(context, shard, 0, 0, factor); }
  static void probabilities(const DeviceContext& context, const Shard& shard, std::span<const std::uint8_t> free,
                            std::span<const Index> fixed, double* out) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().probabilities(&c, &s, free.data(), static_cast<std::int32_t>(free.size()), fixed.data(), fixed.size(), out),
          "probabilities");
  }
  static void read(const DeviceContext& context, const Shard& shard, std::span<const Index> physical, cdouble* out) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().read(&c, &s, physical.data(), physical.size(), reinterpret_cast<double*>(out)), "read");
  }
  static void pauli_sums(const DeviceContext& context, const Shard& shard, const Shard& partner, std::span<const PauliMasks> terms,
                         cdouble* sums) {
    const auto c = c_context(context);
    const auto s = c_shard(shard), p = c_shard(partner);
    /// Some of the strings, by number.
    const auto sum = [&](std::span<const std::size_t> which, const PauliRead* read) {
      std::vector<std::uint64_t> x, z;
      for (const std::size_t t : which) {
        x.push_back(terms[t].x);
        z.push_back(terms[t].z);
      }
      std::vector<cdouble> part(which.size());
      auto* const out = reinterpret_cast<double*>(part.data());
      if (read == nullptr)
        check(table().pauli_sums(&c, &s, &p, x.data(), z.data(), x.size(), out), "pauli_sums");
      else
        check(table().pauli_read(&c, &s, read->tile.data(), static_cast<std::int32_t>(read->tile.size()), read->rows, x.data(), z.data(),
                                 x.size(), out),
              "pauli_sums");
      for (std::size_t k = 0; k < which.size(); ++k) sums[which[k]] += part[k];
    };
    std::vector<std::size_t> all(terms.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    constexpr std::size_t kFew = 8;  // strings that flip the same bits: one read without tiles
    const bool alike = std::all_of(terms.begin(), terms.end(), [&](const PauliMasks& m) { return m.x == terms.front().x; });
    if (terms.empty() || shard.data != partner.data || (alike && terms.size() <= kFew)) return sum(all, nullptr);
    const PauliReads plan = plan_pauli_reads(terms, shard.local_bits, kPauliTile, kPauliRows);
    for (const PauliRead& read : plan.reads) sum(read.terms, &read);
    if (!plan.alone.empty()) sum(plan.alone, nullptr);
  }
  static cdouble inner_product(const DeviceContext& context, const Shard& a, const Shard& b) {
    const auto c = c_context(context);
    const auto left = c_shard(a), right = c_shard(b);
    double out[2] = {};
    check(table().inner_product(&c, &left, &right, out), "inner_product");
    return {out[0], out[1]};
  }
  static void apply_pauli(const DeviceContext& context, const Shard& shard, PauliMasks masks, cdouble factor) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().apply_pauli(&c, &s, masks.x, masks.z, factor.real(), factor.imag()), "apply_pauli");
  }
  static void add(const DeviceContext& context, const Shard& a, const Shard& b, cdouble factor) {
    const auto c = c_context(context);
    const auto left = c_shard(a), right = c_shard(b);
    check(table().add(&c, &left, &right, factor.real(), factor.imag()), "add");
  }
  static void pack(const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count, void* out) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().pack(&c, &s, mask, value, first, count, out), "pack");
  }
  static void unpack(const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count, const void* in) {
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    check(table().unpack(&c, &s, mask, value, first, count, in), "unpack");
  }

  static void swap_blocks(const DeviceContext& context, const Shard& a, const Shard& b, Index mask, Index value_a, Index value_b) {
    const auto c = c_context(context);
    const auto first = c_shard(a), second = c_shard(b);
    check(table().swap_blocks(&c, &first, &second, mask, value_a, value_b), "swap_blocks");
  }
  static std::vector<OutcomeCount> sample(const DeviceContext& context, const Shard& shard, const ShotDraws& draws) {
    static_assert(sizeof(OutcomeCount) == 2 * sizeof(std::uint64_t));
    const auto c = c_context(context);
    const auto s = c_shard(shard);
    const KetmeshCudaSample of{draws.bits.data(),    draws.block_bits,    static_cast<std::uint32_t>(DrawPurpose::terminal_sampling),
                               draws.running.data(), draws.last_possible, draws.unit,
                               draws.seed,           draws.first_shot,    draws.count};
    std::vector<OutcomeCount> out;
    const KetmeshCudaRoom room = [](void* user, std::uint64_t pairs) -> void* {
      try {
        auto& all = *static_cast<std::vector<OutcomeCount>*>(user);
        all.resize(static_cast<std::size_t>(pairs));
        return all.data();
      } catch (...) {
        return nullptr;  // said by the plugin; no exception crosses it
      }
    };
    check(table().sample(&c, &s, &of, room, &out), "sample", draws.count * sizeof(OutcomeCount));
    return out;
  }

  static Kernels kernels(std::string_view level) {
    return {.backend = "cuda",
            .level = level,
            .precision = kRealBytes == 4 ? Precision::single : Precision::double_,
            .allocate = allocate,
            .release = release,
            .copy = copy,
            .copy_to_host = copy_host,
            .copy_from_host = copy_host,
            .synchronize = synchronize,
            .fill_zero = fill_zero,
            .fill_basis = fill_basis,
            .fill_product = fill_product,
            .announce = announce,
            .prepare_pass = prepare_pass,
            .run_pass = run_pass,
            .marginals = marginals,
            .collapse = collapse,
            .scale = scale,
            .probabilities = probabilities,
            .read = read,
            .pauli_sums = pauli_sums,
            .inner_product = inner_product,
            .apply_pauli = apply_pauli,
            .add = add,
            .pack = pack,
            .unpack = unpack,
            .swap_blocks = swap_blocks,
            .sample = sample};
  }
};

}  // namespace

const CudaStatus& cuda_status() { return plugin().status; }

namespace {

std::int32_t device_count() {
  std::int32_t count = 0;
  if (cuda_status().available) check(plugin().table->device_count(&count), "device_count");
  return count;
}

}  // namespace

std::vector<Device> cuda_devices() {
  std::vector<int> all(static_cast<std::size_t>(device_count()));
  std::iota(all.begin(), all.end(), 0);
  return cuda_devices(all);
}

std::vector<Device> cuda_devices(std::span<const int> ordinals) {
  std::vector<Device> out;
  for (const int k : ordinals) {
    KetmeshCudaDevice d{};
    check(plugin().table->device(k, &d), "device");
    Device device;
    device.kind = DeviceKind::cuda;
    device.ordinal = k;
    device.name = d.name;
    device.uuid = d.uuid;
    device.memory_bytes = d.free_bytes;
    device.fast_memory_bytes = static_cast<std::uint64_t>(d.shared_bytes);
    device.memory_bandwidth = 4.2e12;  // H200 by measurement; a machine file says otherwise
    device.flops_single = 60e12;
    device.flops_double = 30e12;
    out.push_back(std::move(device));
  }
  return out;
}

std::vector<std::string> cuda_uuids() {
  std::vector<std::string> out;
  for (std::int32_t k = 0; k < device_count(); ++k) out.push_back(cuda_link().uuid(k));
  return out;
}

const Kernels& cuda_kernels(Precision precision) {
  const CudaStatus& status = cuda_status();
  if (!status.available) throw BackendUnavailable(status.reason, "`ketmesh doctor` tells what is missing");
  static const std::string level = [] {
    KetmeshCudaDevice d{};
    return plugin().table->device(0, &d) == 0 ? "sm_" + std::to_string(d.major) + std::to_string(d.minor) : std::string("unknown");
  }();
  static const Kernels single = Functions<4>::kernels(level), double_ = Functions<8>::kernels(level);
  return precision == Precision::single ? single : double_;
}

}  // namespace ketmesh::kernels
