"""The plugin beside versions of JAX that it does not know: each case in a process of its own, which changes JAX before the plugin is loaded."""

import os
import subprocess
import sys
import textwrap
import unittest


def run(code, platforms="strata"):
    """The exit code, the output and what the log says."""
    environment = {**os.environ, "JAX_PLATFORMS": platforms}
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout.strip(), ended.stderr


class Versions(unittest.TestCase):
    def test_too_old(self):
        for module, name in (("jax.version", "JAX"), ("jaxlib.version", "jaxlib")):
            code = f"""
            import jax, {module}
            {module}.__version__, {module}.__version_info__ = "0.7.2", (0, 7, 2)
            print(jax.numpy.arange(3).sum())
            """
            with self.subTest(name):
                status, output, log = run(code)
                self.assertEqual((status, output), (1, ""))
                self.assertIn(f"Unable to initialize backend 'strata': {name} 0.7.2 is too old for Strata's plugin, which needs 0.8 or later", log)
                # Where the platform is not asked for, XLA's CPU computes.
                status, output, log = run(code, platforms="")
                self.assertEqual((status, output), (0, "3"), log)
                self.assertIn("is too old for Strata's plugin", log)

    def test_newer_than_known(self):
        status, output, log = run("""
            import jax, jax.version
            jax.version.__version__, jax.version.__version_info__ = "0.99.1", (0, 99, 1)
            print(jax.numpy.arange(3).sum(), jax.devices()[0].platform)
        """)
        self.assertEqual((status, output), (0, "3 strata"), log)
        self.assertIn("JAX 0.99.1 is newer than what Strata's plugin was tested with", log)

    def test_functions_that_are_gone(self):
        """Programs that need none of them run as before; each one is named."""
        for change, what in (
            ("from jax._src import compiler as m; known = m._get_cache_key; m._get_cache_key = lambda *all, **named: known(*all, **named)", "the compilation cache is"),
            ("from jax._src import compilation_cache as m; del m.get_cache_key", "the compilation cache is"),
            ("from jax._src import compiler as m; known = m.backend_compile_and_load; m.backend_compile_and_load = lambda *all, **named: known(*all, **named)", "what forks and Ctrl-C do to a compilation is"),
            ("from jax._src import array; del array.ArrayImpl.__dlpack_device__", "DLPack is"),
            ("from jax._src import typing; del typing.DLDeviceType", "DLPack is"),
            ("from jax._src.interpreters import mlir; mlir._platforms_with_donation = ()", "donation of arguments is"),
            ("from jax._src.interpreters import mlir; from jax._src.lax import linalg; mlir._platform_specific_lowerings['cpu'][linalg.lu_p] = None.__class__", "linear algebra is"),
            ("from jax._src import debugging; del debugging.debug_print_p", "callbacks are"),
            ("from jax._src import callback; del callback.io_callback_p", "callbacks are"),
        ):
            with self.subTest(change):
                status, output, log = run(f"""
                    import jax
                    {change}
                    print(jax.jit(lambda x: 2 * x)(jax.numpy.arange(3)).sum(), jax.devices()[0].platform)
                """)
                self.assertEqual((status, output), (0, "6 strata"), log)
                self.assertIn(f"{what} left out", log)

    def test_a_cache_key_that_fails(self):
        """The program is compiled, and not kept."""
        status, output, log = run("""
            import jax, tempfile
            from jax._src import compilation_cache
            jax.config.update("jax_compilation_cache_dir", tempfile.mkdtemp())
            jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
            def changed(module, devices, compile_options, backend, *_):
                raise TypeError("takes other arguments now")
            compilation_cache.get_cache_key = changed
            print(jax.jit(lambda x: 2 * x)(jax.numpy.arange(3)).sum(), jax.devices()[0].platform)
        """)
        self.assertEqual((status, output), (0, "6 strata"), log)
        self.assertIn("takes other arguments now", log)


if __name__ == "__main__":
    unittest.main()
