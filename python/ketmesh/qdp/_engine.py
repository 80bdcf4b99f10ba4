"""Samples into states, on the host."""

import logging

import numpy as np

from .. import _core
from ..errors import BackendUnavailable, DoesNotFit, OptionError, described
from . import _sources

METHODS = ("amplitude", "angle", "basis", "phase", "iqp", "iqp-z", "zz-feature-map")

_DTYPES = {"float32": np.complex64, "float64": np.complex128, "single": np.complex64, "double": np.complex128}
_AMPLITUDES_AT_ONCE = 1 << 23
_log = logging.getLogger("ketmesh")


def state_dtype(precision):
    """complex64 or complex128 for "float32", "float64", "single", "double", or one of the two itself."""
    name = getattr(precision, "__name__", None) or str(precision).removeprefix("torch.")
    name = {"complex64": "float32", "complex128": "float64"}.get(name, name)
    if name not in _DTYPES:
        raise OptionError(f"precision = {precision!r}: must be float32 or float64")
    return _DTYPES[name]


def check_qubits(num_qubits):
    """An int that is at least 1."""
    if isinstance(num_qubits, bool) or not isinstance(num_qubits, (int, np.integer)):
        raise TypeError(f"num_qubits must be an int, not {described(num_qubits)}")
    if not 1 <= num_qubits <= 40:
        raise OptionError(f"num_qubits = {num_qubits}: must be at least 1 and at most 40")
    return int(num_qubits)


def as_array(data, null_handling="reject"):
    """An array of numbers from lists, NumPy, DLPack or files; one copy, with a note, when it lies on another device."""
    if isinstance(data, _sources.PATHS):
        return _sources.read(data, null_handling)
    if isinstance(data, np.ndarray):
        array = data
    elif hasattr(data, "detach") and hasattr(data, "numpy"):  # torch: gradients do not pass through
        tensor = data.detach()
        if tensor.device.type != "cpu":
            _log.info("encode: the data lies on %s and is copied to the host", tensor.device)
        array = tensor.cpu().numpy()
    elif hasattr(data, "__dlpack__"):
        if data.__dlpack_device__()[0] != 1:
            raise BackendUnavailable(
                "encode: the data lies on a device that this engine does not read; copy it to the host first"
            )
        array = np.from_dlpack(data)
    else:
        try:
            array = np.asarray(data)
        except ValueError as error:
            raise OptionError(f"encode: samples of different lengths: {error}") from None
    if (
        array.dtype == object
        or array.dtype.kind not in "fiuc"
        or array.dtype.itemsize > (16 if array.dtype.kind == "c" else 8)
    ):
        raise TypeError(
            f"encode: numbers of type {array.dtype} cannot be encoded; float16 to float64, integers and complex can"
        )
    return array


def encode_into(samples, num_qubits, method, out, layers=2, entanglement="full", first_row=0):
    """States of samples [B, length] into ``out`` [B, 2^n]; messages count rows from ``first_row``."""
    swapped = samples.dtype.byteorder not in "=|" and not samples.dtype.isnative
    rows, length = samples.shape
    # A piece at a time, so that Ctrl-C is answered in between.
    piece = max(1, _AMPLITUDES_AT_ONCE >> num_qubits)
    for begin in range(0, max(rows, 1), piece):
        part, states = samples[begin : begin + piece], out[begin : begin + piece]
        _core.encode_rows(
            part.ctypes.data, samples.dtype.newbyteorder("=").name, swapped, len(part), length, samples.strides[0], samples.strides[1],
            states.ctypes.data, states.size, num_qubits, method, out.dtype == np.complex128, layers, entanglement, first_row + begin,
        )  # fmt: skip


class QdpEngine:
    """Encodes samples into states.

    Parameters
    ----------
    device_id : int
        Kept for users of other engines; the host is device 0.
    precision : str
        ``"float32"`` (complex64 states) or ``"float64"``.
    backend : str
        ``"auto"`` or ``"cpu"``.

    Examples
    --------
    >>> import numpy as np
    >>> QdpEngine().encode(np.ones((3, 4)), 2).shape
    (3, 4)
    """

    def __init__(self, device_id=0, precision="float32", backend="auto"):
        if isinstance(device_id, bool) or not isinstance(device_id, int):
            raise TypeError(f"device_id must be an int, not {described(device_id)}")
        if backend not in ("auto", "cpu"):
            raise BackendUnavailable(f"backend = {backend!r}: this engine encodes on the host; use auto or cpu")
        if device_id != 0:
            raise OptionError(f"device_id = {device_id}: the host is device 0")
        self.dtype = state_dtype(precision)

    def encode(
        self, data, num_qubits, encoding_method="amplitude", layers=2, entanglement="full", null_handling="reject"
    ):
        """States as an array [B, 2^n] (B = 1 for one sample): NumPy, and DLPack for others (``torch.from_dlpack``).

        Parameters
        ----------
        data : array_like, tensor or path
            One sample [length] or a batch [B, length]: lists, NumPy of any number type, strides and byte order, DLPack, or a file
            (.npy .npz .csv; .parquet .arrow .feather .ipc with pyarrow; .pt .pth with torch; .h5 with h5py). Never modified.
        num_qubits : int
        encoding_method : str
            One of ``ketmesh.qdp.METHODS``; ``layers`` and ``entanglement`` are for zz-feature-map.
        null_handling : str
            Of files: ``"reject"`` or ``"fill_zero"``.
        """
        n = check_qubits(num_qubits)
        array = as_array(data, null_handling)
        if array.ndim == 0 and encoding_method == "basis":
            array = array.reshape(1, 1)
        if array.ndim == 1:
            array = array.reshape(1, -1) if encoding_method != "basis" or array.size == 1 else array.reshape(-1, 1)
        if array.ndim != 2:
            raise OptionError(f"encode: data of {array.ndim} dimensions; one sample has 1, a batch has 2")
        need = estimate_memory(encoding_method, n, array.shape[0], self.dtype, 1)
        if not need["fits"]:
            raise DoesNotFit(
                f"{array.shape[0]} states of {n} qubits need {need['output_bytes']} bytes; {need['available_bytes']} are there: "
                "use QuantumDataLoader, or fewer samples at a time"
            )
        out = np.empty((array.shape[0], 1 << n), self.dtype)
        encode_into(array, n, encoding_method, out, layers, entanglement)
        return out


def estimate_memory(encoding, num_qubits, batch, dtype="float32", depth=2):
    """Bytes that ``depth`` batches of states and one of samples take, beside what the host has now.

    >>> estimate_memory("amplitude", 10, 100)["output_bytes"]
    1638400
    """
    n = check_qubits(num_qubits)
    output = depth * batch * np.dtype(state_dtype(dtype)).itemsize << n
    samples = batch * 8 * _core.vector_len(n, encoding)
    available = _core.host_memory()
    return {
        "input_bytes": samples,
        "output_bytes": output,
        "total_bytes": samples + output,
        "available_bytes": available,
        "fits": samples + output <= available,
    }
