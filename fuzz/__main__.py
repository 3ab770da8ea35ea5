"""The command line: run targets, replay a seed, list targets, print a table of results."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from crossarc.cli.progress import steps_shown
from crossarc.errors import CrossarcError
from fuzz import results
from fuzz.supervisor import Limits, Tally, start, supervise
from fuzz.targets import find_target, target_names

DETAILED = 3  # failures of a target whose traceback is printed; --results keeps all


def main() -> int:
    """Run the command that the arguments name; the exit code is 1 if an input failed."""
    arguments = parser().parse_args()
    try:
        return int(arguments.command(arguments))
    except CrossarcError as error:
        print(f"fuzz: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """The arguments of all commands."""
    whole = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    commands = whole.add_subparsers(required=True)

    run = commands.add_parser("run", help="try generated inputs")
    run.add_argument("targets", nargs="*", metavar="TARGET", help="all if none is named")
    run.add_argument("--inputs", type=int, help="how many for each target (1,000, or no bound with --minutes)")
    run.add_argument("--minutes", type=float, help="CPU minutes for each target, at most")
    run.add_argument("--seed", type=int, help="the first seed (0, or the first new one of --results)")
    run.add_argument("--jobs", type=int, default=1, help="workers at a time")
    run.add_argument("--results", type=Path, metavar="FILE", help="a file of JSON lines to add the results to")
    run.add_argument("--cpu", type=float, default=Limits.cpu, help="CPU seconds that an input may take")
    run.add_argument("--resident", type=float, default=Limits.resident, help="bytes that may be resident")
    run.set_defaults(command=run_targets)

    replay = commands.add_parser("replay", help="try the inputs of some seeds, without limits")
    replay.add_argument("target", metavar="TARGET")
    replay.add_argument("seeds", type=int, nargs="+", metavar="SEED")
    replay.set_defaults(command=replay_seeds)

    listing = commands.add_parser("list", help="print all targets")
    listing.set_defaults(command=list_targets)

    table = commands.add_parser("table", help="add up the results in files")
    table.add_argument("files", type=Path, nargs="+", metavar="FILE")
    table.set_defaults(command=print_tables)
    return whole


def run_targets(arguments: argparse.Namespace) -> int:
    """Try inputs, print each failure when the run has ended, and the table."""
    names = arguments.targets or target_names()
    for name in names:
        find_target(name)
    before = results.added_up(arguments.results) if arguments.results else {}
    if arguments.seed is not None:
        tallies = [Tally(name, arguments.seed) for name in names]
    else:
        tallies = [Tally(name, before[name].end if name in before else 0) for name in names]
    inputs = arguments.inputs
    if inputs is None and arguments.minutes is None:
        inputs = 1000
    seconds = None if arguments.minutes is None else 60 * arguments.minutes
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with steps_shown("inputs") as progress:

        def on_look() -> None:
            tried = sum(tally.tried for tally in tallies)
            progress(tried, max(tried, (inputs or 0) * len(tallies)))

        supervise(
            tallies,
            inputs=inputs,
            seconds=seconds,
            jobs=arguments.jobs,
            limits=Limits(cpu=arguments.cpu, resident=arguments.resident),
            on_look=on_look,
        )
    if arguments.results:
        results.append(tallies, arguments.results)
    for tally in tallies:
        print_failures(tally)
    print(*results.table(tallies), sep="\n")
    return int(any(tally.failures for tally in tallies))


def print_failures(tally: Tally) -> None:
    """Print how seeds failed, and all that is known of the first few."""
    for number, failure in enumerate(tally.failures):
        details = f"{failure.details}\n" if number < DETAILED else ""
        print(f"{details}{tally.target} {failure.seed}: {failure.what}", file=sys.stderr)


def replay_seeds(arguments: argparse.Namespace) -> int:
    """Try the inputs of some seeds in a process that writes to this terminal."""
    find_target(arguments.target)
    with TemporaryDirectory(prefix="fuzz-") as folder:
        ours, theirs = os.pipe()
        process = start(arguments.target, arguments.seeds, theirs, Path(folder), 1e18, None)
        os.close(theirs)
        with open(ours) as lines:
            next(lines, None)
            outcomes = [line.rstrip("\n") for line in lines]
        code = process.wait()
    for seed, outcome in zip_longest(arguments.seeds, outcomes, fillvalue=f"not tried: the process ended with {code}"):
        print(f"{arguments.target} {seed}: {json.loads(outcome[1:])[1] if outcome.startswith('!') else outcome}")
    return int(code != 0)


def list_targets(arguments: argparse.Namespace) -> int:
    """Print the names of all targets and what they try."""
    width = max(map(len, target_names()))
    for name in target_names():
        print(f"{name:{width}}  {(find_target(name).__doc__ or '').splitlines()[0]}")
    return 0


def print_tables(arguments: argparse.Namespace) -> int:
    """Print the sums of all runs in some files."""
    for file in arguments.files:
        print(*results.table(results.added_up(file).values()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
