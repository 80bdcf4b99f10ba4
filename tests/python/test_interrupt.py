"""Ctrl-C ends every long call within a second, and what comes after it works; progress is shown on terminals only."""

import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

SETUP = """
import sys, tempfile
import numpy as np
import ketmesh
from ketmesh.circuits import Parameter, QuantumCircuit


def layers(n, count):
    circuit = QuantumCircuit()
    for layer in range(count):
        for q in range(n):
            circuit.rx(q, 0.1 + layer)
        for q in range(n - 1):
            circuit.cz(q, q + 1)
    return circuit


def angles(n, count):
    circuit = QuantumCircuit()
    for k in range(count):
        circuit.ry(k % n, Parameter(f"a{k}")).cx(k % n, (k + 1) % n)
    return circuit, {f"a{k}": 0.1 for k in range(count)}


def spread(n):
    state = ketmesh.State(n)
    state.apply(layers(n, 1)).flush()
    return state


whole = ketmesh.SimulatorConfig(enable_causal_cone_reduction=False)
"""
PROGRAM = """
%s
print("ready", flush=True)
try:
    while True:
        %s
except KeyboardInterrupt:
    print("interrupted", flush=True)
    assert QuantumCircuit().x(0).measure_all().execute(shots=2)["counts"] == {"1": 2}
    print("goes on", flush=True)
"""
# name: (what is made before, the call). Each takes many seconds when it is left alone, or is repeated.
CALLS = {
    "execute": ("circuit = layers(22, 3000).measure_all()", "circuit.execute(shots=100)"),
    "branches": ("c = QuantumCircuit()\nfor k in range(40): c.h(k % 16).measure(k % 16, 0).if_(0, QuantumCircuit().x((k + 1) % 16))", "c.execute(shots=10**6)"),
    "get_statevector": ("circuit = layers(22, 3000)", "circuit.get_statevector()"),
    "estimate": ("c = layers(20, 2); sums = [{'XYZ'[(k + j) % 3] + 'I' * (j % 17) + 'ZX'[j % 2]: 1.0 for j in range(200)} for k in range(500)]", "c.estimate(sums, whole)"),
    "gradient": ("circuit, values = angles(20, 600)", "circuit.gradient(['Z' * 20, 'X' * 20] * 20, values)"),
    "adjoint_jacobian": ("circuit = layers(18, 20)", "ketmesh.adjoint_jacobian(circuit, ['Z' * 18] * 3, np.random.rand(200, 360))"),
    "run_batch": ("circuit, values = angles(10, 200); rows = np.random.rand(200000, 200)", "circuit.run_batch(rows, observables='ZZ')"),
    "run_batch, one by one": ("circuit, values = angles(18, 200); rows = np.random.rand(3000, 200)", "circuit.run_batch(rows, observables='ZZ')"),
    "State.apply": ("circuit = layers(22, 3000)", "ketmesh.State(22).apply(circuit)"),
    "State.sample": ("state = spread(22)", "state.sample(2**32 - 1, seed=1)"),
    "State.to_host": ("state = ketmesh.State(26)", "state.to_host()"),
    "State.save_npy": ("state = ketmesh.State(26); folder = tempfile.mkdtemp()", "state.save_npy(folder + '/state.npy')"),
    "QdpEngine.encode": ("from ketmesh.qdp import QdpEngine\ndata = np.random.rand(20000, 12)", "QdpEngine().encode(data, 12, 'angle')"),
}  # fmt: skip


def seconds_of_work(process):
    """Processor seconds of all threads of a process so far."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", CALLS)
def test_interrupted_within_a_second(name):
    setup, call = CALLS[name]
    with subprocess.Popen([sys.executable, "-c", PROGRAM % (SETUP + setup, call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(0.7)
        start, work = time.monotonic(), seconds_of_work(process)
        process.send_signal(signal.SIGINT)
        line = process.stdout.readline()
        took, work = time.monotonic() - start, seconds_of_work(process) - work
        assert line == "interrupted\n", process.stderr.read()
        assert process.stdout.readline() == "goes on\n" and process.wait(20) == 0
        # Others may use the cores meanwhile: a second by the clock, or of work on every core.
        assert min(took, work / len(os.sched_getaffinity(0))) < 1.0 and took < 20.0, (took, work)


LONG = SETUP + "layers(20, 5000).get_statevector()\n"


def test_progress_on_a_terminal():
    pytest.importorskip("tqdm")
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=child) as process:
        os.close(child)
        shown, end = b"", time.monotonic() + 60
        while b"%|" not in shown and time.monotonic() < end:
            if select.select([parent], [], [], 0.2)[0]:
                try:
                    shown += os.read(parent, 65536)
                except OSError:  # the terminal is closed
                    break
        process.kill()
    os.close(parent)
    assert b"%|" in shown, shown[-300:]


def test_no_progress_elsewhere():
    done = subprocess.run([sys.executable, "-c", LONG.replace("5000", "1500")], capture_output=True)
    assert done.returncode == 0 and done.stdout == b"" and done.stderr == b""
