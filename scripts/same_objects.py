#!/usr/bin/env python3
"""Says which objects two builds of the command make differently.

A change that is to keep what the compiler does (a rename, a move, a new way to build operations) keeps the bytes of
every object:

    cp target/release/strata /tmp/before
    … change, cargo build --release --workspace --bins …
    scripts/same_objects.py /tmp/before target/release/strata tests/ops tests/programs

Each PROGRAM is a file or a folder that is searched for `.mlir` files. A program that both refuse with the same words
counts as the same. Exit status 1 where anything differs. With `--objects-only`, headers and the words of refusals may
differ.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile


def programs(places):
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.mlir")) if place.is_dir() else [place]


def outcome(command, program, processor, objects_only):
    """The hash of the object and the header, or what was said instead."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [command, "compile", os.path.abspath(program), "-o", "program.o", "--header", "program.h"]
            + ["--target-cpu", processor, "--crash-dir", folder],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            return done.returncode, "" if objects_only else done.stderr.replace(folder, "")
        digest = hashlib.sha256()
        for name in ["program.o"] if objects_only else ["program.o", "program.h"]:
            digest.update(pathlib.Path(folder, name).read_bytes())
        return 0, digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--target-cpu", default="x86-64-v3,x86-64-v4", help="processors, each compiled for separately")
    parser.add_argument("--objects-only", action="store_true", help="neither headers nor the words of refusals")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    commands = [os.path.abspath(arguments.before), os.path.abspath(arguments.after)]
    cases = [(p, c) for p in programs(arguments.programs) for c in arguments.target_cpu.split(",")]

    def compare(case):
        return [outcome(command, *case, arguments.objects_only) for command in commands]

    different = objects = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (program, processor), (before, after) in zip(cases, pool.map(compare, cases)):
            objects += before[0] == 0
            if before != after:
                different += 1
                said = [f"object {text[:12]}" if code == 0 else f"exit {code}" for code, text in (before, after)]
                print(f"{program} ({processor}): {said[0]} before, {said[1]} after")
    print(f"{len(cases)} compilations, {objects} objects, {different} different")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
