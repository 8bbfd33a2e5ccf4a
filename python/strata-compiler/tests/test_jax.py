"""JAX functions: pytrees, unused arguments, symbolic sizes, types of ml_dtypes, `strata.jit`."""

import functools
import pathlib
import tempfile
import threading
import typing
import unittest

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import export

import strata


def close(test, found, expected, tolerance=1e-5):
    found, expected = jax.tree.flatten(found), jax.tree.flatten(expected)
    test.assertEqual(found[1], expected[1])
    for one, other in zip(found[0], expected[0]):
        test.assertIsInstance(one, np.ndarray)
        test.assertEqual((one.shape, one.dtype), (other.shape, other.dtype))
        np.testing.assert_allclose(one.astype(np.complex128), np.asarray(other).astype(np.complex128), rtol=tolerance, atol=tolerance)


class Pair(typing.NamedTuple):
    left: typing.Any
    right: typing.Any


def mlp(params, x):
    for layer in params["layers"]:
        x = jax.nn.gelu(x @ layer["w"] + layer["b"])
    return {"y": x, "norms": (jnp.linalg.norm(x, axis=1), None)}


def parameters():
    rng = np.random.default_rng(1)
    layer = lambda m, n: {"w": rng.standard_normal((m, n), np.float32), "b": rng.standard_normal(n, np.float32)}
    return {"layers": [layer(7, 5), layer(5, 3)], "unused": np.zeros(3, np.float32)}


