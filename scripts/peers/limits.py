"""What bounds each row, and the share of that limit which each system reaches (`--explain`).

No call can take less than each of these: its products at the peak of the cores that are used (`peak`), its operands
read and its results written once in the caches that hold them (`bandwidth`), and an empty call (`latency`). The limit
is the longest.
A program that moves temporaries, or computes more than products, stays below 100 % for that reason.
"""

from pathlib import Path

from peers import summary

KINDS = {"arithmetic": "peak", "memory": "bandwidth", "call": "latency"}


def multiples(told):
    """Products per second by element type, as a multiple of those of f32; `told` is what `strata bench` prints, or
    None. A type that is not there has no known peak.

    >>> multiples(None)["f64"], "i8" in multiples(None)
    (0.5, False)
    >>> target = {"features": "+avx512bf16,+avx512vnni"}
    >>> known = multiples({"target": target, "limits": {"flops_per_second": 2e11, "byte_dots_per_second": 8e11}})
    >>> known["bf16"], known["i8"], known["f16"]
    (2.0, 4.0, 1.0)
    """
    known = {"f32": 1.0, "f64": 0.5, "complex<f32>": 0.25, "complex<f64>": 0.125}
    if not told:
        return known
    features, limits = set(told["target"]["features"].split(",")), told.get("limits") or {}
    known["f16"] = 2.0 if features & {"+avx512fp16", "+fullfp16"} else 1.0
    # On processors with tiles, what they make of bf16 in vectors is less than of f32.
    bf16 = 1.0 if "+amx-bf16" in features or not features & {"+avx512bf16", "+bf16"} else 2.0
    in_tiles = limits.get("bf16_tiles_per_second")
    known["bf16"] = in_tiles / limits["flops_per_second"] if in_tiles else bf16
    if dots := limits.get("byte_tiles_per_second") or limits.get("byte_dots_per_second"):
        known |= dict.fromkeys(("i8", "ui8", "i4", "ui4"), dots / limits["flops_per_second"])
    return known


def caches(processors):
    """Bytes of the data caches that some processors have together, by name; empty where the system does not tell."""
    found = {}
    for processor in processors:
        for folder in sorted(Path(f"/sys/devices/system/cpu/cpu{processor}/cache").glob("index*")):
            told = {name: (folder / name).read_text().strip() for name in ("level", "type", "size", "shared_cpu_list")}
            if told["type"] != "Instruction":
                size = int(told["size"].rstrip("K")) << 10
                found.setdefault(f"L{told['level']}", {})[told["shared_cpu_list"]] = size
    return {name: sum(sizes.values()) for name, sizes in found.items()}


def level(moved, known):
    """The first cache that holds as many bytes.

    >>> known = {"L1": 64 << 10, "L2": 2 << 20}
    >>> level(60 << 10, known), level(65 << 10, known), level(3 << 20, known), level(1, {})
    ('L1', 'L2', 'memory', 'memory')
    """
    return next((name for name, size in known.items() if moved <= size), "memory")


def arithmetic(flops, peak, known, threads):
    """Seconds of products at a peak of f32 in GFLOP/s; of those whose type has a known one.

    >>> arithmetic({"f32": 2e9, "f64": 1e9, "i16": 5e9}, 100.0, multiples(None), 2)
    0.02
    """
    return sum(f / (known[t] * peak * 1e9 * threads) for t, f in flops.items() if t in known)


def of_rounds(row):
    """The limit in each round.

    >>> row = {"limits": {"arithmetic": [1.0, 4.0], "memory": [2.0, 2.0], "call": [0.1, 0.1]}}
    >>> of_rounds(row)
    [2.0, 4.0]
    """
    return [max(told) for told in zip(*(row["limits"][kind] for kind in KINDS), strict=True)]


def bound(row):
    """What the limit is, and how many milliseconds it takes: of the medians.

    >>> row = {"limits": {"arithmetic": [1.0, 4.0, 3.0], "memory": [2.0, 2.0, 2.0], "call": [0.1, 0.1, 0.1]}}
    >>> bound(row), bound({})
    (('peak', 3000.0), None)
    """
    if not row.get("limits"):
        return None
    seconds = {kind: summary.median(row["limits"][kind]) for kind in KINDS}
    longest = max(seconds, key=seconds.get)
    return KINDS[longest], 1e3 * seconds[longest]


def share(row, system):
    """The limit over a system's time: the median over the rounds in which it took part.

    >>> row = {"limits": {"arithmetic": [1.0, 4.0], "memory": [2.0, 2.0], "call": [0.1, 0.1]}, "systems": {}}
    >>> row["systems"] = {"Strata": {"times": [4.0, None]}, "XLA": {"fault": "no"}}
    >>> share(row, "Strata"), share(row, "XLA"), share({"systems": row["systems"]}, "Strata")
    (0.5, None, None)
    """
    measured = summary.times(row, system)
    return summary.median_ratio(of_rounds(row), measured) if measured and row.get("limits") else None


def explain(row, processors, least, measured, known):
    """Adds `limits` to a row: seconds in each round, the limit, and the shares.

    `measured` are memory and call in each round, `known` the multiples of the peak.
    """
    row["limits"] = {
        "flops": least["flops"],
        "bytes_read": least["read"],
        "bytes_written": least["written"],
        "level": level(least["read"] + least["written"], caches(processors)),
        "peak_unknown": sorted(set(least["flops"]) - set(known)),
        "arithmetic": [arithmetic(least["flops"], peak, known, len(processors)) for peak in row["peaks"]],
        "memory": [told["memory"] for told in measured],
        "call": [told["call"] for told in measured],
    }
    row["limits"]["limit"], row["limits"]["milliseconds"] = bound(row)
    row["limits"]["shares"] = {s: v for s in summary.present([row]) if (v := share(row, s)) is not None}


def header(rows):
    names = ["program", "GFLOP", "MB read", "MB written", "they fit in", "peak ms", "bandwidth ms", "latency ms", "limit"]
    return names + [f"{system} of it" for system in summary.present(rows)]


def cells(row, systems):
    """
    >>> told = {"flops": {"f32": 2e9}, "bytes_read": 8e6, "bytes_written": 4e6, "level": "L3", "peak_unknown": []}
    >>> told |= {"arithmetic": [0.02], "memory": [0.001], "call": [2e-7]}
    >>> row = {"program": "p", "limits": told, "systems": {"Strata": {"times": [0.025]}, "XLA": {"fault": "no"}}}
    >>> cells(row, ["Strata", "XLA"])
    ['p', '2', '8', '4', 'L3', '20', '1', '0.0002', 'peak', '80 %', '–']
    """
    told = row["limits"]
    numbers = [sum(told["flops"].values()) / 1e9, told["bytes_read"] / 1e6, told["bytes_written"] / 1e6]
    seconds = [1e3 * summary.median(told[kind]) for kind in KINDS]
    limit = bound(row)[0] + (f", without {' and '.join(told['peak_unknown'])}" if told["peak_unknown"] else "")
    shares = [share(row, system) for system in systems]
    return [
        row["program"],
        *(format(n, ".3g") for n in numbers),
        told["level"],
        *(format(s, ".3g") for s in seconds),
        limit,
        *("–" if s is None else f"{100 * s:.0f} %" for s in shares),
    ]


def table(rows):
    """A header and a line for each row that is explained; nothing where none is."""
    explained = [row for row in rows if row.get("limits")]
    if not explained:
        return []
    return [header(explained)] + [cells(row, summary.present(explained)) for row in explained]
