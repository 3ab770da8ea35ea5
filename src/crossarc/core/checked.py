"""Values that users give, checked where they come in: numbers with ranges, TOML."""

from __future__ import annotations

import os
import tomllib
from numbers import Integral, Real
from typing import Any

from crossarc.errors import SHORT, CrossarcError

MOST = 1 << 31  # more than any setting or seed needs
LARGEST_TOML = 1 << 20  # bytes


def checked_count(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number from `least` on; `CrossarcError` for anything else.

    >>> checked_count("threads", 4)
    4
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) < MOST:
        raise CrossarcError(f"{name} = {SHORT.repr(value)}: write a whole number from {least} on, below 2 ** 31")
    return int(value)


def checked_positive(name: str, value: Any) -> float:
    """Return a number above 0; `CrossarcError` for anything else.

    >>> checked_positive("cost", 0.05)
    0.05
    """
    number: Any = value
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < number < MOST:
        raise CrossarcError(f"{name} = {SHORT.repr(value)}: write a number above 0")
    return float(number)


def checked_name(name: str, value: Any) -> str:
    """Return a string; `CrossarcError` for anything else.

    >>> checked_name("document", "d7")
    'd7'
    """
    if not isinstance(value, str):
        raise CrossarcError(f"{name} = {SHORT.repr(value)}: write a string")
    return value


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a TOML file has; `CrossarcError` if it has no TOML."""
    name = os.fspath(path)
    return parse_toml(toml_text(name), name)


def toml_text(name: str) -> str:
    """Return the text of a TOML file."""
    with open(name, "rb") as file:
        data = file.read(LARGEST_TOML + 1)
    if len(data) > LARGEST_TOML:
        raise CrossarcError(f"{name}: the file has more than a MB, which no TOML file needs; name another file")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CrossarcError(
            f"{name}:{line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None


def parse_toml(text: str, name: str, error: type[CrossarcError] = CrossarcError) -> dict[str, Any]:
    """Return what a text in TOML says; `name` is what messages call it."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise error(f"{name}: {problem}") from None
    except RecursionError:
        raise error(f"{name}: lists or tables lie in each other too deeply; write fewer levels") from None
    except ValueError:
        raise error(f"{name}: a number has too many digits; write a smaller one") from None
