"""Parsers with a network that scores arcs."""
