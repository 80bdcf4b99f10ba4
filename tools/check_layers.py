#!/usr/bin/env python3
"""Enforces the table of rooms: who may include whom, and what a room must never know.

    python3 tools/check_layers.py [ROOT]

Prints one line `file:line: rule: what` for each violation and ends with 1 if there is any; files of more than 400 lines are
listed as notes. A line that must break a rule says so, with the reason: `// layers: allow(RULE) reason`, on that line or the
one above. Rules and their names are in the tables below; tools/check_layers_test.py plants a violation of each.
"""
import os
import re
import subprocess
import sys

# A room includes only rooms above it, and itself.
ROOMS = ["base", "circuit", "mesh", "plan", "kernels", "transport", "state", "measure", "encode", "runtime", "api"]

# What a room must not include although it stands above it ("must never know"); regular expressions over the path below ketmesh/.
# The masks of a Pauli string are plain numbers, so the kernels may have them.
FORBIDDEN = {
    "mesh": r"circuit/",
    "kernels": r"circuit/(?!pauli\.hpp$)",
    "transport": r"circuit/",
    "state": r"circuit/",
    "runtime": r"circuit/qasm/",
}

# Headers of others: where each may be included (regular expressions over the path of the file).
FOREIGN = [
    (r"^mpi(-ext)?\.h$", r"^src/ketmesh/transport/(mpi|.*mpi)|^include/ketmesh/mpi\.hpp$|^apps/|^tests/mpi/|^examples/cpp/.*mpi"),
    (r"^nccl\.h$", r"^src/ketmesh/transport/.*nccl"),
    (r"^(cuda|cuda_.*|cub/.*|cooperative_groups|nvtx3/.*)(\.h|\.hpp|\.cuh)?$",
     r"/cuda/|cuda[^/]*$|^src/ketmesh/transport/(nccl|peer)"),
    (r"^nvml\.h$", r"^src/ketmesh/mesh/.*(cuda|nvml)|/cuda/"),
    (r"^(hdf5|H5\w*)\.h$", r"/hdf5"),
    (r"^hwloc", r"^src/ketmesh/mesh/"),
    (r"^hwy/", r"^(src/ketmesh/(kernels|measure|encode)|bench)/"),
    (r"^Random123/", r"^src/ketmesh/base/"),
    (r"^CLI/", r"^apps/"),
    (r"^(nanobind/|pybind11/|Python\.h$)", r"^python/"),
    (r"^(gtest/|gmock/|rapidcheck)", r"_test\.cpp$|^tests/|/testing/|_testing\.hpp$"),
    (r"^benchmark/", r"^bench/|_bench\.cpp$"),
    (r"^fmt/", r"\.(cpp|cu)$"),
    (r"^nlohmann/", r"\.cpp$"),
]

# Words that a room must not use: (rule, rooms, pattern, what to say). They are looked for in code without comments and strings.
LIBRARY = ROOMS
WORDS = [
    ("print", LIBRARY, r"\bstd::(cout|cerr|clog)\b|\b(?<!\w)(?:std::)?(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror)\s*\(|\bfmt::print\s*\(",
     "a library does not print"),
    ("exit", LIBRARY, r"(?<![\w.>:])(?:std::)?(exit|_exit|_Exit|abort|quick_exit|terminate)\s*\(", "a library does not end the process"),
    ("world", LIBRARY, r"\bMPI_COMM_WORLD\b", "only the launcher knows MPI_COMM_WORLD"),
    ("mpi-abort", LIBRARY, r"\bMPI_Abort\b", "only the command line calls MPI_Abort"),
    ("singleton", LIBRARY, r"\binstance\s*\(\s*\)\s*(\{|const|noexcept|;)", "no singletons"),
    ("silent-default", LIBRARY, r"\bdefault\s*:\s*break\s*;", "an unsupported case must not be swallowed"),
    ("hardware", ["circuit"], r"(?i)\b(mpi_\w+|cuda\w*|omp_\w+|hwloc\w*|device_?mesh|ranks?|world_size|num_shards|shards?)\b", "circuit knows no hardware and no ranks"),
    ("circuits", ["mesh", "transport"], r"\b(Circuit|QuantumCircuit|Operation|Gate|GateKind)\b", "this room knows no circuits"),
    ("qubits", ["transport"], r"(?i)\b(num_)?qubits?\b", "transport knows no qubits"),
    ("steps", ["state"], r"\b(Step|StepKind|Residency|PhaseTerm|Circuit)\b", "state knows no circuits and no plan steps"),
    ("backend", ["plan", "encode"], r"\b(MPI_\w+|cuda[A-Z]\w*|cudaStream_t|nccl[A-Z]\w*)\b", "this room knows no MPI and no CUDA"),
    ("ranks", ["kernels"], r"(?i)\b(mpi_\w+|world_size|num_ranks|rank_of)\b", "kernels know no ranks"),
    ("files", ["kernels", "measure"], r"\bstd::(o|i)?fstream\b|\bstd::filesystem\b|\bfopen\s*\(", "this room knows no files"),
    ("python", ["runtime", "api"], r"\bPyObject\b|\bPy_\w+\b", "this room knows no Python"),
]
# Public headers of plan: plain data. Members that are pointers or own by pointer.
POINTER_MEMBER = re.compile(r"^\s*(?:const\s+)?[\w:]+(?:<[^;()]*>)?\s*(?:const\s*)?\*\s*(?:const\s+)?\w+\s*(?:=[^;]*|\{[^;]*\})?;|\bstd::(unique|shared|weak)_ptr\b")

