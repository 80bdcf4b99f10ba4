#!/usr/bin/env python3
"""Conformance, sanitizers, benchmarks and, over several GPUs, ranks, exchange and scaling, on a machine with GPUs: 8 minutes in all.

DIR holds the programs and libraries side by side (tools/device_pack.sh makes it). One JSON file is written anew after each piece, so that a run that is cut
short leaves what it did. N GPUs that are not there are N shards of those that are; the file says which. Standard library only."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

FAMILIES = ("qft", "rqc", "qv", "qaoa", "ising", "hea", "heisenberg", "ghz")
PARTS = {"conformance": 120, "sanitizers": 90, "benchmarks": 80, "ranks": 50, "exchange": 40, "scaling": 80, "large": 20}
SEVERAL = ("exchange", "scaling")  # only with more than one GPU, real or not
WORKSPACE = ["--option", "distributed_transfer_workspace_bytes=536870912"]
EQUAL = ["--option", "distributed_placement=equal"]


class Check:
    def __init__(self, args):
        self.args = args
        self.failed = []
        self.data = {}
        self.end = 0.0
        if os.path.exists(args.out):
            with open(args.out) as f:
                self.data = json.load(f)
        names = [line for line in self.output(["nvidia-smi", "--query-gpu=name,uuid,memory.total,driver_version", "--format=csv,noheader"]).splitlines() if "GPU-" in line]
        self.real = len(names)
        self.data["machine"] = {
            "gpus": names, "gpus_asked": args.gpus, "gpus_real": self.real, "date": time.strftime("%Y-%m-%d %H:%M"),
            "holds": f"{args.gpus} GPUs" if self.real >= args.gpus else f"{args.gpus} shards and ranks on {self.real} GPU(s): not a measurement of links",
            "topology": re.sub(r"\x1b\[[0-9;]*m", "", self.output(["nvidia-smi", "topo", "-m"])).splitlines()[: self.real + 1],
        }
        self.devices = ",".join(str(k % max(self.real, 1)) for k in range(args.gpus))
        self.shared = ["--option", "distributed_flags=1"] if args.gpus > self.real else []

    @staticmethod
    def output(words):
        try:
            return subprocess.run(words, capture_output=True, text=True, timeout=30).stdout.strip()
        except (OSError, subprocess.TimeoutExpired):
            return ""

    def record(self, part, name, value, failed=False):
        self.data.setdefault(part, {})[name] = value
        if failed:
            self.failed.append(f"{part} {name}")
        self.data["failed"] = self.failed
        with open(self.args.out + ".new", "w") as f:
            json.dump(self.data, f, indent=1)
        os.replace(self.args.out + ".new", self.args.out)

    def say(self, text):
        print(text, flush=True)

    def left(self):
        return max(1.0, self.end - time.monotonic())

    def program(self, name):
        return os.path.join(self.args.prefix, name)

    def run(self, words, most=None, env=None):
        """(exit status, stdout, stderr, seconds); 124 when the time of the part or `most` seconds were over."""
        limit = min(self.left(), most or 1e9)
        begin = time.monotonic()
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}, start_new_session=True)
        try:
            out, err = process.communicate(timeout=limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            status = 124
        return status, out, err, round(time.monotonic() - begin, 2)

    def ketmesh(self, *words, ranks=0, most=60):
        """The JSON that the command line prints, or a text that says what went wrong."""
        command = [self.program("ketmesh"), *words, "--json", "--quiet"]
        if ranks:
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *command]
        status, out, err, _ = self.run(command, most)
        if status:
            said = [line for line in err.splitlines() if line.startswith(("error:", "hint:"))]  # the rest is mpirun's
            return None, f"exit {status}: {(' '.join(said) or err.strip())[:600]}"
        try:
            return json.loads(out), ""
        except ValueError:
            return None, f"not JSON: {out[-200:]!r}"

    def gtest(self, part, name, program, where, env=None, before=(), most=None):
        """A GoogleTest program: its count of passed tests must not be 0."""
        status, out, err, seconds = self.run([*before, self.program(program), f"--gtest_filter={where}"], most, env)
        passed = re.search(r"\[  PASSED  \] (\d+) test", out)
        good = status == 0 and passed is not None and int(passed.group(1)) > 0 and "SKIPPED" not in out
        lines = [line for line in (out + err).splitlines() if line.strip()]
        self.record(part, name, {"exit": status, "passed": int(passed.group(1)) if passed else 0, "seconds": seconds, "tail": lines[-4:] if good else lines[-40:]}, not good)
        self.say(f"{part} {name}: exit {status}, {passed.group(1) if passed else 0} passed, {seconds} s" + ("" if good else "\n" + "\n".join(lines[-15:])))

    # ---- answers of two runs -------------------------------------------------------------------------------------------

    def circuit(self, family, n):
        path = os.path.join(self.args.scratch, f"{family}_{n}.qasm")
        if not os.path.exists(path):
            with open(path, "w") as f:
                f.write(subprocess.run([self.program("ketmesh"), "bench", family, str(n), "--emit", "qasm"], capture_output=True, text=True, check=True).stdout)
        return path

    def answers(self, family, n, *words, ranks=0):
        return self.ketmesh("run", self.circuit(family, n), "--amplitudes", ",".join(map(str, range(min(2**n, 256)))), "--shots", "1000", "--seed", "3",
                            "--observable", "ZZ;XIX;IYZ;" + "X" * n, *words, ranks=ranks)

    @staticmethod
    def differ(got, want, precision):
        """'' when the answers are the same within the precision."""
        tolerance = 1e-5 if precision == "single" else 1e-12
        worst = max(abs(complex(*got["amplitudes"][k]) - complex(*want["amplitudes"][k])) for k in want["amplitudes"])
        energy = max(abs(a - b) for a, b in zip(got["expectation_values"], want["expectation_values"], strict=True))
        counts = sum(abs(got["counts"].get(k, 0) - want["counts"].get(k, 0)) for k in {*got["counts"], *want["counts"]})
        if worst <= tolerance and energy <= 10 * tolerance and counts <= (4 if precision == "single" else 0):
            return ""
        return f"amplitudes differ by {worst:.2g}, energies by {energy:.2g}, counts by {counts}"

    def compare(self, part, name, cases):
        """cases: (what, family, n, precision, words, ranks); the processor in double precision is right. Which transports were used is counted."""
        bad, done, used, want = [], 0, {}, {}
        for what, family, n, precision, words, ranks in cases:
            if self.left() < 3:
                bad.append(f"out of time before {family} {n} {precision} {what}")
                break
            if (family, n) not in want:
                want[family, n], error = self.answers(family, n, "--backend", "cpu", "--precision", "double")
                if error:
                    raise SystemExit(f"device_check: the processor cannot run {family} {n}: {error}")
            got, error = self.answers(family, n, "--precision", precision, *words, ranks=ranks)
            done += 1
            difference = error or self.differ(got, want[family, n], precision)
            if difference:
                bad.append(f"{family} {n} {precision} {what}: {difference}")
            else:
                transport = got["distribution"]["transport"]
                used.setdefault(what, {})
                used[what][transport] = used[what].get(transport, 0) + 1
        self.record(part, name, {"compared": done, "failed": bad, "transports": used}, bool(bad) or not done)
        self.say(f"{part} {name}: {done} compared, {len(bad)} failed" + "".join("\n  " + b for b in bad[:8]))

    # ---- parts ---------------------------------------------------------------------------------------------------------

    def conformance(self):
        self.gtest("conformance", "kernels", "kernels_test", "CudaBackend.Passes*:CudaContract*")
        table = {"KETMESH_CONFORMANCE": "cuda", "OMP_NUM_THREADS": "4"}
        self.gtest("conformance", "random circuits", "conformance", "Circuits.*", table)
        self.gtest("conformance", "gate table", "conformance", "SlowGates.*", table, most=90)
        cases = []
        for family, n in (("qft", 14), ("rqc", 16), ("qv", 13), ("ising", 15), ("hea", 14), ("heisenberg", 14), ("ghz", 16), ("rqc", 9)):
            for precision in ("single", "double"):
                cases.append(("one GPU", family, n, precision, ["--backend", "gpu"], 0))
                cases += [(f"{s} shards on one GPU", family, n, precision, ["--backend", "distributed-gpu", "--devices", "0", "--shards", str(s)], 0) for s in (2, 8)]
        # A GPU that stands for several moves nothing unless a transport is asked for.
        transports = ("peer", "staged") if self.shared else ("auto", "peer", "nccl", "staged")
        for k in (2, 3, 4, 5, 6, 8):
            for transport in transports if k <= self.args.gpus else ():
                words = [*self.over(k), "--option", f"distributed_transport={transport}"]
                cases += [(f"{k} GPUs in one process, {transport}", family, n, precision, words, 0)
                          for family, n, precision in (("rqc", 16, "single"), ("hea", 14, "double"), ("heisenberg", 13, "double"))]
        self.compare("conformance", "families", cases)

    def over(self, count):
        """Words for `count` GPUs in one process."""
        if count == 1:
            return ["--backend", "gpu"]
        return ["--backend", "distributed-gpu", "--devices", ",".join(self.devices.split(",")[:count]), *self.shared, *EQUAL]

    def sanitizers(self):
        for tool, filters in (("memcheck", "CudaContract*"), ("racecheck", "CudaContract*.Sums:CudaContract*.Passes")):
            if shutil.which("compute-sanitizer") is None:
                self.record("sanitizers", tool, "compute-sanitizer is not here", True)
                continue
            self.gtest("sanitizers", tool, "kernels_test", filters.replace("CudaContract*", "CudaContract/*"), before=["compute-sanitizer", "--tool", tool, "--error-exitcode", "9"], most=PARTS["sanitizers"] / 2)

    def benchmarks(self):
        if os.path.exists(self.program("micro_cuda")):
            status, out, _, _ = self.run([self.program("micro_cuda"), "30", "single", "12"], 20)
            self.record("benchmarks", "micro_single", out.splitlines(), status != 0)
        for precision in ("single", "double"):
            for family in FAMILIES:
                self.time_one("benchmarks", f"{family}_30_{precision}", family, 30, ["--backend", "gpu", "--precision", precision])

    def time_one(self, part, name, family, n, words, ranks=0):
        got, error = self.ketmesh("bench", family, str(n), *words, "--repeat", "3", ranks=ranks)
        if error:
            self.record(part, name, error, True)
            self.say(f"{part} {name}: {error}")
            return None
        seconds, did = got["seconds"], got["distribution"]
        value = {"seconds": seconds, **{k: did[k] for k in ("transport", "passes", "exchanges", "bytes_exchanged", "bytes_between_ranks", "memory_bytes", "devices")}, "notes": did.get("notes", [])}
        self.record(part, name, value)
        self.say(f"{part} {name}: evolve {seconds['evolve']:.4f} s, exchange {seconds['exchange']:.4f} s, passes {did['passes']}, {did['transport']}")
        return value

    def ranks(self):
        """Ranks that share GPUs, or have one each, equal the processor, by each transport that can be forced here."""
        if shutil.which("mpirun") is None:
            self.record("ranks", "families", "mpirun is not here", True)
            return
        over = ["--backend", "distributed-mpi-gpu", *EQUAL]
        alone = self.real < 2
        cases = []
        for transport in ("auto", "staged", *(() if alone else ("nccl",))):
            for ranks in (1, 2, 3, 4, 8):
                if ranks <= self.real or transport != "nccl":
                    cases += [(f"{ranks} ranks, {transport}", family, n, precision, [*over, "--option", f"distributed_transport={transport}"], ranks)
                              for family, n, precision in (("rqc", 12, "single"), ("hea", 14, "double"))]
        self.compare("ranks", "families", cases)
        # What cannot be here must be refused with its name and the reason.
        for transport, word in (("nccl", "NCCL has one member a GPU"), ("mpi", "does not say that it takes device pointers")):
            got, error = self.answers("rqc", 12, *over, "--option", f"distributed_transport={transport}", ranks=2)
            if transport == "nccl" and not alone:
                continue
            taken = got is not None and got["distribution"]["transport"] == transport
            self.record("ranks", f"{transport} refused", error or "it ran", not (word in error or (taken and transport == "mpi")))
            self.say(f"ranks {transport}: {error[-300:] or 'it ran'}")

    def exchange(self):
        """Bytes a second by each transport beside copies of as many bytes in the same run; then by ranks."""
        if not os.path.exists(self.program("micro_transport")):
            self.record("exchange", "in one process", "no micro_transport in the pack", True)
            return
        n = 32 if self.real >= self.args.gpus else 28
        for mebibytes in (512, 16):
            status, out, err, _ = self.run([self.program("micro_transport"), self.devices, str(n), str(mebibytes)], self.left() / 2)
            lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
            self.record("exchange", f"in one process, {mebibytes} MiB", lines or err.splitlines()[-5:], status != 0 or not lines)
            for line in lines:
                self.say(f"exchange {json.dumps(line)}")
        if shutil.which("mpirun") is None or self.left() < 5:
            return
        for transport in ("auto", "staged") if self.real < 2 else ("auto", "nccl", "staged"):
            value = self.time_one("exchange", f"{self.args.gpus} ranks, {transport}", "rqc", n - 2, ["--backend", "distributed-mpi-gpu", *EQUAL, *WORKSPACE,
                                  "--option", f"distributed_transport={transport}"], ranks=self.args.gpus)
            if value and value["seconds"]["exchange"]:
                value["GBps_each"] = round(value["bytes_exchanged"] / self.args.gpus / value["seconds"]["exchange"] / 1e9, 1)
                self.record("exchange", f"{self.args.gpus} ranks, {transport}", value)

    def link_rate(self):
        """Bytes a second that copies between two of these GPUs reached in this run."""
        lines = self.data.get("exchange", {}).get("in one process, 512 MiB", [])
        return max((line.get("copy_GBps_each", 0) for line in lines if isinstance(line, dict)), default=0) * 1e9

    def scaling(self):
        """Weak: as many qubits a GPU; strong: as many in all. Time on N is to be that on one, half of the exchange (bytes / link) and a tenth."""
        base = self.args.base or (30 if self.real >= self.args.gpus else 26)
        counts = [k for k in (1, 2, 4, 8, 16) if k < self.args.gpus] + [self.args.gpus]
        for kind in ("weak", "strong"):
            for family in FAMILIES:
                alone = None
                for count in counts:
                    n = base + (count.bit_length() - 1 if kind == "weak" else 0)
                    n -= n % 2 if family == "qaoa" else 0  # its graphs have an even number of nodes
                    name = f"{kind}_{family}_{n}_on_{count}"
                    if self.left() < 3:
                        self.record("scaling", name, "out of time", True)
                        continue
                    value = self.time_one("scaling", name, family, n, [*self.over(count), "--precision", "single", *(WORKSPACE if count > 1 else [])])
                    if count == 1:
                        alone = value
                    elif value and alone and self.link_rate():
                        one, here = alone["seconds"]["evolve"], value["seconds"]["evolve"] + value["seconds"]["exchange"]
                        value["exchange_share"] = round(value["seconds"]["exchange"] / here, 3)
                        value["limit"] = round(1.1 * (one + 0.5 * value["bytes_exchanged"] / count / self.link_rate()), 5) if kind == "weak" else None
                        value["within"] = value["limit"] is None or here <= value["limit"]
                        self.record("scaling", name, value)

    def large(self):
        """The largest states: amplitudes by index and counts. One GPU of 140 GB holds 34 qubits in single precision; N of them log2 N more."""
        n = 34 + max(self.real, 1).bit_length() - 1
        chain = os.path.join(self.args.scratch, "chain.qasm")
        pair = os.path.join(self.args.scratch, "pair.qasm")
        head = f'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[{n}] q;\nbit[{n}] c;\n'
        with open(chain, "w") as f:
            f.write(head + "h q[0];\n" + "".join(f"cx q[{i}], q[{i + 1}];\n" for i in range(n - 1)) + "c = measure q;\n")
        with open(pair, "w") as f:
            f.write(head + f"h q[0];\nh q[{n - 1}];\n" + "".join(f"rz(0.0) q[{i}];\n" for i in range(1, n - 1)) + "c = measure q;\n")
        top = 1 << (n - 1)
        half, root = 0.5, 0.5**0.5
        for name, path, want in ((f"ghz {n}", chain, {0: root, 1: 0, 2 * top - 1: root, top: 0}), (f"h 0; h {n - 1}", pair, {0: half, 1: half, top: half, top + 1: half, 2: 0, top + 2: 0})):
            got, error = self.ketmesh("run", path, *self.over(max(self.real, 1)), "--precision", "single", "--shots", "1000", "--seed", "5", "--amplitudes", ",".join(map(str, want)), most=60)
            if error:
                self.record("large", name, error, True)
                self.say(f"large {name}: {error}")
                continue
            worst = max(abs(complex(*got["amplitudes"][str(k)]) - v) for k, v in want.items())
            possible = {format(k, f"0{n}b")[::-1] for k, v in want.items() if v}
            good = worst < 1e-6 and set(got["counts"]) <= possible and sum(got["counts"].values()) == 1000 and len(got["counts"]) == len(possible)
            memory = got["distribution"]["memory_bytes"]
            value = {"worst": worst, "counts": got["counts"], "memory_bytes": memory, "over_state": round(memory / (8 << n) - 1, 4), "seconds": got["seconds"]}
            self.record("large", name, value, not good or value["over_state"] > 0.05)
            self.say(f"large {name}: amplitudes within {worst:.1e}, {len(got['counts'])} outcomes, memory {memory / 2**30:.2f} GiB, {got['seconds']['total']:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", required=True, help="folder with the programs")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--out", default=os.path.join(os.environ.get("OUT", "."), "device_check.json"))
    parser.add_argument("--seconds", type=float, help="for each part, instead of its own limit")
    parser.add_argument("--base", type=int, default=0, help="qubits a GPU of the scaling part; 0: 30, or 26 where GPUs are shared")
    args = parser.parse_args()
    args.prefix = os.path.abspath(args.prefix)
    if not os.access(os.path.join(args.prefix, "ketmesh"), os.X_OK):
        parser.error("no ketmesh in --prefix")
    path = os.environ.get("LD_LIBRARY_PATH", "")
    os.environ["LD_LIBRARY_PATH"] = args.prefix + (":" + path if path else "")
    os.environ["KETMESH_CUDA_LIBRARY"] = os.path.join(args.prefix, "libketmesh_cuda.so")
    with tempfile.TemporaryDirectory() as args.scratch:
        check = Check(args)
        for part, seconds in PARTS.items():
            if args.only not in (None, part) or (part in SEVERAL and args.gpus < 2):
                continue
            begin = time.monotonic()
            check.end = begin + (args.seconds or seconds)
            getattr(check, part)()
            check.record(part, "seconds", round(time.monotonic() - begin, 1))
    print("failed: " + (", ".join(check.failed) or "nothing"))
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
