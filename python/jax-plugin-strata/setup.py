"""Puts the shared library into the wheel, which is for any Python of one platform."""

import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

NAME = "libstrata_pjrt.so"
TARGET = Path(__file__).resolve().parents[2] / "target"


def library() -> Path:
    """The library that STRATA_PJRT_LIBRARY names, or the one that Cargo built."""
    given = os.environ.get("STRATA_PJRT_LIBRARY")
    built = [TARGET / profile / folder / NAME for profile in ("release", "debug") for folder in ("", "deps")]
    places = [Path(given)] if given else built
    for place in places:
        if place.is_file():
            return place
    raise SystemExit(f"there is no {NAME}: `cargo build --release --workspace` builds it, or STRATA_PJRT_LIBRARY names it")


class Build(build_py):
    def run(self):
        super().run()
        folder = Path(self.build_lib) / "jax_plugin_strata"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library(), folder / NAME)


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary)
