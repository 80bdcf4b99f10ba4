#!/usr/bin/env python3
"""clang-tidy over the sources of the library and the command line, remembering what was clean.

    python3 tools/tidy.py [--build build/release] [--budget SECONDS] [--all] [FILE ...]

A file is checked again only when its preprocessed text, .clang-tidy or the version of clang-tidy has changed; the results lie
in $XDG_CACHE_HOME/ketmesh/tidy (not under CI from nothing, where the preprocessing would be wasted). Without --all the run stops starting files after the budget (600 s): what the last commits changed comes
first, and the files that were not reached are named at the end.

Nearly all the time goes into the headers of the standard library, so files that are compiled alike are checked together, a few in one
translation unit. Where their names collide, the unit is split until it compiles.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOGETHER = 8  # files in one unit
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ketmesh", "tidy")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout


def changed():
    """Files of the last 20 commits and of the work tree, the newest first."""
    names = output("git", "diff", "--name-only", "HEAD").split() + output("git", "log", "-n", "20", "--name-only", "--format=").split()
    return list(dict.fromkeys(names))


def flags(entry):
    """The words of its command without launcher, compiler, output and source."""
    words = [w for w in shlex.split(entry["command"]) if os.path.basename(w) != "ccache"][1:]
    cut = words.index("-o")
    return [w for w in words[:cut] + words[cut + 2:] if w not in ("-c", entry["file"])]


def key(entry, salt):
    """Hash of what the compiler sees, None if it does not preprocess."""
    done = subprocess.run(["g++", *flags(entry), "-E", entry["file"]], capture_output=True, cwd=entry["directory"])
    if done.returncode:
        return None
    # Line markers hold absolute paths, which differ between clones.
    text = re.sub(rb"^# .*$", b"", done.stdout, flags=re.M)
    with open(os.path.join(ROOT, entry["name"]), "rb") as f:  # NOLINT comments are not in the preprocessed text
        return hashlib.sha256(salt + text + f.read()).hexdigest()


def units(names, entries):
    """Names in groups that may be one translation unit, the most urgent first."""
    groups, open_groups = [], {}
    for name in names:
        with open(os.path.join(ROOT, name)) as f:
            alone = "foreach_target.h" in f.read()  # Highway compiles such a file once a SIMD target
        how = name if alone else " ".join(flags(entries[name]))
        group = open_groups.get(how)
        if group is None or len(group) == TOGETHER:
            group = open_groups[how] = []
            groups.append(group)
        group.append(name)
    return groups


def tidy(group, entries):
    """Findings by group of files: pairs of names and text, empty text for clean ones."""
    with tempfile.TemporaryDirectory(dir=entries[group[0]]["directory"], prefix="tidy") as folder:
        unit = os.path.join(folder, "unit.cpp")
        with open(unit, "w") as f:
            f.writelines(f'#include "{os.path.join(ROOT, name)}"\n' for name in group)
        source = os.path.join(ROOT, group[0]) if len(group) == 1 else unit
        done = subprocess.run(["clang-tidy", "-quiet", f"--config-file={os.path.join(ROOT, '.clang-tidy')}", source, "--", *flags(entries[group[0]])],
                              capture_output=True, text=True, cwd=entries[group[0]]["directory"])
    if done.returncode == 0 and "warning:" not in done.stdout:
        return [(group, "")]
    if len(group) == 1:
        return [(group, done.stdout + done.stderr)]
    half = len(group) // 2  # they collide, or one of them has a finding
    return tidy(group[:half], entries) + tidy(group[half:], entries)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--budget", type=float, default=600)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    build = os.path.join(ROOT, args.build)
    with open(os.path.join(build, "compile_commands.json")) as f:
        entries = {}
        for entry in json.load(f):
            name = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
            if name.startswith(("src/", "apps/")) and name.endswith(".cpp") and not name.endswith("_test.cpp"):
                entries[name] = {**entry, "name": name}
    if args.files:
        entries = {n: e for n, e in entries.items() if any(w in n for w in args.files)}
    if not entries:
        print("clang-tidy: no source to check")
        return 0
    recent = {n: i for i, n in enumerate(changed())}
    order = sorted(entries, key=lambda n: (recent.get(n, len(recent)), n))
    with open(os.path.join(ROOT, ".clang-tidy"), "rb") as f:
        salt = f.read() + output("clang-tidy", "--version").encode()
    remember = os.path.isdir(CACHE) or not os.environ.get("CI")
    if remember:
        os.makedirs(CACHE, exist_ok=True)
    deadline = time.monotonic() + (float("inf") if args.all else args.budget)
    count = {"checked": 0, "known clean": 0, "not reached": 0}
    failed, unreached = [], []

    marks = {}

    def known(name):
        digest = key(entries[name], salt) if remember else None
        marks[name] = os.path.join(CACHE, digest) if digest else None
        return bool(digest) and os.path.exists(marks[name])

    def check(group):
        return [(group, None)] if time.monotonic() > deadline else tidy(group, entries)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = dict(zip(order, pool.map(known, order), strict=True))
        count["known clean"] = sum(clean.values())
        for results in pool.map(check, units([n for n in order if not clean[n]], entries)):
            for names, text in results:
                if text is None:
                    count["not reached"] += len(names)
                    unreached += names
                elif text:
                    failed += names
                    print(text, flush=True)
                else:
                    count["checked"] += len(names)
                    for mark in filter(None, (marks[n] for n in names)):
                        open(mark, "w").close()
    print(f"clang-tidy: {len(failed)} files with findings, " + ", ".join(f"{v} {k}" for k, v in count.items()))
    for name in failed:
        print(f"  {name}")
    for name in unreached:
        print(f"  not reached: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
