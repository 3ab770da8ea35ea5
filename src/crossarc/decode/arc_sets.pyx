"""From the best tree to more: graphs in which words have several heads, and trees with reversed arcs."""
include "best_graph.pyx"
include "enhancement.pyx"
