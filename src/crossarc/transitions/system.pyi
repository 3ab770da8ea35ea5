class TransitionSystem:
    name: str
    moves: tuple[str, ...]
    labelled: tuple[bool, ...]
    directed: bool
    covers: str
    exact_costs: bool
    single_root: bool
    def __init__(self, *, single_root: bool = True) -> None: ...
