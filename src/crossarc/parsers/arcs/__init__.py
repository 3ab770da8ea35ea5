"""Parsers that score arcs: models, trainers, analysis."""
