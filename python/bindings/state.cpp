// ketmesh.State and the views into its shards.
#include "ketmesh/api/state.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>

#include "bindings.hpp"
#include "config.hpp"
#include "convert.hpp"
#include "results.hpp"
#include "watch.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;

/// Whether the state that a view looks into is still open.
using Open = std::shared_ptr<std::atomic<bool>>;

/// One shard. Arrays made from it keep its memory alive; making one is refused once the state is closed.
struct View {
  ShardView shard;
  Open open;
  bool writable = false;
};

struct State {
  std::unique_ptr<DistributedState> state;
  Open open = std::make_shared<std::atomic<bool>>(true);
  std::atomic<bool> busy{false};

  /// make() gives the state, with the GIL released.
  template <typename F>
  State(Config& config, F&& make) {
    config.check();
    try {
      nb::gil_scoped_release release;
      state = std::make_unique<DistributedState>(make());
    } catch (const BackendUnavailable& error) {
      name_backend(error, config);
    }
  }
  ~State() { open->store(false); }
};

/// The state of a call: open, and of one thread at a time.
class Use {
 public:
  explicit Use(State& owner) : owner_(owner) {
    if (!owner.state) throw OptionError("the state is closed");
    if (owner.busy.exchange(true)) throw Internal("the state is in use by another thread");
  }
  ~Use() { owner_.busy.store(false); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  /// f(state) with the GIL released.
  template <typename F>
  auto run(F&& f) {
    owner_.state->on_progress(watch());
    nb::gil_scoped_release release;
    return f(*owner_.state);
  }

 private:
  State& owner_;
};

void close(State& self) {
  if (self.busy.load()) throw Internal("the state is in use by another thread");
  self.open->store(false);
  self.state.reset();
}

void apply(State& self, const Circuit& given, nb::handle parameters) {
  const ParameterValues values = to_values(parameters);
  const Circuit circuit = given;
  Use use(self);
  use.run([&](DistributedState& s) { s.apply(circuit, values); });
}

/// Queued, and planned together with what comes next.
void queue(State& self, const Circuit& given) {
  const Circuit circuit = given;
  Use use(self);
  use.run([&](DistributedState& s) {
    for (const Operation op : circuit) s.apply(op);
  });
}

std::map<std::string, std::uint64_t> sample(State& self, nb::handle shots, nb::handle seed) {
  const std::uint64_t n = to_unsigned(shots, "sample", "shots", 0, 0xffffffffu), key = to_unsigned(seed, "sample", "seed");
  Use use(self);
  return use.run([&](DistributedState& s) { return s.sample(n, key); });
}

std::vector<double> expectation(State& self, nb::handle observables) {
  const auto sums = to_observables(observables);
  Use use(self);
  return use.run([&](DistributedState& s) { return s.expectation(sums); });
}

nb::object probabilities(State& self, nb::handle qubits) {
  Use use(self);
  std::vector<Qubit> chosen;
  if (qubits.is_none()) {
    for (int q = 0; q < self.state->num_qubits(); ++q) chosen.push_back(static_cast<Qubit>(q));
  } else {
    chosen = to_qubits(qubits, "probabilities");
  }
  return to_numpy(use.run([&](DistributedState& s) { return s.probabilities(chosen); }));
}

nb::object amplitudes(State& self, nb::handle indices) {
  const std::vector<Index> wanted = to_indices(indices, "amplitudes");
  Use use(self);
  return to_numpy(use.run([&](DistributedState& s) { return s.amplitudes(wanted); }));
}

Index measure(State& self, nb::handle qubits) {
  const auto chosen = to_qubits(qubits, "measure");
  Use use(self);
  return use.run([&](DistributedState& s) { return s.measure(chosen); });
}

nb::object to_host(State& self, nb::handle begin, nb::handle end) {
  Use use(self);
  const Index size = Index{1} << self.state->num_qubits();
  const Index first = to_unsigned(begin, "to_host", "begin", 0, size);
  const Index last = end.is_none() ? size : to_unsigned(end, "to_host", "end", 0, size);
  return to_numpy(use.run([&](DistributedState& s) { return s.to_host(first, last); }));
}

void from_host(State& self, nb::handle begin, nb::handle values) {
  const Index first = to_unsigned(begin, "from_host", "begin");
  const auto numbers = to_complex(values, "from_host", "values", 1);
  Use use(self);
  use.run([&](DistributedState& s) { s.from_host(first, numbers); });
}

void encode_into(State& self, nb::handle data, nb::handle method, nb::handle layers, nb::handle entanglement) {
  const Encoding encoding = encoding_from_string(to_text(method, "encode", "method"));
  const EncodeOptions options{.layers = static_cast<int>(to_unsigned(layers, "encode", "layers", 1, 1000)),
                              .entanglement = entanglement_from_string(to_text(entanglement, "encode", "entanglement"))};
  const auto sample = to_complex(data, "encode", "data", 1);
  Use use(self);
  use.run([&](DistributedState& s) { s.encode(encoding, std::span<const cdouble>(sample), options); });
}

std::vector<int> layout(State& self) {
  Use use(self);
  const int n = self.state->num_qubits();
  const Layout l = use.run([](DistributedState& s) { return s.layout(); });
  std::vector<int> bits;
  for (int q = 0; q < n; ++q) bits.push_back(l.bit_of(q));
  return bits;
}

std::vector<View> local_shards(State& self, bool writable) {
  Use use(self);
  std::vector<View> out;
  for (ShardView& shard : use.run([](DistributedState& s) { return s.local_shards(); }))
    out.push_back({std::move(shard), self.open, writable});
  return out;
}

View gather(State& self, nb::handle device, bool writable) {
  const std::string name = to_text(device, "gather", "device");
  Use use(self);
  ShardView view = use.run([&](DistributedState& s) { return s.gather(name); });
  return {std::move(view), std::make_shared<std::atomic<bool>>(true), writable};
}

/// The memory as an array in the framework `F`; `T` is const for a read-only one.
template <typename F, typename T>
nb::object array_of(const View& view) {
  auto* kept = new std::shared_ptr<const void>(view.shard.keep_alive);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  const bool cuda = view.shard.device.starts_with("cuda");
  const int device = cuda ? nb::device::cuda::value : nb::device::cpu::value;
  const int ordinal = cuda ? std::stoi(view.shard.device.substr(view.shard.device.find(':') + 1)) : 0;
  return nb::cast(nb::ndarray<F, T, nb::ndim<1>>(static_cast<T*>(view.shard.pointer), {view.shard.range.size()}, owner, {}, nb::dtype<T>(),
                                                 device, ordinal));
}

void need_open(const View& view) {
  if (!view.open->load()) throw OptionError("the state of this shard is closed");
}

/// In the framework `F`, read-only unless the shards were asked for to be written.
template <typename F>
nb::object array(const View& view) {
  need_open(view);
  const bool single = view.shard.precision == Precision::single;
  if (view.writable) return single ? array_of<F, cfloat>(view) : array_of<F, cdouble>(view);
  return single ? array_of<F, const cfloat>(view) : array_of<F, const cdouble>(view);
}

nb::object numpy(const View& view) {
  if (view.shard.device.starts_with("cuda"))
    throw OptionError("shard " + std::to_string(view.shard.shard) + " lies on " + view.shard.device + ": NumPy reads host memory only",
                      "take it by DLPack (torch.from_dlpack, cupy.from_dlpack), or State.to_host for a copy");
  return array<nb::numpy>(view);
}

}  // namespace

