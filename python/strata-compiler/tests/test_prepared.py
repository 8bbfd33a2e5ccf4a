"""Inputs that are laid out once: `prepare=`, `Program.prepare`, blocks that are kept."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import strata

MLP = """
func.func @main(%x: tensor<3x65xf32> loc("x"), %w: tensor<65x99xf32> loc("w"), %b: tensor<99xf32> loc("b"), %v: tensor<99x5xf32> loc("v")) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x65xf32>, tensor<65x99xf32>) -> tensor<3x99xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<99xf32>) -> tensor<3x99xf32>
  %2 = stablehlo.add %0, %1 : tensor<3x99xf32>
  %3 = stablehlo.tanh %2 : tensor<3x99xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<3x99xf32>, tensor<99x5xf32>) -> tensor<3x5xf32>
  return %4 : tensor<3x5xf32>
}
"""
OPEN = """
func.func @main(%x: tensor<?x65xf32> loc("x"), %w: tensor<65x99xf32> loc("w")) -> tensor<?x99xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x65xf32>, tensor<65x99xf32>) -> tensor<?x99xf32>
  return %0 : tensor<?x99xf32>
}
"""

TWO = """
func.func public @prefill(%x: tensor<17x33xf32> loc("x"), %w: tensor<33x65xf32> loc("w")) -> tensor<17x65xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<17x33xf32>, tensor<33x65xf32>) -> tensor<17x65xf32>
  return %0 : tensor<17x65xf32>
}
func.func public @decode(%w: tensor<33x65xf32> loc("w"), %x: tensor<1x33xf32> loc("x")) -> (tensor<1x65xf32>, tensor<1x33xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x33xf32>, tensor<33x65xf32>) -> tensor<1x65xf32>
  return %0, %x : tensor<1x65xf32>, tensor<1x33xf32>
}
"""


def random(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


X, W, B, V = random(3, 65), random(65, 99), random(99), random(99, 5)


class PreparedInputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_results_are_those_of_the_plain_program(self):
        for cpu in (None, "native", "x86-64,x86-64-v3"):
            plain = strata.compile(MLP, target_cpu=cpu)
            program = strata.compile(MLP, target_cpu=cpu, prepare=["w", "v"])
            ready = program.prepare(W, V)
            for factor in (1, -2):
                x = X * np.float32(factor)
                np.testing.assert_array_equal(ready(x, B), plain(x, W, B, V))
            self.assertEqual([one.name for one in program.inputs], [one.name for one in plain.inputs])
            self.assertEqual([one.shape for one in program.inputs], [one.shape for one in plain.inputs])

    def test_the_program_has_arrays_no_longer(self):
        program = strata.compile(MLP, prepare="w")
        w = W.copy()
        ready = program.prepare(w)
        expected = ready(X, B, V)
        w[:] = 0
        np.testing.assert_array_equal(ready(X, B, V), expected)
        np.testing.assert_array_equal(program.prepare(w)(X, B, V), strata.compile(MLP)(X, w, B, V))

    def test_results_in_given_arrays_and_threads(self):
        program = strata.compile(MLP, prepare="?", threads=2)
        self.assertEqual(len(program.inputs), 4)
        ready = program.prepare(X, W, B, V)
        out = np.empty((3, 5), np.float32)
        self.assertIs(ready(out=out), out)
        program.threads = 1
        np.testing.assert_array_equal(ready(), out)

    def test_blocks_are_kept(self):
        program = strata.compile(MLP, prepare="w")
        ready = program.prepare(W)
        np.testing.assert_array_equal(program.prepare(W).block, ready.block)
        self.assertEqual(ready.block.ctypes.data % 64, 0)
        file = self.folder / "block"
        ready.block.tofile(file)
        mapped = np.memmap(file, np.uint8, "r")
        again = program.prepared(mapped)
        np.testing.assert_array_equal(again(X, B, V), ready(X, B, V))
        self.assertTrue(np.shares_memory(again.block, mapped))
        # Not aligned: a copy.
        shifted = np.zeros(ready.block.size + 1, np.uint8)[1:]
        shifted[:] = ready.block
        np.testing.assert_array_equal(program.prepared(shifted)(X, B, V), ready(X, B, V))

    def test_other_blocks_are_refused(self):
        program = strata.compile(MLP, prepare="w")
        block = program.prepare(W).block.copy()
        block[0] ^= 1
        with self.assertRaisesRegex(strata.StrataError, "STRATA_NOT_PREPARED") as raised:
            program.prepared(block)(X, B, V)
        self.assertEqual(raised.exception.code, "S1805")
        for wrong in (block[1:], block.view(np.int8), block[None]):
            with self.assertRaises(strata.InputError) as raised:
                program.prepared(wrong)
            self.assertEqual(raised.exception.code, "S1802")

    def test_libraries_prepare(self):
        path = self.folder / "libmlp.so"
        program = strata.compile(MLP, prepare="w", name="mlp")
        program.save(path)
        self.assertIn("mlp_main_prepare(", program.header)
        loaded = strata.load(path)
        ready = loaded.prepare(W)
        np.testing.assert_array_equal(ready(X, B, V), program.prepare(W)(X, B, V))
        np.testing.assert_array_equal(loaded.prepared(program.prepare(W).block)(X, B, V), ready(X, B, V))
        self.assertEqual([one.shape for one in loaded.inputs], [one.shape for one in program.inputs])
        np.testing.assert_array_equal(strata.load(path, "main").prepare(W)(X, B, V), ready(X, B, V))

    def test_several_entries_have_blocks_of_their_own(self):
        path = self.folder / "liblm.so"
        plain = strata.compile(TWO, entries=["prefill", "decode"])
        lm = strata.compile(TWO, entries=["prefill", "decode"], prepare="w", name="lm")
        lm.save(path)
        x, w = random(17, 33), random(33, 65)
        for one in (lm, strata.load(path)):
            self.assertEqual(sorted(one), ["decode", "prefill"])
            np.testing.assert_array_equal(one["prefill"].prepare(w)(x), plain["prefill"](x, w))
            token, same = one["decode"].prepare(w)(x[:1])
            np.testing.assert_array_equal(token, plain["decode"](w, x[:1])[0])
            np.testing.assert_array_equal(same, x[:1])
        np.testing.assert_array_equal(strata.load(path, "decode").prepare(w)(x[:1])[0], token)

    def test_weights_in_a_file(self):
        rows = np.arange(65 * 99, dtype=np.float32).reshape(65, 99) / 99
        text = MLP.replace(', %v: tensor<99x5xf32> loc("v"))', ")").replace(
            "  %4 =", f"  %v = stablehlo.constant dense<{random(99, 5).tolist()}> : tensor<99x5xf32>\n  %4 ="
        )
        file, path = self.folder / "w.safetensors", self.folder / "libmlp.so"
        program = strata.compile(text, prepare="w", weights=file)
        expected = strata.compile(text)(X, rows, B)
        np.testing.assert_array_equal(program.prepare(rows)(X, B), expected)
        program.save(path)
        np.testing.assert_array_equal(strata.load(path, weights=file).prepare(rows)(X, B), expected)

    def test_marks_of_the_program_count(self):
        program = strata.compile(MLP.replace("%w: tensor<65x99xf32>", "%w: tensor<65x99xf32> {strata.prepare}"))
        np.testing.assert_array_equal(program.prepare(W)(X, B, V), strata.compile(MLP)(X, W, B, V))

    def test_mistakes(self):
        program = strata.compile(MLP, prepare="w")
        with self.assertRaisesRegex(strata.InputError, "prepare"):
            program(X, W, B, V)
        with self.assertRaises(strata.InputError):
            program.prepare(W, V)
        with self.assertRaises(strata.InputError):
            program.prepare(V)
        with self.assertRaises(strata.InputError):
            program.prepare(W)(X, W, B, V)
        with self.assertRaisesRegex(TypeError, "by position"):
            program.prepare(w=W)
        for method in (program.explore, lambda: program.profile(X, W, B, V)):
            with self.assertRaisesRegex(strata.StrataError, "without `prepare=`"):
                method()
        with self.assertRaisesRegex(TypeError, "takes no input prepared"):
            strata.compile(MLP).prepare(W)
        with self.assertRaisesRegex(strata.StrataError, "nothing") as raised:
            strata.compile(MLP, prepare="nothing")
        self.assertIsNotNone(raised.exception.hint)
        for wrong in (3, [3], None):
            with self.assertRaisesRegex(TypeError, "prepare is"):
                strata.compile(MLP, prepare=wrong)
        with self.assertRaises(strata.StrataError) as raised:
            strata.compile(OPEN, prepare="w")
        self.assertEqual(raised.exception.code, "S1706")

    def test_what_is_told(self):
        program = strata.compile(MLP, prepare="w")
        self.assertIn("Prepared", repr(program.prepare(W)))
        self.assertGreater(program.cost.flops, 0)
        self.assertIn("strata.prepared", program.stages["affine"])
        self.assertIn("dot_general", program.remarks)


if __name__ == "__main__":
    unittest.main()
