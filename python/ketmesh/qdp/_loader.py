"""Batches of states for a consumer that takes them one by one."""

import queue
import threading
import time

import numpy as np

from .. import _core
from ..errors import OptionError
from . import _sources
from ._engine import as_array, check_qubits, encode_into, estimate_memory, state_dtype

_END = object()


class QuantumDataLoader:
    """Batches of encoded samples; every setter returns the loader.

    Iteration yields arrays [size, 2^n] (the last may be shorter). A thread encodes ahead, no further than ``prefetch`` batches; it ends when the
    consumer stops, and its errors are raised in the consumer.

    Examples
    --------
    >>> loader = QuantumDataLoader().qubits(3).encoding("angle").batches(10, 4).source_synthetic().seed(1)
    >>> [states.shape for states in loader]
    [(4, 8), (4, 8), (2, 8)]
    """

    def __init__(self):
        self._n, self._method, self._total, self._size = 1, "amplitude", None, 32
        self._dtype, self._seed, self._nulls, self._depth, self._first = np.complex64, 0, "reject", 2, 0
        self._layers, self._entanglement = 2, "full"
        self._open = None

    def qubits(self, num_qubits):
        """Qubits of a state."""
        self._n = check_qubits(num_qubits)
        return self

    def encoding(self, method, layers=2, entanglement="full"):
        """One of ``ketmesh.qdp.METHODS``."""
        _core.vector_len(1, method)
        self._method, self._layers, self._entanglement = method, layers, entanglement
        return self

    def batches(self, total, size):
        """``total`` samples (None: all that the source has) in batches of ``size``."""
        for name, value in (("total", total), ("size", size)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise OptionError(f"batches: {name} = {value!r}: must be an integer that is at least 1")
        if size is None:
            raise OptionError("batches: size = None: must be an integer that is at least 1")
        self._total, self._size = total, size
        return self

    def dtype(self, precision):
        """float32 (complex64 states) or float64."""
        self._dtype = state_dtype(precision)
        return self

    def seed(self, seed):
        """Of synthetic samples."""
        self._seed = seed
        return self

    def null_handling(self, how):
        """reject or fill_zero, for files."""
        _sources.check_null_handling(how)
        self._nulls = how
        return self

    def prefetch(self, depth):
        """Batches that may be ready before they are asked for; at least 1."""
        if not isinstance(depth, int) or depth < 1:
            raise OptionError(f"prefetch = {depth!r}: must be an integer that is at least 1")
        self._depth = depth
        return self

    def start_at(self, batch):
        """Number of the first batch: a loader that was stopped goes on there."""
        if not isinstance(batch, int) or batch < 0:
            raise OptionError(f"start_at = {batch!r}: must be an integer that is at least 0")
        self._first = batch
        return self

    def source_synthetic(self):
        """Reproducible samples by the seed."""
        self._open = lambda: _sources.SyntheticRows(
            self._method, self._n, _core.vector_len(self._n, self._method), self._seed
        )
        return self

    def source_file(self, path, streaming=False):
        """A file, as ``QdpEngine.encode`` reads them. Streaming: Parquet goes row group by row group; .npy is mapped in any case."""
        self._open = lambda: _sources.open_rows(path, streaming, self._nulls)
        return self

    def source_array(self, data):
        """Samples [B, length]."""
        array = as_array(data)
        self._open = lambda: _sources.ArrayRows(array)
        return self

    def _produce(self, first_batch=0, stride=1):
        """Encoded batches in the consumer's thread: every stride-th one from first_batch on."""
        if self._open is None:
            raise OptionError("the loader has no source: call source_synthetic, source_file or source_array")
        rows = self._open()
        total = self._total if rows.total is None else min(self._total or rows.total, rows.total)
        if total is None:
            raise OptionError("synthetic samples never end: call batches(total, size)")
        need = estimate_memory(self._method, self._n, self._size, self._dtype, self._depth + 2)
        if not need["fits"]:
            from ..errors import DoesNotFit

            raise DoesNotFit(
                f"batches of {self._size} need {need['total_bytes']} bytes; {need['available_bytes']} are there: take smaller ones"
            )
        for number, (first, samples) in enumerate(rows.batches(self._first * self._size, self._size, total)):
            if number % stride != first_batch:
                continue
            out = np.empty((len(samples), 1 << self._n), self._dtype)
            encode_into(samples, self._n, self._method, out, self._layers, self._entanglement, first)
            yield out

    def __iter__(self):
        ready, stop = queue.Queue(self._depth), threading.Event()

        def put(item):
            while not stop.is_set():
                try:
                    ready.put(item, timeout=0.05)
                    return
                except queue.Full:
                    continue

        def work():
            try:
                for out in self._produce():
                    put(out)
                    if stop.is_set():
                        return
                put(_END)
            except BaseException as error:  # noqa: BLE001 - it is raised again in the consumer
                put(error)

        thread = threading.Thread(target=work, name="ketmesh-loader", daemon=True)
        thread.start()
        try:
            while True:
                item = ready.get()
                if item is _END:
                    return
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stop.set()
            thread.join()

    def as_torch_dataset(self):
        """A ``torch.utils.data.IterableDataset`` of tensors; workers share the batches out."""
        import torch
        from torch.utils.data import IterableDataset, get_worker_info

        loader = self

        class Batches(IterableDataset):
            def __iter__(self):
                worker = get_worker_info()
                source = iter(loader) if worker is None else loader._produce(worker.id, worker.num_workers)
                return map(torch.from_numpy, source)

        return Batches()


class QdpBenchmark:
    """How fast synthetic samples are encoded.

    >>> QdpBenchmark().qubits(4).batches(8, 4).warmup(1).run_throughput()["vectors"]
    32
    """

    def __init__(self):
        self._loader = QuantumDataLoader().source_synthetic()
        self._batches, self._size, self._warmup = 100, 64, 5

    def qubits(self, num_qubits):
        """Qubits of a state."""
        self._loader.qubits(num_qubits)
        return self

    def encoding(self, method):
        """One of ``ketmesh.qdp.METHODS``."""
        self._loader.encoding(method)
        return self

    def dtype(self, precision):
        """float32 or float64."""
        self._loader.dtype(precision)
        return self

    def batches(self, total, size):
        """``total`` batches of ``size`` samples."""
        self._loader.batches(total, size)
        self._batches, self._size = total, size
        return self

    def warmup(self, batches):
        """Batches before the clock starts."""
        self._warmup = batches
        return self

    def _run(self):
        loader = self._loader
        samples = _sources.SyntheticRows(
            loader._method, loader._n, _core.vector_len(loader._n, loader._method), 0
        ).batch(0, self._size)
        out = np.empty((self._size, 1 << loader._n), loader._dtype)
        for _ in range(self._warmup):
            encode_into(samples, loader._n, loader._method, out)
        start = time.perf_counter()
        for _ in range(self._batches):
            encode_into(samples, loader._n, loader._method, out)
        return time.perf_counter() - start

    def run_throughput(self):
        """{duration_sec, vectors, vectors_per_sec}: encoding alone, data in memory."""
        seconds = self._run()
        vectors = self._batches * self._size
        return {"duration_sec": seconds, "vectors": vectors, "vectors_per_sec": vectors / seconds}

    def run_latency(self):
        """{duration_sec, latency_ms_per_vector}."""
        seconds = self._run()
        return {"duration_sec": seconds, "latency_ms_per_vector": 1e3 * seconds / (self._batches * self._size)}
