"""The settings of parsers that find links by moves, and directions afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from crossarc.parsers.moves.settings import MoveTreeSettings

if TYPE_CHECKING:
    from crossarc.transitions.system import TransitionSystem


class UndirectedMoveSettings(MoveTreeSettings):
    """The settings of undirected transition parsers."""

    kept: ClassVar[tuple[str, ...]] = ("reconstruction", "root_links")
    model_class = "crossarc.papers.undirected_transitions.model:UndirectedMoveModel"
    trainer_class = "crossarc.papers.undirected_transitions.model:UndirectedMoveTrainer"

    family: str = "undirected-moves"
    # How links get directions: away from node 0, by their labels with either table of costs, or by the scores of these
    # labels.
    reconstruction: Literal["naive", "label", "label-first", "score"] = "naive"
    # Whether the systems build links of node 0, or the reconstruction finds the roots.
    root_links: Literal["all", "none"] = "all"

    @property
    def label_kinds(self) -> int:
        """By labels, each says on which side the head is."""
        return 1 if self.reconstruction == "naive" else 2

    @property
    def directions(self) -> tuple[bool, bool, bool]:
        """Where links get directions from."""
        how = self.reconstruction
        return how != "naive", how == "label-first", how == "score"

    def transition_system(self, single_root: bool) -> TransitionSystem:
        """Return the transition system; naive reconstruction needs all links of node 0."""
        from crossarc.transitions.registry import get_system

        root_links: Literal["all", "uncrossed", "none"] = "none"
        if self.root_links == "all":
            root_links = "all" if self.reconstruction == "naive" else "uncrossed"
        return get_system(self.system, single_root=single_root, root_links=root_links)
