"""Reversible rewrites around a parser: what it cannot build is written into the labels before, and undone after."""

from crossarc.transforms.pseudo_projective import ENCODINGS, PseudoProjective

__all__ = ["ENCODINGS", "PseudoProjective"]
