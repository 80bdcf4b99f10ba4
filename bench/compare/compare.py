#!/usr/bin/env python3
"""Ketmesh beside other simulators: the eight benchmark families on the same cores, in one run.

    ./dev bench compare [--n 20,24,26] [--families qft,rqc] [--peers qsim,aer] [--repeat 5] [--threads 2] [--again]

Timed from the parsed circuit to the finished state in single precision (Qulacs has double only), planning and allocation included; a peer's
translation from Python objects is left out. qsim: minima of alternating runs at the best of its fusion settings, swept at each n. The others: once, at
the setting that was best at n = 20, and not at n = 26. `cold` is the first run of a fresh Ketmesh process, library and memory included; `seconds` the
best of a process that has run before, with the planning of the first. Amplitudes of both are compared at 64 indices.
Results are kept after every row (--json): a run that was cut goes on where it was; --again starts anew. --chart draws docs/compare.svg.
"""
import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

import circuits
import floors
import numpy as np

PEERS = ["qsim", "aer", "qulacs", "lightning", "kokkos"]
TOLERANCE = 2e-5  # single precision on both sides
SWEPT_AT = 20


def ketmesh(command, *args):
    out = subprocess.run([command, *args], capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(f"{command} {' '.join(args)}: exit {out.returncode}: {out.stderr.strip()}")
    return out.stdout


class Ours:
    def __init__(self, command, family, n, threads):
        self.command, self.family, self.n = command, family, n
        self.options = ["--threads", str(threads), "--json"]
        self.warm, self.cold, self.record = [], [], {}

    def run(self):
        self.record = json.loads(ketmesh(self.command, "bench", self.family, str(self.n), "--repeat", "3", *self.options))
        first, best = self.record["first_seconds"], self.record["seconds"]
        self.warm.append(first["plan"] + best["allocate"] + best["evolve"])
        self.cold.append(first["plan"] + first["allocate"] + first["evolve"])

    def amplitudes(self, indices):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "circuit.qasm")
            with open(path, "w") as f:
                f.write(ketmesh(self.command, "bench", self.family, str(self.n), "--emit", "qasm"))
            answer = json.loads(ketmesh(self.command, "run", path, "--amplitudes", ",".join(map(str, indices)), *self.options))
        return np.array([complex(*answer["amplitudes"][str(i)]) for i in indices])


def difference(ours, theirs):
    """The largest, up to a global phase, which some peers drop."""
    theirs = np.asarray(theirs)
    pivot = int(np.argmax(np.abs(theirs)))
    if abs(theirs[pivot]) > 0 and abs(ours[pivot]) > 0:
        turn = theirs[pivot] / ours[pivot]
        ours = ours * turn / abs(turn)
    return float(np.max(np.abs(ours - theirs)))


def sweep(module, flat, threads, indices, times):
    n, gates = circuits.parse(flat)
    peer = module.Peer(n, gates, threads)
    results = {s: min(peer.run(s, indices)[0] for _ in range(times)) for s in module.SETTINGS}
    return peer, min(results, key=results.get), {str(s): t for s, t in results.items()}


def measure(a, name, family, n, swept):
    """A row: one peer, one family, one n."""
    module = importlib.import_module(f"peer_{name}")
    rng = np.random.default_rng(1)
    indices = sorted({0, 2**n - 1, *map(int, rng.integers(0, 2**n, 62))})
    flat = ketmesh(a.ketmesh, "bench", family, str(n), "--emit", "flat")
    ours, theirs = Ours(a.ketmesh, family, n, a.threads), []
    if name == "qsim" or n <= SWEPT_AT:
        peer, setting, settings = sweep(module, flat, a.threads, indices, 1)
    else:
        key = f"{name} {family}"
        if key not in swept:
            small = ketmesh(a.ketmesh, "bench", family, str(SWEPT_AT), "--emit", "flat")
            swept[key] = sweep(module, small, a.threads, [0, 1], 1)[1]
        setting, settings = swept[key], {}
        peer = module.Peer(*circuits.parse(flat), a.threads)
    for _ in range(a.repeat if name == "qsim" else 1):
        seconds, amplitudes = peer.run(setting, indices)
        theirs.append(seconds)
        ours.run()
    worst = difference(ours.amplitudes(indices), amplitudes)
    if worst > TOLERANCE:
        raise SystemExit(f"{family}, n = {n}, {name}: amplitudes differ by {worst:.2g}")
    adds = floors.multiply_adds(family, n, circuits.parse(flat)[1])
    return {"family": family, "n": n, "peer": name, "setting": setting, "settings": settings, "ketmesh": min(ours.warm), "cold": min(ours.cold),
            "seconds": min(min(theirs), *settings.values()) if settings else min(theirs), "runs": theirs, "ketmesh_runs": ours.warm, "difference": worst,
            "passes": ours.record["distribution"]["passes"], "multiply_adds": adds}


