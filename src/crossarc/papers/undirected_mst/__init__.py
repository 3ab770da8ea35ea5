"""Undirected spanning trees (undirected-mst-inference): presets, models and their training.

The algorithms are in `crossarc.decode`: spanning trees (`decode.undirected`), directions and enhancement.
"""

from importlib.resources import files

from crossarc.features.templates import models_in
from crossarc.parsers.families import Family
from crossarc.parsers.presets import read_presets

FAMILIES = {
    "undirected": Family(
        "arcs", "tree", "crossarc.papers.undirected_mst.settings:UndirectedSettings", "undirected parsers"
    )
}
PRESETS = read_presets(__name__)
FEATURE_MODELS = models_in(files(__name__) / "features")
