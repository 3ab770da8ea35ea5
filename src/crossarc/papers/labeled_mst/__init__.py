"""Labelled spanning trees (labeled-mst-parsing): trees in rounds by part of speech, and the features of the paper.

Chu-Liu-Edmonds is in `crossarc.decode`, joint labels and MIRA are settings of `mst`.
"""

from importlib.resources import files

from crossarc.features.templates import models_in
from crossarc.parsers.families import Family
from crossarc.parsers.presets import read_presets

FAMILIES = {"rounds": Family("arcs", "tree", "crossarc.papers.labeled_mst.settings:RoundSettings", "mst-bottom-up")}
PRESETS = read_presets(__name__)
FEATURE_MODELS = models_in(files(__name__) / "features")
