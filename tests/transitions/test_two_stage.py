"""Fast search: every preset learns with it, keeps itself, and is refused what it cannot do."""

import numpy as np
import pytest

from crossarc.components import write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.features.templates import choose_templates, parse_model
from crossarc.learning.scorers import HashedWeights, PackedTable
from crossarc.parsers import Parser, load
from crossarc.parsers.moves.trainer import LABEL_TEMPLATES, MOVE_TEMPLATES
from crossarc.parsers.presets import preset_names
from crossarc.treebank import Sentence, read
from crossarc.treebank.corpus import Corpus


@pytest.fixture(scope="module")
def trained(example):
    return {name: Parser(name, fast=True, epochs=6).fit(example) for name in preset_names("moves")}


@pytest.mark.parametrize("name", preset_names("moves"))
def test_every_preset_learns_fast(trained, example, tmp_path, name):
    parser = trained[name]
    scores = parser.evaluate(example)
    assert scores.broken == 0
    assert scores.uas > 85
    assert scores.las > 80
    parser.save(tmp_path / "m.crossarc")
    again = load(tmp_path / "m.crossarc")
    assert again.settings.fast
    assert list(again.parse(example)) == list(parser.parse(example))


def test_scores_of_links(example):
    parser = Parser("planar-label", fast=True, reconstruction="score", epochs=6).fit(example)
    assert parser.evaluate(example).uas > 85


@pytest.mark.parametrize("name", ["arc-eager", "planar", "two-planar", "covington"])
def test_words_that_are_left_over_get_a_label(trained, example, name):
    """They hang from the root word, and none is called a root; words in disorder leave many over."""
    random = np.random.default_rng(5)
    model, shuffled = trained[name].model, []
    for sentence in read(example):
        order = random.permutation(len(sentence))
        columns = {name: ["", *np.array(getattr(sentence, name)[1:])[order]] for name in ("forms", "upos")}
        trees = {"heads": [-1, *range(len(sentence))], "deprels": ["", *["root"] * len(sentence)]}
        shuffled.append(Sentence.from_columns(**columns, **trees))
    heads, labels = model.parse(Corpus.of(shuffled))
    assert (labels[heads > 0] != model.root_labels[0]).all()


def test_templates_of_the_stages(trained):
    model = trained["arc-hybrid"].model
    moves, labels = model.stages
    assert moves == MOVE_TEMPLATES
    assert len(model.features.templates) - labels == LABEL_TEMPLATES


def test_the_same_seed_gives_the_same_bytes(example, tmp_path):
    for copy in ("a", "b"):
        Parser("swap", fast=True, epochs=2).fit(example, dev=example).save(tmp_path / copy)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_killed_training_goes_on(example, tmp_path):
    """To the bytes of one that nothing interrupted."""
    Parser("arc-eager", fast=True, epochs=3).fit(example, dev=example).save(tmp_path / "whole")

    def stop(epoch):
        if epoch.number == 2:
            raise KeyboardInterrupt

    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        Parser("arc-eager", fast=True, epochs=3).fit(example, dev=example, checkpoint=path, on_epoch=stop)
    parser = Parser("arc-eager", fast=True, epochs=3).fit(example, dev=example, checkpoint=path, resume=True)
    parser.save(tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_what_is_refused(trained, example, tmp_path):
    for options in ({"beam": 4}, {"learner": "mira"}, {"learner": "libsvm"}):
        with pytest.raises(CrossarcError, match="fast search is greedy and learned by the perceptron"):
            Parser("swap", fast=True, **options)
    with pytest.raises(CrossarcError, match="cannot use a beam"):
        trained["swap"].parse(example, beam=8)
    with pytest.raises(CrossarcError, match="fast"):
        Parser("swap", fast=True).fit(example, init=trained["swap"])
    parser = trained["swap"]
    manifest, arrays = parser.model.to_arrays()
    manifest |= parser.manifest_
    faults = [
        ({**manifest, "stages": [500, 0]}, arrays),
        ({**manifest, "stages": [3, 4]}, arrays),
        (manifest, {**arrays, "move_table": arrays["move_table"][:-1]}),
        (manifest, {**arrays, "move_table": arrays["move_table"].astype(np.int32)}),
    ]
    for wrong, tables in faults:
        write_model(tmp_path / "m", wrong, tables)
        with pytest.raises(ModelError, match="holds no parser"):
            load(tmp_path / "m")


def test_hashed_weights():
    with pytest.raises(ValueError, match="8 are the most"):
        HashedWeights(9)
    packed = HashedWeights(3).pack()
    assert packed.table.shape == (2**20, 4)
    assert packed.unit == 1.0
    assert HashedWeights(5).pack().table.shape == (2**20, 8)
    with pytest.raises(ValueError, match="other actions"):
        HashedWeights.from_arrays(HashedWeights(5).to_arrays(), 3)
    with pytest.raises(ValueError, match="another size"):
        PackedTable(packed.table[:5], 3)
    with pytest.raises(ValueError, match="another system"):
        PackedTable(packed.table, 5)


def test_the_last_step_counts_in_the_mean():
    weights = HashedWeights(2)
    weights.now = 1
    weights.add(np.array([7 << 44], dtype=np.uint64), 1, 2.0)
    weights.now = 2
    weights.add(np.array([7 << 44], dtype=np.uint64), 1, -1.0)
    packed = weights.pack()
    assert packed.table[7, 1] * packed.unit == pytest.approx((2.0 + 1.0) / 2)
    assert packed.scores(np.array([7 << 44], dtype=np.uint64))[1] == packed.table[7, 1]


def test_chosen_templates():
    model = parse_model(
        'templates = ["a.form", "a.upos + b.upos", "b.form"]\n[addresses]\na="stack[0]"\nb="buffer[0]"\n'
    )
    chosen = choose_templates(model, [2, 1])
    assert chosen.terms == (("b.form",), ("a.upos", "b.upos"))
    assert choose_templates(chosen, [0, 1]).terms == chosen.terms
