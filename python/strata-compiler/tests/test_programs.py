"""Programs: stages, headers, files, targets, errors."""

import json
import os
import pathlib
import pickle
import platform
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

import strata

TANH = """
module @net {
  func.func public @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result['y']"}) {
    %0 = stablehlo.tanh %x : tensor<4x8xf32>
    %1 = stablehlo.add %0, %x : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
"""
X = np.linspace(-2, 2, 32, dtype=np.float32).reshape(4, 8)


def expected(x):
    return np.tanh(x.astype(np.float64)) + x


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_stages(self):
        program = strata.compile(TANH)
        self.assertEqual(list(program.stages)[:4], ["input", "hlo", "spmd", "linalg"])
        # Its values are not split over devices.
        self.assertEqual(program.stages["spmd"], program.stages["hlo"])
        self.assertIn("stablehlo.tanh", program.stages["hlo"])
        self.assertIn("linalg.generic", program.stages["linalg"])
        self.assertIn("define", program.stages["llvmir"])
        self.assertIn("model_main", program.stages["asm"])
        self.assertEqual(len(program.stages), len(list(program.stages)))
        self.assertIs(program.stages["hlo"], program.stages["hlo"])
        with self.assertRaises(strata.StrataError) as caught:
            program.stages["linlag"]
        self.assertIn("linalg", caught.exception.hint)
        self.assertNotIn("obj", program.stages)

    def test_remarks_and_cost(self):
        program = strata.compile(TANH)
        self.assertIn("nest", program.remarks)
        cost = program.cost
        self.assertEqual(cost.flops, 32)
        self.assertEqual(cost.transcendentals, 32)
        self.assertEqual(cost.operations["add"][0], 1)
        self.assertGreaterEqual(cost.workspace_bytes, 0)

    def test_the_page_of_a_program(self):
        program = strata.compile(TANH)
        page = program.explore()
        self.assertTrue(page.html.startswith("<!DOCTYPE html>"))
        page.save(self.folder / "page.html")
        self.assertEqual((self.folder / "page.html").read_text(encoding="utf-8"), page.html)
        shown = page._repr_html_()
        self.assertTrue(shown.startswith('<iframe sandbox="allow-scripts"'))
        # The page is the value of an attribute, as a whole.
        self.assertEqual(shown.count("<"), 2)
        self.assertEqual(shown.count('"'), 6)
        with self.assertRaises(strata.StrataError) as caught:
            program.explore(sources=self.folder / "missing")
        self.assertEqual(caught.exception.code, "S0002")
        self.assertEqual(program.explore(sources=[self.folder]).html, page.html)

    def test_where_the_time_of_a_program_goes(self):
        text = """func.func @main(%x: tensor<128x128xf32>, %v: tensor<9xf32>) -> (tensor<128x128xf32>, tensor<9xf32>) {
  %0 = stablehlo.exponential %v : tensor<9xf32>
  %1 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %1, %0 : tensor<128x128xf32>, tensor<9xf32>
}"""
        program = strata.compile(text)
        x, v = np.ones((128, 128), np.float32), np.ones(9, np.float32)
        for method in (None, "signals"):
            found = program.profile(x, v, seconds=0.6, frequency=4999, method=method, limits=False)
            self.assertEqual(found.data["operations"][0]["name"], "stablehlo.dot_general")
            self.assertIn("overhead", found.text)
            self.assertTrue(found.folded.splitlines()[0].rsplit(" ", 1)[1].isdigit())
            self.assertTrue(found._repr_html_().startswith('<iframe sandbox="allow-scripts"'))
        found.save(self.folder / "p.json")
        self.assertEqual(json.loads((self.folder / "p.json").read_text())["kind"], "strata profile")
        for arguments, method, code in [((x,), None, "S1801"), ((x, v), "none", "S0001"), ((v, v), None, "S1802")]:
            with self.assertRaises(strata.StrataError) as caught:
                program.profile(*arguments, seconds=0.1, method=method)
            self.assertEqual(caught.exception.code, code)

    def test_headers_and_objects(self):
        program = strata.compile(TANH, name="net")
        self.assertIn("net_main", program.header)
        self.assertIn("class", program.cxx)
        self.assertIn("pub fn net_main", program.rust)
        self.assertEqual(program.object[:4], b"\x7fELF")
        files = [self.folder / name for name in ("net.o", "net.h", "net.hpp", "net.rs")]
        program.save_object(files[0], files[1], cxx=files[2], rust=files[3])
        self.assertEqual(files[0].read_bytes(), program.object)
        self.assertEqual(files[1].read_text(), program.header)
        (self.folder / "main.c").write_text(
            '#include "net.h"\n#include <stdio.h>\nstatic float x[32], y[32];\n'
            "static _Alignas(64) unsigned char workspace[NET_MAIN_WORKSPACE_SIZE + 64];\n"
            "int main(void) { const void *in[] = {x}; void *out[] = {y}; x[3] = 1;\n"
            'int status = net_main(in, out, workspace, 0); printf("%d %.4f\\n", status, y[3]); return 0; }\n'
        )
        subprocess.run(["cc", "main.c", "net.o", "-lm", "-o", "main"], cwd=self.folder, check=True)
        told = subprocess.run([self.folder / "main"], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout, "0 1.7616\n")
        with self.assertRaises(OSError):
            program.save_object(self.folder / "none" / "net.o")
        # What is not a regular file is written to, links are followed.
        (self.folder / "link.o").symlink_to("net.o")
        os.mkfifo(self.folder / "pipe.h")
        read = subprocess.Popen(["cat", self.folder / "pipe.h"], stdout=subprocess.PIPE, text=True)
        program.save_object(self.folder / "link.o", self.folder / "pipe.h")
        self.assertEqual(read.communicate()[0], program.header)
        self.assertTrue((self.folder / "link.o").is_symlink())
        self.assertFalse((self.folder / "net.o").is_symlink())
        with self.assertRaises(strata.StrataError) as caught:
            program.save(self.folder / "pipe.h")
        self.assertEqual(caught.exception.code, "S0003")

    def test_the_same_program_gives_the_same_object(self):
        self.assertEqual(strata.compile(TANH).object, strata.compile(TANH, compile_threads=1).object)

    def test_libraries(self):
        path = self.folder / "net.so"
        strata.compile(TANH, name="net", target_cpu="native").save(path)
        program = strata.load(path)
        np.testing.assert_allclose(program(X), expected(X), rtol=2e-7, atol=2e-7)
        self.assertEqual(program.symbol, "net_main")
        self.assertEqual(program.outputs[0].name, "result['y']")
        program.threads = 1
        np.testing.assert_allclose(program(X), expected(X), rtol=2e-7, atol=2e-7)
        for what in ("object", "header", "stages", "remarks", "cost"):
            with self.subTest(what), self.assertRaises(AttributeError):
                getattr(program, what)
        # Another program after it is another library.
        strata.compile(TANH.replace("tanh", "negate"), name="net").save(path)
        np.testing.assert_array_equal(strata.load(path)(X), 0 * X)
        np.testing.assert_allclose(program(X), expected(X), rtol=2e-7, atol=2e-7)
        path.unlink()
        np.testing.assert_allclose(program(X), expected(X), rtol=2e-7, atol=2e-7)

    def test_a_library_that_is_overwritten_while_it_is_loaded(self):
        path = self.folder / "net.so"
        strata.compile(TANH).save(path)
        program = strata.load(path)
        self.assertIsNotNone(strata.load(path))
        other = self.folder / "other.so"
        strata.compile(TANH.replace("tanh", "negate")).save(other)
        # The loader knows a library by its file; a file that is written again is the one that it has.
        with path.open("ab") as file:
            file.write(b"\0")
        with self.assertRaises(strata.StrataError) as caught:
            strata.load(path)
        self.assertEqual(caught.exception.code, "S0002")
        del program

    def test_libraries_with_sizes_of_calls(self):
        text = """
        func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
          %0 = stablehlo.multiply %x, %x : tensor<?xf32>
          return %0 : tensor<?xf32>
        }
        """
        strata.compile(text).save(self.folder / "square.so")
        program = strata.load(self.folder / "square.so")
        self.assertEqual(program.inputs[0].shape, (None,))
        for size in (0, 1, 33):
            x = np.arange(size, dtype=np.float32)
            np.testing.assert_array_equal(program(x), x * x)

    def test_other_files(self):
        (self.folder / "text.so").write_text("text")
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", self.folder / "empty.so"], check=True)
        for name in ("text.so", "empty.so", "none.so"):
            with self.subTest(name), self.assertRaises(strata.StrataError) as caught:
                strata.load(self.folder / name)
            self.assertEqual(caught.exception.code, "S0002")
            self.assertIn(name, caught.exception.file)
        strata.compile(TANH).save(self.folder / "net.so")
        with self.assertRaises(strata.StrataError) as caught:
            strata.load(self.folder / "net.so", entry="mian")
        self.assertIn("model_main", caught.exception.hint)
        with self.assertRaises(strata.StrataError) as caught:
            strata.compile(TANH).save(self.folder / "none" / "net.so")
        self.assertEqual(caught.exception.code, "S0003")

    def test_programs_of_files(self):
        path = self.folder / "my-net.mlir"
        path.write_text(TANH)
        for given in (path, str(path)):
            program = strata.compile(given)
            self.assertEqual(program.symbol, "my_net_main")
            np.testing.assert_allclose(program(X), expected(X), rtol=2e-7, atol=2e-7)
        with self.assertRaises(FileNotFoundError):
            strata.compile(self.folder / "none.mlir")

    def test_several_processors(self):
        cpus = {"x86_64": ["x86-64", "x86-64-v3"], "aarch64": ["generic", "cortex-a76"]}
        program = strata.compile(TANH, target_cpu=cpus[platform.machine()])
        np.testing.assert_allclose(program(X), expected(X), rtol=2e-7, atol=2e-7)

    def test_code_for_another_machine_is_not_run(self):
        program = strata.compile(TANH, target="aarch64-unknown-linux-gnu")
        self.assertEqual(program.object[:4], b"\x7fELF")
        with self.assertRaises(strata.StrataError) as caught:
            program(X)
        self.assertEqual(caught.exception.code, "S0007")

    def test_threads_give_the_same_bits(self):
        text = """
        func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
          %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
          return %0 : tensor<512x512xf32>
        }
        """
        program = strata.compile(text, threads=1)
        x = np.random.default_rng(0).standard_normal((512, 512), np.float32)
        one = program(x)
        for count in (2, 3, 0):
            program.threads = count
            np.testing.assert_array_equal(program(x), one)
        with self.assertRaises(TypeError):
            program.threads = 5000
        with self.assertRaises(TypeError):
            program.threads = -1


