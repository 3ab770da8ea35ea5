"""Cross-validation: folds, jobs, scores over all folds, paired tests, tables and errors."""

import json
import os

import numpy as np
import pytest
from scipy import stats

from crossarc import Parser
from crossarc.errors import CrossarcError
from crossarc.evaluation import evaluate, evaluate_graphs
from crossarc.experiments import (
    CrossValidation,
    Result,
    candidates_of,
    cross_validate,
    fold_tables,
    gather,
    get_metric,
)
from crossarc.experiments.comparisons import duel
from crossarc.experiments.crossvalidation import PairedTest
from crossarc.experiments.folds import read_candidate
from crossarc.experiments.worker import data_of, work
from crossarc.treebank import read
from crossarc.treebank.folds import assign_folds

CYCLE = "1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"


@pytest.fixture
def sentences(example):
    return list(read(example))


@pytest.fixture
def plan(example):
    def make(*parsers, **options):
        return CrossValidation(str(example), candidates_of(parsers), **options)

    return make


def made_up(jobs, right, *, found=5):
    """Results in which each parser has so many right words in the sentences of each fold of 2 words a sentence."""
    results = []
    for job in jobs:
        counts = right[job.name][job.fold - 1]
        if counts is None:
            results.append(Result(job, None, "out of luck"))
            continue
        size, sum_right, exact = len(counts), sum(counts), sum(count == 2 for count in counts)
        edges = {"gold": 4, "recalled": 1, "system": found if job.name == "mst" else 0, "precise": 0}
        scores = {"words": 2 * size, "sentences": size, "right": sum_right, "right_heads": 0, "right_labels": 0}
        scores |= {"right_links": 0, "exact": exact, "exact_heads": 0, "non_projective": edges}
        told = {"words": [2] * size, "las": counts, "uas": counts}
        figures = {"scores": {"with_punctuation": scores}, "sentences": told}
        figures |= {"training": {"cpu_seconds": 1.5 + job.fold}, "parsing": {"cpu_seconds": 0.25}}
        results.append(Result(job, figures))
    return results


@pytest.mark.parametrize(("count", "folds"), [(40, 10), (41, 10), (3, 3), (100, 7)])
def test_folds(count, folds):
    numbers = assign_folds(count, folds, seed=1)
    sizes = np.bincount(numbers, minlength=folds + 1)[1:]
    assert sizes.sum() == count
    assert sizes.max() - sizes.min() <= 1
    assert numbers == assign_folds(count, folds, seed=1)
    assert count < 10 or numbers != assign_folds(count, folds, seed=2)
    assert count < 10 or numbers != sorted(numbers)


def test_folds_never_change():
    """Results in caches belong to these folds."""
    assert assign_folds(12, 4, seed=1) == [3, 4, 1, 4, 3, 2, 4, 2, 2, 1, 3, 1]


def test_jobs_learn_from_the_other_folds(plan, sentences):
    seen = []
    for job in plan("mst", folds=3).jobs(sentences):
        train, dev, scored = data_of(json.loads(job.order()))
        assert dev is None
        names = {each.id for each in train}
        assert names.isdisjoint(each.id for each in scored)
        assert len(train) + len(scored) == len(sentences)
        seen += [each.id for each in scored]
    assert sorted(seen) == sorted(each.id for each in sentences)


def test_keys(plan, sentences):
    def keys(*parsers, **options):
        return [job.key for job in plan(*parsers, **{"folds": 2, **options}).jobs(sentences)]

    usual = keys("mst")
    assert len(set(usual)) == 2
    assert keys("mst:cut=2") == keys("mst", settings={"cut": 2}) == usual  # the default
    for other in (
        keys("mst", seed=2),
        keys("mst:seed=2"),  # another model on the same folds
        keys("mst", folds=3),
        keys("eisner"),
        keys("mst", settings={"epochs": 3}),
        keys("mst", on_error="skip"),
    ):
        assert set(other).isdisjoint(usual)
    assert keys("mst:epochs=2", settings={"epochs": 3}) == keys("mst", settings={"epochs": 2})
    job = plan("mst", folds=2).jobs(sentences)[1]
    assert str(job) == "mst on data/example, fold 2 of 2"
    assert job.file_name.startswith("data-example-mst-fold-2-of-2-")


