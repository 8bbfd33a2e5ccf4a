#!/usr/bin/env python3
"""Tunes programs and prints what that gains, as a table.

    cargo build --release -p strata-cli
    scripts/tune_bench.py FOLDER [FILE.mlir …] [--strata target/release/strata] [--budget 60s] [--total 30m]
        [--database tuned.json] [--output rows.md] [-- OPTIONS of `strata tune`]

Each program is tuned by `strata tune`, whose last step compares the tuned object with the untuned one in interleaved
rounds; a program for which it keeps nothing has the untuned object, and counts as 1. With `--database` the run can be
interrupted and started again: what was searched is not searched again. What cannot be tuned (programs that exchange data,
for sizes up to a bound) is listed below the table, with the reason.

Columns: nests that differ, schedules that were measured, schedules that were kept, how many times as fast the program is
with them, and for the nest that gained most the compiler's choice and the faster one.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile


def programs(places):
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.mlir")) if place.is_dir() else [place]


def numbers(choice):
    """A schedule in a few words."""
    if isinstance(choice, str):
        return choice
    [(kind, fields)] = choice.items()
    if kind != "registers":
        return kind + " " + " ".join(f"{name} {value}".lower() for name, value in fields.items())
    words = [f"{fields['rows']}x{fields['columns']}"]
    words += [f"vectors of {fields['lanes']}"]
    words += [f"{name.replace('_', ' ')} {fields[name]}" for name in ("row_block", "depth_block", "outer_block") if fields.get(name)]
    words += [name for name in ("pack", "transpose_panels") if fields[name]]
    return ", ".join(words)


def row(name, found):
    nests = found["nests"]
    tried = sum(nest["tried"] or 0 for nest in nests)
    kept = [nest for nest in nests if nest["kept"]]
    gain = found["gain"] if kept and found["gain"] else 1.0
    best = max(kept, key=lambda nest: nest["alone"], default=None)
    what = ""
    if best:
        what = f"{best['about']}: {numbers(best['chosen'])} → {numbers(best['schedule'])}, alone {best['alone']:.2f}"
    return gain, f"| `{name}` | {len(nests)} | {tried} | {len(kept)} | {gain:.2f} | {what} |"


def tune(arguments, program, folder):
    """The result of the command, or what it said instead."""
    output = pathlib.Path(folder) / "schedules.json"
    command = [arguments.strata, "tune", program, "-o", output, "--json", "-q"]
    command += ["--budget", arguments.budget, "--total", arguments.total]
    command += ["--database", arguments.database] if arguments.database else ["--no-database"]
    done = subprocess.run([*command, *arguments.options], capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return None, next((line for line in lines if line.startswith("error")), " ".join(lines)[:200])
    return json.loads(done.stdout), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+", help="programs, and folders of them")
    parser.add_argument("--strata", default="target/release/strata")
    parser.add_argument("--budget", default="60s", help="for one nest")
    parser.add_argument("--total", default="30m", help="for one program")
    parser.add_argument("--database", help="a file that the searches share")
    parser.add_argument("--output", type=pathlib.Path, help="the table, as Markdown; standard output by default")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:cut])
    arguments.options = words[cut + 1 :]
    lines = ["| program | nests | tried | kept | times as fast | the nest that gained most |", "|---|---:|---:|---:|---:|---|"]
    gains, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs(arguments.places):
            found, reason = tune(arguments, program, folder)
            if found is None:
                refused.append(f"- `{program.stem}`: {reason}")
                print(refused[-1], file=sys.stderr, flush=True)
                continue
            gain, text = row(program.stem, found)
            gains.append(gain)
            lines.append(text)
            print(text, file=sys.stderr, flush=True)
    mean = math.exp(sum(map(math.log, gains)) / len(gains)) if gains else 1.0
    slowest = min(gains, default=1.0)
    lines += ["", f"{len(gains)} programs, geometric mean {mean:.3f}, least {slowest:.2f}."]
    if refused:
        lines += ["", "Not tuned:", "", *refused]
    text = "\n".join(lines) + "\n"
    arguments.output.write_text(text) if arguments.output else sys.stdout.write(text)


if __name__ == "__main__":
    main()
