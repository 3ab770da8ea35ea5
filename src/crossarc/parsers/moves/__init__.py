"""Transition parsers: model, trainer, analysis."""
