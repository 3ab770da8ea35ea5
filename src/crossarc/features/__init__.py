"""Features: a language of templates, feature models as TOML, and the attributes of tokens as integers."""

from crossarc.features.attributes import ATTRIBUTES, Attributes
from crossarc.features.templates import FeatureModel, fit_model, load_model, parse_model

__all__ = ["ATTRIBUTES", "Attributes", "FeatureModel", "fit_model", "load_model", "parse_model"]
