"""What scripts do before they import packages of PyPI: they read their arguments, and name what is missing."""

import contextlib
from pathlib import Path


@contextlib.contextmanager
def listed_in(*requirements):
    """Imports of packages in these files of this folder; ends the script where one is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        files = " ".join(f"-r scripts/{file}" for file in requirements)
        raise SystemExit(f"there is no Python module `{missing.name}`: pip install {files}") from None


def add_options(parser, kinds):
    """The arguments that scripts that export quantized networks take."""
    parser.add_argument("--strata", type=Path, help="the strata command; default: the release build")
    parser.add_argument("--only", default=",".join(kinds), metavar="KIND,…", help="of the kinds, these only")
    parser.add_argument("--rounds", type=int, default=3, help="of measuring")
    parser.add_argument("--target-cpu", default="native")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the programs there")
    parser.add_argument("--output", type=Path, metavar="FILE.md", help="write the table into a file, too")


def add_network(parser):
    """The arguments of a network of transformer layers."""
    parser.add_argument("--tokens", default="1,64", metavar="N,…", help="a row for each number; default: 1,64")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--vocabulary", type=int, default=8192)
