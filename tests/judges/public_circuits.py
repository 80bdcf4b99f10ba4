#!/usr/bin/env python3
"""Every circuit file of a folder through the command line: planned, run where it is narrow enough, refused with sizes where it does not fit.

    python3 public_circuits.py --ketmesh PATH FOLDER [--max-qubits 29] [--refused NAME:LINE ...] [--files 53]

A file named in --refused must be refused at that line, every other one must plan and keep its plan when it is written in OpenQASM 2 and
3 and read again. One of at most --max-qubits qubits must run in single precision; its counts must add up to the shots. A wider one
that does not fit here must end as DoesNotFit with sizes, at once; one that would fit is only planned: it would take the memory of
others. Exit status 77 (skipped, for ctest) when the folder is absent. The last line is "N passed, M failed".
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SHOTS = 100


class Differs(Exception):
    pass


def call(*command):
    """Exit status and the object that --json prints."""
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        raise Differs(f"no JSON, exit {done.returncode}: {done.stderr.strip()[-200:]}") from None


def expect(holds, what):
    if not holds:
        raise Differs(what)


def refused(ketmesh, path, line):
    for command in ("run", "plan"):
        code, answer = call(ketmesh, command, path)
        expect(code == 1 and answer["error"]["kind"] == "ParseError" and answer["error"]["line"] == line,
               f"{command}: exit {code}, {json.dumps(answer)[:200]}, not refused at line {line}")
    return f"refused at line {line}"


def accepted(ketmesh, path, max_qubits, folder):
    code, plan = call(ketmesh, "plan", path)
    expect(code == 0, f"plan: {plan}")
    for version in ("2", "3"):
        again = os.path.join(folder, f"v{version}.qasm")
        code, answer = call(ketmesh, "convert", path, again, "--to", version)
        expect(code == 0, f"convert --to {version}: {answer}")
        code, other = call(ketmesh, "plan", again)
        expect(code == 0, f"version {version} as written: {other}")
        for key in ("hash", "num_qubits", "acted_qubits", "gates", "stages", "passes"):
            expect(other[key] == plan[key], f"version {version} as written plans otherwise: {key} {other[key]}, was {plan[key]}")
    width = plan["acted_qubits"]
    if width > max_qubits and plan["memory"]["fits"]:
        return f"{width} qubits: planned only, wider than {max_qubits}"
    start = time.monotonic()
    code, answer = call(ketmesh, "run", path, "--shots", str(SHOTS), "--seed", "1", "--precision", "single")
    seconds = time.monotonic() - start
    if not plan["memory"]["fits"]:
        expect(code == 2 and answer["error"]["kind"] == "DoesNotFit", f"does not fit, but exit {code}: {json.dumps(answer)[:200]}")
        expect(f"{width} qubits" in answer["error"]["message"] and f"({plan['memory']['state_bytes']} bytes)" in answer["error"]["message"],
               f"no sizes: {answer['error']['message']}")
        expect(seconds < 5, f"refused only after {seconds:.1f} s")
        return f"{width} qubits: DoesNotFit"
    expect(code == 0, f"run: exit {code}, {json.dumps(answer)[:300]}")
    expect(sum(answer["counts"].values()) == SHOTS, f"counts add up to {sum(answer['counts'].values())} of {SHOTS}")
    return f"{width} qubits ran in {seconds:.1f} s"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ketmesh", required=True)
    p.add_argument("--max-qubits", type=int, default=29)
    p.add_argument("--refused", nargs="*", default=[])
    p.add_argument("--files", type=int, default=0, help="how many there must be; 0: any number")
    p.add_argument("folder")
    a = p.parse_args()
    if not os.path.isdir(a.folder):
        print(f"skipped: no folder {a.folder}")
        return SKIPPED
    lines = {name: int(line) for name, line in (word.split(":") for word in a.refused)}
    files = sorted(glob.glob(os.path.join(a.folder, "*.qasm")))
    failed = []
    for path in files:
        name = os.path.basename(path).removesuffix(".qasm")
        try:
            with tempfile.TemporaryDirectory() as folder:
                what = refused(a.ketmesh, path, lines.pop(name)) if name in lines else accepted(a.ketmesh, path, a.max_qubits, folder)
            print(f"{name}: {what}", flush=True)
        except Differs as difference:
            failed.append(name)
            print(f"FAILED {name}: {difference}", flush=True)
    if lines or not files or (a.files and len(files) != a.files):
        failed.append(a.folder)
        print(f"FAILED {a.folder}: {len(files)} files, {a.files or 'any number'} expected; not there: {sorted(lines)}")
    print(f"{len(files) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