def table(kept, peers):
    speeds = kept.get("speeds")
    lines = [f"| circuit | n | Ketmesh (s) | cold | passes | {' | '.join(peers)} | ratio to the best | floor (s) | share |", "|---" * (8 + len(peers)) + "|"]
    rows = list(kept["rows"].values())
    for n in sorted({r["n"] for r in rows}):
        for family in circuits.FAMILIES:
            mine = [r for r in rows if r["n"] == n and r["family"] == family]
            if not mine:
                continue
            ours, best = min(r["ketmesh"] for r in mine), min(r["seconds"] for r in mine)
            times = [next((f"{r['seconds']:.3f}" for r in mine if r["peer"] == p), "-") for p in peers]
            floor = floors.seconds(mine[0]["multiply_adds"], mine[0]["passes"], n, *speeds[:2]) if speeds else None
            lines.append(f"| {family} | {n} | {ours:.4f} | {min(r['cold'] for r in mine):.4f} | {mine[0]['passes']} | {' | '.join(times)} | {best / ours:.2f} | "
                         + (f"{floor:.4f} | {100 * floor / ours:.0f} % |" if floor else "- | - |"))
    return "\n".join(lines)


def chart(kept, path):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    rows = [r for r in kept["rows"].values() if r["n"] == 24]
    names = [p for p in PEERS if any(r["peer"] == p for r in rows)]
    figure, axes = pyplot.subplots(figsize=(9, 3.6))
    for k, name in enumerate(["ketmesh", *names]):
        heights = []
        for family in circuits.FAMILIES:
            of = [r for r in rows if r["family"] == family and (name == "ketmesh" or r["peer"] == name)]
            heights.append(min((r["ketmesh"] if name == "ketmesh" else r["seconds"] for r in of), default=0))
        axes.bar([f + k / (len(names) + 2) for f in range(len(heights))], heights, 1 / (len(names) + 2), label=name)
    axes.set_yscale("log")
    axes.set_xticks([f + 0.4 for f in range(len(circuits.FAMILIES))], circuits.FAMILIES)
    axes.set_ylabel("seconds, n = 24")
    axes.legend(ncols=3, fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def main():
    os.environ.setdefault("OMP_PROC_BIND", "false")
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--n", default="20,24,26", help="comma list")
    p.add_argument("--families", default=",".join(circuits.FAMILIES))
    p.add_argument("--peers", default=",".join(PEERS))
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--ketmesh", default="ketmesh")
    p.add_argument("--micro", help="bench/micro_kernels, for floors")
    p.add_argument("--json", default="compare.json")
    p.add_argument("--chart")
    p.add_argument("--again", action="store_true")
    p.add_argument("--limit", type=float, default=1500, help="seconds: no row begins after them")
    a = p.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(a.threads)  # before a peer is loaded
    start = time.monotonic()
    kept = {"rows": {}, "swept": {}}
    if os.path.exists(a.json) and not a.again:
        with open(a.json) as f:
            kept = json.load(f)
    kept.setdefault("date", time.strftime("%Y-%m-%d"))
    kept["machine"], kept["threads"] = platform.processor() or platform.machine(), a.threads
    if a.micro and "speeds" not in kept:
        kept["speeds"] = floors.measure(a.micro)
    wanted = [(n, peer, family) for n in map(int, a.n.split(",")) for peer in a.peers.split(",") for family in a.families.split(",")
              if peer == "qsim" or n <= 24]
    for n, peer, family in wanted:
        key = f"{family} {n} {peer}"
        if key in kept["rows"]:
            continue
        if time.monotonic() - start > a.limit:
            print(f"stopped after {a.limit:.0f} s; the same command goes on from here")
            break
        row = kept["rows"][key] = measure(a, peer, family, n, kept["swept"])
        print(f"{family:<11} n = {n}  {peer:<9} {row['seconds']:9.4f} s (setting {row['setting']})  ketmesh {row['ketmesh']:8.4f} s  ratio {row['seconds'] / row['ketmesh']:7.2f}", flush=True)
        with open(a.json + ".part", "w") as f:
            json.dump(kept, f, indent=1)
        os.replace(a.json + ".part", a.json)
    print(table(kept, [x for x in PEERS if any(r["peer"] == x for r in kept["rows"].values())]))
    if a.chart:
        chart(kept, a.chart)
    return 0 if all(r["ketmesh"] <= r["seconds"] for r in kept["rows"].values() if r["n"] >= 16) else 1


if __name__ == "__main__":
    sys.exit(main())
