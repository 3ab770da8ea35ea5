"""Sentences with new columns or graphs as text, and as JSON."""
include "column_writing.pyx"
include "graph_writing.pyx"
include "sentence_json.pyx"
