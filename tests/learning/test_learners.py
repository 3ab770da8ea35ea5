"""Every learner learns the example treebank, the same each time; those of scikit-learn score as it does."""

import sys

import numpy as np
import pytest

import crossarc
from crossarc.components import write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.learning.instances import instance_matrix, number_features
from crossarc.learning.learners import MaximumEntropy, Mira, UpdateRule
from crossarc.learning.liblinear import learn_liblinear
from crossarc.learning.scorers import SupportVectors, check_arrays
from crossarc.papers.undirected_transitions.libsvm import KERNEL, TOLERANCE, learn_libsvm
from crossarc.parsers import Parser, load
from crossarc.parsers.moves.learners import LEARNERS, Learner

AT_ONCE = [name for name, learner in LEARNERS.items() if learner.at_once is not None]


@pytest.fixture(scope="module")
def trained(example):
    return {learner: Parser("arc-hybrid", learner=learner, epochs=5).fit(example, dev=example) for learner in LEARNERS}


@pytest.mark.parametrize("learner", LEARNERS)
def test_it_learns(trained, example, learner):
    scores = trained[learner].evaluate(example)
    assert scores.broken == 0
    assert scores.las > 90
    for sentence in trained[learner].parse(example):
        assert sentence.is_tree
        assert len(sentence.roots) == 1


@pytest.mark.parametrize("learner", LEARNERS)
def test_it_is_kept_and_the_same_each_time(trained, example, tmp_path, monkeypatch, learner):
    path = tmp_path / "a"
    trained[learner].save(path)
    again = load(path)
    assert list(again.parse(example)) == list(trained[learner].parse(example))
    monkeypatch.setattr("crossarc.components.streams.BATCH_WORDS", 50)
    assert list(again.parse(example, threads=3)) == list(trained[learner].parse(example))
    again.save(tmp_path / "b")
    Parser("arc-hybrid", learner=learner, epochs=5).fit(example, dev=example).save(tmp_path / "c")
    assert path.read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


@pytest.mark.parametrize(
    ("name", "learner"),
    [*(("two-planar-label", learner) for learner in LEARNERS), ("covington", "liblinear"), ("swap", "libsvm")],
)
def test_it_goes_with_any_system(example, name, learner):
    assert Parser(name, learner=learner, epochs=3).fit(example).evaluate(example).uas > 80


@pytest.mark.parametrize("learner", AT_ONCE)
def test_what_is_refused(learner):
    with pytest.raises(CrossarcError, match=f"learner {learner} with explore = 0.5: it learns the decisions of the st"):
        Parser("arc-hybrid", learner=learner, explore=0.5)
    with pytest.raises(CrossarcError, match=f"learner {learner} with beam = 8: it scores single decisions"):
        Parser("arc-hybrid", learner=learner, beam=8)
    assert Parser("arc-hybrid", learner=learner, explore=0).settings.explore == 0
    settings = Parser("arc-hybrid", learner=learner, epochs=7).settings
    assert (settings.explore, settings.epochs) == (0, 1)


def test_a_beam_learns_derivations_or_decisions(example):
    """MIRA learns whole derivations, maximum entropy single decisions whose probabilities are multiplied."""
    assert Parser("arc-eager", learner="maxent", beam=4, epochs=8).fit(example).evaluate(example).las > 85
    assert Parser("swap", learner="mira", beam=4, epochs=8).fit(example).evaluate(example).las > 90


def test_settings_of_other_learners():
    costly = [name for name, learner in LEARNERS.items() if learner.cost is not None]
    with pytest.raises(CrossarcError, match=f"setting cost belongs to {', '.join(costly)}; perceptron has none"):
        Parser("swap", cost=0.1)
    with pytest.raises(CrossarcError, match="no learner 'svm'; did you mean 'libsvm'"):
        Parser("swap", learner="svm")
    assert Parser("swap", learner="mira", cost=0.5).settings.cost == 0.5
    assert Parser("swap", learner="liblinear").settings.cost == 0.1
    assert Parser("swap").settings.cost is None


