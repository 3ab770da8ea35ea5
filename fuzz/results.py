"""What runs found: added up in a file of JSON lines, and as a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from fuzz.supervisor import Failure, Tally

COLUMNS = ("target", "tried", "failed", "CPU seconds", "inputs/s", "outcomes")


def append(tallies: Iterable[Tally], file: Path) -> None:
    """Add a line for each target to a file."""
    with file.open("a") as out:
        for tally in tallies:
            line = {
                "target": tally.target,
                "first": tally.first,
                "end": tally.end,
                "tried": tally.tried,
                "outcomes": tally.outcomes,
                "failures": [asdict(failure) for failure in tally.failures],
                "cpu": round(tally.cpu, 2),
            }
            out.write(json.dumps(line) + "\n")


def added_up(file: Path) -> dict[str, Tally]:
    """The results of all runs in a file, by target."""
    sums: dict[str, Tally] = {}
    if not file.exists():
        return sums
    for line in file.read_text().splitlines():
        run = json.loads(line)
        tally = sums.setdefault(run["target"], Tally(run["target"], run["first"]))
        tally.first = min(tally.first, run["first"])
        tally.end = max(tally.end, run["end"])
        tally.tried += run["tried"]
        tally.outcomes += Counter(run["outcomes"])
        tally.failures += [Failure(**failure) for failure in run["failures"]]
        tally.cpu += run["cpu"]
    return sums


def table(tallies: Iterable[Tally]) -> Iterator[str]:
    """The lines of a table, with the sums below if there are several targets."""
    tallies = list(tallies)
    rows = [COLUMNS, *map(row, tallies)]
    if len(tallies) > 1:
        whole = Tally("all", 0)
        for tally in tallies:
            whole.tried += tally.tried
            whole.failures += tally.failures
            whole.cpu += tally.cpu
        rows.append(row(whole))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers, outcomes in rows:
        cells = [number.rjust(width) for number, width in zip(numbers, widths[1:-1], strict=True)]
        yield "  ".join([name.ljust(widths[0]), *cells, outcomes]).rstrip()


def row(tally: Tally) -> tuple[str, ...]:
    """The texts of a row."""
    rate = tally.tried / tally.cpu if tally.cpu else 0
    outcomes = ", ".join(f"{kind} {count:,}" for kind, count in tally.outcomes.most_common(6))
    return (
        Path(tally.target).stem,
        f"{tally.tried:,}",
        f"{len(tally.failures):,}",
        f"{tally.cpu:,.0f}",
        f"{rate:,.0f}",
        outcomes,
    )
