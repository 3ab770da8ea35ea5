"""Dependency graphs by shift-reduce parsing (dag-shift-reduce-parsing): the features of the paper.

Its transition systems are in `crossarc.transitions`, its transforms in `crossarc.transforms`; maximum entropy and beams
are settings of `dag-standard` and `dag-eager`.
"""

from importlib.resources import files

from crossarc.features.templates import models_in

FEATURE_MODELS = models_in(files(__name__) / "features")
