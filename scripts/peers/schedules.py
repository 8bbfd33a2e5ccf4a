"""How long a call takes on some workers, from what its parts take on one: a list schedule of the tasks of each
dispatch, as the pool of include/strata/threads.h runs them, and what runs on the caller alone."""

import heapq

WORKERS = (1, 2, 4, 8, 16, 32, 64)
# What no waking costs.
FREE = {"signal": 0.0, "each": 0.0, "start": 0.0, "end": 0.0}
# Bytes that do not stay in caches, so that cores share the speed of memory.
LARGE = 32 << 20


def finish(times, workers, wake=FREE):
    """When a dispatch returns. Each thread has its share of the tasks, and takes those of the next ones when it has
    done its own. The first one is the caller's; the others begin when they are awake.

    >>> finish([1.0] * 8, 1), finish([1.0] * 8, 2), finish([1.0] * 8, 3), finish([1.0] * 8, 64)
    (8.0, 4.0, 3.0, 1.0)
    >>> finish([4.0, 1.0, 1.0, 1.0, 1.0, 1.0], 2)
    5.0
    >>> finish([5.0, 5.0], 2, {"signal": 1.0, "each": 1.0, "start": 2.0, "end": 3.0})
    10.0
    >>> finish([9.0, 1.0], 2, {"signal": 1.0, "each": 1.0, "start": 2.0, "end": 3.0})
    10.0

    A thread that wakes late finds nothing left.

    >>> finish([1.0, 1.0], 2, {"signal": 0.5, "each": 0.0, "start": 9.0, "end": 9.0})
    2.5
    """
    count = len(times)
    if workers == 1 or count == 1:
        return float(sum(times))
    ends = [(owner + 1) * count // workers for owner in range(workers)]
    following = [owner * count // workers for owner in range(workers)]
    woken = min(workers, count) - 1
    caller = wake["signal"] + wake["each"] * (woken - 1)
    # The caller wakes one after the other, and lets none begin before it does.
    free = [(caller, 0, 0)] + [(max(caller, wake["start"] + wake["each"] * n), n + 1, 0) for n in range(woken)]
    heapq.heapify(free)
    last, left = 0.0, count
    while left:
        now, thread, passed = heapq.heappop(free)
        while passed < workers:
            owner = (thread + passed) % workers
            if following[owner] < ends[owner]:
                end = now + times[following[owner]]
                following[owner] += 1
                left -= 1
                if thread == 0:
                    caller = end
                last = max(last, end)
                heapq.heappush(free, (end, thread, passed))
                break
            passed += 1
    return last if caller == last else last + wake["end"]


def call(before, tasks, workers, wake=FREE, moving=0.0, cores=0):
    """Seconds of a call on some workers, and where they go: `serial` code, `work` that all workers share, what is lost
    to dispatches that do not have tasks for all (`few`), to tasks that differ (`unequal`), and to waking and waiting
    (`wake`). With `cores`, the call does not take less than so many cores need to move its operands, which one does in
    `moving` seconds (`least`; `bandwidth` is what it waits for them).

    >>> call([1.0, 2.0], [[3.0, 5.0], []], 4)
    {'serial': 3.0, 'work': 2.0, 'few': 2.0, 'unequal': 1.0, 'wake': 0.0, 'bandwidth': 0.0, 'total': 8.0, 'least': 0.0}
    >>> call([0.0, 0.0], [[1.0] * 8, []], 8, moving=6.0, cores=2)["bandwidth"]
    2.0
    """
    parts = {"serial": float(sum(before)), "work": 0.0, "few": 0.0, "unequal": 0.0, "wake": 0.0, "bandwidth": 0.0}
    for times in filter(None, tasks):
        work = sum(times)
        alone = finish(times, workers)
        lost = alone - work / workers
        # With equal tasks, some workers have one more than others.
        few = min(work / len(times) * -(-len(times) // workers) - work / workers, lost)
        parts["work"] += work / workers
        parts["few"] += few
        parts["unequal"] += lost - few
        parts["wake"] += finish(times, workers, wake) - alone
    total = sum(parts.values())
    least = moving / min(workers, cores) if cores else 0.0
    parts["bandwidth"] = max(least - total, 0.0)
    return parts | {"total": max(total, least), "least": least}


def without(parts, loss, workers):
    """Seconds of a call if nothing were lost to one thing; code between dispatches is then shared by all.

    >>> one = call([1.0, 2.0], [[3.0, 5.0], []], 4)
    >>> without(one, "serial", 4), without(one, "few", 4)
    (5.75, 6.0)

    What memory bounds remains so.

    >>> two = call([0.0, 0.0], [[1.0] * 8, []], 8, moving=6.0, cores=2)
    >>> without(two, "wake", 8), without(two, "bandwidth", 8)
    (3.0, 1.0)
    """
    if loss == "bandwidth":
        return parts["total"] - parts["bandwidth"]
    left = parts["total"] - parts["bandwidth"] - parts[loss] + (parts["serial"] / workers if loss == "serial" else 0.0)
    return max(left, parts["least"])


def sites(loops, counts):
    """Which of a program's loops each dispatch of a call is, and which are before it: positions in `loops`, as the
    compiler lists them. Loops with tasks that follow each other and run equally often are one loop's body. None where
    the numbers of tasks do not fit.

    >>> one, two, none = ({"tasks": n, "runs": 1} for n in (8, 4, None))
    >>> sites([one, none, two, none], [8, 4, 0])
    [(0, []), (2, [1]), (None, [3])]
    >>> again = {"tasks": 8, "runs": None}
    >>> sites([two, again, again], [4, 8, 8, 8, 8, 0])
    [(0, []), (1, []), (2, []), (1, []), (2, []), (None, [])]
    >>> sites([one, two], [4, 8, 0]) is None
    True
    """
    groups = []
    split = {i for i, loop in enumerate(loops) if loop["tasks"] is not None}
    for position, loop in enumerate(loops):
        # What runs once is in no loop; what else is not split may be in one inside of the body.
        begins = not groups or groups[-1][0] != loop["runs"] and (position in split or loop["runs"] == 1)
        if begins:
            groups.append((loop["runs"] if position in split else 1, []))
        groups[-1][1].append(position)
    runs = [runs for runs, _ in groups]
    known = sum(r * sum(p in split for p in group) for r, (_, group) in zip(runs, groups, strict=True) if r is not None)
    unknown = sum(p in split for r, (_, group) in zip(runs, groups, strict=True) if r is None for p in group)
    turns, rest = divmod(len(counts) - 1 - known, unknown) if unknown else (0, len(counts) - 1 - known)
    if rest or turns < 0:
        return None
    found, waiting = [], []
    for r, (_, group) in zip(runs, groups, strict=True):
        has_tasks = any(p in split for p in group)
        for _ in range((turns if r is None else r) if has_tasks else 1):
            for position in group:
                if position not in split:
                    waiting.append(position)
                    continue
                if counts[len(found)] != loops[position]["tasks"]:
                    return None
                found.append((position, waiting))
                waiting = []
    return [*found, (None, waiting)]


def longest(row, wake, most):
    """The parts of a call that take longest on all workers: seconds, and what each is.

    >>> loops = [{"name": n, "tasks": t, "runs": 1, "estimated_ns": 1.0, "because": b}
    ...          for n, t, b in (("first", None, "it is short"), ("second", 2, None))]
    >>> row = {"before": [3.0, 0.5], "tasks": [[4.0, 4.0], []], "loops": loops}
    >>> longest(row, FREE, 2)
    [(4.0, 'second, 2 tasks'), (3.0, 'first, not split: it is short')]
    >>> longest(row | {"loops": []}, FREE, 3)[1:]
    [(3.5, 'code between dispatches')]
    """
    loops, found = row["loops"], sites(row["loops"], [len(times) for times in row["tasks"]])
    parts = {}

    def add(key, seconds):
        total, count = parts.get(key, (0.0, 0))
        parts[key] = total + seconds, count + 1

    def weight(position):
        return loops[position]["estimated_ns"] * (loops[position]["runs"] or 1)

    for index, (before, times) in enumerate(zip(row["before"], row["tasks"], strict=True)):
        site, between = found[index] if found else (None, [])
        # Of the loops in the code before a dispatch, the longest stands for it.
        add((max(between, key=weight, default=None), 0), before)
        if times:
            add((site, len(times)), finish(times, WORKERS[-1], wake))
    told = []
    for (site, tasks), (seconds, count) in sorted(parts.items(), key=lambda part: -part[1][0])[:most]:
        name = loops[site]["name"] if site is not None else "a loop" if tasks else "code between dispatches"
        if tasks:
            name += f", {tasks} tasks" + (f", {count} times" if count > 1 else "")
        elif site is not None:
            name += f", not split: {loops[site]['because']}"
        told.append((seconds, name))
    return told
