"""Experiments: parsers x treebanks x seeds from a TOML file, one process per job, with a cache of results and tables.

>>> from crossarc.experiments import read_experiment, run, tables
>>> experiment = read_experiment("transitions.toml")  # doctest: +SKIP
>>> results = run(experiment.jobs("treebanks"), "cache", workers=2)  # doctest: +SKIP
>>> print(tables(experiment, results))  # doctest: +SKIP

Cross-validation compares parsers on the folds of one file:

>>> from crossarc.experiments import cross_validate, fold_tables
>>> found = cross_validate("train.conllu", ["eisner", "eisner:transform=head,cap=30", "mst"])  # doctest: +SKIP
>>> print(fold_tables(found))  # doctest: +SKIP
"""

from crossarc.experiments.crossvalidation import CrossValidated, cross_validate, gather
from crossarc.experiments.definition import Experiment, read_experiment
from crossarc.experiments.fold_parses import write_parses
from crossarc.experiments.fold_tables import fold_tables
from crossarc.experiments.folds import CrossValidation, candidates_of, read_settings
from crossarc.experiments.jackknife import jackknife
from crossarc.experiments.jobs import Job
from crossarc.experiments.metrics import METRICS, Metric, get_metric
from crossarc.experiments.runner import Progress, Result, run
from crossarc.experiments.tables import surroundings, tables, write_page

__all__ = [
    "METRICS",
    "CrossValidated",
    "CrossValidation",
    "Experiment",
    "Job",
    "Metric",
    "Progress",
    "Result",
    "candidates_of",
    "cross_validate",
    "fold_tables",
    "gather",
    "get_metric",
    "jackknife",
    "read_experiment",
    "read_settings",
    "run",
    "surroundings",
    "tables",
    "write_page",
    "write_parses",
]
