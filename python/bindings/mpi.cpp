// The MPI backend's beginning and end.
#include "ketmesh/transport/mpi.hpp"

#include "bindings.hpp"
#include "config.hpp"

namespace ketmesh::python {

void bind_mpi(nb::module_& m) {
  m.def(
      "init_mpi",
      [] {
        nb::gil_scoped_release release;
        init_mpi();
      },
      "Initialise MPI when nobody has.");
  m.def("is_mpi_initialized", &is_mpi_initialized, "Whether MPI is initialised and the backend not ended. Never raises.");
  m.def("finalize_mpi", [] {
    SimulatorPool::instance().clear();  // they hold communicators
    nb::gil_scoped_release release;
    finalize_mpi();
  });
}

}  // namespace ketmesh::python
