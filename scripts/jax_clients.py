#!/usr/bin/env python3
"""Run the tests that JAX's libraries have on PyPI on Strata's PJRT plugin and on XLA's CPU, and list what passes there and fails here.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 pytest absl-py . ./python/jax-plugin-strata
    venv/bin/pip install optax jraph numpyro brax mujoco-mjx
    venv/bin/python scripts/jax_clients.py [LIBRARY…] --list clients.jsonl [--sample 1] [--tests 5]

A library is left out if it is not installed. Its tests are those beside its modules, or those of its source distribution, which pip gets and
`--folder` keeps. flax, equinox, diffrax, optimistix and blackjax have none on PyPI: scripts/jax_steps.py has programs with them.

Options, the list and the reasons for tests that are expected to fail are those of scripts/jax_tests.py; a file is LIBRARY/PATH. The exit
code is 1 if a test that passes on XLA's CPU fails on Strata without a reason.
"""

import argparse
import collections
import importlib.metadata
import importlib.util
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import jax_tests

# The module, where its tests are, and whether these are in the source distribution alone.
LIBRARIES = {
    "optax": ("optax", "**/*_test.py", False),
    "jraph": ("jraph", "_src/*_test.py", False),
    "numpyro": ("numpyro", "test/test_*.py", True),
    "brax": ("brax", "**/*_test.py", False),
    "mujoco-mjx": ("mujoco.mjx", "_src/*_test.py", False),
}
PLATFORM = "strata"


def is_installed(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def source(library, folder):
    """The folder of the source distribution of the version that is installed."""
    version = importlib.metadata.version(library)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", library]
    root = folder / f"{library}-{version}"
    if not root.is_dir():
        subprocess.run([*command, "--dest", str(folder), f"{library}=={version}"], check=True)
        with tarfile.open(folder / f"{root.name}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return root


def files(library, folder):
    """The test files, and the folder that their names are relative to."""
    module, pattern, is_source = LIBRARIES[library]
    root = source(library, folder) if is_source else Path(next(iter(importlib.util.find_spec(module).submodule_search_locations)))
    return root, sorted(root.glob(pattern))


def run(library, args, outcomes, folder):
    root, paths = files(library, folder)
    for path in paths:
        jax_tests.run_on(path, f"{library}/{path.relative_to(root)}", f"{PLATFORM},cpu", args, outcomes)


def table(outcomes):
    """Counts of each library as Markdown, and the failures without a reason."""
    known, counts, bad = jax_tests.known_failures(), collections.defaultdict(collections.Counter), []
    for file, _, name, outcome, reason in outcomes.compared(PLATFORM):
        counts[file.partition("/")[0]][outcome] += 1
        if outcome in jax_tests.FAILED and not jax_tests.why(known, file, name):
            bad.append((f"{file}::{name}", reason))
    lines = ["| library | XLA passes | Strata passes | skipped | fails | share of those that run |", "|---|---|---|---|---|---|"]
    lines += [f"| {library} | {' | '.join(map(str, jax_tests.counted(count)))} |" for library, count in sorted(counts.items())]
    return "\n".join(lines), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=", ".join(LIBRARIES))
    parser.add_argument("--folder", type=Path, help="where source distributions are kept")
    jax_tests.add_options(parser)
    args = parser.parse_args()
    outcomes = jax_tests.Outcomes(args.list)
    with tempfile.TemporaryDirectory() as work:
        folder = args.folder or Path(work)
        folder.mkdir(parents=True, exist_ok=True)
        for library in args.libraries or LIBRARIES:
            if library not in LIBRARIES:
                parser.error(f"{library} is not one of {', '.join(LIBRARIES)}")
            if is_installed(LIBRARIES[library][0]):
                run(library, args, outcomes, folder)
            else:
                print(f"{library} is not installed", flush=True)
    text, bad = table(outcomes)
    print(text)
    if bad:
        print(jax_tests.by_reason(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
