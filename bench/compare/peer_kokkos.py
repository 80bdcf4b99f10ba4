"""PennyLane Lightning-Kokkos (OpenMP), single precision; it fuses nothing, so there is one setting."""
import numpy as np
from lightning import LightningPeer
from pennylane_lightning.lightning_kokkos_ops import InitializationSettings, StateVectorC64

SETTINGS = ("gates",)


class Peer(LightningPeer):
    def __init__(self, n, gates, threads):
        start = InitializationSettings().set_num_threads(threads)

        def make(width):
            state = StateVectorC64(width, start)
            state.resetStateVector()
            return state

        def read(state):
            out = np.empty(2**n, dtype=np.complex64)
            state.DeviceToHost(out)
            return out

        super().__init__(n, gates, make, read)
