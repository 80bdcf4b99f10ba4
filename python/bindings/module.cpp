// ketmesh._core: the installed headers as Python sees them. What users import is made of it in python/ketmesh.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  using namespace ketmesh::python;
  m.doc() = "The library behind ketmesh.";
  m.attr("__version__") = ketmesh::version();
  bind_errors(m);
  bind_parameters(m);
  bind_classical(m);
  bind_circuit(m);
  bind_config(m);
  bind_runs(m);
  bind_plan(m);
  bind_machine(m);
  bind_state(m);
  bind_encode(m);
  bind_mpi(m);
}
