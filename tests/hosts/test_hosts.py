#!/usr/bin/env python3
"""Several hosts in network namespaces: answers do not depend on how ranks lie on hosts; a link that is cut ends the job with errors. Needs root.

    python3 test_hosts.py --ketmesh PROGRAM --mpirun "mpirun.openmpi ..." --family openmpi|mpich
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "mpi"))
import job_testing  # noqa: E402

ARGS = None
BED = os.path.join(HERE, "bed.sh")
AGENT = os.path.join(HERE, "agent.sh")


def bed(*words):
    return subprocess.run([BED, *words], capture_output=True, text=True, check=False)


def launcher(hosts):
    """mpirun on the first host; hosts: how many ranks each may have. Messages go over the links: shared memory would be found across the namespaces."""
    places = ",".join(f"kmh{i}:{n}" for i, n in enumerate(hosts))
    if ARGS.family == "openmpi":
        more = f"--mca pml ob1 --mca btl tcp,self --mca plm_rsh_agent {AGENT} --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 --host {places}"
    else:
        more = f"-launcher ssh -launcher-exec {AGENT} -iface eth0 -genv UCX_TLS tcp -genv UCX_NET_DEVICES eth0 -hosts {places}"
    return f"{BED} on kmh0 {ARGS.mpirun} {more}"


class Hosts(unittest.TestCase):
    def setUp(self):
        bed("down")
        self.addCleanup(bed, "down")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def up(self, count):
        done = bed("up", str(count), "400mbit")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_places_do_not_matter(self):
        self.up(4)
        answers = {}
        for hosts in ((4,), (2, 2), (1, 1, 1, 1)):
            file = os.path.join(self.folder.name, f"{len(hosts)}.npy")
            done = job_testing.mpirun(launcher(hosts), 4, [ARGS.ketmesh, "bench", "rqc", "14", "--json", "--precision", "double", "--statevector", file,
                                                           "--option", "distributed_placement=equal", "--option", "distributed_global_qubits=12,13"])
            self.assertEqual(done.returncode, 0, done.stderr[-500:])
            d = json.loads(done.stdout)["distribution"]
            self.assertEqual((d["ranks"], set(d["shard_owners"])), (4, {0, 1, 2, 3}))
            with open(file, "rb") as f:
                answers[hosts] = f.read()
        self.assertEqual(len(set(answers.values())), 1, "the same bits wherever the ranks are")

    def test_a_link_is_cut(self):
        self.up(2)
        job = job_testing.Job(launcher((2, 2)), ARGS.family, 4, self.folder.name,
                              [ARGS.ketmesh, "bench", "qv", "12", "--repeat", "100000", "--option", "distributed_placement=equal"])
        self.addCleanup(job.end)
        for rank in range(4):
            job.pid(rank)
        time.sleep(3)
        self.assertTrue(all(job.read("code", r) is None for r in range(4)), job.tell())
        bed("cut", "kmh1")
        # Each speaks within the timeout; the end of MPI, which waits for the other side of the link, is bounded by 20 s more.
        codes = job.codes(range(4), 4 * job_testing.TIMEOUT + 20)
        self.assertEqual(codes, [3] * 4, job.tell())
        for rank in range(4):
            self.assertRegex(job.read("err", rank), "error:.*rank [0-3]", job.tell())


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit(77)
    ARGS = job_testing.arguments(__doc__)
    unittest.main(argv=[sys.argv[0]] + [w for k in ARGS.k or [] for w in ("-k", k)])
