"""Treebanks: sentences, their files, and validation."""

from crossarc.treebank.conversion import convert
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.empty_nodes import collapse
from crossarc.treebank.fields import Token
from crossarc.treebank.formats import FORMATS, Format
from crossarc.treebank.graph import Graph
from crossarc.treebank.json_lines import read_json_documents, write_json_lines
from crossarc.treebank.reading import read, read_arrays, read_string, validate
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.table import to_table
from crossarc.treebank.validation import Finding
from crossarc.treebank.writing import write

__all__ = [
    "FORMATS",
    "Corpus",
    "Finding",
    "Format",
    "Graph",
    "Sentence",
    "Token",
    "collapse",
    "convert",
    "read",
    "read_arrays",
    "read_json_documents",
    "read_string",
    "to_table",
    "validate",
    "write",
    "write_json_lines",
]