SOURCE = re.compile(r"\.(cpp|hpp|h|cu|cuh|inc)$")
COUNTED = re.compile(r"\.(cpp|hpp|h|cu|cuh|inc|py|sh|cmake)$|(^|/)(dev|CMakeLists\.txt)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)"|(\w+))')
ALLOW = re.compile(r"layers:\s*allow\(([\w, -]+)\)\s*(\S.*)?")
STANDARD_C = {"stddef.h", "stdint.h", "stdbool.h", "stdlib.h", "string.h", "math.h", "complex.h"}


def strip(text):
    """Comments, strings and character literals blanked; line structure kept."""
    pattern = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match):
        s = match.group(0)
        return ('""' if s[0] in '"R' else "" if s[0] == "/" else "0") + "\n" * s.count("\n")

    return pattern.sub(blank, text)


def functions_with_conditionals(lines):
    """Numbers of lines with #if, #ifdef or #ifndef inside a function body. `lines`: stripped text."""
    stack, head, found, continued = [], "", [], False
    for number, line in enumerate(lines, 1):
        directive = line.lstrip().startswith("#")
        if directive or continued:
            if directive and re.match(r"\s*#\s*if", line) and "function" in stack:
                found.append(number)
            continued = line.rstrip().endswith("\\")
            continue
        for c in line + "\n":
            if c == "{":
                h = head.strip()
                if re.search(r"\bnamespace\b[^()]*$", h) or h.endswith('extern ""'):
                    kind = "namespace"
                elif re.match(r"(template\s*<.*>\s*)?(typedef\s+|export\s+)?(class|struct|union|enum)\b(?!.*\)\s*(const|noexcept|override|\s)*$)", h, re.S):
                    kind = "type"
                elif re.search(r"\)\s*(const|noexcept(\s*\(.*\))?|override|final|mutable|&|&&|->\s*[\w:<>,&*\s]+|:.*|requires.*|try|\s)*$", h, re.S):
                    kind = "function"
                else:
                    kind = "function" if "function" in stack else "initializer"
                stack.append(kind)
                head = ""
            elif c == "}":
                if stack:
                    stack.pop()
                head = ""
            elif c == ";":
                head = ""
            else:
                head += c
    return found