class InPython(UpdateRule):
    def learn(self, weights, decision):
        raise AssertionError("native code does not call this")


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Learner(rule=lambda settings: None), "the rule of learner mine gave None; it must give an UpdateRule"),
        (Learner(rule=lambda settings: InPython()), "the rule of learner mine gave .*, with `learn` in Cython"),
        (Learner(rule=lambda settings: MaximumEntropy(0.1, 0.0)), "learner mine has .*; give it probabilities=True"),
        (
            Learner(at_once=lambda settings, found: (None, 0.0)),
            "learner mine gave None; it must give Weights or",
        ),
    ],
)
def test_a_learner_that_cannot_learn_is_refused(example, monkeypatch, learner, message):
    monkeypatch.setitem(LEARNERS.things, "mine", learner)
    with pytest.raises(CrossarcError, match=message):
        Parser("arc-hybrid", learner="mine").fit(example)


def test_a_learner_with_a_rule_of_crossarc_is_registered(example, monkeypatch):
    monkeypatch.setattr(LEARNERS, "things", dict(LEARNERS.things))
    crossarc.register("mine", learner=Learner(rule=lambda settings: Mira(settings.cost), cost=0.05))
    parser = Parser("arc-hybrid", learner="mine", epochs=5).fit(example)
    assert parser.settings.cost == 0.05
    assert parser.evaluate(example).las > 90