void bind_state(nb::module_& m) {
  nb::class_<View>(m, "Shard", "A zero-copy view of one shard's amplitudes; physical order, read with the state's layout.")
      .def_prop_ro("shard", [](const View& v) { return v.shard.shard; })
      .def_prop_ro("rank", [](const View& v) { return v.shard.rank; })
      .def_prop_ro("device", [](const View& v) { return v.shard.device; })
      .def_prop_ro("range", [](const View& v) { return nb::make_tuple(v.shard.range.begin, v.shard.range.end); })
      .def_prop_ro("precision", [](const View& v) { return std::string(to_string(v.shard.precision)); })
      .def("__len__", [](const View& v) { return v.shard.range.size(); })
      .def("numpy", &numpy, nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
           "A NumPy array on the shard's memory, which it keeps alive.")
      .def_ro("writable", &View::writable)
      .def(
          "__array__",
          [](const View& v, nb::handle dtype, nb::handle copy) {
            const nb::object values = numpy(v);
            if (!dtype.is_none()) return nb::object(values.attr("astype")(dtype));
            return copy.is(nb::handle(Py_True)) ? nb::object(values.attr("copy")()) : values;
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def("__dlpack__",
           [](nb::handle_t<View> self, nb::kwargs arguments) {
             return array<nb::array_api>(*nb::inst_ptr<View>(self)).attr("__dlpack__")(**arguments);
           })
      .def("__dlpack_device__",
           [](const View& v) {
             const bool cuda = v.shard.device.starts_with("cuda");
             return nb::make_tuple(cuda ? nb::device::cuda::value : nb::device::cpu::value,
                                   cuda ? std::stoi(v.shard.device.substr(v.shard.device.find(':') + 1)) : 0);
           })
      .def("__repr__", [](const View& v) {
        return "Shard(" + std::to_string(v.shard.shard) + " on rank " + std::to_string(v.shard.rank) + " " + v.shard.device +
               ", amplitudes " + std::to_string(v.shard.range.begin) + " to " + std::to_string(v.shard.range.end) + ")";
      });

  nb::class_<State>(m, "State")
      .def(
          "__init__",
          [](State* self, nb::handle num_qubits, Config& config, const DeviceMesh* mesh) {
            const int n = static_cast<int>(to_unsigned(num_qubits, "State", "num_qubits", 1, kMaxQubits));
            new (self) State(config, [&] {
              const SimulatorConfig& c = config.config;
              if (mesh == nullptr) return DistributedState(n, c);
              return DistributedState(DistributedExecutionContext(*mesh, c.threads), n, c.effective_precision(), c);
            });
          },
          "num_qubits"_a, "config"_a, "mesh"_a.none())
      .def("close", &close)
      .def_prop_ro("closed", [](const State& s) { return s.state == nullptr; })
      .def_prop_ro("num_qubits",
                   [](State& s) {
                     Use use(s);
                     return s.state->num_qubits();
                   })
      .def_prop_ro("precision",
                   [](State& s) {
                     Use use(s);
                     return std::string(to_string(s.state->precision()));
                   })
      .def("layout", &layout)
      .def("apply", &apply, "circuit"_a, "parameters"_a.none())
      .def("queue", &queue, "circuit"_a)
      .def("flush",
           [](State& s) {
             Use use(s);
             use.run([](DistributedState& d) { d.flush(); });
           })
      .def("norm_squared",
           [](State& s) {
             Use use(s);
             return use.run([](DistributedState& d) { return d.norm_squared(); });
           })
      .def("probabilities", &probabilities, "qubits"_a.none())
      .def("sample", &sample, "shots"_a, "seed"_a)
      .def("expectation", &expectation, "observables"_a)
      .def("amplitudes", &amplitudes, "indices"_a)
      .def("measure", &measure, "qubits"_a.none())
      .def("classical_bits",
           [](State& s) {
             Use use(s);
             const ClassicalBits& b = s.state->classical_bits();
             return b.key(b.size());
           })
      .def("local_shards", &local_shards, "writable"_a)
      .def("gather", &gather, "device"_a, "writable"_a)
      .def("canonicalise",
           [](State& s) {
             Use use(s);
             use.run([](DistributedState& d) { d.canonicalise(); });
           })
      .def("to_host", &to_host, "begin"_a, "end"_a.none())
      .def("from_host", &from_host, "begin"_a, "values"_a.none())
      .def("encode", &encode_into, "data"_a.none(), "method"_a, "layers"_a = 2, "entanglement"_a = "full")
      .def(
          "write_npy",
          [](State& s, const std::string& path) {
            Use use(s);
            use.run([&](DistributedState& d) { d.write_npy(path); });
          },
          "path"_a)
      .def_static(
          "load",
          [](const std::string& folder, Config& config) {
            return new State(config, [&] { return DistributedState::load(folder, config.config); });
          },
          "folder"_a, "config"_a)
      .def(
          "save",
          [](State& s, const std::string& folder) {
            Use use(s);
            use.run([&](DistributedState& d) { d.save(folder); });
          },
          "folder"_a)
      .def("snapshot",
           [](State& s) {
             Use use(s);
             return use.run([](DistributedState& d) { return d.snapshot(); });
           })
      .def(
          "restore",
          [](State& s, nb::handle snapshot) {
            const std::size_t id = to_unsigned(snapshot, "restore", "snapshot");
            Use use(s);
            use.run([&](DistributedState& d) { d.restore(id); });
          },
          "snapshot"_a)
      .def(
          "drop",
          [](State& s, nb::handle snapshot) {
            const std::size_t id = to_unsigned(snapshot, "drop", "snapshot");
            Use use(s);
            use.run([&](DistributedState& d) { d.drop(id); });
          },
          "snapshot"_a)
      .def("distribution", [](State& s) {
        Use use(s);
        return to_dict(s.state->distribution(), 0);
      });
}

}  // namespace ketmesh::python
