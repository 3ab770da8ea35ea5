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
    several_heads: bool
    most_heads: int
    most_parallel: int
    allows_cycles: bool
    def __init__(
        self,
        *,
        single_root: bool = True,
        root_links: Literal["all", "uncrossed", "none"] = "uncrossed",
        most_heads: int = 1,
        most_parallel: int = 1,
        allows_cycles: bool = False,
    ) -> None: ...
