"""What the tests of MPI jobs share: the words of a command line, and jobs whose ranks each leave their own files."""
import argparse
import os
import shlex
import subprocess
import time

TIMEOUT = 8  # seconds that a rank waits for another one in these tests


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--ketmesh", required=True)
    parser.add_argument("--mpirun", required=True, help="the launcher and its words, without -n")
    parser.add_argument("--family", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("--shim", default="", help="the library that counts bytes")
    parser.add_argument("-k", action="append", help="only tests of this name")
    return parser.parse_args()


def environment(**more):
    # UCX under MPICH reads the memory of a rank of the same host directly, and ends the process itself when that rank is gone: not in these tests.
    # Its end over TCP may wait for ever; all ranks are of this host.
    return {**os.environ, "UCX_TLS": "posix,sysv,self", "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "1", **more}


def mpirun(words, ranks, program, timeout=120, **more):
    """Runs `program` on so many ranks and returns what the launcher gave back."""
    return subprocess.run([*shlex.split(words), "-n", str(ranks), *program], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, env=environment(**more))


# Each rank by itself: its process number, what it said, how it ended. `$0` is the folder, the rest the program; RANK_0.. are words of one rank only.
WRAPPER = r"""
trap "" TERM
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$PMIX_RANK}}
eval "limit=\${LIMIT_$rank:-}; swap=\${WORDS_$rank:-}"
if [ -n "$limit" ]; then ulimit -v "$limit"; fi
if [ -n "$swap" ]; then set -- "$1" $swap; fi
"$@" >"$0/out.$rank" 2>"$0/err.$rank" &
echo $! >"$0/pid.$rank.part" && mv "$0/pid.$rank.part" "$0/pid.$rank"
wait $!
code=$?
echo $code >"$0/code.$rank.part" && mv "$0/code.$rank.part" "$0/code.$rank"
exit $code
"""


class Job:
    """A job that goes on when a rank dies, so that the others can speak."""

    def __init__(self, words, family, ranks, folder, program, **more):
        recovery = ["--enable-recovery"] if family == "openmpi" else ["-disable-auto-cleanup"]
        self.folder, self.ranks = folder, ranks
        self.process = subprocess.Popen([*shlex.split(words), *recovery, "-n", str(ranks), "sh", "-c", WRAPPER, folder, *program],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                        env=environment(KETMESH_TIMEOUT=str(TIMEOUT), **more))

    def read(self, name, rank):
        try:
            with open(os.path.join(self.folder, f"{name}.{rank}")) as f:
                return f.read()
        except FileNotFoundError:
            return None

    def until(self, what, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {seconds} s; " + self.tell())
            time.sleep(0.05)

    def pid(self, rank):
        self.until(f"process of rank {rank}", lambda: self.read("pid", rank))
        return int(self.read("pid", rank))

    def codes(self, ranks, seconds=60):
        """Waits until these ranks have ended; their exit statuses."""
        self.until(f"the end of ranks {list(ranks)}", lambda: all(self.read("code", r) for r in ranks), seconds)
        return [int(self.read("code", r)) for r in ranks]

    def tell(self):
        return "; ".join(f"rank {r}: code {self.read('code', r)}, said {(self.read('err', r) or '')[-300:]!r}" for r in range(self.ranks))

    def end(self):
        for rank in range(self.ranks):
            pid = self.read("pid", rank)
            if pid and not self.read("code", rank):
                subprocess.run(["kill", "-KILL", pid.strip()], stderr=subprocess.DEVNULL, check=False)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
