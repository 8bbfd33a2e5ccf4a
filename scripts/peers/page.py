"""Rows as a table, and what was measured on."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from peers import limits, summary

PACKAGES = ("jax", "jaxlib", "iree-base-compiler", "iree-base-runtime", "numpy")
OF_FUNCTIONS = ("jax2onnx", "onnx", "onnxruntime", "openvino")


def header(rows):
    """Columns are those of systems that some row has.

    >>> header([{"systems": {"Strata": {}, "XLA": {}}, "threads": 1}])[1:]
    ['Strata ms', 'XLA ms', 'XLA / Strata', 'of peak, S / X', 'compile s, S / X', 'difference']
    >>> header([{"systems": {"Strata": {}, "OpenVINO": {}}, "threads": 2}])[2:5]
    ['OpenVINO ms', 'OpenVINO / Strata', 'speed-up']
    """
    systems = summary.present(rows)
    names = ["program"] + [f"{system} ms" for system in systems]
    names += [f"{system} / Strata" for system in systems if system != "Strata"]
    names += ["speed-up"] if rows[0]["threads"] > 1 else []
    initials = " / ".join(summary.COMPILERS[s] for s in systems if s in summary.COMPILERS)
    return names + [f"of peak, {initials}", f"compile s, {initials}", "difference"]


def cells(row, present):
    """The line of a row, in the columns of some systems."""

    def number(value, form):
        return "–" if value is None else format(value, form)

    def of(values, form):
        return " / ".join(number(v, form) for v in values)

    systems = row["systems"]
    told = [row["program"]]
    for system in present:
        known = systems.get(system, {})
        differs = known.get("fault", "").startswith("results ")
        told.append("differs" if differs else number(summary.milliseconds(row, system), ".4g"))
    told += [number(summary.ratio(row, system), ".2f") for system in present if system != "Strata"]
    told += [number(summary.speed_up(row), ".2f")] if row["threads"] > 1 else []
    compilers = [s for s in present if s in summary.COMPILERS]
    shares = summary.shares_of_peak(row)
    compiled = [systems.get(s, {}).get("compile") for s in compilers]
    told.append(of((100 * v if (v := shares.get(s)) else None for s in compilers), ".1f") + " %" if shares else "–")
    told.append(of(compiled, ".2f") if any(compiled) else "–")
    return told + [number(systems.get("Strata", {}).get("difference"), ".1e")]


def lines(rows):
    return [header(rows)] + [cells(row, summary.present(rows)) for row in rows]


def table(told):
    """Markdown of a header and its lines."""
    yield "| " + " | ".join(told[0]) + " |"
    yield "|---|" + "---:|" * (len(told[0]) - 1)
    for line in told[1:]:
        yield "| " + " | ".join(line) + " |"


def aligned(told):
    """The same for a terminal."""
    widths = [max(len(line[i]) for line in told) for i in range(len(told[0]))]
    for line in told:
        yield "  ".join([line[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)])


def _gist(reason):
    """The line of an error that says what it is.

    >>> _gist("CompilerToolError: failed\\nDiagnostics:\\n<stdin>:7:10: error: failed to legalize")
    '<stdin>:7:10: error: failed to legalize'
    >>> _gist("strata compile: exit 2: error[S1702]: linking failed\\n |\\n = reason: `a.a` is missing")
    'strata compile: exit 2: error[S1702]: linking failed: `a.a` is missing'
    """
    lines = [line.strip() for line in reason.splitlines() if line.strip()] or ["no reason given"]
    first = next((line for line in lines if "error:" in line), lines[0])
    because = next((line.split("reason: ", 1)[1] for line in lines[1:] if "reason: " in line), None)
    return f"{first}: {because}" if because else first


def problems(rows):
    for row in rows:
        for system, reason in summary.faults(row):
            first = _gist(reason)
            yield f"- `{row['program']}`, {system}: {first[:200].replace('|', '/')}"


def machine(functions=False):
    """What of a page does not come from rows; `functions`: with the packages for models that are JAX functions."""

    def package(name):
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            return f"{name} absent"

    model = platform.processor() or platform.machine()
    if (told := Path("/proc/cpuinfo")).exists():
        names = [line for line in told.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    packages = PACKAGES + OF_FUNCTIONS if functions else PACKAGES
    pages = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    huge = pages.read_text().split("[")[1].split("]")[0] if pages.exists() else "never"
    return {"model": model, "huge": huge, "packages": ", ".join(map(package, packages))}


def heading(told, rows):
    peaks = [peak for row in rows for peak in row.get("peaks", [])]
    isa = next((s["note"] for row in rows if (s := row["systems"].get("peak")) and s.get("note")), "")
    yield f"{told['model']}{', ' + isa if isa else ''}. {told['packages']}."
    if peaks:
        yield f"f32 FMA peak of a core, measured in the same rounds: {summary.median(peaks):.0f} GFLOP/s."
    if told["huge"] == "never":
        yield "The kernel gives no huge pages: buffers of all systems are in small ones."


def by_threads(rows):
    for threads in sorted({row["threads"] for row in rows}):
        yield threads, [row for row in rows if row["threads"] == threads]


def markdown(told, rows):
    parts = [" ".join(heading(told, rows))]
    several = len({row["threads"] for row in rows}) > 1
    for threads, part in by_threads(rows):
        if several:
            parts.append(f"#### {'One thread' if threads == 1 else f'{threads} threads'}")
        parts += ["\n".join(table(lines(part))), "\n".join(f"- {line}" for line in summary.lines(part))]
        if explained := limits.table(part):
            parts += ["What bounds each row, and what of it each system reaches:", "\n".join(table(explained))]
        if found := list(problems(part)):
            parts.append("Not measured, or not compared:\n\n" + "\n".join(found))
    return "\n\n".join(parts)


def write_between_markers(path, text):
    """Replaces the text between the two markers of a page."""
    begin, end = "<!-- measured: begin -->", "<!-- measured: end -->"
    old = path.read_text() if path.exists() else f"{begin}\n{end}\n"
    if begin not in old or end not in old:
        raise SystemExit(f"{path}: no lines '{begin}' and '{end}'")
    first, rest = old.split(begin, 1)
    path.write_text(first + begin + "\n\n" + text + "\n\n" + end + rest.split(end, 1)[1])
