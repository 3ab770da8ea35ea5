"""What assembles systems, decoders, features and weights into parsers, and the file a trained one is kept in."""

from crossarc.parsers.epochs import Epoch, Progress
from crossarc.parsers.modelfile import read_model, write_model
from crossarc.parsers.parser import Parser, load
from crossarc.parsers.settings import PRESETS, Settings

__all__ = [
    "PRESETS",
    "Epoch",
    "Parser",
    "Progress",
    "Settings",
    "load",
    "read_model",
    "write_model",
]