class Compile(unittest.TestCase):
    def test_pytrees_and_arguments_that_are_not_used(self):
        params, x = parameters(), np.random.default_rng(2).standard_normal((4, 7), np.float32)
        program = strata.compile(mlp, params, x)
        close(self, program(params, x), jax.jit(mlp)(params, x))
        self.assertEqual([one.shape for one in program.inputs], [(5,), (7, 5), (3,), (5, 3), (4, 7)])
        self.assertIn("params['layers'][0]['w']", [one.name for one in program.inputs])
        self.assertEqual(program.symbol, "mlp_main")
        with self.assertRaises(strata.InputError) as caught:
            program({"layers": params["layers"]}, x)
        self.assertEqual(caught.exception.code, "S1801")

    def test_arguments_that_are_prepared(self):
        params, x = parameters(), np.random.default_rng(2).standard_normal((4, 7), np.float32)
        program = strata.compile(mlp, params, x, prepare="params*")
        close(self, program.prepare(params)(x), jax.jit(mlp)(params, x))
        # One that is prepared in part is an argument of both, and one by keyword stays one.
        f = lambda p, x, *, scale, bias: {"y": x @ p["w"] * scale + p["b"] + bias["b"]}
        p = {"w": np.random.default_rng(3).standard_normal((7, 5), np.float32), "b": np.ones(5, np.float32)}
        keywords = {"scale": np.float32(2), "bias": {"b": np.arange(5, dtype=np.float32)}}
        program = strata.compile(f, p, x, kwargs=keywords, prepare=["p['w']", "bias*"], name="f")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "libf.so"
            program.save(path)
            for one in (program, strata.load(path)):
                ready = one.prepare(p, bias=keywords["bias"])
                y = np.empty((4, 5), np.float32)
                self.assertIs(ready(p, x, scale=keywords["scale"], out={"y": y})["y"], y)
                close(self, {"y": y}, f(p, x, **keywords))
                for wrong in (lambda: ready(x, scale=keywords["scale"]), lambda: one.prepare(p), lambda: one(p, x, **keywords)):
                    with self.assertRaises(strata.InputError) as caught:
                        wrong()
                    self.assertEqual(caught.exception.code, "S1801")
        with self.assertRaisesRegex(TypeError, "strata.jit"):
            strata.jit(mlp, prepare="params*")

    def test_keywords_and_containers(self):
        f = lambda p, *, scale: Pair(p.left * scale, [p.right + 1])
        p = Pair(np.ones(3, np.float32), np.arange(2, dtype=np.int32))
        program = strata.compile(f, p, kwargs={"scale": np.float32(2)})
        close(self, program(p, scale=np.float32(3)), f(p, scale=np.float32(3)))
        close(self, program(p, scale=3), f(p, scale=np.float32(3)))

    def test_one_array_none_or_nothing(self):
        x = np.ones(3, np.float32)
        close(self, strata.compile(jnp.sin, x)(x), jnp.sin(x))
        self.assertEqual(strata.compile(lambda x: (), x)(x), ())
        self.assertIsNone(strata.compile(lambda x: None, x)(x))
        close(self, strata.compile(lambda: jnp.arange(3))(), jnp.arange(3))
        close(self, strata.compile(lambda x: (x, x + 1), x)(x), (x, x + 1))

    def test_what_is_compiled(self):
        x = np.ones((2, 2), np.float32)
        exported = export.export(jax.jit(jnp.linalg.inv), platforms=["cpu"])(x + np.eye(2, dtype=np.float32))
        programs = [
            strata.compile(exported),
            strata.compile(jax.jit(jnp.linalg.inv), jax.ShapeDtypeStruct((2, 2), jnp.float32)),
            strata.compile(jax.jit(jnp.linalg.inv).lower(x).as_text()),
            strata.compile(jax.jit(jnp.linalg.inv).lower(x).compiler_ir()),
            strata.compile(exported.mlir_module_serialized),
        ]
        x = x + np.eye(2, dtype=np.float32)
        for program in programs:
            close(self, program(x), jnp.linalg.inv(x))

    def test_static_arguments(self):
        f = jax.jit(lambda x, n, flip: x[::-1] * n if flip else x * n, static_argnums=(1,), static_argnames=("flip",))
        x = np.arange(4, dtype=np.float32)
        program = strata.compile(f, x, 3, kwargs={"flip": True})
        close(self, program(x), x[::-1] * 3)

    def test_arrays_of_jax(self):
        x = jnp.arange(5.0)
        program = strata.compile(jnp.cumsum, x)
        close(self, program(x), jnp.cumsum(x))

    def test_types(self):
        for dtype in [ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4, ml_dtypes.uint4, np.int8, np.bool_, np.complex64]:
            with self.subTest(dtype):
                x = np.array([0, 1, 1, 0, 1], dtype)
                f = lambda x: x[::-1]
                close(self, strata.compile(f, x)(x), f(x))
        x = np.linspace(-3, 3, 7).astype(ml_dtypes.bfloat16)
        close(self, strata.compile(jnp.exp, x)(x), jnp.exp(x), 1e-2)
        f = lambda q, x: (q.astype(jnp.float32) * x).sum()
        q, x = np.arange(-8, 8).astype(ml_dtypes.int4), np.arange(16, dtype=np.float32)
        close(self, strata.compile(f, q, x)(q, x), f(q, x))

    def test_symbolic_sizes(self):
        f = lambda x, w: {"y": jax.nn.softmax(x @ w), "mean": x.mean()}
        x = jax.ShapeDtypeStruct(export.symbolic_shape("b, 4"), jnp.float32)
        w = np.random.default_rng(3).standard_normal((4, 3), np.float32)
        with self.assertRaises(strata.StrataError) as caught:
            strata.compile(f, x, w)
        self.assertIn("b=", caught.exception.hint)
        program = strata.compile(f, x, w, max={"b": 16})
        rows = strata.compile(lambda x, w: jax.nn.softmax(x @ w), x, w)
        for size in [1, 2, 7, 16]:
            given = np.random.default_rng(size).standard_normal((size, 4), np.float32)
            close(self, program(given, w), f(given, w))
            close(self, rows(given, w), jax.nn.softmax(given @ w))
        for given, reason in [(17, "b = 17 is above the bound 16"), (0, "b >= 1 is violated: b = 0")]:
            with self.assertRaises(strata.InputError) as caught:
                program(np.zeros((given, 4), np.float32), w)
            self.assertEqual(caught.exception.reason, reason)

    def test_results_in_nested_arrays(self):
        f = lambda x: {"y": x + 1, "z": (x * 2, x.sum())}
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        program = strata.compile(f, x)
        out = {"y": np.zeros((2, 3), np.float32), "z": (np.zeros((2, 3), np.float32), np.zeros((), np.float32))}
        self.assertIs(program(x, out=out), out)
        close(self, out, f(x))
        with self.assertRaisesRegex(TypeError, "the function returns"):
            program(x, out=[out["y"], *out["z"]])
        # A parameter of the function comes first.
        own = strata.compile(lambda x, *, out: x + out, x, kwargs={"out": x})
        close(self, own(x, out=x * 3), x * 4)

    def test_saved_functions(self):
        params, x = parameters(), np.ones((4, 7), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "mlp.so")
            strata.compile(mlp, params, x).save(path)
            program = strata.load(path)
            close(self, program(params, x), mlp(params, x))
            # A class of the user is not saved: the program then takes a flat list.
            strata.compile(lambda p: p.left - p.right, Pair(x, x * 2)).save(path.with_name("pair.so"))
            found = strata.load(path.with_name("pair.so"))
            close(self, found(x, x * 2), -x)

    def test_gradients_loops_random_numbers(self):
        loss = lambda params, x: jnp.square(mlp(params, x)["y"]).mean()
        params, x = parameters(), np.ones((4, 7), np.float32)
        close(self, strata.compile(jax.grad(loss), params, x)(params, x), jax.grad(loss)(params, x))
        f = lambda x: jax.lax.while_loop(lambda s: s.sum() < 100, lambda s: s * 2, x)
        close(self, strata.compile(f, x)(x), f(x))
        key = jax.random.key_data(jax.random.key(3))
        g = lambda key: jax.random.normal(jax.random.wrap_key_data(key), (5,))
        close(self, strata.compile(g, key)(key), g(key))

    def test_errors_have_the_line_of_python(self):
        def bad(x):
            return jax.experimental.io_callback(lambda x: x, x, x)

        with self.assertRaises((strata.StrataError, ValueError)):
            strata.compile(bad, np.ones(3, np.float32))

        def large(x):
            return jnp.zeros((1 << 20, 1 << 28)) + x

        with self.assertRaises(strata.StrataError) as caught:
            strata.compile(large, np.float32(1))
        error = caught.exception
        self.assertTrue(error.file.endswith("test_jax.py"), error)
        self.assertEqual(error.line, large.__code__.co_firstlineno + 1)


