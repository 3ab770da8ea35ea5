"""What a parser may start from: weights of a parser of the same kind, and a directed model to enhance its trees."""

from __future__ import annotations

from crossarc.errors import CrossarcError
from crossarc.parsers.settings import ArcSettings, Settings, TransitionSettings, UndirectedSettings

# The settings in which a parser must be like the one it starts from: weights mean nothing elsewhere.
COMPATIBLE = (
    "system",
    "features",
    "starts",
    "reconstruction",
    "root_links",
    "transform",
    "combine",
    "enhance",
    "stack",
    "order",
    "absorb",
    "child_labels",
    "lengths",
    "labels",
    "cycles",
    "reversal",
    "lifting",
    "numbers",
    "empty",
    "lemmas",
    "use_tree",
    "lexical_size",
    "tag_size",
    "hidden",
    "layers",
    "arc_size",
    "label_size",
    "beside_size",
    "vectors",
    "ensemble",
    "guides",
    "predict",
)


def check_compatible(before: Settings, settings: Settings) -> None:
    """Refuse to start from the weights of a parser of another kind."""
    for each in (before, settings):
        if isinstance(each, TransitionSettings) and (each.fast or (each is before and each.learner == "libsvm")):
            raise CrossarcError(
                "fast parsers, and those of LIBSVM, cannot start from a model; train on the old and the new data "
                "together"
            )
    for name in COMPATIBLE:
        there, here = getattr(before, name, None), getattr(settings, name, None)
        if there != here:
            same = settings.parser == before.parser
            remedy = f"leave {name} as it was" if same else f"train a {before.parser!r}"
            raise CrossarcError(
                f"a parser {settings.parser!r} cannot start from the weights of a parser {before.parser!r}: "
                f"{name} is {here!r} here and {there!r} there; {remedy}"
            )


def check_helper(directed: Settings, settings: Settings, before: Settings | None) -> None:
    """Refuse a directed model that is of another kind, or that nothing asks for."""
    if not isinstance(settings, UndirectedSettings) or not settings.enhance:
        raise CrossarcError(
            f"a directed model enhances the trees of undirected parsers, and {settings.parser!r} does not: "
            "leave it out, or take mst-undirected-lep"
        )
    if not isinstance(directed, ArcSettings) or directed.system != "chu-liu-edmonds":
        raise CrossarcError(f"the directed model is a {directed.parser!r}; it must be an 'mst'")
    if directed.labels == "joint":
        raise CrossarcError(
            "the directed model scores arcs together with their labels, and is to enhance trees that have none yet; "
            'train it with labels = "after"'
        )
    if before is not None:
        raise CrossarcError("the model to start from has a directed model of its own: leave one of the two out")
