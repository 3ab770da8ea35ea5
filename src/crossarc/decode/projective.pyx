"""Projective trees: the best one, the k best, sums over all."""
include "eisner.pyx"
include "projective_sums.pyx"
include "projective_kbest.pyx"
