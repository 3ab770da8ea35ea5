"""Parsers that hold parsers: inside a transform, guided by others, several networks, a network and linear parsers."""
