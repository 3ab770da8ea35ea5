"""Parsers by moves whose links have no directions (undirected-transition-parsing): the page of the paper.

The systems and the reconstructions are general, in `crossarc.transitions`, with a preset for each pair of them.
"""
