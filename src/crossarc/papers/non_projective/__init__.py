"""Ways to parse crossing arcs with pairs of arcs (non-projective-strategies): presets and features of the comparison.

The chart and the moves of words are in `crossarc.decode`, the encodings in `crossarc.transforms`, and `carreras` and
`carreras-npa` are general presets.
"""

from importlib.resources import files

from crossarc.features.templates import models_in
from crossarc.parsers.presets import read_presets

PRESETS = read_presets(__name__)
FEATURE_MODELS = models_in(files(__name__) / "features")