def test_scores_are_those_of_all_folds_together(example, sentences, tmp_path):
    """The micro-average equals the evaluation of the concatenated folds, and a second run uses the cache."""
    options = {"folds": 2, "settings": {"epochs": 1}, "cache": tmp_path, "seed": 3}
    parsers = ["arc-hybrid", "swap"]
    news = []
    found = cross_validate(example, parsers, report=lambda each: news.append(each.state), **options)
    assert news.count("done") == 4
    numbers = assign_folds(len(sentences), 2, seed=3)
    for name, row in zip(parsers, found.rows, strict=True):
        gold, parsed = [], []
        for fold in (1, 2):
            train = [each for each, number in zip(sentences, numbers, strict=True) if number != fold]
            held_out = [each for each, number in zip(sentences, numbers, strict=True) if number == fold]
            gold += held_out
            parsed += Parser(name, epochs=1, seed=3).fit(train).parse(held_out)
        whole = evaluate(gold, parsed)
        assert row.scores == whole.scores
        assert row.to_dict()["las"] == whole.las
        assert row.to_dict()["lem"] == whole.lem
        assert row.to_dict()["np_recall"] == whole.non_projective.recall
        assert row.training_seconds > 0
    (test,) = found.tests
    theirs = stats.ttest_rel(found.rows[1].right, found.rows[0].right)
    assert (test.t, test.p) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))
    assert test.difference == found.rows[1].scores.las - found.rows[0].scores.las
    kept = sorted(os.listdir(tmp_path))
    os.unlink(tmp_path / kept[0])
    news.clear()
    again = cross_validate(example, parsers, report=lambda each: news.append(each.state), **options)
    assert (news.count("kept"), news.count("started")) == (3, 1)
    assert [row.scores for row in again.rows] == [row.scores for row in found.rows]
    assert again.tests == found.tests
    assert sorted(os.listdir(tmp_path)) == kept


def test_interrupted_folds_are_kept(example, tmp_path, stub):
    """What was finished before an interrupt is not run again."""
    figures = made_up_figures()
    stub(f"print(json.dumps({{'epoch': 1}}), flush=True)\nprint(json.dumps({{'result': {figures!r}}}))")

    def interrupt(news):
        if news.state == "done":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validate(example, ["mst"], folds=3, cache=tmp_path, report=interrupt)
    assert len(os.listdir(tmp_path)) == 1
    states = []
    cross_validate(example, ["mst"], folds=3, cache=tmp_path, report=lambda news: states.append(news.state))
    assert (states.count("kept"), states.count("done")) == (1, 2)


def made_up_figures():
    class Job:
        name, fold = "mst", 1

    return made_up([Job], {"mst": [[2, 1]]})[0].figures


def test_tables(plan, sentences):
    names = ("eisner", "eisner:transform=head,cap=3", "eisner:transform=head", "mst")
    right = {name: [[2, 1, 1, 0], [1, 1, 2]] for name in names} | {"mst": [[2, 2, 2, 1], [2, 2, 2]]}
    chosen = plan(*names, folds=2)
    found = gather(chosen, sentences, made_up(chosen.jobs(sentences), right))
    text = fold_tables(found)
    assert "| data/example | 40 | 12 (3.77%) | 30.00% |" in text
    assert "| eisner | 57.14 | 28.57 |  | 25.00 | 0 |" in text  # no precision without non-projective edges
    assert "| mst | 92.86 | 85.71 | 0.00 | 25.00 | 10 |" in text
    assert [(test.parser, test.against) for test in found.tests] == [
        (names[1], names[0]),
        (names[2], names[0]),
        (names[3], names[0]),
        (names[3], names[1]),
        (names[3], names[2]),
        (names[1], names[2]),
    ]
    assert f"| {names[1]} | eisner | +0.00 | 1.0000 | not significant |" in text
    p = stats.ttest_rel([2, 2, 2, 1, 2, 2, 2], [2, 1, 1, 0, 1, 1, 2]).pvalue
    assert found.tests[2].p == pytest.approx(p)
    assert f"| mst | eisner | +35.71 | {p:.4f} | p < 0.01 |" in text
    assert "| eisner | 6.0 | 1.00 | 0.50 | 1.00 |" in text
    assert "2 folds of the sentences at random, seed 1" in text
    told = found.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["parsers"][0]["np_precision"] is None
    assert "f1" not in json.dumps(told)


