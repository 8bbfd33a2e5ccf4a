"""JAX finds this module by its entry point, and calls `initialize` before the first computation."""

import os
from pathlib import Path

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
    """The shared library: the one in this package, or the one that STRATA_PJRT_LIBRARY names."""
    given = os.environ.get("STRATA_PJRT_LIBRARY")
    return Path(given) if given else Path(__file__).resolve().parent / "libstrata_pjrt.so"


def options() -> dict[str, int]:
    """The client's options: STRATA_THREADS is the number of threads, 0 one for each processor."""
    threads = os.environ.get("STRATA_THREADS")
    if threads is None:
        return {}
    try:
        return {"threads": int(threads)}
    except ValueError:
        raise ValueError(f"STRATA_THREADS is {threads!r}, not a number") from None


def initialize() -> None:
    """Registers the platform and how it lowers what JAX lowers for the platforms that it knows only."""
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    path = library_path()
    if not path.is_file():
        raise FileNotFoundError(f"Strata's PJRT plugin is not there: {path}")
    xla_bridge.register_plugin(PLATFORM, library_path=str(path), options=options())
    if PLATFORM not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(PLATFORM)
    register_linear_algebra()
    refuse_callbacks()


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


def refuse_callbacks() -> None:
    """Calls from compiled code into Python are errors that say so."""
    from jax._src import callback, debugging
    from jax._src.interpreters import mlir

    def refuse(name):
        def rule(*_, **__):
            raise NotImplementedError(
                f"`{name}` is not supported on Strata: compiled programs cannot call Python yet. "
                "Return the values from the jitted function instead, or run this part with jax.default_device of a CPU."
            )

        return rule

    primitives = {
        "jax.debug.callback": getattr(debugging, "debug_callback_p", None),
        "jax.debug.print": getattr(debugging, "debug_print_p", None),
        "jax.pure_callback": getattr(callback, "pure_callback_p", None),
        "jax.experimental.io_callback": getattr(callback, "io_callback_p", None),
    }
    for name, primitive in primitives.items():
        if primitive is not None:
            mlir.register_lowering(primitive, refuse(name), platform=PLATFORM)
