from typing import Any

from numpy.typing import ArrayLike

from crossarc.transitions.system import TransitionSystem

def derive(system: TransitionSystem, heads: ArrayLike, labels: ArrayLike, root_label: int = 0) -> tuple[Any, ...]: ...
