#!/usr/bin/env python3
"""Checks the documentation against the tree: relative links, the `./dev` commands and the files that code blocks name.

A fenced block whose info string says `file=PATH` must be found in that file word for word.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)
PATHS = re.compile(r"\b(?:examples|docs|tests|tools|bench|src|include|apps)/[\w./-]*\w")


def check(name, text, commands):
    problems = []
    for target in LINK.findall(FENCE.sub("", text)):
        path = target.split("#")[0]
        # _generated: pictures that building the site makes.
        if path and not re.match(r"[a-z]+:|_generated/", path) and not os.path.exists(os.path.join(ROOT, os.path.dirname(name), path)):
            problems.append(f"{name}: link to {target}, which is not there")
    for info, body in FENCE.findall(text):
        source = re.search(r"file=(\S+)", info)
        if source:
            path = os.path.join(ROOT, source.group(1))
            if not os.path.exists(path):
                problems.append(f"{name}: block from {source.group(1)}, which is not there")
            else:
                with open(path) as f:
                    if body.strip() not in f.read():
                        problems.append(f"{name}: block differs from {source.group(1)}")
        for command in re.findall(r"\./dev ([a-z]+)", body):
            if command not in commands:
                problems.append(f"{name}: ./dev {command} is not a command")
        for path in PATHS.findall(body):
            if not source and "*" not in body and not os.path.exists(os.path.join(ROOT, path)):
                problems.append(f"{name}: names {path}, which is not there")
    return problems


def main():
    with open(os.path.join(ROOT, "dev")) as f:
        commands = set(re.findall(r"^  ([a-z]+)\)", f.read(), re.M)) | {"run", "help"}
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True, check=True)
    problems, count = [], 0
    for name in listed.stdout.splitlines():
        if os.path.exists(os.path.join(ROOT, name)):
            count += 1
            with open(os.path.join(ROOT, name), encoding="utf-8") as f:
                problems += check(name, f.read(), commands)
    for problem in problems:
        print(problem)
    print(f"check_docs: {count} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
