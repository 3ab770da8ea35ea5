"""Add to a trained pipeline what training stores beside the weights: combinations of tags, and known lemmas.

    python scripts/complete_tags.py MODEL TRAIN.conllu

Models made before crossarc stored these lack them. The weights stay as they are, so nothing is trained, and the file is
the one that training gives today. TRAIN.conllu must be the treebank that the model was trained on.
"""

import sys
from dataclasses import replace

from crossarc.parsers.networks.model import NetworkTreeModel
from crossarc.parsers.provenance import describe_data
from crossarc.pipeline import Pipeline
from crossarc.treebank import read
from crossarc.treebank.corpus import Corpus


def main(path: str, train: str) -> None:
    """Rewrite a model file with what its treebank shows."""
    pipeline = Pipeline.open(path)
    sentences = list(read(train))
    if describe_data(sentences)["sha256"] != pipeline.parser.manifest_["data"]["sha256"]:
        raise SystemExit(f"{train}: {path} was trained on another treebank")
    model = pipeline.parser.model
    if not isinstance(model, NetworkTreeModel) or not model.predicts_tags:
        raise SystemExit(f"{path}: only networks that give tags have combinations of them")
    pipeline.parser.model_ = replace(model, tags=model.tags.completed(Corpus.of(sentences)))
    pipeline.save(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
