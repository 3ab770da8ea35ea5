"""The metrics of a result that a table can show, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crossarc.errors import CrossarcError, UnknownName
from crossarc.evaluation import PROPERTIES

Figures = dict[str, Any]
MEASURES = ("recall", "precision")


@dataclass(frozen=True)
class Metric:
    """A metric: the title of its column, how to find it in a result, and its decimals."""

    title: str
    find: Callable[[Figures], float | None]
    decimals: int = 2

    def show(self, value: float) -> str:
        """The value as text."""
        return f"{value:,.{self.decimals}f}"


def score(name: str) -> Callable[[Figures], float | None]:
    """A metric of the evaluation; none for parsers of graphs, whose trees are those of gold."""
    return lambda figures: None if figures.get("graphs") else figures["scores"][name]


def no_punctuation(name: str) -> Callable[[Figures], float | None]:
    """A metric of the evaluation without punctuation; none for parsers of graphs."""
    return lambda figures: None if figures.get("graphs") else figures["scores"]["without_punctuation"][name]


def non_projective(name: str) -> Callable[[Figures], float | None]:
    """A metric of the non-projective edges; none for parsers of graphs."""
    return lambda figures: None if figures.get("graphs") else figures["scores"]["non_projective"][name]


def of_graphs(*path: str) -> Callable[[Figures], float | None]:
    """A metric of graphs; none for parsers of trees."""

    def find(figures: Figures) -> float | None:
        value: Any = figures.get("graphs")
        for name in path if value else ():
            value = value[name]
        return value or None

    return find


def megabytes(*path: str) -> Callable[[Figures], float | None]:
    """A number of bytes in millions."""

    def find(figures: Figures) -> float | None:
        value: Any = figures
        for name in path:
            value = value[name]
        return None if value is None else value / 1e6

    return find


def pruned_share(figures: Figures) -> float | None:
    """The share of arcs between words of the development set that a length dictionary left out, in percent."""
    pruning = figures["model"].get("pruning")
    return 100 * pruning["pruned"] / max(1, pruning["arcs"]) if pruning else None


METRICS: dict[str, Metric] = {
    "las": Metric("LAS", score("las")),
    "uas": Metric("UAS", score("uas")),
    "label_accuracy": Metric("labels", score("label_accuracy")),
    "undirected_uas": Metric("undirected UAS", score("undirected_uas")),
    "link_las": Metric("LAS of links", lambda figures: figures["parsing"].get("link_las")),
    "lem": Metric("LEM", score("lem")),
    "uem": Metric("UEM", score("uem")),
    "las_no_punct": Metric("LAS, no punct.", no_punctuation("las")),
    "uas_no_punct": Metric("UAS, no punct.", no_punctuation("uas")),
    "undirected_uas_no_punct": Metric("undirected UAS, no punct.", no_punctuation("undirected_uas")),
    "np_precision": Metric("NP precision", non_projective("precision")),
    "np_recall": Metric("NP recall", non_projective("recall")),
    "np_gold": Metric("NP edges in gold", non_projective("gold"), 0),
    "np_system": Metric("NP edges found", non_projective("system"), 0),
    "lp": Metric("labelled precision", of_graphs("labelled", "precision")),
    "lr": Metric("labelled recall", of_graphs("labelled", "recall")),
    "lf": Metric("labelled F", of_graphs("labelled", "f1")),
    "up": Metric("unlabelled precision", of_graphs("unlabelled", "precision")),
    "ur": Metric("unlabelled recall", of_graphs("unlabelled", "recall")),
    "uf": Metric("unlabelled F", of_graphs("unlabelled", "f1")),
    "elas": Metric("ELAS", of_graphs("elas")),
    "graph_exact": Metric("whole graphs", of_graphs("exact_match")),
    "tokens_per_second": Metric(
        "tokens/s", lambda figures: figures["parsing"]["words"] / max(figures["parsing"]["cpu_seconds"], 1e-9), 0
    ),
    "training_seconds": Metric("training, CPU s", lambda figures: figures["training"]["cpu_seconds"], 1),
    "training_memory": Metric("training, MB", megabytes("training", "peak_memory"), 0),
    "model_size": Metric("model, MB", megabytes("model", "bytes"), 1),
    "pruned": Metric("arcs left out by lengths, %", pruned_share, 1),
    "best_epoch": Metric("best epoch", lambda figures: (figures["training"]["development"] or {}).get("epoch"), 0),
    "dev_las": Metric("dev LAS", lambda figures: (figures["training"]["development"] or {}).get("las")),
}
DEFAULT_COLUMNS = ("las", "uas", "lem", "np_precision", "np_recall", "tokens_per_second", "training_seconds")


def get_metric(name: str) -> Metric:
    """A metric by name, or a bin of a breakdown such as `length:7+`, which is the labelled recall in that bin.

    >>> get_metric("np_recall").title
    'NP recall'
    >>> get_metric("label:nsubj:precision").title
    'nsubj precision'
    """
    if name in METRICS:
        return METRICS[name]
    if ":" not in name:
        raise UnknownName("metric", name, [*METRICS, *(f"{each}:BIN" for each in PROPERTIES)])
    kind, _, wanted = name.partition(":")
    if kind not in PROPERTIES:
        raise UnknownName("breakdown", kind, PROPERTIES)
    # Labels may contain colons.
    measure = wanted.rpartition(":")[2] if wanted.endswith(tuple(f":{each}" for each in MEASURES)) else ""
    wanted = wanted.removesuffix(f":{measure}") if measure else wanted
    if not wanted:
        raise CrossarcError(f"metric {name!r} names no bin; write for example length:7+ or label:nsubj:precision")

    def find(figures: Figures) -> float | None:
        rows = {row["name"]: row["labelled"] for row in figures["breakdowns"][kind]}
        return rows[wanted][measure or "recall"] if wanted in rows else None

    return Metric(f"{wanted} {measure or 'recall'}", find)