class Checker:
    def __init__(self, root):
        self.root, self.errors, self.notes = root, [], []

    def files(self):
        listed = subprocess.run(["git", "-C", self.root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
        if listed.returncode == 0:
            names = listed.stdout.splitlines()
        else:
            names = [os.path.relpath(os.path.join(d, f), self.root) for d, _, fs in os.walk(self.root) for f in fs]
        return sorted(n for n in names if os.path.isfile(os.path.join(self.root, n)))

    def run(self):
        names = self.files()
        rooms_seen = set()
        for name in names:
            if not (SOURCE.search(name) or COUNTED.search(name)):
                continue
            with open(os.path.join(self.root, name), encoding="utf-8", errors="replace") as f:
                text = f.read()
            if COUNTED.search(name):
                self.length(name, text.count("\n"))
            if SOURCE.search(name):
                self.source(name, text)
                match = re.match(r"src/ketmesh/(\w+)/", name)
                if match:
                    rooms_seen.add(match.group(1))
        for room in sorted(rooms_seen):
            if room not in ROOMS:
                self.errors.append(f"src/ketmesh/{room}:1: room: not in the table of rooms")
            elif f"src/ketmesh/{room}/README.md" not in names:
                self.errors.append(f"src/ketmesh/{room}:1: readme: the room has no README.md")
        return not self.errors

    def length(self, name, count):
        if count > 800:
            self.errors.append(f"{name}:{count}: length: {count} lines, at most 800 (split it)")
        elif count > 400:
            self.notes.append(f"{name}: {count} lines (over 400 asks for a reason)")

    def source(self, name, text):
        raw = text.split("\n")
        code = strip(text).split("\n")
        test = bool(re.search(r"_(test|fuzz|bench)\.cpp$", name))
        public = name.startswith("include/ketmesh/")
        match = re.match(r"(?:src|include)/ketmesh/(\w+)/", name)
        room = match.group(1) if match else None

        def report(number, rule, what):
            for line in raw[max(0, number - 2):number]:
                allowed = ALLOW.search(line)
                if allowed and rule in re.split(r"[,\s]+", allowed.group(1)) and allowed.group(2):
                    return
            self.errors.append(f"{name}:{number}: {rule}: {what}")

        for number, line in enumerate(raw, 1):
            include = INCLUDE.match(line) if code[number - 1].lstrip().startswith("#") else None
            if include:
                self.include(name, number, include.group(1), include.group(2), room, public, test, report)
        if room in ROOMS and not test:
            for number, line in enumerate(code, 1):
                for rule, rooms, pattern, what in WORDS:
                    found = room in rooms and not INCLUDE.match(raw[number - 1]) and re.search(pattern, line)
                    if found:
                        report(number, rule, f"{found.group(0).strip()}: {what}")
                if public and room == "plan" and POINTER_MEMBER.search(line):
                    report(number, "pointers", "a plan is plain data without pointers")
        if not re.match(r"(apps/|python/.*launch)", name):
            for number, line in enumerate(code, 1):
                if room not in ROOMS and not name.startswith(("tests/", "examples/")) and re.search(r"\bMPI_COMM_WORLD\b", line):
                    report(number, "world", "only the launcher knows MPI_COMM_WORLD")
        for number in functions_with_conditionals(code):
            report(number, "ifdef", "no conditional compilation inside a function: variants are whole files")

    def include(self, name, number, angle, quoted, room, public, test, report):
        path = angle or quoted
        if path is None:
            return  # a macro, as Highway's foreach_target does it
        if path.startswith("ketmesh/"):
            target = path.split("/")
            exists_public = os.path.isfile(os.path.join(self.root, "include", path))
            if public and not exists_public:
                report(number, "public", f"a public header includes {path}, which is not a public header")
            if name.startswith(("apps/", "python/", "examples/", "tests/package/")) and not exists_public:
                report(number, "installed", f"{path} is not an installed header")
            if room in ROOMS and len(target) > 2:
                other = target[1]
                if other not in ROOMS:
                    report(number, "room", f"{other} is not a room")
                elif ROOMS.index(other) > ROOMS.index(room):
                    report(number, "order", f"{room} includes {path}, a room below it")
                elif not test and room in FORBIDDEN and re.match(FORBIDDEN[room], path[len("ketmesh/"):]):
                    report(number, "never", f"{room} must not know {path}")
            elif room in ROOMS and not exists_public:
                report(number, "order", f"{path} belongs to no room")
            return
        for pattern, allowed in FOREIGN:
            if re.match(pattern, path):
                if not re.search(allowed, name):
                    report(number, "foreign", f"{path} may not be included here")
                if not public or re.search(r"^include/ketmesh/(mpi\.hpp|cuda\.hpp|testing/)", name):
                    return
        if quoted and name.startswith(("src/", "include/", "apps/")) and not quoted.startswith("hwy/") and not name.startswith("apps/"):
            report(number, "path", f'"{quoted}": own headers are included as "ketmesh/<room>/x.hpp"')
        if public and not (re.match(r"^[a-z_0-9]+$", path) or (path in STANDARD_C and name.endswith(".h"))):
            report(number, "public", f"public headers include the standard library and each other, not {path}")


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checker = Checker(root)
    ok = checker.run()
    for note in checker.notes:
        print(f"note: {note}")
    for error in checker.errors:
        print(error)
    print(f"check_layers: {len(checker.errors)} violations")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
