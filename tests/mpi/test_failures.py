#!/usr/bin/env python3
"""What happens when one rank fails: every other one ends in time with an error that names the rank, the step and the cause. Standard library only."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import job_testing

ARGS = None
LIMIT = 2 * job_testing.TIMEOUT + 22  # seconds from the failure to the end of the last survivor


class Failures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, ranks, *words, **more):
        job = job_testing.Job(ARGS.mpirun, ARGS.family, ranks, self.folder, [ARGS.ketmesh, *words], **more)
        self.addCleanup(job.end)
        return job

    def long_run(self, ranks=3):
        """A job that goes on for minutes, all of whose ranks are in it."""
        job = self.start(ranks, "bench", "rqc", "18", "--repeat", "100000", "--option", "distributed_placement=equal")
        for rank in range(ranks):
            job.pid(rank)
        time.sleep(4)
        self.assertIsNone(job.process.poll(), job.tell())
        self.assertTrue(all(job.read("code", r) is None for r in range(ranks)), job.tell())
        return job

    def expect(self, job, survivors, code, *mentions):
        self.assertEqual(job.codes(survivors, LIMIT), [code] * len(survivors), job.tell())
        for rank in survivors:
            said = job.read("err", rank)
            self.assertIn("error:", said, f"rank {rank}; " + job.tell())
            for mention in mentions:
                self.assertIn(mention, said, f"rank {rank}; " + job.tell())

    def check_killed(self, victim):
        job = self.long_run()
        os.kill(job.pid(victim), signal.SIGKILL)
        self.expect(job, [r for r in range(3) if r != victim], 3, f"rank {victim}", "run")

    def test_the_first_rank_is_killed(self):
        self.check_killed(0)

    def test_a_rank_is_killed(self):
        self.check_killed(1)

    def test_a_rank_is_stopped(self):
        job = self.long_run()
        os.kill(job.pid(2), signal.SIGSTOP)
        self.expect(job, [0, 1], 3, "waited", "for rank", "run")  # a rank may name one that itself waits for the stopped one

    def test_a_rank_raises(self):
        job = self.long_run()
        os.kill(job.pid(1), signal.SIGINT)
        self.expect(job, [0, 2], 3, "rank 1", "interrupted", "run")

    def test_a_rank_has_no_file(self):
        path = os.path.join(self.folder, "bell.qasm")
        with open(path, "w") as f:
            f.write("OPENQASM 3.0; include \"stdgates.inc\"; qubit[4] q; h q;\n")
        job = self.start(3, "run", path, WORDS_1=f"run {path}.none")
        self.expect(job, [0, 2], 3, "rank 1", "cannot open", "reading the input")

    def test_a_rank_has_another_circuit(self):
        job = self.start(3, "bench", "qft", "10", WORDS_2="bench qft 11")
        self.expect(job, [0, 1, 2], 3, "rank 2", "differs")

    def test_a_rank_has_less_memory(self):
        job = self.start(2, "bench", "ghz", "27", "--option", "distributed_placement=equal", LIMIT_1="900000")
        codes = job.codes([0, 1], LIMIT)
        self.assertEqual(codes, [2, 2], job.tell())
        self.assertIn("rank 1", job.read("err", 0), job.tell())

    def test_the_disk_is_full(self):
        small = os.path.join(self.folder, "small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        self.addCleanup(subprocess.run, ["umount", small], check=False)
        path = os.path.join(self.folder, "wide.qasm")
        with open(path, "w") as f:
            f.write("OPENQASM 3.0; include \"stdgates.inc\"; qubit[18] q; h q;\n")
        job = self.start(2, "run", path, "--shots", "0", "--save-checkpoint", os.path.join(small, "saved"), "--option", "distributed_placement=equal")
        self.expect(job, [0, 1], 3, "No space")

    def test_a_plain_job_ends_too(self):
        done = job_testing.mpirun(ARGS.mpirun, 2, ["sh", "-c", "if [ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ]; then exec \"$0\" bench qft 9; fi; exec \"$0\" bench qft 8", ARGS.ketmesh])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 1 differs", done.stderr)


if __name__ == "__main__":
    ARGS = job_testing.arguments(__doc__)
    unittest.main(argv=[sys.argv[0]] + [w for k in ARGS.k or [] for w in ("-k", k)])
