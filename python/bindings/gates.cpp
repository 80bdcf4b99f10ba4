// Methods of QuantumCircuit that come from the gate table: nothing here names a gate.
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "convert.hpp"

namespace ketmesh::python {
namespace {

using Self = nb::handle_t<Circuit>;

Circuit& circuit_of(nb::handle self) { return *nb::inst_ptr<Circuit>(self); }

/// Names of a row's operands, as Python spells them.
struct Names {
  std::string method;
  std::vector<std::string> qubits, parameters;
};

/// The names live as long as the methods that print them in their messages: as long as the process.
const Names& names_of(const GateRow& row, std::string_view method) {
  static std::deque<Names> kept;  // NOLINT: written only while the module is made
  Names names;
  names.method = method;
  const int targets = row.num_qubits - row.num_controls;
  for (int q = 0; q < row.num_qubits; ++q) {
    const bool control = q < row.num_controls;
    const int of = control ? row.num_controls : targets, k = control ? q : q - row.num_controls;
    const char* word = control ? "control" : (row.num_controls > 0 ? "target" : "qubit");
    names.qubits.push_back(of == 1 ? word : word + std::to_string(k));
  }
  for (std::string_view rest = row.parameter_names; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = rest.substr(0, comma);
    names.parameters.emplace_back(name == "lambda" ? "lam" : name);  // a reserved word in Python
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return kept.emplace_back(std::move(names));
}

template <std::size_t>
using Item = nb::handle;

template <std::size_t... Q, std::size_t... P>
void define(nb::class_<Circuit>& cls, const GateRow& row, std::string_view method, std::index_sequence<Q...>, std::index_sequence<P...>) {
  const Names& names = names_of(row, method);
  std::string signature = "def " + names.method + "(self";
  for (const std::string& q : names.qubits) signature += ", " + q + ": int";
  for (const std::string& p : names.parameters) signature += ", " + p + ": float | Parameter";
  signature += ") -> QuantumCircuit";
  const std::string doc(row.summary);
  const nb::sig shown(signature.c_str());
  cls.def(
      names.method.c_str(),
      [gate = row.gate, &names](Self self, Item<Q>... q, Item<P>... p) {
        const char* const owner = names.method.c_str();
        circuit_of(self).append(gate, {to_qubit(q, owner, names.qubits[Q].c_str())...},
                                {to_parameter(p, owner, names.parameters[P].c_str())...});
        return self;
      },
      nb::arg(names.qubits[Q].c_str())..., nb::arg(names.parameters[P].c_str())..., shown, doc.c_str());
}

using Define = void (*)(nb::class_<Circuit>&, const GateRow&, std::string_view);

template <std::size_t Q, std::size_t P>
void define_shape(nb::class_<Circuit>& cls, const GateRow& row, std::string_view method) {
  define(cls, row, method, std::make_index_sequence<Q>(), std::make_index_sequence<P>());
}

struct Shape {
  int qubits, parameters;
  Define define;
};
/// The shapes that rows of the table have; a row of another shape stops the import, so that none is forgotten.
constexpr Shape kShapes[] = {{1, 0, define_shape<1, 0>}, {1, 1, define_shape<1, 1>}, {1, 2, define_shape<1, 2>},
                             {1, 3, define_shape<1, 3>}, {2, 0, define_shape<2, 0>}, {2, 1, define_shape<2, 1>},
                             {2, 2, define_shape<2, 2>}, {2, 3, define_shape<2, 3>}, {2, 4, define_shape<2, 4>},
                             {3, 0, define_shape<3, 0>}, {4, 0, define_shape<4, 0>}, {5, 0, define_shape<5, 0>}};

Define shape_of(const GateRow& row) {
  for (const Shape& shape : kShapes)
    if (shape.qubits == row.num_qubits && shape.parameters == row.num_parameters) return shape.define;
  throw Internal("gate " + std::string(row.name) + " has a shape without a Python method");
}

/// Rows on any number of qubits that need nothing but qubits and parameters (mcx, mcp): method(parameters..., controls, target).
void define_wide(nb::class_<Circuit>& cls, const GateRow& row, std::string_view method) {
  const Names& names = names_of(row, method);
  const std::string doc = std::string(row.summary) + ": controls, then the target.";
  if (row.num_parameters == 0) {
    cls.def(
        names.method.c_str(),
        [gate = row.gate, &names](Self self, nb::handle controls, nb::handle target) {
          std::vector<Qubit> qubits = to_qubits(controls, names.method.c_str(), "controls");
          qubits.push_back(to_qubit(target, names.method.c_str(), "target"));
          circuit_of(self).append(gate, qubits);
          return self;
        },
        nb::arg("controls"), nb::arg("target"), doc.c_str());
    return;
  }
  cls.def(
      names.method.c_str(),
      [gate = row.gate, &names](Self self, nb::handle parameter, nb::handle controls, nb::handle target) {
        std::vector<Qubit> qubits = to_qubits(controls, names.method.c_str(), "controls");
        qubits.push_back(to_qubit(target, names.method.c_str(), "target"));
        const Parameter angle = to_parameter(parameter, names.method.c_str(), names.parameters[0].c_str());
        circuit_of(self).append(gate, qubits, std::span(&angle, 1));
        return self;
      },
      nb::arg(names.parameters[0].c_str()), nb::arg("controls"), nb::arg("target"), doc.c_str());
}

bool is_plain_gate(const GateRow& row) { return row.is_unitary && !row.has_payload && row.gate != Gate::gphase; }

}  // namespace

void bind_gate_methods(nb::class_<Circuit>& circuit) {
  for (const GateRow& row : gate_table()) {
    if (!is_plain_gate(row)) continue;
    const Define define = row.num_qubits < 0 ? define_wide : shape_of(row);
    define(circuit, row, row.name);
    for (const std::string_view alias : row.aliases)
      if (!nb::hasattr(circuit, std::string(alias).c_str())) define(circuit, row, alias);
  }
}

}  // namespace ketmesh::python
