"""Experiments: parsers x treebanks x seeds from a TOML file, one process per job, with a cache of results and tables.

>>> from crossarc.experiments import read_experiment, run, tables
>>> experiment = read_experiment("transitions.toml")  # doctest: +SKIP
>>> results = run(experiment.jobs("treebanks"), "cache", workers=2)  # doctest: +SKIP
>>> print(tables(experiment, results))  # doctest: +SKIP
"""

from crossarc.experiments.definition import Experiment, read_experiment
from crossarc.experiments.jobs import Job
from crossarc.experiments.metrics import METRICS, Metric, get_metric
from crossarc.experiments.runner import Progress, Result, run
from crossarc.experiments.tables import surroundings, tables, write_page

__all__ = [
    "METRICS",
    "Experiment",
    "Job",
    "Metric",
    "Progress",
    "Result",
    "get_metric",
    "read_experiment",
    "run",
    "surroundings",
    "tables",
    "write_page",
]
