"""Threads of Python, forks, Ctrl-C, and the command."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import strata

DOT = """
func.func @main(%x: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>
  return %0 : tensor<300x300xf32>
}
"""


def python(script, *args, **options):
    return subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, timeout=300, **options)


class Threads(unittest.TestCase):
    def test_several_threads_call_one_program(self):
        program = strata.compile(DOT, threads=2)
        inputs = [np.random.default_rng(seed).standard_normal((300, 300), np.float32) for seed in range(4)]
        expected = [program(x) for x in inputs]
        wrong = []

        def work(x, result):
            for _ in range(20):
                if not np.array_equal(program(x), result):
                    wrong.append(x)

        threads = [threading.Thread(target=work, args=pair) for pair in zip(inputs, expected)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_several_threads_compile(self):
        results = []

        def work(size):
            text = DOT.replace("300", str(size))
            results.append((size, strata.compile(text)(np.ones((size, size), np.float32))[0, 0]))

        threads = [threading.Thread(target=work, args=(size,)) for size in (3, 5, 7, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), [(size, size) for size in (3, 5, 7, 9)])

    def test_other_threads_run_during_a_call(self):
        program = strata.compile(DOT, threads=1)
        x = np.ones((300, 300), np.float32)
        done, ticks = threading.Event(), []

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0)

        thread = threading.Thread(target=tick)
        thread.start()
        for _ in range(50):
            program(x)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 10)


class Processes(unittest.TestCase):
    def test_a_child_calls_on_threads_of_its_own(self):
        script = """
import os, sys, numpy as np, strata
program = strata.compile(sys.argv[1], threads=2)
x = np.ones((300, 300), np.float32)
program(x)
child = os.fork()
if child == 0:
    other = strata.compile(sys.argv[1].replace("300", "4"))
    os._exit(0 if program(x)[0, 0] == 300 and other(np.ones((4, 4), np.float32))[0, 0] == 4 else 1)
assert os.waitpid(child, 0)[1] == 0
assert program(x)[0, 0] == 300
"""
        # From 3.12 on Python itself warns of a fork beside threads.
        told = python("import warnings; warnings.simplefilter('ignore')\n" + script, DOT)
        self.assertEqual(told.returncode, 0, told.stderr)

    def test_the_end_right_after_a_compilation(self):
        for text in (DOT, "nonsense {"):
            for _ in range(5):
                told = python("import sys, strata\ntry: strata.compile(sys.argv[1])\nexcept strata.StrataError: pass", text)
                self.assertEqual((told.returncode, told.stderr), (0, ""))

    def test_the_module_is_loaded_twice(self):
        script = """
import sys, numpy as np, strata
first = strata.compile(sys.argv[1])
for name in [name for name in sys.modules if name.split(".")[0] == "strata"]:
    del sys.modules[name]
import strata as again
x = np.ones((300, 300), np.float32)
try:
    assert again.compile(sys.argv[1])(x)[0, 0] == 300
except ImportError:
    pass
assert first(x)[0, 0] == 300
"""
        told = python(script, DOT)
        self.assertEqual(told.returncode, 0, told.stderr)

    def test_ctrl_c_ends_a_compilation(self):
        # Thousands of operations of different sizes take seconds.
        lines = [f"  %{n + 1} = stablehlo.tanh %{n} : tensor<64x64xf32>" if n % 2 else f"  %{n + 1} = stablehlo.dot_general %{n}, %{n}, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>" for n in range(2000)]
        body = "\n".join(lines)
        text = f"func.func @main(%0: tensor<64x64xf32>) -> tensor<64x64xf32> {{\n{body}\n  return %2000 : tensor<64x64xf32>\n}}".replace("%0: ", "%arg: ").replace("%0,", "%arg,").replace("%0 ", "%arg ")
        script = """
import sys, time, strata
print("ready", flush=True)
begin = time.monotonic()
file = open(sys.argv[1] + ".out", "w")
file.write("kept")
try:
    strata.compile(open(sys.argv[1]).read())
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(5)
"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "long.mlir")
            path.write_text(text)
            child = subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.7)
            child.send_signal(signal.SIGINT)
            begin = time.monotonic()
            out, err = child.communicate(timeout=120)
            self.assertEqual(pathlib.Path(folder, "long.mlir.out").read_text(), "kept")
        self.assertEqual(out, "interrupted\n", err)
        # The exit waits for the end of the stage, and changes neither status nor files.
        self.assertEqual(child.returncode, 5, err)
        self.assertLess(time.monotonic() - begin, 30)


class Command(unittest.TestCase):
    def test_it_is_the_command(self):
        told = subprocess.run([sys.executable, "-m", "strata", "--version"], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertTrue(told.stdout.startswith("strata "), told.stdout)
        self.assertEqual(told.stdout.split()[1], strata.__version__)

    def test_it_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "dot.mlir")
            path.write_text(DOT)
            command = [sys.executable, "-m", "strata", "compile"]
            for source, stdin in [("dot.mlir", None), ("-", DOT)]:
                told = subprocess.run([*command, source, "-o", "dot.o", "--name", "dot"], cwd=folder, input=stdin, capture_output=True, text=True)
                self.assertEqual(told.returncode, 0, told.stderr)
                self.assertEqual(pathlib.Path(folder, "dot.o").read_bytes(), strata.compile(DOT, name="dot").object)
            told = subprocess.run([*command, "none.mlir"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(told.returncode, 2)
            self.assertIn("S0002", told.stderr)
            # A crash of the reader on damaged bytecode is in the worker's process.
            pathlib.Path(folder, "bad.mlirbc").write_bytes(b"ML\xefR" + bytes(range(256)))
            told = subprocess.run([*command, "bad.mlirbc"], cwd=folder, capture_output=True, text=True)
            self.assertIn(told.returncode, (1, 2), told.stderr)


if __name__ == "__main__":
    unittest.main()
