"""Arguments and results: types, shapes, sizes that calls give, what is refused."""

import array
import ctypes
import gc
import unittest

import numpy as np

import strata

MLP = """
module @mlp {
  func.func public @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    return %0, %1 : tensor<2x4xf32>, tensor<2xf32>
  }
}
"""

# Sizes of all ranks, and one of zero.
SHAPES = ["", "1x", "5x", "0x", "3x2x", "2x0x4x"]


def negated(element, shape):
    """Of each element the negative, or the complement."""
    op = "not" if element == "i1" or element.startswith("ui") else "negate"
    ty = f"tensor<{shape}{element}>"
    return strata.compile(
        f"func.func @main(%x: {ty}) -> {ty} {{\n  %0 = stablehlo.{op} %x : {ty}\n  return %0 : {ty}\n}}", threads=1
    )


class Calls(unittest.TestCase):
    def test_several_results_are_a_tuple(self):
        program = strata.compile(MLP)
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        w = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
        y, sums = program(x, w)
        np.testing.assert_array_equal(y, x @ w)
        np.testing.assert_array_equal(sums, (x @ w).sum(1))

    def test_one_result_is_an_array(self):
        result = negated("f32", "5x")(np.arange(5, dtype=np.float32))
        self.assertIsInstance(result, np.ndarray)
        np.testing.assert_array_equal(result, -np.arange(5, dtype=np.float32))

    def test_results_in_arrays_of_the_caller(self):
        x, w = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 4), np.float32)
        program = strata.compile(MLP)
        out = np.full((2, 4), 7, np.float32), np.full(2, 7, np.float32)
        self.assertIs(program(x, w, out=out), out)
        np.testing.assert_array_equal(out[0], x @ w)
        np.testing.assert_array_equal(out[1], (x @ w).sum(1))
        negate = negated("f32", "5x")
        buffer = np.zeros(15, np.float32)
        self.assertIs(negate(np.arange(5, dtype=np.float32), out=(place := buffer[5:10])), place)
        np.testing.assert_array_equal(buffer, [0] * 5 + [0, -1, -2, -3, -4] + [0] * 5)
        rows = strata.compile(
            "func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
            "  %0 = stablehlo.negate %x : tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>\n}"
        )
        for count in (1, 5, 17):
            x = np.arange(count * 3, dtype=np.float32).reshape(count, 3)
            np.testing.assert_array_equal(rows(x, out=np.empty_like(x)), -x)
            with self.assertRaisesRegex(ValueError, "the shape"):
                rows(x, out=np.empty((count + 1, 3), np.float32))
        empty = negated("f32", "0x")
        self.assertEqual(empty(np.zeros(0, np.float32), out=np.zeros(0, np.float32)).shape, (0,))
        scalar = negated("f64", "")
        self.assertEqual(scalar(2.0, out=np.zeros(())), -2.0)

    def test_arrays_that_results_cannot_go_to(self):
        negate, x = negated("f32", "5x"), np.arange(10, dtype=np.float32)
        locked = np.zeros(5, np.float32)
        locked.flags.writeable = False
        unaligned = np.frombuffer(bytearray(21), np.uint8)[1:].view(np.float32)
        for out, error, reason in [
            ([0.0] * 5, TypeError, "not a NumPy array"),
            (np.zeros(5), TypeError, "of type float64"),
            (np.zeros(5, ">f4"), TypeError, "of type >f4"),
            (np.zeros(4, np.float32), ValueError, r"the shape \[4\]"),
            (np.zeros((5, 1), np.float32), ValueError, r"the shape \[5, 1\]"),
            (np.zeros(10, np.float32)[::2], ValueError, "not dense"),
            (locked, ValueError, "cannot be written"),
            (unaligned, ValueError, "not aligned"),
            (x[:5], ValueError, "overlaps argument 0"),
            (x[4:9], ValueError, "overlaps argument 0"),
        ]:
            with self.subTest(reason), self.assertRaisesRegex(error, reason):
                negate(x[:5], out=out)
        np.testing.assert_array_equal(x, np.arange(10))
        np.testing.assert_array_equal(negate(x[:5], out=x[5:]), -x[:5])
        program, (x, w) = strata.compile(MLP), (np.ones((2, 3), np.float32), np.ones((3, 4), np.float32))
        block = np.zeros(10, np.float32)
        with self.assertRaisesRegex(ValueError, r"out\[1\] overlaps out\[0\]"):
            program(x, w, out=(block[:8].reshape(2, 4), block[7:9]))
        with self.assertRaisesRegex(ValueError, "2 results"):
            program(x, w, out=(block[:8].reshape(2, 4),))
        with self.assertRaisesRegex(TypeError, "a tuple of arrays"):
            program(x, w, out=block)

    def test_a_donated_argument_may_be_a_result(self):
        ty = "tensor<4xf32>"
        program = strata.compile(
            f"func.func @main(%x: {ty} {{tf.aliasing_output = 0 : i32}}, %y: {ty}) -> {ty} {{\n"
            f"  %0 = stablehlo.add %x, %y : {ty}\n  return %0 : {ty}\n}}"
        )
        x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
        self.assertIs(program(x, y, out=x), x)
        np.testing.assert_array_equal(x, [1, 2, 3, 4])
        with self.assertRaisesRegex(ValueError, "overlaps argument 1"):
            program(x, y, out=y)
        with self.assertRaisesRegex(ValueError, "overlaps argument 0"):
            program((block := np.zeros(5, np.float32))[:4], y, out=block[1:])

    def test_no_result_is_an_empty_tuple(self):
        program = strata.compile("func.func @main(%x: tensor<2xf32>) {\n  return\n}")
        self.assertEqual(program(np.zeros(2, np.float32)), ())

    def test_all_types_of_numpy(self):
        kinds = ["i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64", "complex<f32>", "complex<f64>"]
        for element in kinds:
            with self.subTest(element):
                program = negated(element, "3x")
                (tensor,) = program.inputs
                x = np.array([0, 1, 3]).astype(tensor.dtype)
                expected = ~x if element == "i1" or element.startswith("ui") else -x
                result = program(x)
                self.assertEqual(result.dtype, x.dtype)
                np.testing.assert_array_equal(result, expected)

    def test_all_ranks_and_empty_arrays(self):
        for shape in SHAPES:
            with self.subTest(shape):
                sizes = tuple(int(size) for size in shape.split("x")[:-1])
                x = np.arange(np.prod(sizes, dtype=int), dtype=np.float64).reshape(sizes) + 1
                result = negated("f64", shape)(x)
                self.assertEqual(result.shape, sizes)
                np.testing.assert_array_equal(result, -x)

    def test_arrays_in_any_layout(self):
        program = negated("f32", "3x4x")
        base = np.arange(24, dtype=np.float32).reshape(4, 6)
        bytes_of = np.arange(49, dtype=np.uint8)
        views = {
            "transposed": base[:, :3].T,
            "strided": base.reshape(6, 4)[::2],
            "reversed": base.reshape(6, 4)[2::-1],
            "broadcast": np.broadcast_to(np.float32(7), (3, 4)),
            "unaligned": bytes_of[1:].view(np.float32).reshape(3, 4),
            "column-major": np.asfortranarray(base.reshape(6, 4)[:3]),
        }
        for name, view in views.items():
            with self.subTest(name):
                before = view.copy()
                np.testing.assert_array_equal(program(view), -before)
                np.testing.assert_array_equal(view, before)

    def test_read_only_arrays_and_buffers(self):
        program = negated("f32", "3x")
        x = np.array([1, 2, 3], np.float32)
        x.flags.writeable = False
        np.testing.assert_array_equal(program(x), -x)
        np.testing.assert_array_equal(program(array.array("f", [1, 2, 3])), -x)
        np.testing.assert_array_equal(program((ctypes.c_float * 3)(1, 2, 3)), -x)

    def test_arrays_are_read_where_they_are(self):
        seen = []

        class Array:
            def __array__(self, dtype=None, copy=None):
                seen.append(copy)
                return x

        x = np.array([1, 2, 3], np.float32)
        np.testing.assert_array_equal(negated("f32", "3x")(Array()), -x)
        self.assertEqual(len(seen), 1)
        self.assertNotIn(True, seen)

    def test_dlpack(self):
        class Pack:
            def __init__(self, base):
                self.base = base

            def __dlpack__(self, **options):
                return self.base.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.base.__dlpack_device__()

        x = np.array([1, 2, 3], np.float32)
        np.testing.assert_array_equal(negated("f32", "3x")(Pack(x)), -x)

    def test_results_do_not_share_memory(self):
        program = negated("f32", "3x")
        x = np.ones(3, np.float32)
        first = program(x)
        second = program(x * 2)
        np.testing.assert_array_equal(first, -x)
        self.assertFalse(np.shares_memory(first, second))
        del program
        gc.collect()
        np.testing.assert_array_equal(first, -x)

    def test_numbers_for_scalars(self):
        self.assertEqual(negated("f32", "")(2), -2)
        self.assertEqual(negated("f32", "")(2.5), -2.5)
        self.assertEqual(negated("f64", "")(True and 1), -1)
        self.assertEqual(negated("complex<f32>", "")(1 + 2j), -1 - 2j)
        self.assertEqual(negated("i1", "")(True), False)
        self.assertEqual(negated("i8", "")(-7), 7)
        for element, value in [("i8", 300), ("i32", 1.5), ("f32", 1j), ("i32", True), ("ui8", -1), ("f32", 1e300), ("f16", -1e6)]:
            with self.subTest(element=element, value=value), self.assertRaises(strata.InputError) as caught:
                negated(element, "")(value)
            self.assertEqual(caught.exception.code, "S1803")
        with self.assertRaises(strata.InputError) as caught:
            negated("f32", "3x")(1.0)
        self.assertEqual(caught.exception.code, "S1802")