def test_all_pairs(plan, sentences):
    """Each pair has p values for LAS and LEM, and the page says how many tests there are."""
    names = ("eisner", "swap", "mst", "arc-hybrid")
    right = {name: [[2, 1, 1, 0], [1, 1, 2]] for name in names}
    right |= {"swap": [[2, 2, 1, 1], [1, 2, 2]], "mst": [[2, 2, 2, 1], [2, 2, 2]]}
    chosen = plan(*names, folds=2, against="all")
    results = made_up(chosen.jobs(sentences), right)
    found = gather(chosen, sentences, results)
    pairs = [(test.parser, test.against) for test in found.tests]
    assert pairs == [(names[one], names[other]) for one in range(4) for other in range(one)]
    usual = gather(plan(*names, folds=2), sentences, results)
    assert ("mst", "swap") not in {(test.parser, test.against) for test in usual.tests}
    test = found.tests[pairs.index(("mst", "swap"))]
    assert test.p == pytest.approx(stats.ttest_rel([2, 2, 2, 1, 2, 2, 2], [2, 2, 1, 1, 1, 2, 2]).pvalue)
    assert test.lem_p == pytest.approx(stats.ttest_rel([1, 1, 1, 0, 1, 1, 1], [1, 1, 0, 0, 0, 1, 1]).pvalue)
    assert test.lem_difference == pytest.approx(200 / 7)
    text = fold_tables(found)
    assert f"| mst | swap | +14.29 | {test.p:.4f} | not significant | +28.57 | {test.lem_p:.4f} |" in text
    assert "6 pairs, p values not corrected for their number" in text
    assert found.to_dict()["tests"][1]["lem_p"] == found.tests[1].lem_p
    with pytest.raises(CrossarcError, match="choice of pairs to test 'each'"):
        plan("mst", against="each")


def test_parses_are_written_for_each_fold_and_in_order(example, sentences, tmp_path):
    """The joined file has the scores of the table, and a fold that is cached without its parses runs again."""
    cache, folder = tmp_path / "cache", tmp_path / "parses"
    options = {"folds": 2, "settings": {"epochs": 1}, "cache": cache}
    parsers = ["arc-hybrid", "arc-hybrid:transform=head,cap=2"]
    states = []
    cross_validate(example, parsers[:1], **options)
    found = cross_validate(example, parsers, parses=folder, report=lambda each: states.append(each.state), **options)
    assert (states.count("kept"), states.count("done")) == (0, 4)
    names = ["arc-hybrid", "arc-hybrid-transform=head,cap=2"]
    files = [f"{name}{part}.conllu" for name in names for part in ("", "/fold-1", "/fold-2")]
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.conllu")) == sorted(files)
    numbers = assign_folds(len(sentences), 2, seed=1)
    for name, row in zip(names, found.rows, strict=True):
        parsed = list(read(folder / f"{name}.conllu"))
        assert [each.id for each in parsed] == [each.id for each in sentences]
        assert evaluate(sentences, parsed).scores == row.scores
        for fold in (1, 2):
            own = [each for each, number in zip(parsed, numbers, strict=True) if number == fold]
            assert list(read(folder / name / f"fold-{fold}.conllu")) == own
    states.clear()
    again = cross_validate(example, parsers, parses=folder, report=lambda each: states.append(each.state), **options)
    assert states == ["kept"] * 4
    assert [row.scores for row in again.rows] == [row.scores for row in found.rows]


