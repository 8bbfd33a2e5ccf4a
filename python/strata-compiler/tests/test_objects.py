"""Objects with several entries, weights in files, damaged libraries, threads that end."""

import ast
import gc
import inspect
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

import strata

LM = """
func.func public @prefill(%x: tensor<3x257xf32>) -> tensor<3x257xf32> {{
  %c = stablehlo.constant dense<{values}> : tensor<257xf32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<257xf32>) -> tensor<3x257xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<3x257xf32>
  return %1 : tensor<3x257xf32>
}}
func.func public @decode(%x: tensor<257xf32>) -> (tensor<257xf32>, tensor<257xf32>) {{
  %c = stablehlo.constant dense<{values}> : tensor<257xf32>
  %0 = stablehlo.add %x, %c : tensor<257xf32>
  return %0, %x : tensor<257xf32>, tensor<257xf32>
}}
"""
OPEN_LM = """
func.func public @prefill(%x: tensor<?xf32> loc("x")) -> tensor<?xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func public @decode(%x: tensor<?x3xf32> loc("y")) -> tensor<?x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
func.func public @fixed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
VALUES = np.arange(257, dtype=np.float32) / 8 - 3
LM = LM.format(values=VALUES.tolist())

SUM = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = stablehlo.add %x, %x : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}"


DOT = """
func.func @main(%x: tensor<37x65xf32>, %w: tensor<65x99xf32>) -> tensor<37x99xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<37x65xf32>, tensor<65x99xf32>) -> tensor<37x99xf32>
  return %0 : tensor<37x99xf32>
}
"""


class Objects(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check_entries(self, lm):
        self.assertEqual(sorted(lm), ["decode", "prefill"])
        x = np.arange(771, dtype=np.float32).reshape(3, 257)
        np.testing.assert_array_equal(lm["prefill"](x), x * VALUES)
        added, same = lm["decode"](x[1])
        np.testing.assert_array_equal(added, x[1] + VALUES)
        np.testing.assert_array_equal(same, x[1])

    def test_entries_share_an_object(self):
        lm = strata.compile(LM, entries=["prefill", "decode"], name="lm")
        self.check_entries(lm)
        self.assertEqual(len(lm), 2)
        self.assertEqual(lm["decode"].symbol, "lm_decode")
        self.assertIn("lm_prefill(", lm.header)
        self.assertIn("lm_decode(", lm.header)
        self.assertEqual(lm["decode"].object, lm.object)
        self.assertIn("prefill", lm["decode"].remarks)
        self.assertIn("stablehlo.multiply", lm["decode"].remarks)
        lm.save_object(self.folder / "lm.o", self.folder / "lm.h")
        self.assertEqual((self.folder / "lm.o").read_bytes(), lm.object)
        with self.assertRaises(KeyError):
            lm["main"]

    def test_entries_take_sizes_of_their_own(self):
        path = self.folder / "liblm.so"
        lm = strata.compile(OPEN_LM, entries=["prefill", "decode", "fixed"], name="lm", max={"x.0": 5})
        lm.save(path)
        for programs in [lm, strata.load(path)]:
            for size in [0, 1, 4, 5]:
                x = np.arange(size, dtype=np.float32)
                np.testing.assert_array_equal(programs["prefill"](x), x[::-1])
            for rows in [0, 1, 3, 17, 40]:
                x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
                np.testing.assert_array_equal(programs["decode"](x), x + x)
            np.testing.assert_array_equal(programs["fixed"](np.float32([1, -2])), [1, 2])
            with self.assertRaises((strata.StrataError, ValueError)):
                programs["prefill"](np.zeros(6, np.float32))
        with self.assertRaises(strata.StrataError) as raised:
            strata.compile(OPEN_LM, entries=["prefill", "decode"], max={"x.0": 5, "z": 5})
        self.assertEqual(raised.exception.code, "S1106")

    def test_schedules_are_those_of_the_command(self):
        (self.folder / "dot.mlir").write_text(DOT)
        strata_ = [sys.executable, "-m", "strata"]

        def command(*arguments):
            return subprocess.run([*strata_, *arguments, "--target-cpu", "x86-64-v3"], cwd=self.folder, check=True, capture_output=True, text=True).stdout

        own = command("schedule", "dot.mlir", "--format", "json")
        file = self.folder / "tuned.json"
        tuned = re.sub(r'"rows": \d+', '"rows": 3', own, count=1)
        self.assertNotEqual(own, tuned)
        file.write_text(tuned)
        command("compile", "dot.mlir", "-o", "dot.o", "--schedule", "tuned.json")
        options = {"name": "dot", "target_cpu": "x86-64-v3"}
        program = strata.compile(DOT, schedule=file, **options)
        self.assertEqual(program.object, (self.folder / "dot.o").read_bytes())
        self.assertNotEqual(program.object, strata.compile(DOT, **options).object)
        # Nothing for the program: a warning, and the untuned object.
        with self.assertWarnsRegex(strata.StrataWarning, "S1303"):
            untuned = strata.compile(SUM, schedule=str(file), **options)
        self.assertEqual(untuned.object, strata.compile(SUM, **options).object)
        file.write_text(tuned.replace('"rows": 3', '"rows": 38', 1))
        with self.assertRaises(strata.StrataError) as raised:
            strata.compile(DOT, schedule=file, **options)
        self.assertEqual(raised.exception.code, "S1302")
        with self.assertRaises(strata.StrataError) as raised:
            strata.compile(DOT, schedule=self.folder / "none.json", **options)
        self.assertEqual(raised.exception.code, "S0002")
        with self.assertRaisesRegex(TypeError, "schedule is 3"):
            strata.compile(DOT, schedule=3)

    def test_entries_are_saved_together(self):
        path = self.folder / "liblm.so"
        strata.compile(LM, entries=["prefill", "decode"], name="lm").save(path)
        self.check_entries(strata.load(path))
        one = strata.load(path, "decode")
        self.assertEqual(one.symbol, "lm_decode")
        with self.assertRaisesRegex(strata.StrataError, "lm_decode"):
            strata.load(path, "decod")

    def test_one_name_is_a_list_of_one(self):
        lm = strata.compile(LM, entries=["decode"])
        self.assertEqual(list(lm), ["decode"])

    def test_wrong_entries_are_refused(self):
        with self.assertRaisesRegex(strata.StrataError, "decode"):
            strata.compile(LM, entries=["prefill", "decod"])
        with self.assertRaisesRegex(TypeError, "entry= names one"):
            strata.compile(LM, entry="decode", entries=["prefill"])
        with self.assertRaisesRegex(TypeError, "a list of names"):
            strata.compile(LM, entries="prefill")
        with self.assertRaisesRegex(TypeError, "a list of names"):
            strata.compile(LM, entries=[1])

    def test_weights_are_in_a_file(self):
        path = self.folder / "lm.safetensors"
        lm = strata.compile(LM, entries=["prefill", "decode"], name="lm", weights=path)
        self.check_entries(lm)
        arrays = list(strata.read_safetensors(path).values())
        self.assertTrue(any(array.shape == (257,) and (array == VALUES).all() for array in arrays))
        library = self.folder / "liblm.so"
        lm.save(library)
        self.check_entries(strata.load(library, weights=path))
        with self.assertRaises(strata.StrataError) as caught:
            strata.load(library)
        self.assertEqual(caught.exception.code, "S0002")
        self.assertIn("weights=", caught.exception.hint)
        content = bytearray(path.read_bytes())
        content[20] ^= 1
        path.write_bytes(content)
        with self.assertRaises(strata.StrataError) as caught:
            strata.load(library, "decode", weights=path)(np.zeros(257, np.float32))
        self.assertEqual(caught.exception.code, "S1806")
        path.write_bytes(content[:-1])
        with self.assertRaises(strata.StrataError) as caught:
            strata.load(library, "decode", weights=path)(np.zeros(257, np.float32))
        self.assertEqual(caught.exception.code, "S1806")
        path.unlink()
        with self.assertRaises(strata.StrataError) as caught:
            strata.load(library, "decode", weights=path)(np.zeros(257, np.float32))
        self.assertEqual(caught.exception.code, "S0002")

    def test_weights_beside_sizes_of_calls(self):
        path = self.folder / "open.safetensors"
        c = np.arange(771, dtype=np.float32).reshape(3, 257) / 64 - 5
        program = strata.compile(
            "func.func @main(%x: tensor<?x3xf32>) -> tensor<?x257xf32> {\n"
            f"  %c = stablehlo.constant dense<{c.tolist()}> : tensor<3x257xf32>\n"
            "  %0 = stablehlo.dot %x, %c : (tensor<?x3xf32>, tensor<3x257xf32>) -> tensor<?x257xf32>\n"
            "  return %0 : tensor<?x257xf32>\n}",
            weights=path,
        )
        self.assertGreater(path.stat().st_size, c.nbytes)
        library = self.folder / "libopen.so"
        program.save(library)
        for one in (program, strata.load(library, weights=path)):
            for rows in (1, 3, 21):
                x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
                np.testing.assert_allclose(one(x), x @ c, rtol=1e-5, atol=1e-4)

    def test_a_library_with_its_weights_takes_no_file(self):
        path = self.folder / "libsum.so"
        strata.compile(SUM).save(path)
        with self.assertRaisesRegex(strata.StrataError, "leave out `weights`"):
            strata.load(path, weights=self.folder / "x")

    def test_damaged_libraries_are_refused(self):
        path = self.folder / "libsum.so"
        strata.compile(SUM).save(path)
        whole = path.read_bytes()
        random = np.random.default_rng(5)
        for flips in [1, 8] * 40:
            damaged = np.frombuffer(whole, np.uint8).copy()
            for at in random.choice(len(whole), flips, replace=False):
                damaged[at] ^= 1 << random.integers(8)
            other = self.folder / f"lib{random.integers(1 << 60)}.so"
            other.write_bytes(damaged.tobytes())
            with self.assertRaises(strata.StrataError) as caught:
                strata.load(other)
            self.assertEqual(caught.exception.code, "S0002")
        for length in [0, 47, len(whole) // 2, len(whole) - 60]:
            other = self.folder / f"cut{length}.so"
            other.write_bytes(whole[:length])
            with self.assertRaises(strata.StrataError):
                strata.load(other)
        x = np.arange(8, dtype=np.float32)
        np.testing.assert_array_equal(strata.load(path)(x), x + x)

    def test_threads_end_with_the_programs_that_use_them(self):
        def count():
            found = 0
            for task in Path("/proc/self/task").iterdir():
                try:
                    found += (task / "comm").read_text().startswith("strata-")
                except OSError:
                    pass  # It has ended since.
            return found

        def become(number):
            # A thread that has just started has no name yet.
            for _ in range(500):
                if count() == number:
                    return
                time.sleep(0.01)
            self.assertEqual(count(), number)

        gc.collect()
        before = count()
        programs = [strata.compile(SUM, threads=7) for _ in range(2)]
        become(before)
        for program in programs:
            program(np.zeros(8, np.float32))
        become(before + 6)
        del program
        programs.pop()
        become(before + 6)
        programs[0].threads = 3
        programs[0](np.zeros(8, np.float32))
        become(before + 2)
        programs.clear()
        become(before)


class Safetensors(unittest.TestCase):
    def read(self, header, data=b"", length=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        with tempfile.NamedTemporaryFile() as file:
            file.write((len(text) if length is None else length).to_bytes(8, "little") + text + data)
            file.flush()
            return strata.read_safetensors(file.name)

    def test_arrays_are_read_where_they_are(self):
        data = np.arange(6, dtype=np.float32).tobytes() + b"\x01\x00"
        header = {
            "__metadata__": {"format": "pt"},
            "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "b": {"dtype": "BF16", "shape": [], "data_offsets": [24, 26]},
            "none": {"dtype": "I64", "shape": [0, 4], "data_offsets": [26, 26]},
        }
        arrays = self.read(header, data)
        self.assertEqual(list(arrays), ["w", "b", "none"])
        np.testing.assert_array_equal(arrays["w"], np.arange(6, dtype=np.float32).reshape(2, 3))
        self.assertEqual((arrays["b"].shape, arrays["b"].dtype.name), ((), "bfloat16"))
        self.assertEqual((arrays["none"].shape, arrays["none"].dtype), ((0, 4), np.int64))
        self.assertFalse(arrays["w"].flags.writeable)

    def test_damaged_files_are_refused(self):
        w = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        for header, data, length in [
            (b"", b"", 1 << 60),
            (b"{", b"", None),
            (b"[1]", b"", None),
            ({"w": 3}, b"", None),
            ({"w": w}, b"\0" * 7, None),
            ({"w": w | {"dtype": "F31"}}, b"\0" * 8, None),
            ({"w": w | {"shape": [3]}}, b"\0" * 12, None),
            ({"w": w | {"shape": [-2]}}, b"\0" * 8, None),
            ({"w": w | {"data_offsets": [8]}}, b"\0" * 8, None),
        ]:
            with self.subTest(header), self.assertRaises(strata.StrataError):
                self.read(header, data, length)
        with tempfile.NamedTemporaryFile() as file, self.assertRaises(strata.StrataError):
            strata.read_safetensors(file.name)


class Stubs(unittest.TestCase):
    """What type checkers see of the package."""

    def setUp(self):
        text = Path(strata.__file__).with_name("__init__.pyi").read_text()
        self.nodes = ast.parse(text).body

    def arguments(self, name):
        functions = [node for node in self.nodes if isinstance(node, ast.FunctionDef) and node.name == name]
        return {one.arg for node in functions for one in (*node.args.args, *node.args.kwonlyargs)}

    def test_all_names(self):
        found = {alias.asname or alias.name for node in self.nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
        found |= {node.target.id for node in self.nodes if isinstance(node, ast.AnnAssign)}
        found |= {node.name for node in self.nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(set(strata.__all__) - found, set())

    def test_all_arguments(self):
        documented = set(re.findall(r"^ {8}(\w+):", strata.compile.__doc__.split("Returns:")[0], re.MULTILINE))
        self.assertLess({"entries", "weights"}, documented)
        self.assertEqual(documented - {"args"} - self.arguments("compile"), set())
        self.assertEqual(set(inspect.signature(strata.load).parameters), self.arguments("load"))


if __name__ == "__main__":
    unittest.main()
