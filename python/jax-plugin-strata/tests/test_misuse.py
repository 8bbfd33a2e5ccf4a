"""What users do wrong, each in a process of its own: an exception that says so, and the process goes on."""

import os
import subprocess
import sys
import textwrap
import unittest

PROLOGUE = """
import os, sys, threading, time, warnings
import jax, jax.numpy as jnp, numpy as np
# From 3.12 on Python itself warns of a fork beside threads, and JAX always does.
warnings.simplefilter("ignore")

def told(function, *arguments):
    try:
        return f"no error, but {function(*arguments)!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def expect(text, function, *arguments):
    found = told(function, *arguments)
    assert text in found, f"{text!r} is not in {found!r}"

def goes_on():
    assert jnp.arange(4.0).sum() == 6
"""


def python(code, platforms="strata", **variables):
    environment = {**os.environ, "JAX_PLATFORMS": platforms, **variables}
    return subprocess.run([sys.executable, "-c", PROLOGUE + textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=600, check=False)


class Misuse(unittest.TestCase):
    def passes(self, code, **variables):
        ended = python(code + "\n        goes_on()", **variables)
        self.assertEqual(ended.returncode, 0, f"{ended.stdout}\n{ended.stderr}")
        return ended.stdout.strip()


class Arguments(Misuse):
    def test_types_and_shapes(self):
        self.passes("""
        double = jax.jit(lambda x: 2 * x)
        for wrong in (np.array(["a"]), np.array([object()]), np.zeros(2, "datetime64[s]"), np.zeros(2, ">f4"), np.zeros(2, np.longdouble), "x", {1}):
            expect("TypeError", double, wrong)
            expect("TypeError", jax.device_put, wrong)
        x, y = jnp.ones((2, 3)), jnp.ones((3, 2))
        dot = jax.jit(lambda x, y: x @ y).lower(x, y).compile()
        for wrong in (jnp.ones((3, 4)), y.astype(jnp.int32), y[0]):
            expect("TypeError: Argument types differ", dot, x, wrong)
        expect("TypeError", dot, x)
        assert (np.asarray(dot(np.ones((2, 3)), np.ones((3, 2)))) == 3).all()
        """)

    def test_arrays_in_any_layout(self):
        self.passes("""
        double = jax.jit(lambda x: 2 * x)
        x = np.arange(240, dtype=np.float32).reshape(4, 5, 12)
        views = [x[:, ::2], x.T, x[::-1], x[..., ::-3], x[:0], x[..., 5], x[1:2, 2, 3], np.asfortranarray(x), np.broadcast_to(x[0, 0], (3, 12))]
        views.append(np.lib.stride_tricks.as_strided(x, (3, 4), (4, 4)))
        # Between the places where elements of this size should be.
        views.append(np.frombuffer(bytes(range(200)) * 161, np.float32, 8000, offset=1))
        for view in views:
            read_only = np.array(view) if view.base is None else view.view()
            read_only.flags.writeable = False
            for one in (view, read_only):
                np.testing.assert_array_equal(np.asarray(jnp.asarray(one)), one)
                np.testing.assert_array_equal(np.asarray(double(one)), 2 * one)
        for result in (np.asarray(double(x)), np.from_dlpack(double(x))):
            expect("ValueError", result.__setitem__, (0, 0, 0), 1)
        """)

    def test_arrays_that_python_changes_after_a_call(self):
        self.passes("""
        total = jax.jit(lambda x: x.sum())
        x = np.zeros(1 << 18, np.float32)
        for step in range(20):
            x[:] = step
            before, kept = total(x), jnp.array(x)
            x[:] = -1
            assert (float(before), float(kept.sum())) == (step * x.size,) * 2, step
        """)


class Buffers(Misuse):
    def test_deleted_arrays(self):
        self.passes("""
        x = jnp.arange(5.0)
        x.delete()
        x.delete()
        assert x.is_deleted()
        uses = [lambda: x + 1, lambda: jax.jit(lambda x: x + 1)(x), lambda: np.asarray(x), lambda: np.from_dlpack(x), lambda: repr(x)]
        uses += [lambda: float(x[0]), lambda: jax.device_put(x), lambda: x.addressable_shards[0].data, lambda: x.unsafe_buffer_pointer()]
        uses += [lambda: x.block_until_ready(), lambda: x.on_device_size_in_bytes(), lambda: x.copy_to_host_async(), lambda: x.tolist()]
        for at, use in enumerate(uses):
            found = told(use)
            assert "delete" in found, (at, found)
        """)

    def test_donated_arrays(self):
        self.passes("""
        step = jax.jit(lambda x, y: (x + y, x * y), donate_argnums=0)
        x, y = jnp.arange(5.0) * 1, jnp.ones(5)
        after, _ = step(x, y)
        for use in (lambda: step(x, y), lambda: x + 1, lambda: np.asarray(x), lambda: np.from_dlpack(x)):
            expect("deleted", use)
        expect("donate", step, after, after)
        assert after.tolist() == [1, 2, 3, 4, 5] and y.tolist() == [1] * 5
        # An argument that was not right takes nothing away.
        y.delete()
        expect("deleted", step, after, y)
        assert after.tolist() == [1, 2, 3, 4, 5]
        """)

    def test_threads_that_delete_and_donate(self):
        """One of several donates; arrays that are deleted beside their use are there or not."""
        self.passes("""
        dot, step = jax.jit(lambda x: x @ x), jax.jit(lambda x: x + 1, donate_argnums=0)
        x, given, seen, won = jnp.ones((300, 300)), jnp.ones((300, 300)) * 1, [], []

        def use():
            for _ in range(100):
                found = told(lambda: float(dot(x)[0, 0]))
                seen.append(found if "300.0" in found or "deleted" in found else f"wrong: {found}")

        def donate():
            found = told(lambda: float(step(given)[0, 0]))
            won.append("2.0" in found)

        threads = [threading.Thread(target=use) for _ in range(3)] + [threading.Thread(target=donate) for _ in range(5)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        x.delete()
        for thread in threads:
            thread.join()
        assert len(seen) == 300 and not [one for one in seen if one.startswith("wrong")], seen[-1]
        assert sum(won) == 1, won
        """)

    def test_more_memory_than_there_is(self):
        self.passes("""
        expect("RESOURCE_EXHAUSTED", lambda: jnp.zeros((1 << 20, 1 << 20)))
        # Temporaries.
        expect("RESOURCE_EXHAUSTED", lambda: jnp.sort(jnp.ones(1 << 20)[:, None] * jnp.ones(1 << 20), 0).sum())
        """)

    def test_more_memory_than_the_process_may_have(self):
        self.passes("""
        import resource
        square = jax.jit(lambda x: x[:, None] * x)
        x = jnp.ones(40000)
        square.lower(x).compile()
        goes_on()
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        expect("RESOURCE_EXHAUSTED", lambda: square(x).block_until_ready())
        expect("RESOURCE_EXHAUSTED", lambda: square(x).sum().block_until_ready())
        """)


class Processes(Misuse):
    def test_a_forked_process(self):
        found = self.passes("""
        step = jax.jit(lambda x: jax.lax.fori_loop(0, 30, lambda _, x: x @ x / 500, x))
        x = jnp.ones((500, 500))
        step(x).block_until_ready()
        open_call = step(x)
        child = os.fork()
        if child == 0:
            print(step(x).tolist() == x.tolist())
            # Without threads to compile on.
            print("Start processes by 'spawn'" in told(lambda: x[0, 1]))
            print(told(lambda: open_call.tolist() == x.tolist()) in ("no error, but True", "JaxRuntimeError: INTERNAL: the program runs in the process that this one was forked from"))
            import jax.extend.backend
            jax.extend.backend.clear_backends()
            print(jnp.arange(3.0).sum())
            sys.stdout.flush()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert open_call.tolist() == x.tolist()
        """)
        self.assertEqual(found.split(), ["True", "True", "True", "3.0"])

    def test_a_process_that_is_forked_before_the_first_computation(self):
        found = self.passes("""
        child = os.fork()
        if child == 0:
            print(jnp.arange(5.0).sum())
            sys.stdout.flush()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """)
        self.assertEqual(found, "10.0")

    def test_ctrl_c_while_a_program_is_compiled(self):
        found = self.passes("""
        import signal
        def long(x):
            for step in range(25):
                x = jnp.sin(x) @ x + step
            return x
        # The processor time that it took.
        def interrupted(compile_):
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            begin = time.process_time()
            try:
                compile_()
                time.sleep(10)
            except KeyboardInterrupt:
                return time.process_time() - begin
            sys.exit("it was not interrupted")
        lowered = [jax.jit(lambda x, step=step: long(x) + step).lower(jnp.ones((9, 9))) for step in range(4)]
        begin = time.process_time()
        lowered[0].compile()
        whole = time.process_time() - begin
        # It does not wait for the end.
        print(interrupted(lowered[1].compile) < 0.8 * whole)
        # Nor is anything left of it: the same program compiles.
        assert lowered[1].compile()(jnp.ones((9, 9))).shape == (9, 9)
        # A handler of the user, which returns.
        seen = []
        signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        lowered[2].compile()
        time.sleep(0.2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print(len(seen))
        # Other threads' programs are compiled.
        others = []
        thread = threading.Thread(target=lambda: others.append(told(lowered[3].compile)))
        thread.start()
        time.sleep(0.05)
        interrupted(jax.jit(long).lower(jnp.ones((8, 8))).compile)
        thread.join()
        print(others[0].startswith("no error"))
        """)
        self.assertEqual(found.split(), ["True", "1", "True"])

    def test_the_end_while_a_call_is_open(self):
        ended = python("""
        x = jnp.ones((700, 700))
        program = jax.jit(lambda x: jax.lax.fori_loop(0, 30, lambda _, x: x @ x / 700, x))
        program(x).block_until_ready()
        results = [program(x) for _ in range(3)]
        """)
        self.assertEqual(ended.returncode, 0, ended.stderr)


class Plugins(Misuse):
    def test_the_plugin_is_loaded_twice(self):
        """By another name, by JAX's own way again, and as another file."""
        self.passes("""
        import pathlib, shutil, tempfile
        import jax_plugin_strata
        from jax._src import xla_bridge
        path = jax_plugin_strata.library_path()
        with tempfile.TemporaryDirectory() as folder:
            other = shutil.copy(path, pathlib.Path(folder, "other.so"))
            xla_bridge.register_plugin("other", library_path=str(other))
        xla_bridge.register_plugin("again", library_path=str(path))
        jax.config.update("jax_platforms", "strata,other,again")
        devices = [jax.devices(name)[0] for name in ("strata", "other", "again")]
        arrays = [jax.device_put(np.arange(5.0), device) for device in devices]
        for one in arrays:
            assert one.sum() == 10
            # From each to each.
            for device in devices:
                assert jax.device_put(one, device).sum() == 10
        expect("incompatible devices", lambda: arrays[0] + arrays[1])
        expect("ALREADY_EXISTS", jax_plugin_strata.initialize)
        """)

    def test_variables(self):
        for variable, wrong, text in (
            ("STRATA_THREADS", "many", "STRATA_THREADS is 'many', not a number"),
            ("STRATA_THREADS", "-1", "from 0 to 1024"),
            ("STRATA_PJRT_LIBRARY", "/none.so", "Strata's PJRT plugin is not there: /none.so"),
            ("STRATA_PJRT_LIBRARY", __file__, "invalid ELF header"),
        ):
            with self.subTest(variable, wrong=wrong):
                ended = python("jnp.ones(3)", **{variable: wrong})
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn(text, ended.stderr)


class Callbacks(Misuse):
    def test_callbacks_that_fail(self):
        self.passes("""
        def call(function):
            return jax.jit(lambda x: jax.pure_callback(function, x, x))(jnp.float32(3))

        def leave(_):
            sys.exit(3)

        def interrupt(_):
            raise KeyboardInterrupt

        for function, text in (
            (leave, "SystemExit: 3"),
            (interrupt, "KeyboardInterrupt"),
            (lambda x: np.zeros(3, np.float32), "Incorrect output shape"),
            (lambda x: np.int8(3), "Incorrect output dtype"),
            (lambda x: "text", "Error"),
            (lambda x: None, "Error"),
        ):
            expect(text, call, function)
        """)


if __name__ == "__main__":
    unittest.main()
