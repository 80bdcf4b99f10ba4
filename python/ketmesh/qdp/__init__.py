"""Classical data into states: engine, loader, benchmark.

>>> from ketmesh.qdp import QdpEngine
>>> QdpEngine(precision="float64").encode([3, 4], 1)
array([[0.6+0.j, 0.8+0.j]])
"""

from ._engine import METHODS, QdpEngine, estimate_memory
from ._loader import QdpBenchmark, QuantumDataLoader

__all__ = ["METHODS", "QdpBenchmark", "QdpEngine", "QuantumDataLoader", "estimate_memory"]