class JitTests(unittest.TestCase):
    def test_one_program_for_each_shape(self):
        traced = []

        @strata.jit
        def f(x, y):
            traced.append(x.shape)
            return {"sum": x + y}

        for size in [3, 4, 3, 4]:
            x = np.arange(size, dtype=np.float32)
            close(self, f(x, x), {"sum": x + x})
        close(self, f(jnp.arange(3.0), np.ones(3, np.float32)), {"sum": np.arange(3, dtype=np.float32) + 1})
        self.assertEqual(traced, [(3,), (4,)])
        self.assertEqual(len(f.programs), 2)
        x = np.arange(3)
        close(self, f(x.astype(np.int32), x.astype(np.int32)), {"sum": (x + x).astype(np.int32)})
        self.assertEqual(f.__name__, "f")

    def test_static_arguments(self):
        f = strata.jit(lambda x, n, *, flip: (x[::-1] if flip else x) * n, static_argnums=1, static_argnames="flip", threads=1)
        x = np.arange(4, dtype=np.float32)
        for n, flip in [(2, True), (3, True), (2, False), (2, True)]:
            close(self, f(x, n, flip=flip), (x[::-1] if flip else x) * np.float32(n))
        self.assertEqual(len(f.programs), 3)

    def test_numbers(self):
        f = strata.jit(lambda x, s: x * s)
        x = np.ones(2, np.float32)
        close(self, f(x, 2.5), x * np.float32(2.5))
        close(self, f(x, 3), x * np.float32(3))

    def test_threads_compile_once(self):
        traced = []
        f = strata.jit(lambda x: traced.append(1) or jnp.tanh(x))
        x = np.ones(8, np.float32)
        threads = [threading.Thread(target=f, args=(x,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(f.programs), 1)

    def test_static_arguments_of_different_types(self):
        f = strata.jit(lambda x, n: x / n if isinstance(n, float) else x // n, static_argnums=1)
        x = np.array([3.0], np.float32)
        for n in (2, 2.0, True, 2):
            close(self, f(x, n), x / np.float32(n) if isinstance(n, float) else x // np.float32(n))

    def test_types_of_64_bits(self):
        f = strata.jit(lambda x: x * 2)
        x = np.arange(3.0)
        close(self, f(x), (x * 2).astype(np.float32))
        with (jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64)(True):  # JAX 0.7 has it elsewhere.
            close(self, f(x), x * 2)
        close(self, f(x.astype(np.int64)), (x * 2).astype(np.int32))

    def test_functions_that_call_each_other(self):
        @strata.jit
        def inner(x):
            return jnp.sin(x)

        x = np.ones(3, np.float32)
        outer = strata.jit(lambda x: inner(x) + 1)
        close(self, outer(x), jnp.sin(x) + 1)
        close(self, jax.jit(lambda x: inner(x) + 1)(x).__array__(), jnp.sin(x) + 1)
        close(self, np.asarray(jax.grad(lambda x: inner(x).sum())(x)), jnp.cos(x))

        down = strata.jit(lambda x, n: x if n == 0 else down(x + 1, n - 1), static_argnums=1)
        close(self, down(x, 3), x + 3)

    def test_methods_and_objects(self):
        class Model:
            def __init__(self, scale):
                self.scale = scale

            __hash__ = None

            @strata.jit
            def hashless(self, x):
                return x

            def __call__(self, x):
                return x * self.scale

        x = np.ones(3, np.float32)
        close(self, strata.jit(Model(3))(x), x * 3)
        close(self, strata.compile(Model(4), x)(x), x * 4)

        class Other:
            @functools.partial(strata.jit, static_argnums=0)
            def double(self, x):
                return x * 2

        close(self, Other().double(x), x * 2)

    def test_arrays_for_results(self):
        f = strata.jit(lambda x, n, *, flip=False: {"sum": (x[::-1] if flip else x) + n, "first": x[0]}, static_argnames="flip")
        x = np.arange(5, dtype=np.float32)
        for flip in (False, True):
            out = {"sum": np.full(5, 7, np.float32), "first": np.full((), 7, np.float32)}
            self.assertIs(f(x, 2, flip=flip, out=out), out)
            close(self, out, {"sum": (x[::-1] if flip else x) + 2, "first": x[0]})
        self.assertEqual(len(f.programs), 2)
        close(self, f(x, 2), {"sum": x + 2, "first": x[0]})
        with self.assertRaises(ValueError):
            f(x, 2, out={"sum": np.empty(4, np.float32), "first": np.empty((), np.float32)})
        with self.assertRaises(TypeError):
            jax.jit(lambda x: f(x, 2, out={"sum": x, "first": x[0]}))(x)
        # Functions with an argument of that name get it.
        for own in (strata.jit(lambda x, out: x * out), strata.jit(lambda x, **more: x * more["out"])):
            close(self, own(x, out=np.float32(3)), x * 3)

    def test_keys(self):
        key = jax.random.key(3)
        f = lambda key: jax.random.normal(key, (4,))
        close(self, strata.jit(f)(key), f(key))
        close(self, strata.compile(f, key)(key), f(key))

    def test_callbacks(self):
        with self.assertRaises(strata.StrataError) as caught:
            strata.compile(lambda x: jax.debug.print("{}", x), np.ones(2, np.float32))
        self.assertIn("pjrt.md", str(caught.exception))

    def test_static_arguments_that_cannot_be_hashed(self):
        with self.assertRaises(TypeError):
            strata.jit(lambda x, n: x, static_argnums=1)(np.ones(2, np.float32), [1])


if __name__ == "__main__":
    unittest.main()
