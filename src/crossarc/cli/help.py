"""The help of a command: its options in groups, without types and ranges of numbers."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

TYPE = re.compile(r" <[^>]*>")
EXTRAS = re.compile(r"\s*\[([^\[\]]*)\]$")  # what typer adds to a help text, such as [default: 1; x>=1]
RANGE = re.compile(r"\bx\s*[<>]|[<>]=?\s*x\b")


class Command(TyperCommand):
    """A command whose help has its options in the groups named by `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the groups in the order of their first options, and all other options."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        others: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                groups["Arguments"].append(plain(*record))
            else:
                group = getattr(parameter, "rich_help_panel", None)
                (groups.setdefault(group, []) if group else others).append(plain(*record))
        for heading, records in {**groups, "Other options" if len(groups) > 1 else "Options": others}.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def plain(name: str, text: str) -> tuple[str, str]:
    """The line of an option without the type of its value and the range of its numbers.

    >>> plain("FILE <list[str]>", "The width.  [default: 1; x>=1]"), plain("--seed N", "A seed.  [x>=0]")
    (('FILE', 'The width.  [default: 1]'), ('--seed N', 'A seed.'))
    """

    def without_range(found: re.Match[str]) -> str:
        kept = [each for each in found[1].split("; ") if not RANGE.search(each)]
        return f"  [{'; '.join(kept)}]" if kept else ""

    return TYPE.sub("", name), EXTRAS.sub(without_range, text)
