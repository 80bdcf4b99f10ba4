#include "config.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "convert.hpp"

namespace ketmesh::python {

void Config::check() {
  if (is_checked) return;
  config.check();
  is_checked = true;
}

SimulatorConfig Config::without_seeds() const {
  SimulatorConfig out = config;
  out.seed.reset();
  out.distributed.seed.reset();
  return out;
}

SimulatorPool& SimulatorPool::instance() {
  static SimulatorPool* const pool = new SimulatorPool;  // never destroyed: threads may still run when the interpreter ends
  return *pool;
}

std::unique_ptr<Simulator> SimulatorPool::take(const SimulatorConfig& config) {
  const auto found = std::find_if(resting_.rbegin(), resting_.rend(), [&](const auto& entry) { return entry.first == config; });
  if (found == resting_.rend()) return std::make_unique<Simulator>(config);
  std::unique_ptr<Simulator> simulator = std::move(found->second);
  resting_.erase(std::next(found).base());
  return simulator;
}

void SimulatorPool::give_back(SimulatorConfig config, std::unique_ptr<Simulator> simulator) {
  if (resting_.size() >= kResting) resting_.erase(resting_.begin());
  resting_.emplace_back(std::move(config), std::move(simulator));
}

void SimulatorPool::clear() { resting_.clear(); }

Lease::Lease(Config& config) : key_(config.without_seeds()) {
  config.check();
  simulator_ = SimulatorPool::instance().take(key_);
}

Lease::~Lease() { SimulatorPool::instance().give_back(std::move(key_), std::move(simulator_)); }

void name_backend(const BackendUnavailable& error, const Config& config) {
  throw BackendUnavailable(config.type_name + ": " + error.what(), error.hint());
}

void bind_config(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Config>(m, "Config", "What a run reads of a SimulatorConfig.")
      .def(
          "__init__",
          [](Config* self, const std::string& type_name, const std::string& backend, nb::handle precision, nb::handle seed,
             nb::handle gpu_device, bool causal_cone, nb::dict options, nb::dict more) {
            Config made;
            made.type_name = type_name;
            SimulatorConfig& c = made.config;
            c.backend = backend_from_string(backend);
            if (!precision.is_none()) c.precision = precision_from_string(nb::cast<std::string>(precision));
            if (!seed.is_none()) c.seed = to_unsigned(seed, "SimulatorConfig", "seed");
            if (!gpu_device.is_none())
              c.gpu_device = static_cast<int>(to_unsigned(gpu_device, "SimulatorConfig", "gpu_device", 0, 0x7fffffff));
            c.causal_cone = causal_cone;
            for (auto [key, value] : options) c.distributed.set(nb::cast<std::string>(key), nb::cast<std::string>(value));
            for (auto [key, value] : more) {
              const std::string name = nb::cast<std::string>(key);
              if (name == "engine") c.engine = engine_from_string(nb::cast<std::string>(value));
              if (name == "tile_qubits") c.tile_qubits = nb::cast<int>(value);
              if (name == "threads") c.threads = nb::cast<int>(value);
              if (name == "simd") c.simd = nb::cast<std::string>(value);
              if (name == "machine") c.machine_json = nb::cast<std::string>(value);
            }
            new (self) Config(std::move(made));
          },
          "type_name"_a, "backend"_a, "precision"_a.none(), "seed"_a.none(), "gpu_device"_a.none(), "causal_cone"_a, "options"_a, "more"_a)
      .def_prop_ro("precision", [](const Config& c) { return std::string(to_string(c.config.effective_precision())); });
  m.def(
      "_check_option", [](const std::string& key, const std::string& value) { DistributedOptions().set(key, value); }, "key"_a, "value"_a,
      "Raises OptionError when the text of a distributed option cannot be.");
  m.def(
      "option_keys",
      [] {
        std::vector<std::string> out;
        for (const auto key : DistributedOptions::keys()) out.emplace_back(key);
        return out;
      },
      "Keys that distributed_options may have.");
  m.def(
      "_forget_simulators", [] { SimulatorPool::instance().clear(); }, "Ends the simulators that rest between calls, and their plans.");
}

}  // namespace ketmesh::python
