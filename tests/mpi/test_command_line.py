#!/usr/bin/env python3
"""`ketmesh run` under mpirun: answers of N ranks are those of one, one rank speaks, all end alike, MPI sends what the plan says. Standard library only."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

import job_testing

ARGS = None
MIXED = """OPENQASM 3.0;
include "stdgates.inc";
qubit[12] q; bit[12] c;
for int i in [0:11] { h q[i]; }
for int i in [0:10] { cx q[i], q[i + 1]; ry(0.3 * i) q[i + 1]; }
for int i in [0:11] { rx(0.7) q[i]; }
cx q[11], q[0];
for int i in [0:11] { ry(0.2 + 0.1 * i) q[i]; }
"""
EQUAL = ["--option", "distributed_placement=equal"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run_ranks(self, ranks, *words, before=(), status=0, **more):
        done = job_testing.mpirun(ARGS.mpirun, ranks, [*before, ARGS.ketmesh, *words], **more)
        self.assertEqual(done.returncode, status, done.stdout[-800:] + done.stderr[-800:])
        return done

    def alone(self, *words):
        return json.loads(subprocess.run([ARGS.ketmesh, *words, "--json"], capture_output=True, text=True, check=True, env=job_testing.environment()).stdout)


class Answers(Case):
    def test_ranks_equal_one(self):
        path = self.write("mixed.qasm", MIXED + "c = measure q;\n")
        words = ["run", path, "--seed", "7", "--shots", "300", "--observable", "ZZIIIIIIIIII;XIIIIIIIIIIX", "--precision", "double"]
        one = self.alone(*words)
        for ranks in (2, 3):
            r = json.loads(self.run_ranks(ranks, *words, *EQUAL, "--json").stdout)
            self.assertEqual(r["counts"], one["counts"])
            for a, b in zip(r["expectation_values"], one["expectation_values"], strict=True):
                self.assertAlmostEqual(a, b, places=12)
            d = r["distribution"]
            self.assertEqual((d["backend"], d["ranks"], d["transport"]), ("distributed-mpi-cpu", ranks, "mpi"))
            self.assertEqual(set(d["shard_owners"]), set(range(ranks)))
            self.assertGreater(d["exchanges"], 0)

    def test_tables_are_printed_once(self):
        path = self.write("mixed.qasm", MIXED + "c = measure q;\n")
        self.assertEqual(self.run_ranks(3, "run", path, "--seed", "1", *EQUAL).stdout.count("counts, bit 0"), 1)

    def test_bytes_are_those_of_the_plan(self):
        plain = self.write("mixed.qasm", MIXED)
        for ranks in (2, 4):
            count = os.path.join(self.folder.name, f"count{ranks}")
            words = [plain, *EQUAL, "--precision", "double", "--json"]
            plan = self.alone("plan", *words[:-1], "--ranks", str(ranks), "--backend", "distributed-mpi-cpu")
            r = json.loads(self.run_ranks(ranks, "run", *words, "--seed", "1", "--shots", "10",
                                          before=["env", f"LD_PRELOAD={ARGS.shim}", f"KETMESH_TEST_COUNT={count}"]).stdout)
            files = glob.glob(count + ".*")
            self.assertEqual(len(files), ranks, "each rank leaves its count")
            sent = elsewhere = 0
            for file in files:
                with open(file) as f:
                    a, b = f.read().split()
                sent, elsewhere = sent + int(a), elsewhere + int(b)
            self.assertGreater(plan["bytes_between_ranks"], 0)
            self.assertGreater(elsewhere, 0, "the shim sees collectives")
            self.assertEqual(sent, plan["bytes_between_ranks"])
            self.assertEqual(r["distribution"]["bytes_between_ranks"], plan["bytes_between_ranks"])


class Endings(Case):
    def test_one_line_and_one_status(self):
        path = self.write("wrong.qasm", "OPENQASM 3.0;\nqubit[2] q;\nnothing q[0];\n")
        for words, kind, status in ((["run", path], "ParseError", 1), (["run", path + ".none"], "IoError", 1), (["run", path, "--shots=x"], "OptionError", 1)):
            done = self.run_ranks(2, *words, "--json", status=status)
            lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertIn(json.loads(done.stdout)["error"]["kind"], (kind, "CircuitError"))

    def test_too_large(self):
        path = self.write("wide.qasm", "OPENQASM 3.0; include \"stdgates.inc\"; qubit[50] q; h q; cx q[0], q[1];\n")
        done = self.run_ranks(2, "run", path, "--json", status=2)
        self.assertEqual(json.loads(done.stdout)["error"]["kind"], "DoesNotFit")

    def test_standard_input_of_the_first_rank(self):
        words = [*job_testing.shlex.split(ARGS.mpirun), "-n", "2", ARGS.ketmesh, "run", "-", "--seed", "7", "--json", *EQUAL]
        done = subprocess.run(words, input=MIXED + "c = measure q;\n", capture_output=True, text=True, timeout=120, env=job_testing.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["distribution"]["ranks"], 2)

    def test_no_plugin_and_the_wrong_one(self):
        path = self.write("mixed.qasm", MIXED)
        other = {"openmpi": "mpich", "mpich": "openmpi"}[ARGS.family]
        wrong = os.path.join(os.path.dirname(ARGS.ketmesh), "..", "lib", f"libketmesh_mpi_{other}.so")
        for library in [path] + ([wrong] if os.path.exists(wrong) else []):
            done = self.run_ranks(2, "run", path, "--json", status=3, KETMESH_MPI_LIBRARY=os.path.abspath(library))
            error = json.loads(done.stdout)["error"]
            self.assertEqual(error["kind"], "BackendUnavailable")
            self.assertIn(os.path.basename(library), error["message"])


if __name__ == "__main__":
    ARGS = job_testing.arguments(__doc__)
    unittest.main(argv=[sys.argv[0]] + [w for k in ARGS.k or [] for w in ("-k", k)])