def test_parses_of_failed_folds_are_left_out(example, tmp_path, stub):
    (tmp_path / "parses" / "mst").mkdir(parents=True)
    for name in ("mst.conllu", "mst/fold-1.conllu"):
        (tmp_path / "parses" / name).write_text("of an earlier run")
    stub("import sys; sys.exit('no luck')")
    cross_validate(example, ["mst"], folds=2, cache=tmp_path / "cache", parses=tmp_path / "parses")
    assert not list((tmp_path / "parses").rglob("*.conllu"))


def test_parsers_of_graphs_are_scored_by_their_graphs(example, sentences, tmp_path):
    """Their trees are those of gold, so LAS would be 100."""
    parsers = ["dag-eager", "arc-hybrid", "dag-mst"]
    found = cross_validate(example, parsers, folds=2, settings={"epochs": 1}, cache=tmp_path / "cache", against="all")
    numbers = assign_folds(len(sentences), 2, seed=1)
    gold, parsed = [], []
    for fold in (1, 2):
        train = [each for each, number in zip(sentences, numbers, strict=True) if number != fold]
        gold += [each for each, number in zip(sentences, numbers, strict=True) if number == fold]
        parsed += Parser("dag-eager", epochs=1, seed=1).fit(train).parse(gold[len(parsed) :])
    whole = evaluate_graphs(gold, parsed)
    row = found.rows[0].graphs
    assert (row.labelled, row.unlabelled, row.exact_match) == (whole.labelled, whole.unlabelled, whole.exact_match)
    assert found.rows[1].graphs is None
    assert not found.tests
    text = fold_tables(found)
    assert f"| dag-eager | {whole.labelled.precision:.2f} | {whole.labelled.recall:.2f} |" in text
    assert "100.00" not in text
    assert "Significance" not in text
    assert text.count("| arc-hybrid |") == 2  # scores of trees, and times
    told = found.to_dict()["parsers"]
    assert ["las" in each for each in told] == [False, True, False]
    assert told[0]["graphs"]["labelled"]["f1"] == whole.labelled.f1
    result = Result(None, {"scores": {"las": 100.0}, "graphs": whole.to_dict()})
    assert get_metric("las").find(result.figures) is None
    result.figures["sentences"] = {"words": [2], "las": [2], "uas": [2]}
    assert duel([result], [result]) is None
    assert get_metric("lf").find(result.figures) == whole.labelled.f1


def test_failed_folds(plan, sentences):
    """A parser with a failed fold has no scores and no tests; the others do."""
    names = ("arc-hybrid", "swap", "mst")
    right = {name: [[2, 1], [1, 1]] for name in names} | {"swap": [[2, 1], None]}
    chosen = plan(*names, folds=2)
    found = gather(chosen, sentences, made_up(chosen.jobs(sentences), right))
    assert [(test.parser, test.against, test.p) for test in found.tests] == [("mst", "arc-hybrid", 1.0)]
    text = fold_tables(found)
    assert "| swap | failed |" in text
    assert "- swap on data/example, fold 2 of 2: out of luck" in text
    right["mst"] = [None, None]
    text = fold_tables(gather(chosen, sentences, made_up(chosen.jobs(sentences), right)))
    assert "| arc-hybrid | 6.0 |  | 0.50 |  |" in text  # nothing to compare the times with
    assert "Significance" not in text


