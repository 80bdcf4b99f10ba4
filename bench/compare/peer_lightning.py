"""PennyLane Lightning (lightning.qubit), single precision; it fuses nothing, so there is one setting."""
import numpy as np
from lightning import LightningPeer
from pennylane_lightning.lightning_qubit_ops import StateVectorC64

SETTINGS = ("gates",)


def _read(state):
    out = np.empty(state.size(), dtype=np.complex64)
    state.getState(out)
    return out


class Peer(LightningPeer):
    def __init__(self, n, gates, threads):
        del threads  # OMP_NUM_THREADS
        super().__init__(n, gates, StateVectorC64, _read)
