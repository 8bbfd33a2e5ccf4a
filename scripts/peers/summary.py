"""Numbers from rows: ratios, means, and what to look at.

A row is what `measure.Harness.row` returns and the log holds. Ratios are taken within each round, then their median:
a machine whose clock drifts changes both sides of a ratio.
"""

import math
import statistics

PEERS = ("XLA", "IREE", "NumPy")
# These take models that are JAX functions (`zoo`).
OF_FUNCTIONS = ("ONNX Runtime", "OpenVINO")
SYSTEMS = ("Strata", *PEERS, *OF_FUNCTIONS)
# Those that compile.
COMPILERS = {"Strata": "S", "XLA": "X", "IREE": "I", "ONNX Runtime": "O", "OpenVINO": "V"}
# A row is slower than a peer where the ratio is below this.
BAR = 0.95
# Nests that take less stay on one thread.
LONG = 0.05  # ms


def median(values):
    """
    >>> median([3, 1, 2]), median(iter([1.0, 4.0])), median([])
    (2, 2.5, None)
    """
    values = list(values)
    return statistics.median(values) if values else None


def geomean(values):
    """
    >>> round(geomean([2.0, 0.5, 8.0]), 9), geomean([])
    (2.0, None)
    """
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def median_ratio(theirs, ours):
    """The median over the rounds in which both took part.

    >>> median_ratio([2.0, 4.0, None, 9.0], [1.0, 1.0, 5.0, 3.0])
    3.0
    >>> median_ratio([None], [1.0]) is None
    True
    """
    return median(t / o for t, o in zip(theirs, ours, strict=True) if t is not None and o is not None)


def present(rows):
    """The systems that some row has, in a fixed order.

    >>> present([{"systems": {"OpenVINO": {"fault": "no"}, "Strata": {}, "peak": {}}}, {"systems": {"XLA": {}}}])
    ['Strata', 'XLA', 'OpenVINO']
    """
    return [system for system in SYSTEMS if any(system in row["systems"] for row in rows)]


def times(row, system):
    told = row["systems"].get(system, {})
    return None if "fault" in told else told.get("times")


def milliseconds(row, system):
    return row["systems"].get(system, {}).get("milliseconds") if times(row, system) else None


def ratio(row, system):
    """A system's time over Strata's, or None.

    >>> row = {"systems": {"Strata": {"times": [1.0, 2.0]}, "XLA": {"times": [3.0, 8.0]}, "IREE": {"fault": "no"}}}
    >>> ratio(row, "XLA"), ratio(row, "IREE"), best(row, ("XLA", "IREE", "NumPy"))
    (3.5, None, 3.5)
    """
    theirs, ours = times(row, system), times(row, "Strata")
    return median_ratio(theirs, ours) if theirs and ours else None


def best(row, peers):
    """The ratio of the fastest of some peers."""
    return min((r for r in (ratio(row, p) for p in peers) if r is not None), default=None)


def speed_up(row):
    """Strata's time on one thread over that on several, from the same rounds."""
    return ratio(row, "Strata, one thread")


def is_long(row):
    """Whether Strata takes more than 50 µs for it on one thread."""
    one = milliseconds(row, "Strata, one thread") or milliseconds(row, "Strata")
    return one is not None and one > LONG


def shares_of_peak(row):
    """Of the f32 peak of the cores that were used: system to share."""
    if not row.get("of_peak") or not row.get("peaks"):
        return {}
    shares = {}
    for system in COMPILERS:
        if measured := times(row, system):
            pairs = zip(measured, row["peaks"], strict=True)
            rounds = (row["flops"] / (t * p * 1e9 * row["threads"]) for t, p in pairs if t is not None)
            shares[system] = median(rounds)
    return shares


def faults(row):
    """Lines on what could not be measured, and why."""
    if "fault" in row:
        yield "program", row["fault"]
    for system, told in row["systems"].items():
        if "fault" in told:
            yield system, told["fault"]
    if row.get("reference", "") is None:
        yield "program", "no results to compare with"


MEANS = {
    "XLA / Strata": lambda row: ratio(row, "XLA"),
    "IREE / Strata": lambda row: ratio(row, "IREE"),
    "NumPy / Strata": lambda row: ratio(row, "NumPy"),
    "ONNX Runtime / Strata": lambda row: ratio(row, "ONNX Runtime"),
    "OpenVINO / Strata": lambda row: ratio(row, "OpenVINO"),
    "best of XLA and IREE / Strata": lambda row: best(row, ("XLA", "IREE")),
    "best of XLA, IREE and NumPy / Strata": lambda row: best(row, PEERS),
    "best of all / Strata": lambda row: best(row, (*PEERS, *OF_FUNCTIONS)) if best(row, OF_FUNCTIONS) else None,
    "speed-up from one thread": speed_up,
}


def lines(rows):
    """The summary of the rows of one number of threads, line by line."""
    long = [row for row in rows if is_long(row)]
    parts = [(f"all {len(rows)} rows", rows)]
    if long and len(long) != len(rows):
        parts.append((f"the {len(long)} rows above {LONG * 1e3:.0f} µs", long))
    for title, part in parts:
        told = []
        for name, value in MEANS.items():
            values = [v for v in map(value, part) if v is not None]
            if values:
                told.append(f"{name} {geomean(values):.3f} ({len(values)})")
        yield f"Geometric means of {title} (how many have a figure): {'; '.join(told) or 'none'}."
    groups = [("XLA and IREE", ("XLA", "IREE")), ("NumPy", ("NumPy",)), ("ONNX Runtime and OpenVINO", OF_FUNCTIONS)]
    for title, peers in groups:
        if not any(best(row, peers) for row in rows):
            continue
        yield from _below(f"Below {BAR} of the best of {title}" if len(peers) > 1 else f"Below {BAR} of {title}", rows, peers)
    slower = [f"`{r['program']}` {s:.2f}" for r in rows if (s := speed_up(r)) is not None and s < BAR]
    if any(speed_up(r) for r in rows):
        yield f"Slower than on one thread: {', '.join(slower) or 'none'}."
    compiled = []
    for system in COMPILERS:
        seconds = [s for r in rows if (s := r["systems"].get(system, {}).get("compile"))]
        if seconds:
            compiled.append(f"{system} {geomean(seconds):.3f} s, {sum(seconds):.1f} s in all ({len(seconds)})")
    if compiled:
        yield f"Compile times, geometric means: {'; '.join(compiled)}."


def _below(title, rows, peers):
    told = {True: [], False: []}
    for row in rows:
        value = best(row, peers)
        if value is not None and value < BAR:
            fastest = min(peers, key=lambda p: ratio(row, p) or math.inf)
            told[is_long(row)].append(f"`{row['program']}` {value:.2f} ({fastest})")
    yield f"{title}, rows above {LONG * 1e3:.0f} µs: {', '.join(told[True]) or 'none'}; others: {', '.join(told[False]) or 'none'}."
