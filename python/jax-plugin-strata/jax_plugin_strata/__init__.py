"""JAX finds this module by its entry point, and calls `initialize` before the first computation."""

import importlib.util
import logging
import os
import types
from pathlib import Path

from jax_plugin_strata import callbacks, compilation, dlpack, ffi, platforms, versions

logger = logging.getLogger(__name__)
PLATFORM = "strata"
# What `jax.lax.linalg` lowers to calls of LAPACK on "cpu", which Strata's run-time library has under the same names.
# Cholesky factors and triangular systems are StableHLO on every platform.
LINEAR_ALGEBRA = (
    "eig_p",
    "eigh_p",
    "geqp3_p",
    "geqrf_p",
    "hessenberg_p",
    "householder_product_p",
    "lu_p",
    "ormqr_p",
    "schur_p",
    "svd_p",
    "tridiagonal_p",
    "tridiagonal_solve_p",
)


def library_path() -> Path:
    """The shared library: that of the package `strata`, or the one that STRATA_PJRT_LIBRARY names."""
    given = os.environ.get("STRATA_PJRT_LIBRARY")
    if given:
        return Path(given)
    # Found, not imported: the package may be loaded later, and is then the same library.
    package = importlib.util.find_spec("strata")
    places = [Path(folder) for folder in package.submodule_search_locations or ()] if package else []
    found = [path for place in places for path in sorted(place.glob("_native*.so"))]
    if not found:
        raise FileNotFoundError("Strata's library is not there: install strata-compiler, or name it by STRATA_PJRT_LIBRARY")
    return found[0]


def options() -> dict[str, int]:
    """The client's options: STRATA_THREADS is the number of threads, 0 one for each processor; STRATA_NUM_DEVICES that of devices."""
    found = {}
    for option, variable in ("threads", "STRATA_THREADS"), ("num_devices", "STRATA_NUM_DEVICES"):
        number = os.environ.get(variable)
        if number is None:
            continue
        try:
            found[option] = int(number)
        except ValueError:
            raise ValueError(f"{variable} is {number!r}, not a number") from None
    return found


def initialize() -> None:
    """Registers the platform and how it lowers what JAX lowers for the platforms that it knows only."""
    from jax._src import xla_bridge

    reason = versions.too_old()
    if reason:
        versions.logger.warning("%s", reason)
        xla_bridge.register_backend_factory(PLATFORM, refusal(reason))
        return
    path = library_path()
    if not path.is_file():
        raise FileNotFoundError(f"Strata's PJRT plugin is not there: {path}")
    xla_bridge.register_plugin(PLATFORM, library_path=str(path), options=options())
    versions.attempt("donation of arguments is", register_donation)
    versions.attempt("linear algebra is", register_linear_algebra)
    versions.attempt("callbacks are", callbacks.initialize, path, PLATFORM)
    versions.attempt("DLPack is", dlpack.register, PLATFORM)
    versions.attempt("functions by jax.ffi are", lambda: ffi.register(callbacks.library, PLATFORM))
    versions.attempt("branches for a platform are", platforms.register, PLATFORM)
    versions.attempt("functions with rules of their own for partitioning are", register_custom_partitioning)
    versions.attempt("the compilation cache is", use_compilation_cache)
    versions.attempt("what forks and Ctrl-C do to a compilation is", lambda: compilation.register(callbacks.library, PLATFORM))


def refusal(reason):
    """A client's factory that says why there is none: an error where JAX_PLATFORMS names the platform."""

    def fail(*_, **__):
        raise RuntimeError(reason)

    return fail


def register_donation() -> None:
    """Lets programs donate arguments."""
    from jax._src.interpreters import mlir

    if PLATFORM not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(PLATFORM)


def register_linear_algebra() -> None:
    """Lowers linear algebra as JAX does for "cpu"."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    rules = mlir._platform_specific_lowerings["cpu"]
    for name in LINEAR_ALGEBRA:
        primitive = getattr(linalg, name, None)
        entry = rules.get(primitive)
        if entry is not None:
            mlir.register_lowering(primitive, entry.rule, platform=PLATFORM, inline=entry.inline)


def register_custom_partitioning() -> None:
    """Lowers functions of `jax.experimental.custom_partitioning` as they are: the compiler splits them as all else, and their own rules, which are
    another way to the same values, are not asked."""
    from jax._src import core, custom_partitioning
    from jax._src.interpreters import mlir

    def lower(context, *values, call, **_):
        return mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(context, *values)

    mlir.register_lowering(custom_partitioning.custom_partitioning_p, lower, platform=PLATFORM)


def use_compilation_cache() -> None:
    """Lets JAX keep executables in `jax_compilation_cache_dir`, which it does for the platforms that it knows only. Programs
    that call Python are left out: their functions are of this process."""
    from jax._src import compilation_cache, compiler, config

    is_used, key = compilation_cache.is_cache_used, compiler._get_cache_key
    versions.require(is_used, "backend")
    versions.require(key, "options", "backend", "computation", "devices")
    versions.require(compilation_cache.get_cache_key, "module", "devices", "compile_options", "backend")
    # What JAX asks of a platform whose executables it keeps.
    kept = types.SimpleNamespace(platform="cpu", supports_executable_serialization=True)

    def is_cache_used(backend):
        return is_used(kept if backend.platform == PLATFORM else backend)

    def cache_key(options, backend, computation, devices, *rest, **named):
        if backend.platform == PLATFORM and is_cache_used(backend) and calls_python(computation):
            is_explained = config.explain_cache_misses.value and compilation_cache.is_persistent_cache_enabled()
            name = str(computation.operation.attributes["sym_name"]).strip('"')
            # In JAX's words, which users look for.
            text = "Not writing persistent cache entry for '%s' because it uses host callbacks (e.g. from jax.debug.print or breakpoint)"
            logger.log(logging.WARNING if is_explained else logging.DEBUG, text, name)
            return None
        try:
            return key(options, backend, computation, devices, *rest, **named)
        except (AttributeError, TypeError) as error:
            # A cache that does not work must not keep a program from running.
            if backend.platform != PLATFORM:
                raise
            logger.warning("a program is not kept in the compilation cache: %s: %s", type(error).__name__, error)
            return None

    compilation_cache.is_cache_used = is_cache_used
    compiler._get_cache_key = cache_key


def calls_python(module) -> bool:
    """Whether a program has a callback."""
    from jax._src.lib.mlir import ir

    found = []

    def look(op):
        if op.name == "stablehlo.custom_call" and ir.StringAttr(op.attributes["call_target_name"]).value == callbacks.TARGET:
            found.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(look)
    return bool(found)