def test_without_scikit_learn(example, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    for learner in AT_ONCE:
        with pytest.raises(CrossarcError, match="needs the package scikit-learn; pip install"):
            Parser("swap", learner=learner).fit(example)


def test_the_commands(example, tmp_path, run_crossarc):
    path = tmp_path / "m"
    files = ("--train", example, "--dev", example, "-o", path)
    assert run_crossarc("train", *files, "--learner", "mira", "--epochs", 2)[0] == 0
    assert load(path).settings.learner == "mira"
    _, out, _ = run_crossarc("info", path)
    assert "learner mira" in out
    code, _, err = run_crossarc("train", *files, "--learner", "liblinear", "--epochs", 10)
    assert code == 0
    assert "epoch 1/1" in err
    code, _, err = run_crossarc("train", *files, "--learner", "winnow")
    assert code == 2
    assert f"no learner 'winnow' (valid: {', '.join(sorted(LEARNERS))}" in " ".join(err.split())


def random_instances(classes, instances=120, templates=6, seed=3):
    """Instances whose features say something of their classes; some features are missing."""
    random = np.random.default_rng(seed)
    actions = random.integers(0, classes, instances).astype(np.int32)
    rows = random.integers(0, 4, (instances, templates)) + 4 * np.arange(templates)
    rows[:, 0] = np.where(random.random(instances) < 0.8, actions % 4, rows[:, 0])
    rows[random.random(rows.shape) < 0.1] = -1
    keys = random.integers(1, 2**63, 4 * templates, dtype=np.uint64)
    return keys, rows.astype(np.int32), actions


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_liblinear_scores_as_scikit_learn_does(classes):
    from sklearn.svm import LinearSVC

    keys, rows, actions = random_instances(classes)
    weights, wrong = learn_liblinear(keys, rows, actions, count=classes + 1, cost=0.3, seed=5)
    machine = LinearSVC(C=0.3, multi_class="crammer_singer", fit_intercept=False, random_state=5, tol=0.1)
    matrix = instance_matrix(rows, len(keys))
    expected = machine.fit(matrix, actions).decision_function(matrix)
    if classes == 2:
        expected = np.stack([np.zeros(len(rows)), expected], axis=1)
    assert wrong == pytest.approx(1 - machine.score(matrix, actions))
    table = weights.pack()
    for row, scores in zip(rows, expected, strict=True):
        state = keys[row[row >= 0]]
        assert weights.scores(state)[:classes] == pytest.approx(scores, abs=1e-5)
        packed = table.scores(state) * table.unit
        assert packed[:classes] == pytest.approx(scores, abs=table.unit * 6)
        # The action that no instance has comes last.
        assert packed[classes] < packed[:classes].min() or not len(state)


def test_features_are_numbered():
    matrix = np.array([[7, 5], [7, 9], [2**63, 5], [7, 4]], dtype=np.uint64)
    keys, rows = number_features(matrix, 2)
    assert keys.tolist() == [5, 7]
    assert rows.tolist() == [[1, 0], [1, -1], [-1, 0], [1, -1]]
    assert number_features(matrix, 1)[0].tolist() == [4, 5, 7, 9, 2**63]


@pytest.mark.parametrize(
    ("classes", "kernel"),
    [
        *((classes, KERNEL) for classes in (1, 2, 3, 5)),
        (3, {"degree": 3, "gamma": 0.2, "coef0": 0.3}),
        (3, {"degree": 1, "gamma": 0.5, "coef0": 0.0}),
    ],
)
def test_libsvm_scores_as_scikit_learn_does(classes, kernel):
    from sklearn.svm import SVC

    keys, rows, actions = random_instances(classes)
    nothing = np.zeros(3, dtype=np.int32)
    arrays, wrong = learn_libsvm(keys, rows, actions, np.zeros(len(rows), dtype=np.int32), nothing, cost=0.7, **kernel)
    vectors = SupportVectors(arrays, classes + 1)
    states = [keys[row[row >= 0]] for row in rows]
    found = np.array([vectors.scores(state, group=2) for state in states])
    assert (found[:, classes] == -1).all()
    if classes == 1:
        assert (found[:, 0] > -1).all()
        return
    machine = SVC(C=0.7, kernel="poly", **kernel, tol=TOLERANCE)
    matrix = instance_matrix(rows, len(keys))
    expected = machine.fit(matrix, actions).decision_function(matrix)
    if classes == 2:
        assert ((found[:, 1] > found[:, 0]) == (expected > 0)).all()
        expected = expected / (3 * (np.abs(expected) + 1)) + (expected > 0)
        assert found[:, 1] == pytest.approx(expected, abs=1e-4)
    else:
        assert found[:, :classes] == pytest.approx(expected, abs=1e-4)
    assert wrong == pytest.approx(1 - machine.score(matrix, actions))


def test_libsvm_has_a_machine_for_each_group():
    """Two groups that decide the opposite from the same features; a third has nothing to decide."""
    constant = np.uint64(0x9E3779B97F4A7C15)
    plain = np.array([11, 22], dtype=np.uint64)
    keys = np.concatenate([plain ^ np.uint64((group * int(constant)) % 2**64) for group in range(3)])
    rows = np.array([[0], [1], [2], [3], [4], [5]] * 5, dtype=np.int32)
    groups = np.array([0, 0, 1, 1, 2, 2] * 5, dtype=np.int32)
    actions = np.array([0, 1, 1, 0, 2, 2] * 5, dtype=np.int32)
    group_of = np.array([0, 1, 2, 0], dtype=np.int32)
    arrays, wrong = learn_libsvm(keys, rows, actions, groups, group_of, cost=1.0, **KERNEL)
    assert wrong == 0
    vectors = SupportVectors(arrays, 3)
    for tag, answers in enumerate([(0, 1), (1, 0), (2, 2), (0, 1), (0, 1)]):  # the last tag is not known
        assert tuple(vectors.scores(plain[k : k + 1], tag).argmax() for k in range(2)) == answers


def test_damaged_support_vectors(trained, tmp_path):
    parser = trained["libsvm"]
    manifest, arrays = parser.model.to_arrays()
    manifest |= parser.manifest_
    path = tmp_path / "m"
    for name in parser.model.scorer.arrays:
        whole = arrays[f"support.{name}"]
        faults = [np.zeros(whole.shape, dtype=np.float16)]
        if name != "group_of":  # tags beyond it are those that are not known
            faults += [whole[:-1], np.concatenate([whole, whole[-1:]])]
        if name in ("starts", "vectors", "group_of", "shapes", "classes", "sizes"):
            faults += [np.full_like(whole, 10**6), np.full_like(whole, -1)]
        for fault in faults:
            write_model(path, manifest, {**arrays, f"support.{name}": fault})
            with pytest.raises(ModelError, match="no parser that crossarc can use"):
                load(path)
    check_arrays(parser.model.scorer.arrays, len(parser.model.moves))
    write_model(path, manifest, {name: array for name, array in arrays.items() if name != "support.keys"})
    with pytest.raises(ModelError, match=r"support\.keys"):
        load(path)