class Errors(unittest.TestCase):
    def error(self, program, **options):
        with self.assertRaises(strata.StrataError) as caught:
            strata.compile(program, **options)
        return caught.exception

    def test_places(self):
        error = self.error(TANH.replace("stablehlo.tanh", "stablehlo.tahn"))
        self.assertTrue(error.code.startswith("S10"), error)
        self.assertEqual(error.line, 4)
        self.assertIsNotNone(error.reason)
        self.assertIsNotNone(error.hint)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.code, str(again)), (error.code, str(error)))

    def test_excess_precision(self):
        # (1 + 3/128)^2 - 1, whose second term is lost where the product is rounded to bf16.
        text = """func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
          %one = stablehlo.constant dense<1.0> : tensor<1xbf16>
          %h = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xbf16>
          %p = stablehlo.multiply %h, %h : tensor<1xbf16>
          %d = stablehlo.subtract %p, %one : tensor<1xbf16>
          %r = stablehlo.convert %d : (tensor<1xbf16>) -> tensor<1xf32>
          return %r : tensor<1xf32>
        }"""
        x = np.array([1 + 3 / 128], np.float32)
        self.assertEqual(strata.compile(text)(x)[0], 6 / 128)
        self.assertEqual(strata.compile(text, excess_precision=True)(x)[0], 6 / 128 + 9 / 16384)

    def test_options(self):
        for options in [{"target_cpu": "z80"}, {"semantics": "xlaa"}, {"name": "a b"}, {"target": "pdp11"}, {"entry": "man"}]:
            with self.subTest(options):
                self.assertIsNotNone(self.error(TANH, **options).hint or self.error(TANH, **options).reason)
        with self.assertRaisesRegex(TypeError, "target_cpu"):
            strata.compile(TANH, taget_cpu="native")
        with self.assertRaises(TypeError):
            strata.compile(TANH, X)
        with self.assertRaises(TypeError):
            strata.compile(3)
        wrong = [("threads", -1), ("threads", None), ("threads", True), ("opt_level", 9), ("opt_level", "3"), ("max", 3), ("bind", {"b": "8"})]
        wrong += [("specialize", [3]), ("debug_info", 1), ("excess_precision", 1), ("name", None), ("link", 3), ("target_cpu", 3), ("compile_threads", 10**9)]
        for key, value in wrong:
            with self.subTest(key=key, value=value), self.assertRaisesRegex(TypeError, f"^{key} is {value!r}".replace("[", r"\[").replace("{", r"\{")):
                strata.compile(TANH, **{key: value})
        for text in ("", "\0", "x" * 5000):
            with self.subTest(text[:3]), self.assertRaises(strata.StrataError):
                strata.compile(text)

    def test_hostile_programs(self):
        for program in [b"", b"\0" * 100, b"ML\xefR" + b"\xff" * 64, "{" * 5000, "module {\n" * 3000]:
            with self.subTest(program[:12]):
                self.error(program)

    def test_sizes_without_a_bound(self):
        text = """
        func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }
        """
        error = self.error(text)
        self.assertIn("--max", error.hint)
        program = strata.compile(text, max={"input0.0": 8})
        self.assertEqual(program(np.arange(5, dtype=np.float32)), 10)
        with self.assertRaises(strata.InputError):
            program(np.zeros(9, np.float32))
        bound = strata.compile(text, bind={"input0.0": 3})
        self.assertEqual(bound.inputs[0].shape, (3,))

    def test_functions_that_are_not_there(self):
        text = """
        func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = stablehlo.custom_call @nowhere(%x) : (tensor<2xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }
        """
        error = self.error(text)
        self.assertEqual(error.code, "S1703")
        self.assertIn("link", error.hint)

    def test_warnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            strata.compile(TANH)


if __name__ == "__main__":
    unittest.main()
