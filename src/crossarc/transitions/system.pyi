from typing import Literal

class TransitionSystem:
    name: str
    moves: tuple[str, ...]
    labelled: tuple[bool, ...]
    directed: bool
    covers: str
    long_sentence: int
    exact_costs: bool
    single_root: bool
    reads_root: bool
    all_root_links: bool
    def __init__(
        self, *, single_root: bool = True, root_links: Literal["all", "uncrossed", "none"] = "uncrossed"
    ) -> None: ...