class Refused(unittest.TestCase):
    def refused(self, code, *args):
        with self.assertRaises(strata.InputError) as caught:
            negated("f32", "2x3x")(*args)
        error = caught.exception
        self.assertEqual(error.code, code, error)
        self.assertIsInstance(error, (ValueError, strata.StrataError))
        self.assertIn(error.reason, str(error))
        return error

    def test_numbers_of_arguments(self):
        self.refused("S1801")
        self.refused("S1801", np.zeros((2, 3), np.float32), 1)

    def test_shapes(self):
        for shape in [(3, 2), (2,), (2, 3, 1), (), (0, 3)]:
            with self.subTest(shape):
                self.assertIn(str(shape), self.refused("S1802", np.zeros(shape, np.float32)).reason)

    def test_types(self):
        for dtype in [np.float64, np.int32, np.float16, np.bool_, ">f4", np.complex64, "U3", object]:
            with self.subTest(dtype):
                self.refused("S1803", np.zeros((2, 3), dtype))
        self.assertIn("swapped", self.refused("S1803", np.zeros((2, 3), ">f4")).hint)

    def test_other_objects(self):
        for value in [None, "text", [[1.0, 2, 3], [4, 5, 6]], {}, object(), b"abc"]:
            with self.subTest(value):
                self.refused("S1803", value)

    def test_an_array_that_fails(self):
        class Bad:
            def __array__(self, dtype=None, copy=None):
                raise RuntimeError("no elements today")

        self.assertIn("no elements today", self.refused("S1803", Bad()).reason)

    def test_masks(self):
        masked = np.ma.masked_array(np.zeros((2, 3), np.float32), mask=True)
        self.assertIn("filled", self.refused("S1803", masked).hint)

    def test_other_subclasses_are_arrays(self):
        matrix = np.zeros((2, 3), np.float32).view(type("Sub", (np.ndarray,), {}))
        self.assertIs(type(negated("f32", "2x3x")(matrix)), np.ndarray)

    def test_keywords(self):
        with self.assertRaises(TypeError):
            negated("f32", "2x3x")(x=np.zeros((2, 3), np.float32))

    def test_memory_that_no_machine_has(self):
        text = """
        func.func @main(%x: tensor<f32>) -> tensor<1000000x10000000xf32> {
          %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000000x10000000xf32>
          return %0 : tensor<1000000x10000000xf32>
        }
        """
        program = strata.compile(text)
        with self.assertRaises((MemoryError, strata.StrataError)):
            program(1.0)


