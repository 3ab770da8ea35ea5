"""Projective trees: the best one, the k best, sums over all."""
include "eisner.pxi"
include "projective_sums.pxi"
include "projective_kbest.pxi"