def test_the_same_parser_twice(plan, sentences):
    """Nothing differs, so p is 1; a constant difference has no variance and does not fail either."""
    chosen = plan("mst", "mst", folds=2)
    (test,) = gather(chosen, sentences, made_up(chosen.jobs(sentences), {"mst": [[2, 1], [1, 1]]})).tests
    assert (test.difference, test.p, test.level) == (0, 1, "not significant")
    chosen = plan("swap", "mst", folds=2)
    right = {"swap": [[0, 0], [0]], "mst": [[1, 1], [1]]}
    (test,) = gather(chosen, sentences, made_up(chosen.jobs(sentences), right)).tests
    assert (test.p, test.level) == (0, "p < 0.001")


@pytest.mark.parametrize(
    ("p", "level"),
    [(0.0009, "p < 0.001"), (0.001, "p < 0.01"), (0.01, "p < 0.05"), (0.05, "not significant"), (1, "not significant")],
)
def test_levels(p, level):
    assert PairedTest("a", "b", 0.1, 2.0, p).level == level


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("mst", {"parser": "mst"}),
        ("mst:lengths=true,cut=3,prune=1e-3", {"parser": "mst", "lengths": True, "cut": 3, "prune": 0.001}),
        ("mst: transform = head , cap=30", {"parser": "mst", "transform": "head", "cap": 30}),
        ("mst:features=a=b.toml", {"parser": "mst", "features": "a=b.toml"}),
        ("mst:single_root=auto", {"parser": "mst", "single_root": "auto"}),
        ("mst:cost=NaN", {"parser": "mst", "cost": "NaN"}),
        ('neural:predict=["upos"]', {"parser": "neural", "predict": ["upos"]}),
    ],
)
def test_parsers_as_text(text, settings):
    assert read_candidate(text).settings == settings


@pytest.mark.parametrize(
    ("parsers", "options", "complaint"),
    [
        (["eisnr"], {}, "parser eisnr: no parser 'eisnr'; did you mean 'eisner'"),
        (["mst:capp=3"], {}, "parser mst:capp=3: no setting 'capp'; did you mean 'cap'"),
        (["mst"], {"settings": {"epoch": 3}}, "no setting 'epoch'; did you mean 'epochs'"),
        (["mst:cap=3"], {}, "parser mst:cap=3: setting cap = 3 belongs to a transform"),
        (["mst:cap"], {}, "mst:cap: 'cap' is not a setting; write name=value"),
        (["mst:"], {}, "'' is not a setting"),
        (["mst:cut=2,cut=3"], {}, "setting cut is given twice"),
        (["mst:parser=swap"], {}, "the parser is mst"),
        ([], {}, "at least one parser"),
        ("mst", {}, r"write \['mst'\]"),
        (["mst"], {"folds": 1}, "at least 2 folds, not 1"),
        (["mst"], {"folds": 41}, r"example\.conllu: 40 sentences are too few for 41 folds"),
    ],
)
def test_refused(example, tmp_path, parsers, options, complaint):
    with pytest.raises(CrossarcError, match=complaint) as error:
        cross_validate(example, parsers, cache=tmp_path / "cache", **options)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "cache").exists()


def test_parsers_by_name(example):
    (candidate,) = candidates_of({"Head, cap 3": {"parser": "eisner", "transform": "head", "cap": 3}})
    assert candidate.name == "Head, cap 3"
    plan = CrossValidation(str(example), (candidate,), settings={"epochs": 4})
    assert plan.settings_of(candidate)["epochs"] == 4


def test_bad_trees(example, tmp_path):
    """Bad sentences are refused before anything runs, or left out everywhere."""
    path = tmp_path / "bad.conllu"
    path.write_text(CYCLE + example.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(CrossarcError, match=r"bad\.conllu:1: .*cycle"):
        cross_validate(path, ["mst"], cache=tmp_path / "cache")
    plan = CrossValidation(str(path), candidates_of(["arc-hybrid:epochs=1"]), folds=8, on_error="skip")
    sentences = list(read(path, check="tree", on_error="skip"))
    job = plan.jobs(sentences)[0]
    assert work(json.loads(job.order()))["parsing"]["sentences"] == 5
