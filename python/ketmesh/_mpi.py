"""The MPI backend's life: it may be ended once, before MPI ends."""

from .enums import MPI_TYPES
from .errors import BackendUnavailable

_finalized = False


def check_alive(config):
    if _finalized and config._simulator_type in MPI_TYPES:
        raise BackendUnavailable(f"{config._simulator_type.name}: the MPI backend was finalized (finalize_distributed_mpi_gpu)")


def finalize_distributed_mpi_gpu():
    """End the MPI backend, before MPI itself ends. Harmless when it was never used, or twice; other backends go on."""
    global _finalized
    _finalized = True