class Sizes(unittest.TestCase):
    @staticmethod
    def program(**options):
        # As JAX exports a function of two arrays of `b` rows.
        text = """
        func.func public @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
          %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
          %c = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
          %ok = stablehlo.compare EQ, %b, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.custom_call @shape_assertion(%ok) {error_message = "x and y have the same number of rows", has_side_effect = true} : (tensor<i1>) -> ()
          %0 = stablehlo.add %x, %y : tensor<?x3xf32>
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
          return %0, %1 : tensor<?x3xf32>, tensor<?xf32>
        }
        """
        return strata.compile(text, **options)

    def test_each_call_has_its_own(self):
        program = self.program()
        self.assertEqual(program.inputs[0].shape, (None, 3))
        for size in [0, 1, 2, 5, 17, 64, 100]:
            with self.subTest(size):
                x = np.arange(3 * size, dtype=np.float32).reshape(size, 3)
                total, sums = program(x, x * 2)
                np.testing.assert_array_equal(total, 3 * x)
                np.testing.assert_array_equal(sums, (3 * x).sum(1))

    def test_sizes_that_disagree(self):
        program = self.program()
        with self.assertRaises(strata.InputError) as caught:
            program(np.zeros((2, 3), np.float32), np.zeros((4, 3), np.float32))
        self.assertEqual(caught.exception.code, "S1802")
        self.assertRegex(caught.exception.reason, r"\.0 == .* is violated: .*\.0 = 4, .*\.0 = 2")
        self.assertIn("[4, 3]", caught.exception.notes[0])
        with self.assertRaises(strata.InputError):
            program(np.zeros((2, 4), np.float32), np.zeros((2, 4), np.float32))


if __name__ == "__main__":
    unittest.main()
