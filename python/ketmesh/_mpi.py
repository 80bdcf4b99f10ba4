"""The MPI backend's beginning and end. Nothing here runs on import: MPI is initialised by the user, by mpi4py, or by init_mpi()."""

from . import _core
from .enums import MPI_TYPES
from .errors import BackendUnavailable

_finalized = False


def check_alive(config):
    if _finalized and config._simulator_type in MPI_TYPES:
        raise BackendUnavailable(f"{config._simulator_type.name}: the MPI backend was finalized (finalize_distributed_mpi_gpu)")


def init_mpi() -> None:
    """Initialise MPI (thread level serialized) when nobody has: for programs without mpi4py. Nothing else does."""
    _core.init_mpi()


def finalize_distributed_mpi_gpu() -> None:
    """End the MPI backend, before MPI itself ends.

    Harmless when it was never used, or twice; raises while states over MPI ranks are alive. Other backends go on.
    """
    global _finalized
    _core.finalize_mpi()
    _finalized = True
