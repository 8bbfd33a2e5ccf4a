"""The page docs/guide/training.md: its files and commands, in order, print what it shows."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/guide/training.md"
# Numbers may differ in the last digit that is shown, or by this part: another processor rounds other sums.
PART = 0.02


def blocks(text):
    """The language, the file and the lines of each block."""
    return [(language, file, body) for language, file, body in re.findall(r"^```(\w*) ?(\S*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def is_close(found, shown):
    """Whether two lines have the same words, and numbers that are nearly the same."""
    number = r"-?\d+(?:\.\d+)?"
    if re.sub(number, "#", found) != re.sub(number, "#", shown):
        return False
    for one, other in zip(re.findall(number, found), re.findall(number, shown)):
        unit = 10.0 ** -len(other.partition(".")[2])
        if abs(float(one) - float(other)) > 1.01 * unit + PART * abs(float(other)):
            return False
    return True


class Lines(unittest.TestCase):
    def test_what_is_close(self):
        self.assertTrue(is_close("step 50: loss 0.29", "step 50: loss 0.28"))
        self.assertFalse(is_close("step 50: loss 0.35", "step 50: loss 0.28"))
        self.assertFalse(is_close("strata: 99 %", "cpu: 99 %"))
        self.assertFalse(is_close("0.016 0.984", "0.016 0.001 0.984"))


@unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
class Page(unittest.TestCase):
    def test_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            # `python` is the one that runs this test.
            commands = pathlib.Path(folder, "bin")
            commands.mkdir()
            (commands / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
            (commands / "python").chmod(0o755)
            environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"}
            printed, compared = None, 0
            for language, file, body in blocks(PAGE.read_text(encoding="utf-8")):
                if file:
                    pathlib.Path(folder, file).write_text(body, encoding="utf-8")
                elif language == "console":
                    printed = ""
                    for line in body.splitlines():
                        command = line.removeprefix("$ ")
                        self.assertNotEqual(command, line, "a line of a console that is not a command")
                        if "flax" in command and not all(map(importlib.util.find_spec, ("flax", "optax"))):
                            printed = None
                            break
                        ended = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
                        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stderr}")
                        printed += ended.stdout
                elif not language and printed is not None:
                    found, shown = printed.splitlines(), body.splitlines()
                    self.assertEqual(len(found), len(shown), printed)
                    for one, other in zip(found, shown):
                        self.assertTrue(is_close(one, other), f"{one!r} is printed, and {other!r} shown")
                    printed, compared = None, compared + 1
            self.assertGreaterEqual(compared, 3)


if __name__ == "__main__":
    unittest.main()
