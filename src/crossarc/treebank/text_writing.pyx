"""Sentences with new columns or graphs as text, and as JSON."""
include "column_writing.pxi"
include "graph_writing.pxi"
include "sentence_json.pxi"
