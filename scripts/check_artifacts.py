#!/usr/bin/env python3
"""Write portable artifacts with Strata and with the installed jaxlib, and compare them byte by byte.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements.txt
    venv/bin/python scripts/check_artifacts.py --strata target/release/strata [--versions 0.9.0,1.8.0] PROGRAM…

Both are given the same MLIR bytecode, so that locations are the same. What one of them refuses is told; operations of
CHLO are, by Strata, in another form (see docs/interop.md). Exit code 1 where bytes differ.
"""

import argparse
import collections
import subprocess
import sys
import tempfile
from pathlib import Path

from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

VERSIONS = "0.9.0,0.12.0,0.14.0,0.17.0,0.20.0,1.0.0,1.1.0,1.4.0,1.6.0,1.8.0,1.10.0,1.11.0,1.13.0,1.17.0"


def theirs(bytecode, version, with_others):
    """The artifact as jaxlib writes it, which changes the module; `None` where it refuses."""
    context = jax_mlir.make_ir_context()
    context.allow_unregistered_dialects = False
    with context:
        try:
            return stablehlo.serialize_portable_artifact(ir.Module.parse(bytecode), version, with_others)
        except (ValueError, ir.MLIRError):
            return None


def bytecode_of(program):
    with jax_mlir.make_ir_context(), tempfile.TemporaryFile() as file:
        ir.Module.parse(program.read_bytes()).operation.write_bytecode(file)
        file.seek(0)
        return file.read()


def ours(strata, bytecode, version, folder):
    source, target = folder / "program.mlirbc", folder / "artifact.mlirbc"
    source.write_bytes(bytecode)
    target.unlink(missing_ok=True)
    command = [strata, "translate", "--to", f"artifact@{version}", "-o", target, source]
    subprocess.run([str(part) for part in command], capture_output=True, check=False)
    return target.read_bytes() if target.is_file() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", type=Path, required=True, help="the command")
    parser.add_argument("--versions", default=VERSIONS, help="separated by commas; what jaxlib does not know is left out")
    parser.add_argument("programs", type=Path, nargs="+")
    options = parser.parse_args()
    newest = tuple(map(int, stablehlo.get_current_version().split(".")))
    versions = [one for one in options.versions.split(",") if tuple(map(int, one.split("."))) <= newest]
    outcomes = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        for program in options.programs:
            bytecode = bytecode_of(program)
            for version in versions:
                # Other dialects are written where Strata writes them.
                with_others = tuple(map(int, version.split("."))) >= (1, 11, 0)
                expected = theirs(bytecode, version, with_others)
                found = ours(options.strata.resolve(), bytecode, version, Path(temporary))
                if expected is None or found is None:
                    outcome = {(True, True): "refused by both", (True, False): "refused by jaxlib"}.get(
                        (expected is None, found is None), "refused by Strata"
                    )
                else:
                    outcome = "equal" if expected == found else "different"
                outcomes[outcome] += 1
                if outcome not in ("equal", "refused by both"):
                    print(f"{program.name} at {version}: {outcome}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    return 1 if outcomes["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
