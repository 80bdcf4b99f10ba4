#!/usr/bin/env python3
"""Plants one violation of each rule of check_layers.py in an empty tree and expects it to be found, and nothing in clean code."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_layers


def check(files):
    with tempfile.TemporaryDirectory() as root:
        rooms = {p.split("/")[2] for p in files if p.startswith("src/ketmesh/")}
        for path, text in {**{f"src/ketmesh/{r}/README.md": "" for r in rooms}, **files}.items():
            if text is None:
                continue
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as f:
                f.write(text)
        checker = check_layers.Checker(root)
        checker.files = lambda: sorted(p for p in {**{f"src/ketmesh/{r}/README.md": "" for r in rooms}, **files}
                                       if os.path.isfile(os.path.join(root, p)))
        checker.run()
        return checker


PLANTED = [
    ("order", "src/ketmesh/plan/a.cpp", '#include "ketmesh/kernels/k.hpp"\n'),
    ("order", "include/ketmesh/base/a.hpp", '#include "ketmesh/circuit/c.hpp"\n'),
    ("order", "src/ketmesh/plan/a_test.cpp", '#include "ketmesh/runtime/r.hpp"\n'),
    ("room", "src/ketmesh/plan/a.cpp", '#include "ketmesh/helpers/h.hpp"\n'),
    ("room", "src/ketmesh/misc/a.cpp", "int x;\n"),
    ("never", "src/ketmesh/mesh/a.cpp", '#include "ketmesh/circuit/circuit.hpp"\n'),
    ("never", "src/ketmesh/runtime/a.cpp", '#include "ketmesh/circuit/qasm/reader.hpp"\n'),
    ("foreign", "src/ketmesh/state/a.cpp", "#include <mpi.h>\n"),
    ("foreign", "src/ketmesh/plan/a.cpp", "#include <cuda_runtime.h>\n"),
    ("foreign", "src/ketmesh/kernels/a.cpp", "#include <hwloc.h>\n"),
    ("foreign", "src/ketmesh/base/a.hpp", "#include <fmt/format.h>\n"),
    ("foreign", "src/ketmesh/api/a.cpp", "#include <CLI/CLI.hpp>\n"),
    ("public", "include/ketmesh/base/a.hpp", "#include <nlohmann/json.hpp>\n"),
    ("public", "include/ketmesh/base/a.hpp", '#include "ketmesh/base/private.hpp"\n'),
    ("installed", "apps/ketmesh/a.cpp", '#include "ketmesh/plan/private.hpp"\n'),
    ("path", "src/ketmesh/base/a.cpp", '#include "bits.hpp"\n'),
    ("print", "src/ketmesh/state/a.cpp", "void f() { std::cout << 1; }\n"),
    ("print", "src/ketmesh/state/a.cpp", "void f() { printf(\"x\"); }\n"),
    ("exit", "src/ketmesh/state/a.cpp", "void f() { std::abort(); }\n"),
    ("exit", "src/ketmesh/state/a.cpp", "void f() { exit(1); }\n"),
    ("world", "src/ketmesh/transport/mpi/a.cpp", "auto c = MPI_COMM_WORLD;\n"),
    ("world", "bench/a.cpp", "auto c = MPI_COMM_WORLD;\n"),
    ("mpi-abort", "src/ketmesh/transport/mpi/a.cpp", "void f() { MPI_Abort(c, 1); }\n"),
    ("singleton", "src/ketmesh/mesh/a.hpp", "struct A { static A& instance(); };\n"),
    ("silent-default", "src/ketmesh/kernels/a.cpp", "void f(int x) { switch (x) { case 1: g(); default: break; } }\n"),
    ("hardware", "include/ketmesh/circuit/a.hpp", "int rank;\n"),
    ("circuits", "src/ketmesh/transport/a.hpp", "void f(const Circuit& c);\n"),
    ("qubits", "src/ketmesh/transport/a.hpp", "void f(int num_qubits);\n"),
    ("never", "src/ketmesh/kernels/a.cpp", '#include "ketmesh/circuit/circuit.hpp"\n'),
    ("steps", "src/ketmesh/state/a.hpp", "void f(const Step& step);\n"),
    ("backend", "src/ketmesh/plan/a.hpp", "cudaStream_t s;\n"),
    ("ranks", "src/ketmesh/kernels/a.hpp", "int world_size;\n"),
    ("files", "src/ketmesh/measure/a.cpp", "std::ofstream f;\n"),
    ("python", "src/ketmesh/api/a.cpp", "PyObject* p;\n"),
    ("pointers", "include/ketmesh/plan/a.hpp", "struct P {\n  const int* data = nullptr;\n};\n"),
    ("pointers", "include/ketmesh/plan/a.hpp", "struct P {\n  std::unique_ptr<int> data;\n};\n"),
    ("ifdef", "src/ketmesh/base/a.cpp", "namespace n {\nint f(int x) {\n#ifdef Y\n  return x;\n#endif\n}\n}\n"),
    ("ifdef", "src/ketmesh/base/a.cpp", "struct S {\n  int g() const noexcept {\n    if (a) {\n#if Y\n#endif\n    }\n  }\n};\n"),
    ("length", "src/ketmesh/base/a.cpp", "\n" * 801),
    ("length", "tools/a.py", "\n" * 801),
]

CLEAN = {
    "include/ketmesh/base/a.hpp": "#pragma once\n#include <cstddef>\n#ifdef X\nnamespace n { struct A { int x; }; }\n#endif\n",
    "include/ketmesh/plan/p.hpp": '#include "ketmesh/base/a.hpp"\n#include <vector>\nstruct P { std::vector<int> v; int f(int a, int b) { return a * b; } };\n',
    "src/ketmesh/kernels/cpu/k.cpp": '#include "ketmesh/plan/p.hpp"\n#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE "ketmesh/kernels/cpu/k.cpp"\n'
                                     '#include "hwy/foreach_target.h"\n#include "hwy/highway.h"\nHWY_BEFORE_NAMESPACE();\nnamespace a::HWY_NAMESPACE {\n'
                                     'void f() { g(); }\n}\nHWY_AFTER_NAMESPACE();\n#if HWY_ONCE\nint table[] = {1, 2};\n#endif\n',
    "src/ketmesh/kernels/p.hpp": '#include "ketmesh/circuit/pauli.hpp"\n',
    "src/ketmesh/state/s.cpp": '// std::cout << "exit(1)" MPI_COMM_WORLD\nvoid f() { log("printf("); std::snprintf(b, 1, "x"); x.exit(); }\n',
    "src/ketmesh/state/s_test.cpp": "#include <gtest/gtest.h>\n#include <fstream>\nTEST(A, B) { std::cout << 1; }\n",
    "src/ketmesh/base/w.cpp": "void f() {\n  // layers: allow(exit) the allocator of the standard library does the same\n  std::abort();\n}\n",
    "src/ketmesh/transport/mpi/m.cpp": "#include <mpi.h>\n",
    "apps/ketmesh/main.cpp": '#include <CLI/CLI.hpp>\n#include "ketmesh/base/a.hpp"\n#include "options.hpp"\nint main() { std::cout << 1; }\n',
}


class Layers(unittest.TestCase):
    def test_each_planted_violation_is_found(self):
        for rule, path, text in PLANTED:
            with self.subTest(rule=rule, path=path, text=text[:60]):
                errors = check({path: text}).errors
                self.assertTrue(any(f": {rule}: " in e for e in errors), errors)

    def test_clean_code_has_none(self):
        self.assertEqual(check(CLEAN).errors, [])

    def test_a_room_without_readme(self):
        self.assertIn("readme", check({"src/ketmesh/base/a.cpp": "", "src/ketmesh/base/README.md": None}).errors[0])

    def test_a_waiver_needs_a_reason_and_the_right_rule(self):
        for comment in ("// layers: allow(exit)", "// layers: allow(print) because"):
            self.assertTrue(check({"src/ketmesh/base/a.cpp": f"void f() {{\n  {comment}\n  std::abort();\n}}\n"}).errors)

    def test_long_files_are_listed(self):
        self.assertEqual(len(check({"src/ketmesh/base/a.cpp": "\n" * 401}).notes), 1)


if __name__ == "__main__":
    unittest.main()
