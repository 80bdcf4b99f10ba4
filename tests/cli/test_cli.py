#!/usr/bin/env python3
"""The command line: answers, errors, exit statuses. Standard library only.

    python3 test_cli.py KETMESH [unittest options]
"""
import cmath
import json
import math
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

KETMESH = ""
BELL = "OPENQASM 3.0;\ninclude \"stdgates.inc\";\nqubit[2] q;\nbit[2] c;\nh q[0];\ncx q[0], q[1];\nc = measure q;\n"
RUN_KEYS = ["num_qubits", "shots", "seed", "counts", "registers", "expectation_values", "amplitudes", "probabilities", "distribution", "seconds"]
DISTRIBUTION_KEYS = ["engine", "backend", "precision", "simd", "threads", "ranks", "devices", "shards", "placement", "transport", "stages", "passes",
                     "exchanges", "bytes_local", "bytes_exchanged", "bytes_between_ranks", "shard_owners", "memory_bytes", "plan_cached"]
SECONDS_KEYS = ["parse", "plan", "allocate", "evolve", "exchange", "sample", "total"]
PLAN_KEYS = ["num_qubits", "precision", "ranks", "devices_per_rank", "shards", "local_qubits", "tile_qubits", "gates", "stages", "passes", "exchanges",
             "bytes_local", "bytes_exchanged_total", "bytes_exchanged_max_rank", "bytes_between_ranks", "largest_share", "flops", "memory", "seconds",
             "hash"]
ERROR_KEYS = ["kind", "message", "hint", "file", "line", "column"]


