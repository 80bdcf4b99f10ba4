#!/usr/bin/env python3
"""`srun ketmesh run` and every batch example, in a Slurm of this machine. Needs root, slurm-wlm and munge; else skipped (77). Standard library only.

    python3 test_slurm.py KETMESH
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
CIRCUIT = os.path.abspath(os.path.join(EXAMPLES, "circuits", "ising_quench.qasm"))
KETMESH = ""
FOLDER = ""


def environment(**more):
    path = os.path.dirname(KETMESH) + ":" + os.environ["PATH"]
    return {**os.environ, "PATH": path, "OMP_WAIT_POLICY": "passive", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more}


def call(*words, timeout=60, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL, env=environment(**more), cwd=FOLDER)


class Slurm(unittest.TestCase):
    def expect_ranks(self, text, ranks):
        d = json.loads(text)["distribution"]
        self.assertEqual((d["backend"], d["ranks"]), ("distributed-mpi-cpu", ranks))
        self.assertEqual(len(set(d["shard_owners"])), ranks, d)

    def test_srun(self):
        words = [KETMESH, "run", CIRCUIT, "--seed", "7", "--json", "--precision", "double", "--option", "distributed_placement=equal"]
        alone = json.loads(call(*words[:-2]).stdout)["counts"]
        for plugin in ("pmi2", "pmix"):
            if not shutil.which({"pmi2": "mpirun.mpich", "pmix": "mpirun.openmpi"}[plugin]):
                continue
            with self.subTest(plugin=plugin):
                done = call("srun", "-n", "4", f"--mpi={plugin}", *words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.expect_ranks(done.stdout, 4)
                self.assertEqual(json.loads(done.stdout)["counts"], alone)

    def test_srun_without_mpi_is_told(self):
        done = call("srun", "-n", "2", "--mpi=none", KETMESH, "run", CIRCUIT)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1 + done.stderr.count("srun: error: "), done.stderr)
        self.assertIn("--mpi=pmi2", done.stderr)

    def batch(self, name, *words, **more):
        done = call("sbatch", "--parsable", "-n", "3", os.path.join(EXAMPLES, "slurm", name), *words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        job = done.stdout.strip()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            told = call("scontrol", "show", "job", job).stdout
            if "JobState=COMPLETED" in told:
                break
            self.assertNotIn("JobState=FAILED", told, self.output(job))
            time.sleep(0.3)
        self.assertIn("JobState=COMPLETED", told, self.output(job))
        return self.output(job)

    def output(self, job):
        try:
            with open(os.path.join(FOLDER, f"ketmesh-{job}.out")) as f:
                return f.read()
        except FileNotFoundError:
            return "no output"

    def test_batch_examples(self):
        examples = {"mpich.sbatch": {}, "openmpi.sbatch": {}}
        for name, more in examples.items():
            if not shutil.which("mpirun.mpich" if name == "mpich.sbatch" else "mpirun.openmpi"):
                continue
            with self.subTest(example=name):
                text = self.batch(name, CIRCUIT, **more)
                self.assertEqual(json.loads(text)["distribution"]["ranks"], 3)

    def test_batch_checkpoint(self):
        plugin = "pmi2" if shutil.which("mpirun.mpich") else "pmix"
        folder = os.path.join(FOLDER, "checkpoint")
        circuit = os.path.join(FOLDER, "plain.qasm")
        with open(circuit, "w") as f:
            f.write("OPENQASM 3.0; include \"stdgates.inc\"; qubit[10] q; h q; for int i in [0:8] { cx q[i], q[i + 1]; ry(0.1) q[i]; }\n")
        first = json.loads(self.batch("checkpoint.sbatch", circuit, folder, KETMESH_SRUN_MPI=plugin))
        self.assertTrue(os.path.isdir(folder))
        again = json.loads(self.batch("checkpoint.sbatch", circuit, folder, KETMESH_SRUN_MPI=plugin))
        self.assertEqual(first["counts"], again["counts"])

    def test_all_examples_are_tested(self):
        self.assertEqual(sorted(os.listdir(os.path.join(EXAMPLES, "slurm"))), ["checkpoint.sbatch", "mpich.sbatch", "openmpi.sbatch"])


if __name__ == "__main__":
    KETMESH = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as FOLDER:
        bed = os.path.join(HERE, "bed.sh")
        started = subprocess.run([bed, "start", os.path.join(FOLDER, "slurm")], check=False)
        try:
            if started.returncode != 0:
                sys.exit(77 if started.returncode == 77 else 1)
            os.environ["SLURM_CONF"] = os.path.join(FOLDER, "slurm", "slurm.conf")
            result = unittest.main(exit=False).result
        finally:
            subprocess.run([bed, "stop", os.path.join(FOLDER, "slurm")], check=False)
        sys.exit(0 if result.wasSuccessful() else 1)
