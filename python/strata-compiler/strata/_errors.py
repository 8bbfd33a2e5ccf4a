"""Exceptions."""

import json


class StrataError(Exception):
    """What the compiler refuses, or cannot do.

    Attributes:
        code: the diagnostic's code, such as "S1101"; `strata explain S1101` tells what it is about.
        title: what the code stands for.
        reason, hint: what is wrong here, and what to do about it; None where nothing is known.
        operation: the operation of the program that it is about, or None.
        file, line, column: its place, for a JAX function the line of Python; None where it has none.
        notes: further remarks.
        diagnostics: all diagnostics as dictionaries, the first being the one that the attributes describe.
    """

    def __init__(self, message, diagnostics=()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)
        first = self.diagnostics[0] if self.diagnostics else {}
        place = first.get("location") or {}
        self.code = first.get("code")
        self.title = first.get("title")
        self.reason = first.get("reason")
        self.hint = first.get("hint")
        self.operation = first.get("operation")
        self.file = place.get("file")
        self.line = place.get("line") or None
        self.column = place.get("column") or None
        self.notes = [note["text"] for note in first.get("notes", ())]

    def __reduce__(self):
        return type(self), (self.args[0], self.diagnostics)


class InputError(StrataError, ValueError):
    """Arguments of a call that do not fit the program: their number, structure, types or sizes."""


class StrataWarning(UserWarning):
    """What the compiler warns of."""


def from_diagnostics(text, message):
    """The exception for the diagnostics in a JSON text."""
    diagnostics = json.loads(text)
    # S1801 to S1804 are about inputs; a program that ends with a status, or memory that is missing, is not.
    of_inputs = diagnostics and diagnostics[0]["code"] in ("S1801", "S1802", "S1803", "S1804")
    return (InputError if of_inputs else StrataError)(message, diagnostics)


def input_error(code, title, reason, hint=None):
    """An exception about an argument."""
    diagnostic = {"code": code, "title": title, "severity": "error", "fault": "usage", "operation": None}
    diagnostic |= {"location": None, "source": None, "reason": reason, "hint": hint, "notes": []}
    message = f"error[{code}]: {title}\n  = reason: {reason}"
    if hint:
        message += f"\n  = hint: {hint}"
    return InputError(message, [diagnostic])