def read_npy(path):
    with open(path, "rb") as f:
        magic = f.read(8)
        assert magic[:6] == b"\x93NUMPY", magic
        (length,) = struct.unpack("<H", f.read(2))
        header = eval(f.read(length))  # a dictionary of literals
        kind = {"<c8": "f", "<c16": "d"}[header["descr"]]
        data = f.read()
    values = struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)
    return header["shape"], [complex(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]


def without_memory(text):
    """Free memory differs from one moment to the next."""
    return re.sub(r"has [0-9.]+ [KMGTPE]iB", "has N", re.sub(r"\d{6,}", "N", text))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def call(self, *words, text=None, status=0):
        done = subprocess.run([KETMESH, *words], input=text, capture_output=True, text=True, timeout=120, stdin=None if text is not None else subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout[-500:]} {done.stderr[-500:]}")
        return done

    def json(self, *words, text=None):
        return json.loads(self.call(*words, "--json", text=text).stdout)

    def fails(self, status, kind, *words, text=None, mentions=""):
        done = self.call(*words, "--json", text=text, status=status)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(list(error), ERROR_KEYS)
        self.assertEqual(error["kind"], kind, error)
        self.assertIn(mentions.lower(), (error["message"] + error["hint"]).lower())
        lines = done.stderr.splitlines()
        self.assertTrue(lines[0].startswith("error: "), done.stderr)
        self.assertLessEqual(len(lines), 2, done.stderr)
        plain = self.call(*words, text=text, status=status)
        self.assertEqual(plain.stdout, "")
        self.assertEqual(without_memory(plain.stderr), without_memory(done.stderr))
        return error


class Run(Case):
    def test_keys_and_answers(self):
        bell = self.write("bell.qasm", BELL)
        r = self.json("run", bell, "--shots", "1000", "--seed", "7", "--observable", "ZZ;XX;ZI", "--amplitudes", "0,1,3", "--probabilities")
        for key in RUN_KEYS:
            self.assertIn(key, r)
        for key in DISTRIBUTION_KEYS:
            self.assertIn(key, r["distribution"])
        self.assertEqual(list(r["seconds"]), SECONDS_KEYS)
        self.assertEqual((r["num_qubits"], r["shots"], r["seed"]), (2, 1000, 7))
        self.assertEqual(set(r["counts"]), {"00", "11"})
        self.assertEqual(sum(r["counts"].values()), 1000)
        self.assertEqual(r["registers"], [{"name": "c", "offset": 0, "size": 2}])
        for got, want in zip(r["expectation_values"], (1, 1, 0), strict=False):
            self.assertAlmostEqual(got, want, 6)
        self.assertAlmostEqual(r["amplitudes"]["3"][0], math.sqrt(0.5), 6)
        self.assertEqual(r["amplitudes"]["1"], [0, 0])
        self.assertAlmostEqual(sum(r["probabilities"]), 1, 9)
        again = self.json("run", bell, "--shots", "1000", "--seed", "7")
        self.assertEqual(again["counts"], r["counts"])

    def test_shots_by_default(self):
        bell = self.write("bell.qasm", BELL)
        self.assertEqual(self.json("run", bell)["shots"], 1024)
        self.assertEqual(self.json("run", bell, "--observable", "ZZ")["counts"], {})
        self.assertEqual(self.json("run", bell, "--shots", "0")["counts"], {})

    def test_stdin(self):
        self.assertEqual(self.json("run", "-", "--shots", "5", text=BELL)["shots"], 5)
        self.fails(1, "CircuitError", "run", "-", text="OPENQASM 2.0;", mentions="qubit")

    def test_no_measurement_and_unwritten_bits(self):
        r = self.json("run", "-", "--shots", "3", text="OPENQASM 2.0; include \"qelib1.inc\"; qreg q[4]; x q[1];")
        self.assertEqual(r["counts"], {"0000": 3})
        r = self.json("run", "-", "--shots", "3", text="OPENQASM 2.0; include \"qelib1.inc\"; qreg q[2]; creg a[1]; creg c[3]; x q[1]; measure q[1] -> c[2];")
        self.assertEqual(r["counts"], {"0001": 3})
        self.assertEqual(r["registers"], [{"name": "a", "offset": 0, "size": 1}, {"name": "c", "offset": 1, "size": 3}])

    def test_bit_order(self):
        text = "OPENQASM 2.0; include \"qelib1.inc\"; qreg q[3]; creg c[3]; x q[0]; measure q -> c;"
        self.assertEqual(self.json("run", "-", "--shots", "2", text=text)["counts"], {"100": 2})
        self.assertEqual(self.json("run", "-", "--shots", "2", "--bit-order", "little", text=text)["counts"], {"001": 2})

    def test_statevector(self):
        bell = self.write("bell.qasm", BELL)
        for precision, size in (("single", 8), ("double", 16)):
            out = self.path(f"{precision}.npy")
            self.call("run", bell, "--statevector", out, "--precision", precision)
            shape, state = read_npy(out)
            self.assertEqual(shape, (4,))
            self.assertEqual(os.path.getsize(out) % 64, 4 * size % 64)
            for got, want in zip(state, (math.sqrt(0.5), 0, 0, math.sqrt(0.5)), strict=False):
                self.assertLess(abs(got - want), 1e-7 if precision == "single" else 1e-15)
        self.fails(3, "IoError", "run", bell, "--statevector", self.path("no/such/folder/out.npy"))

    def test_idle_qubits_cost_nothing(self):
        text = "OPENQASM 2.0; include \"qelib1.inc\"; qreg q[300]; creg c[2]; h q[0]; cx q[0],q[299]; measure q[0] -> c[0]; measure q[299] -> c[1];"
        r = self.json("run", "-", "--shots", "100", text=text)
        self.assertEqual(r["num_qubits"], 300)
        self.assertEqual({k[:2] for k in r["counts"]}, {"00", "11"})
        self.assertTrue(all(len(k) == 300 for k in r["counts"]))

    def test_light_cones(self):
        lines = ["OPENQASM 2.0;", "include \"qelib1.inc\";", "qreg q[100];"]
        lines += [f"ry({0.1 * q}) q[{q}];" for q in range(100)]
        lines += [f"cx q[{q}],q[{q + 1}];" for q in range(0, 100, 2)]
        observables = ";".join("I" * q + "Z" for q in range(100))
        start = time.monotonic()
        r = self.json("run", self.write("wide.qasm", "\n".join(lines)), "--observable", observables, "--precision", "double")
        self.assertLess(time.monotonic() - start, 5)
        for q, got in enumerate(r["expectation_values"]):
            want = math.cos(0.1 * q) * (1 if q % 2 == 0 else math.cos(0.1 * (q - 1)))
            self.assertAlmostEqual(got, want, 12)
        self.assertEqual((r["qubits_before"], r["qubits_after"]), (100, 2))

    def test_parameters(self):
        text = "OPENQASM 3.0; include \"stdgates.inc\"; input float theta; qubit q; rx(theta) q;"
        r = self.json("run", "-", "--param", "theta=0.5", "--observable", "Z", "--precision", "double", text=text)
        self.assertAlmostEqual(r["expectation_values"][0], math.cos(0.5), 12)
        self.fails(1, "CircuitError", "run", "-", text=text, mentions="theta")
        self.fails(1, "CircuitError", "run", "-", "--param", "theta=1", "--param", "other=2", text=text, mentions="other")
        self.fails(1, "OptionError", "run", "-", "--param", "theta=x", text=text, mentions="theta")

    def test_shards_and_engines_agree(self):
        text = "OPENQASM 3.0; include \"stdgates.inc\"; qubit[6] q; bit[6] c; h q; for int i in [0:4] { cp(0.3 * (i + 1)) q[i], q[i + 1]; rx(0.7) q[i]; cx q[i + 1], q[i]; } c = measure q;"
        file = self.write("six.qasm", text)
        words = ["run", file, "--precision", "double", "--seed", "3", "--shots", "500", "--amplitudes", ",".join(map(str, range(64)))]
        one = self.json(*words)
        for more in (["--backend", "distributed-cpu", "--shards", "4"], ["--engine", "conventional"], ["--simd", "reference"], ["--simd", "scalar"],
                     ["--backend", "distributed-cpu", "--shards", "8", "--engine", "conventional"], ["--tile-qubits", "3"],
                     ["--backend", "distributed-cpu", "--shards", "4", "--option", "distributed_flags=2"],
                     ["--backend", "distributed-cpu", "--shards", "4", "--option", "distributed_flags=8"]):
            other = self.json(*words, *more)
            for index, (real, imag) in one["amplitudes"].items():
                self.assertLess(abs(complex(real, imag) - complex(*other["amplitudes"][index])), 1e-13, more)
            self.assertEqual(one["counts"], other["counts"], more)
            if "--shards" in more:
                self.assertEqual(other["distribution"]["shards"], int(more[more.index("--shards") + 1]))

    def test_mid_circuit(self):
        text = "OPENQASM 3.0; include \"stdgates.inc\"; qubit[2] q; bit[3] c; h q[0]; c[0] = measure q[0]; if (c[0]) { x q[1]; } c[1] = measure q[1]; reset q[0]; c[2] = measure q[0];"
        r = self.json("run", "-", "--shots", "1000", "--seed", "5", text=text)
        self.assertEqual(set(r["counts"]), {"000", "110"})
        self.assertLess(abs(r["counts"]["000"] - 500), 80)
        self.assertEqual(r["counts"], self.json("run", "-", "--shots", "1000", "--seed", "5", text=text)["counts"])

    def test_trace(self):
        out = self.path("trace.json")
        r = self.json("run", self.write("bell.qasm", BELL), "--trace", out)
        with open(out) as f:
            events = json.load(f)["traceEvents"]
        self.assertTrue({"parse", "run", "plan", "allocate", "sample"} <= {e["name"] for e in events})
        self.assertEqual(sum(e["name"].startswith("pass ") for e in events), r["distribution"]["passes"])
        self.assertTrue(all(e["dur"] >= 0 for e in events if e["ph"] == "X"))

    def test_table(self):
        done = self.call("run", self.write("bell.qasm", BELL), "--shots", "100", "--observable", "ZZ")
        self.assertIn("#", done.stdout)
        self.assertIn("passes", done.stdout)
        self.assertTrue(all(len(line) <= 100 for line in done.stdout.splitlines()))
        self.assertEqual(done.stderr, "")


class Checkpoints(Case):
    CIRCUIT = "OPENQASM 2.0;\ninclude \"qelib1.inc\";\nqreg q[18];\n" + "".join(
        f"ry({0.1 + 0.01 * (k % 17)}) q[{k % 18}];\ncx q[{k % 18}], q[{(k + 1 + k % 7) % 18}];\n" for k in range(6000))

    def test_killed_and_resumed(self):
        # The process dies without a chance to say anything as soon as one checkpoint is whole.
        name, folder, out = self.write("c.qasm", self.CIRCUIT), self.path("saved"), self.path("out.npy")
        self.call("run", name, "--precision", "double", "--statevector", out)
        _, want = read_npy(out)
        process = subprocess.Popen([KETMESH, "run", name, "--precision", "double", "--statevector", self.path("never.npy"), "--save-checkpoint", folder,
                                    "--checkpoint-every", "0.02"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not os.path.exists(os.path.join(folder, "manifest.json")) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.0005)
        process.kill()
        process.wait()
        with open(os.path.join(folder, "manifest.json")) as f:
            done = json.loads(json.load(f)["notes"])["operations_done"]
        self.assertLess(done, 12000, "it was finished before it was killed")
        self.assertGreater(done, 0)
        self.call("run", name, "--precision", "double", "--statevector", out, "--resume", folder, "--backend", "distributed-cpu", "--shards", "4")
        _, got = read_npy(out)
        self.assertLess(max(abs(a - b) for a, b in zip(want, got, strict=True)), 1e-12)

    def test_the_seed_is_kept(self):
        name, folder = self.write("bell.qasm", BELL), self.path("saved")
        saved = self.json("run", name, "--save-checkpoint", folder)
        resumed = self.json("run", name, "--resume", folder)
        self.assertEqual(saved["seed"], resumed["seed"])
        self.assertEqual(saved["counts"], resumed["counts"])

    def test_refusals(self):
        name, folder = self.write("bell.qasm", BELL), self.path("saved")
        self.fails(1, "IoError", "run", name, "--resume", folder, mentions=folder)
        self.call("run", name, "--save-checkpoint", folder)
        other = self.write("other.qasm", BELL.replace("h q[0]", "x q[0]"))
        self.fails(1, "OptionError", "run", other, "--resume", folder, mentions="another circuit")
        self.fails(1, "OptionError", "run", name, "--checkpoint-every", "1", mentions="--save-checkpoint")
        self.fails(1, "OptionError", "run", name, "--save-checkpoint", folder, "--checkpoint-every", "-1", mentions="-1")
        self.fails(3, "IoError", "run", name, "--save-checkpoint", os.path.join(name, "inside"), mentions="inside")
        middle = self.write("middle.qasm", BELL + "h q[0];\nc = measure q;\n")
        self.fails(1, "CircuitError", "run", middle, "--save-checkpoint", folder, mentions="measurement before its end")


class Errors(Case):
    def test_usage(self):
        self.fails(1, "OptionError", "run")
        self.fails(1, "OptionError", "run", "a.qasm", "--no-such-option")
        self.fails(1, "OptionError", "nothing")
        self.call(status=1)

    def test_options(self):
        bell = self.write("bell.qasm", BELL)
        for words, mention in ((["--shots", "-1"], "shots"), (["--shots", "4294967296"], "4294967295"), (["--shots", "x"], "shots"), (["--seed", "1.5"], "seed"),
                               (["--precision", "half"], "half"), (["--backend", "tpu"], "tpu"), (["--engine", "x"], "engine"), (["--shards", "3"], "distributed_shards"),
                               (["--option", "distributed_flags=32"], "distributed_flags"), (["--option", "bogus=1"], "distributed_devices"), (["--option", "x"], "key=value"),
                               (["--option", "mpi_p2p_bits=1"], "mpi_p2p_bits"), (["--amplitudes", "4"], "out of range"), (["--amplitudes", "0,"], "amplitudes"),
                               (["--bit-order", "middle"], "bit-order"), (["--simd", "mmx"], "mmx"), (["--devices", "0, 1"], "distributed_devices")):
            with self.subTest(words=words):
                self.fails(1, "OptionError", "run", bell, *words, mentions=mention)
        self.fails(1, "CircuitError", "run", bell, "--observable", "ZQ", mentions="ZQ")

    def test_places(self):
        e = self.fails(1, "ParseError", "run", self.write("bad.qasm", "OPENQASM 2.0;\nqreg q[1];\n  foo q[0];\n"), mentions="foo")
        self.assertEqual((e["line"], e["column"]), (3, 3))
        self.assertTrue(e["file"].endswith("bad.qasm"))
        self.fails(1, "IoError", "run", self.path("missing.qasm"), mentions="missing.qasm")

    def test_sizes(self):
        start = time.monotonic()
        wide = "OPENQASM 3.0; include \"stdgates.inc\"; qubit[50] q; h q;"
        self.fails(2, "DoesNotFit", "run", "-", text=wide, mentions="50")
        self.fails(1, "CircuitError", "run", "-", text=wide.replace("50", "63"), mentions="62")
        self.fails(1, "CircuitError", "run", "-", text=wide.replace("50", "100000"), mentions="62")
        self.fails(2, "DoesNotFit", "run", "-", "--probabilities", text=wide, mentions="50")
        self.assertLess(time.monotonic() - start, 8)  # eight runs

    def test_backends(self):
        bell = self.write("bell.qasm", BELL)
        self.addCleanup(os.environ.pop, "KETMESH_MPI_LIBRARY", None)
        os.environ["KETMESH_MPI_LIBRARY"] = bell  # no plugin, whether or not there is an MPI
        for backend in ("gpu", "distributed-gpu", "distributed-mpi-gpu", "distributed-mpi-cpu"):
            self.fails(3, "BackendUnavailable", "run", bell, "--backend", backend, mentions=backend)
        self.assertEqual(self.json("run", bell, "--backend", "auto")["distribution"]["backend"], "cpu")


class Others(Case):
    def test_help_and_version(self):
        self.assertIn("run", self.call("--help").stdout)
        self.assertRegex(self.call("--version").stdout, r"^ketmesh \d+\.\d+\.\d+\n$")
        for sub in ("run", "plan", "encode", "convert", "bench", "doctor"):
            self.assertIn("--json", self.call(sub, "--help").stdout)

    def test_plan(self):
        file = self.write("bell.qasm", BELL)
        p = self.json("plan", file)
        for key in PLAN_KEYS:
            self.assertIn(key, p)
        self.assertEqual((p["num_qubits"], p["shards"], p["passes"]), (2, 1, 1))
        self.assertTrue(p["memory"]["fits"])
        self.assertTrue(self.call("plan", file).stdout)
        wide = self.write("wide.qasm", "OPENQASM 3.0; include \"stdgates.inc\"; qubit[34] q; h q; cx q[0], q[33];")
        p = self.json("plan", wide, "--backend", "distributed-mpi-gpu", "--ranks", "4", "--devices-per-rank", "2", "--memory", "141GB")
        self.assertEqual((p["ranks"], p["devices_per_rank"], p["shards"], p["local_qubits"]), (4, 2, 8, 31))
        self.assertEqual(len(p["memory"]["per_device"]), 8)
        self.assertEqual(p["memory"]["per_device"][0]["capacity"], 141000000000)
        self.assertFalse(self.json("plan", wide, "--memory", "1GiB")["memory"]["fits"])
        self.fails(1, "OptionError", "plan", file, "--memory", "much", mentions="--memory")
        self.fails(1, "OptionError", "plan", file, "--ranks", "0", mentions="--ranks")

    def test_plan_equals_record(self):
        for name, n in (("qft", 10), ("rqc", 12), ("qaoa", 10)):
            file = self.path("family.qasm")
            with open(file, "w") as f:
                f.write(self.call("bench", name, str(n), "--emit", "qasm").stdout)
            for more in ([], ["--backend", "distributed-cpu", "--shards", "8"], ["--tile-qubits", "6"]):
                p = self.json("plan", file, *more)
                d = self.json("run", file, "--shots", "0", *more)["distribution"]
                with self.subTest(name=name, more=more):
                    self.assertEqual((p["passes"], p["exchanges"], p["bytes_local"], p["bytes_exchanged_total"]),
                                     (d["passes"], d["exchanges"], d["bytes_local"], d["bytes_exchanged"]))

    def test_convert(self):
        bell, out = self.write("bell.qasm", BELL), self.path("out.qasm")
        self.call("convert", bell, out)
        self.assertEqual(self.json("run", out, "--seed", "1")["counts"], self.json("run", bell, "--seed", "1")["counts"])
        two = self.call("convert", bell, "-", "--to", "2").stdout
        self.assertIn("OPENQASM 2.0;", two)
        self.assertEqual(set(self.json("run", "-", text=two)["counts"]), {"00", "11"})
        self.fails(3, "IoError", "convert", bell, self.path("no/folder/out.qasm"))

    def test_bench(self):
        b = self.json("bench", "qft", "10", "--repeat", "3")
        self.assertEqual((b["name"], b["num_qubits"], b["gates"], b["repeats"]), ("qft", 10, 55, 3))
        self.assertEqual(list(b["seconds"]), SECONDS_KEYS)
        self.assertTrue(b["distribution"]["plan_cached"] is False or b["repeats"] > 1)
        self.assertIn("passes", self.call("bench", "ghz", "8").stdout)
        self.fails(1, "OptionError", "bench", "nothing", "5", mentions="qft")
        self.fails(1, "OptionError", "bench", "qaoa", "5", mentions="even")

    def test_doctor(self):
        d = self.json("doctor")
        for key in ("machine", "threads", "simd", "simd_levels", "plugins", "largest_n"):
            self.assertIn(key, d)
        self.assertIn(d["simd"], d["simd_levels"])
        self.assertTrue(all(p["reason"] for p in d["plugins"] if not p["available"]))
        self.assertIn("cpu", self.call("doctor").stdout)

    def test_encode(self):
        out = self.path("out.npy")
        data = self.write("data.json", "[[3, 4, 0, 0], [1, 2, 2]]")
        self.call("encode", "amplitude", "--qubits", "2", "--data", data, "--out", out, "--precision", "double")
        shape, values = read_npy(out)
        self.assertEqual(shape, (2, 4))
        for got, want in zip(values, (0.6, 0.8, 0, 0, 1 / 3, 2 / 3, 2 / 3, 0), strict=False):
            self.assertLess(abs(got - want), 1e-15)
        self.call("encode", "phase", "--qubits", "1", "--data", "-", "--out", out, text="[1.5707963267948966]")
        shape, values = read_npy(out)
        self.assertEqual(shape, (2,))
        self.assertLess(abs(values[1] - cmath.exp(0.5j * math.pi) / math.sqrt(2)), 1e-7)
        os.remove(out)
        for method, n, text, mention in (("amplitude", "1", "[1, \"NaN\"]", "finite"), ("basis", "2", "[4]", "range"), ("iqp", "3", "[1, 2]", "expects"),
                                         ("angle", "2", "[]", "empty"), ("amplitude", "1", "[0, 0]", "zero norm"), ("other", "1", "[1]", "amplitude")):
            self.fails(1, "OptionError", "encode", method, "--qubits", n, "--data", "-", "--out", out, text=text, mentions=mention)
        self.assertFalse(os.path.exists(out))


class Terminal(Case):
    def test_interrupt(self):
        # Many passes over a state that takes a while: one signal ends it with 130, one line and no output file.
        text = ["OPENQASM 2.0;", "include \"qelib1.inc\";", "qreg q[20];"]
        text += [f"ry(0.{i % 9 + 1}) q[{(7 * i) % 20}]; cx q[{(3 * i) % 20}],q[{(3 * i + 1 + i % 18) % 20}];" for i in range(60000)]
        file, out = self.write("long.qasm", "\n".join(text)), self.path("state.npy")
        process = subprocess.Popen([KETMESH, "run", file, "--statevector", out, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertTrue(stderr.startswith("error: interrupted"), stderr)
        self.assertEqual(json.loads(stdout)["error"]["kind"], "Interrupted")
        self.assertFalse(os.path.exists(out))

    def test_full_disk(self):
        bell = self.write("bell.qasm", BELL)
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([KETMESH, "run", bell, "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertTrue(done.stderr.startswith("error: cannot write"), done.stderr)

    def test_progress_only_on_a_terminal(self):
        bell = self.write("bell.qasm", BELL)
        parent, child = pty.openpty()
        done = subprocess.run([KETMESH, "run", bell], stdout=subprocess.PIPE, stderr=child, text=True)
        os.close(child)
        os.close(parent)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    KETMESH = sys.argv.pop(1)
    unittest.main(verbosity=1)
