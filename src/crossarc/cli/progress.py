"""The progress of training: a bar on a terminal, one line per epoch elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from crossarc.cli.console import bar_width, console, say

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from crossarc.components import Epoch, Progress

REST = 90  # columns of a terminal for the texts beside the bar


class TrainingView:
    """Shows the progress of training on standard error, and records it for an interrupt."""

    def __init__(self, epochs: int, words: int, augmented: bool = False) -> None:
        self.epochs = epochs
        self.words = words
        # Cost-augmented decoding also counts arcs that are right by less than the margin.
        self.share = "wrong or unsure" if augmented else "wrong"
        self.finished = 0
        self.running = 0
        self.scores = ""
        self.begin = time.perf_counter()
        self.first = 0
        self.bar: RichProgress | None = None

    def __enter__(self) -> TrainingView:
        screen = console(stderr=True)
        if screen.is_terminal:
            from rich.progress import BarColumn, Progress, TextColumn

            width = bar_width(screen, REST)
            self.room = screen.width - width - 3  # blanks beside the bar, and the last column stays free
            texts = [TextColumn("{task.description}"), BarColumn(width), TextColumn("{task.fields[text]}")]
            self.bar = Progress(*texts, console=screen, transient=True)
            self.task = self.bar.add_task("", total=1, text="", visible=False)
            self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def on_progress(self, progress: Progress) -> None:
        """Move the bar."""
        if not self.running:
            self.first = progress.epoch
            self.begin = time.perf_counter() - progress.seconds
        self.running = progress.epoch
        if self.bar is None:
            return
        done = (progress.epoch - self.first) * progress.of + progress.words
        whole = (self.epochs - self.first + 1) * progress.of
        left = (time.perf_counter() - self.begin) * (whole - done) / done
        wrong, rate = f"{self.share} {progress.wrong:.2f}%", speed(progress.words, progress.seconds)
        epoch, rest = f"epoch {progress.epoch}/{self.epochs}", f"{clock(left)} left"
        # A narrow terminal gets fewer texts, never one that is cut.
        choices = ((wrong, self.scores, rate, rest), (self.scores, rate, rest), (self.scores, rest), (rest,))
        texts = ["  ".join(filter(None, choice)) for choice in choices]
        fitting = [text for text in texts if len(epoch) + len(text) <= self.room]
        self.bar.update(
            self.task,
            visible=True,
            description=epoch,
            total=progress.of,
            completed=progress.words,
            text=fitting[0] if fitting else "",
        )

    def on_epoch(self, epoch: Epoch) -> None:
        """Print the line of an epoch."""
        self.finished = epoch.number
        measured = [f"{measure(name)} {value:.2f}" for name, value in (epoch.scores or {}).items()]
        self.scores = f"dev {'  '.join(measured)}" if measured else ""
        if epoch.number == 0:
            self.say(f"start  {self.scores}")
            return
        rate = speed(self.words, epoch.seconds) if epoch.seconds else "before the interruption"
        parts = [f"epoch {epoch.number}/{self.epochs}", f"{self.share} {epoch.wrong:.2f}%", self.scores, rate]
        self.say("  ".join(filter(None, parts)))

    def say(self, line: str) -> None:
        """Print a line, above the bar if there is one."""
        if self.bar is not None:
            self.bar.console.print(line, markup=False)
        else:
            say(line)


@contextmanager
def steps_shown(name: str) -> Iterator[Callable[[int, int], None]]:
    """A function that is told how many steps are done and how many there are, and moves a bar on a terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda done, of: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def measure(name: str) -> str:
    """The name of a measure as it is printed.

    >>> measure("upos"), measure("Words")
    ('UPOS', 'Words')
    """
    return name.upper() if name.islower() else name


def speed(words: int, seconds: float) -> str:
    """A speed as text.

    >>> speed(41_234, 1), speed(900, 2)
    ('41k tokens/s', '450 tokens/s')
    """
    rate = words / max(seconds, 1e-9)
    return f"{rate / 1000:.0f}k tokens/s" if rate >= 10_000 else f"{rate:,.0f} tokens/s"


def clock(seconds: float) -> str:
    """A time as minutes and seconds, with hours if needed.

    >>> clock(21.4), clock(3725)
    ('0:21', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"
