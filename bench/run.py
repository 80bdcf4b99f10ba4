#!/usr/bin/env python3
"""The benchmarks of this machine: ./dev bench [kernels] [plan] [small] [circuits] [--qubits N] [--out FILE].

Runs the programs of the bench preset, writes all figures to one JSON file and prints a table of 100 columns. Take the figures of a machine that
does nothing else."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECTIONS = ("kernels", "plan", "small", "circuits")
FAMILIES = ("qft", "rqc", "qv", "qaoa", "ising", "hea", "heisenberg", "ghz")
SIZES = (4, 6, 8, 10, 12)


def google_benchmark(program, *arguments):
    """The JSON report of a program on Google Benchmark; what it says meanwhile goes to stderr."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [program, f"--benchmark_out={out.name}", "--benchmark_out_format=json", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.load(open(out.name))


def header(title):
    print(f"\n{title}\n" + "-" * len(title))


def kernels(bin_dir, _):
    report = google_benchmark(os.path.join(bin_dir, "micro_kernels"))
    context = report["context"]
    header("kernels: passes over 2^24 amplitudes, single precision")
    print(f"{context.get('level', '?')}, copy {float(context['copy bytes/s']) / 1e9:.1f} GB/s")
    print(f"{'':34}{'ms':>9}{'GB/s':>9}{'GFLOP/s':>9}{'roof':>8}")
    for row in report["benchmarks"]:
        if "best_ms" not in row:
            print(f"{row['name'][:34]:34}{row['real_time']:9.2f}")
            continue
        print(
            f"{row['name'].removesuffix('/manual_time')[:34]:34}{row['best_ms']:9.2f}{row['bytes/s'] / 1e9:9.1f}"
            f"{row['flop/s'] / 1e9:9.1f}{row['roof']:8.0%}"
        )
    return report


def plan(bin_dir, _):
    report = google_benchmark(os.path.join(bin_dir, "micro_plan"))
    header("planning: n = 30, t = 12, 8 shards")
    print(f"{'':34}{'time':>12}{'per 1,000 gates':>18}")
    for row in report["benchmarks"]:
        each = row.get("time_per_1000_gates")
        text = f"{each * 1e3:15.2f} ms" if each is not None else ""
        print(f"{row['name'][:34]:34}{row['real_time']:9.2f} {row['time_unit']}{text}")
    return report


def small(bin_dir, _):
    report = google_benchmark(os.path.join(bin_dir, "micro_small"))
    header("small states: a run with a cached plan, and how far it is above its arithmetic at 60 % of peak (us)")
    rows = {}
    for row in report["benchmarks"]:
        _, family, qubits, precision, what = row["name"].split("/")[:5]
        rows.setdefault((precision, what, family), {})[int(qubits)] = row
    print(f"{'':30}" + "".join(f"{'n = ' + str(n):>14}" for n in SIZES))
    for (precision, what, family), cells in rows.items():
        text = "".join(f"{cells[n]['run_us']:7.1f}{cells[n]['overhead_us']:+7.1f}" for n in SIZES)
        print(f"{f'{family}, {precision}, {what}':30}{text}")
    return report


def circuits(bin_dir, qubits):
    header(f"circuits: n = {qubits}, single precision, the best of three runs")
    print(f"{'':14}{'passes':>8}{'first (s)':>12}{'best (s)':>12}{'evolve (s)':>12}")
    found = {}
    for name in FAMILIES:
        command = [os.path.join(bin_dir, "ketmesh"), "bench", name, str(qubits), "--repeat", "3", "--json", "--quiet"]
        report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        found[name] = report
        first, best = report["first_seconds"], report["seconds"]
        print(f"{name:14}{report['passes']:8}{first['total']:12.4f}{best['total']:12.4f}{best['evolve'] + best['exchange']:12.4f}", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS) + " (default: all)")
    parser.add_argument("--qubits", type=int, default=24, help="of the circuits (default 24)")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "bench"), help="build folder of the programs")
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "bench.json"), help="where the figures go")
    arguments = parser.parse_args()
    unknown = [s for s in arguments.sections if s not in SECTIONS]
    if unknown:
        parser.error(f"{unknown[0]}: must be one of {', '.join(SECTIONS)}")
    bin_dir = os.path.join(arguments.build, "bin")
    results = {"machine": platform.processor() or platform.machine(), "date": time.strftime("%Y-%m-%d %H:%M:%S")}
    for section in arguments.sections or SECTIONS:
        try:
            results[section] = globals()[section](bin_dir, arguments.qubits)
        except (OSError, subprocess.CalledProcessError) as error:
            detail = (getattr(error, "stderr", "") or "").strip()
            sys.exit(f"bench {section}: {error}" + (f"\n{detail}" if detail else ""))
    with open(arguments.out, "w") as out:
        json.dump(results, out, indent=1)
    print(f"\nfigures: {arguments.out}")


if __name__ == "__main__":
    main()
