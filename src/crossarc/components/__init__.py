"""Components, which learn and are stored: their contract, their training in epochs, and the model file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily

if TYPE_CHECKING:
    from crossarc.components.component import Component
    from crossarc.components.modelfile import read_model, write_model
    from crossarc.components.training import Epoch, Progress, Trainer

__all__ = ["Component", "Epoch", "Progress", "Trainer", "read_model", "write_model"]

__getattr__, __dir__ = lazily(
    __name__,
    component="Component",
    modelfile="read_model write_model",
    training="Epoch Progress Trainer",
)
