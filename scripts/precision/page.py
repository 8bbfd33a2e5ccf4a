"""The tables of docs/numerics.md."""

import re

# What the page says of a function besides its figures.
COMPUTED_IN = {
    "exp": "`f32`",
    "expm1": "`f32`",
    "log": "`f32`",
    "log1p": "`f32`",
    "logistic": "`f32`",
    "tanh": "`f32`",
    "sinh": "`f32`",
    "cosh": "`f32`",
    "sin": "`f32`, beyond 804 reduced in `f64`",
    "cos": "`f32`, beyond 804 reduced in `f64`",
    "erf": "`f32`",
    "erfc": "`f32`",
    "erf_inv": "`f32`",
    "rsqrt": "`f32`",
    "sqrt": "`f32`",
}


def figure(value):
    """Rounded up, so that no measured error is above it."""
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:.1e}"
    if value >= 10:
        return str(int(value) + (value > int(value)))
    return f"{int(value * 100 + 0.999999) / 100:.2f}"


def real_table(figures, names):
    rows = ["| function | `f32` | computed in | `f64` |", "|---|---|---|---|"]
    for name in names:
        cells = [figure(figures.get((ty, name))) for ty in ("f32", "f64")]
        if not any(cells):
            continue
        rows.append(f"| `{name}` | {cells[0]} | {COMPUTED_IN.get(name, '`f64`')} | {cells[1]} |")
    narrow = [value for (ty, _), value in figures.items() if ty in ("f16", "bf16")]
    if narrow:
        rows += ["", f"In `f16` and `bf16`, over every number of the format: {figure(max(narrow))} for the worst of the {len(narrow)} measured."]
    return rows


def complex_table(figures, names):
    rows = [
        "| function | `complex<f32>` | in norm | `complex<f64>` | in norm |",
        "|---|---|---|---|---|",
    ]
    for name in names:
        if not any((f"complex<{part}>", name) in figures for part in ("f32", "f64")):
            continue
        pairs = [figures.get((f"complex<{part}>", name), (None, None)) for part in ("f32", "f64")]
        cells = [figure(value) for pair in pairs for value in pair]
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return rows


def sums_table(errors):
    """`errors`: rows of a name, which begins with the element type, our error and that of XLA."""
    by_name = {}
    for name, own, peer in errors:
        ty, _, rest = name.partition(" ")
        ty, rest = (ty, rest) if ty in ("f32", "f64") else ("f32", f"`{ty}` {rest}" if "<" in ty else name)
        by_name.setdefault(rest, {})[ty] = (own, peer)
    rows = ["| sum | `f32` | XLA | `f64` | XLA |", "|---|---|---|---|---|"]
    for name, found in by_name.items():
        cells = [f"{value:.2f}" for ty in ("f32", "f64") for value in found.get(ty, ())]
        cells += [""] * (4 - len(cells))
        rows.append(f"| {name} | {' | '.join(cells)} |".replace("  |", " |"))
    return rows


def replace(path, mark, rows):
    """Replaces the text between the markers of a table."""
    text = path.read_text()
    begin, end = f"<!-- {mark}:begin", f"<!-- {mark}:end -->"
    pattern = re.compile(rf"({re.escape(begin)}[^\n]*\n).*?({re.escape(end)})", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{path} has no mark `{begin}`")
    table = "\n".join(rows) + "\n"
    path.write_text(pattern.sub(lambda found: found[1] + table + found[2], text))


def write(path, figures, real, complex_):
    """Writes the tables of functions."""
    replace(path, "functions", real_table(figures, real))
    replace(path, "complex", complex_table(figures, complex_))
