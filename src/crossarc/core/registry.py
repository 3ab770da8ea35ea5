"""Things with names in crossarc: its own, those that a program registers, and those that installed packages offer.

A package offers things by entry points: their group says what they are, their name what they are called. They are
found by name and imported when they are asked for, so that nothing here lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from crossarc.errors import CrossarcError, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Thing = TypeVar("Thing")


class Registry(Mapping[str, Thing], Generic[Thing]):
    """Things of one kind by name, such as presets.

    `what` is what errors call the kind, `group` that of its entry points. An entry point is a thing, or a mapping that
    has the thing under its name. `check` raises `CrossarcError` for anything else.
    """

    def __init__(
        self,
        what: str,
        group: str,
        own: Mapping[str, Thing],
        check: Callable[[str, Any], None] = lambda name, thing: None,
    ) -> None:
        self.what, self.group, self.check = what, f"crossarc.{group}", check
        self.things = dict(own)

    @cached_property
    def offered(self) -> dict[str, EntryPoint]:
        """The entry points of installed packages by name."""
        from importlib.metadata import entry_points  # which takes a while, and is needed for few names

        return {entry.name: entry for entry in entry_points(group=self.group)}

    def register(self, name: str, thing: Thing) -> None:
        """Add a thing for this process; a name has one meaning."""
        if self.things.get(name, thing) != thing or name in self.offered:
            raise CrossarcError(f"there is a {self.what} {name!r} already; choose another name")
        self.check(name, thing)
        self.things[name] = thing

    def __getitem__(self, name: str) -> Thing:
        if not isinstance(name, str) or name not in self.things:
            if not isinstance(name, str) or name not in self.offered:
                raise UnknownName(self.what, name, list(self))
            self.things[name] = self.load(name, self.offered[name])
        return self.things[name]

    def load(self, name: str, entry: EntryPoint) -> Thing:
        """Return what an entry point offers; `CrossarcError` if its package is gone or offers something else."""
        try:
            found = entry.load()
        except (AttributeError, ImportError, TypeError, ValueError) as error:
            # A native module that was built with other declarations raises the last two.
            raise CrossarcError(
                f"the {self.what} {name!r} comes from {entry.module}, which cannot be imported ({error}); "
                "install the package that has it again"
            ) from None
        thing = found[name] if isinstance(found, Mapping) else found
        self.check(name, thing)
        return thing  # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        return name in self.things or (name in self.offered and is_there(self.offered[str(name)]))

    def __iter__(self) -> Iterator[str]:
        offered = [name for name, entry in self.offered.items() if name not in self.things and is_there(entry)]
        return iter([*self.things, *offered])  # a list, since things are loaded while they are listed

    def __len__(self) -> int:
        return sum(1 for _ in self)


def is_there(entry: EntryPoint) -> bool:
    """Whether the module of an entry point can be found; it is not imported."""
    try:
        return find_spec(entry.module) is not None
    except ImportError:
        return False
