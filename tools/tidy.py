#!/usr/bin/env python3
"""clang-tidy over the sources of the library and the command line, remembering what was clean.

    python3 tools/tidy.py [--build build/release] [--budget SECONDS] [--all] [FILE ...]

A file is checked again only when its preprocessed text, .clang-tidy or the version of clang-tidy has changed; the results lie
in $XDG_CACHE_HOME/ketmesh/tidy (not under CI from nothing, where the preprocessing would be wasted). Without --all the run stops starting files after the budget (600 s): what the last commits changed comes
first, and the files that were not reached are named at the end.
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
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ketmesh", "tidy")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout


def changed():
    """Files of the last 20 commits and of the work tree, the newest first."""
    names = output("git", "diff", "--name-only", "HEAD").split() + output("git", "log", "-n", "20", "--name-only", "--format=").split()
    return list(dict.fromkeys(names))


def key(entry, salt):
    """Hash of what the compiler sees, None if it does not preprocess."""
    words = [w for w in shlex.split(entry["command"]) if os.path.basename(w) != "ccache"]
    cut = words.index("-o")
    words = words[:cut] + words[cut + 2:]
    words = ["-E" if w == "-c" else w for w in words]
    done = subprocess.run(words, capture_output=True, cwd=entry["directory"])
    if done.returncode:
        return None
    # Line markers hold absolute paths, which differ between clones.
    text = re.sub(rb"^# .*$", b"", done.stdout, flags=re.M)
    with open(os.path.join(ROOT, entry["name"]), "rb") as f:  # NOLINT comments are not in the preprocessed text
        return hashlib.sha256(salt + text + f.read()).hexdigest()


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
            if name.startswith(("src/", "apps/")) and not name.endswith("_test.cpp"):
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

    def check(name):
        entry = entries[name]
        digest = key(entry, salt) if remember else None
        mark = os.path.join(CACHE, digest) if digest else None
        if mark and os.path.exists(mark):
            return name, "known clean", ""
        if time.monotonic() > deadline:
            return name, "not reached", ""
        done = subprocess.run(["clang-tidy", "-quiet", "-p", build, os.path.join(ROOT, name)], capture_output=True, text=True)
        if done.returncode == 0 and "warning:" not in done.stdout:
            if mark:
                open(mark, "w").close()
            return name, "checked", ""
        return name, "failed", done.stdout + done.stderr

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result, text in pool.map(check, order):
            if result == "failed":
                failed.append(name)
                print(text)
            else:
                count[result] += 1
                if result == "not reached":
                    unreached.append(name)
    print(f"clang-tidy: {len(failed)} files with findings, " + ", ".join(f"{v} {k}" for k, v in count.items()))
    for name in failed:
        print(f"  {name}")
    for name in unreached:
        print(f"  not reached: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
