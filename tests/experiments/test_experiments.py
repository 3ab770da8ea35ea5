"""Experiments: definitions, the cache, jobs that fail or are killed, tables and pages."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from crossarc.errors import CrossarcError
from crossarc.experiments import (
    METRICS,
    Experiment,
    Result,
    get_metric,
    read_experiment,
    run,
    runner,
    tables,
    write_page,
)
from crossarc.experiments.worker import work

ROOT = Path(__file__).resolve().parents[2]
DEFINITION = """
title = "Small"
parsers = ["arc-hybrid", "swap"]
treebanks = ["small"]
settings = { epochs = 1 }
"""


@pytest.fixture
def data(tmp_path, example):
    """A folder of two treebanks, one of them with a sentence that is not a tree."""
    for name in ("small", "broken"):
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        for part in ("train", "dev", "test"):
            shutil.copy(example, folder / f"{part}.conllu")
    path = tmp_path / "data" / "broken" / "train.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n" + path.read_text())
    return tmp_path / "data"


@pytest.fixture
def define(tmp_path):
    def write(text):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return path

    return write


FIGURES = 'print(json.dumps({"result": {"seed": order["settings"]["seed"]}}))\n'


def experiment(**options):
    return Experiment(**{"title": "t", "parsers": ["arc-hybrid"], "treebanks": ["small"], **options})


def states(jobs, cache, **options):
    """The results of a run, and what became of each job."""
    news = []
    results = run(jobs, cache, report=lambda progress: news.append((progress.job.name, progress.state)), **options)
    return results, [each for each in news if each[1] != "epoch"]


@pytest.mark.parametrize("path", sorted(ROOT.glob("experiments/*.toml")), ids=lambda path: path.stem)
def test_our_own_definitions(path):
    assert read_experiment(path).parsers


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("title = x", r"mine.toml: .*line 1"),
        ("title = 'x'\nparsers = ['swap']", r"there is no treebanks; write treebanks = \["),
        (DEFINITION.replace("swap", "swop"), "no parser 'swop'; did you mean 'swap'"),
        (DEFINITION.replace("epochs", "epoch"), "no setting 'epoch'; did you mean 'epochs'"),
        (DEFINITION + "column = ['las']", "no entry 'column'; did you mean 'columns'"),
        (DEFINITION + "columns = ['ls']", "no metric 'ls'; did you mean 'las'"),
        (DEFINITION + "columns = ['lengths:7+']", "no breakdown 'lengths'"),
        (DEFINITION + "columns = ['length:']", "names no bin"),
        (DEFINITION + "pairs = [['swap', 'planar']]", "no parser in this experiment 'planar'"),
        (DEFINITION + "among_all = ['swop']", "no parser in this experiment 'swop'; did you mean 'swap'"),
        (DEFINITION + "pairs = [['swap']]", "pairs"),
        (DEFINITION + "punctuation = 'none'", "punctuation = 'none': Input should be 'counted', 'left out' or 'both'"),
        ("", "there is no title; write title = "),
        ("title = 'x'\nparsers = [['swap']]\ntreebanks = ['x']", "names of presets in quotes"),
        ("title = 'x'\nparsers = []\ntreebanks = ['x']", "names no parser"),
    ],
)
def test_bad_definitions(define, text, complaint):
    with pytest.raises(CrossarcError, match=complaint) as error:
        read_experiment(define(text))
    assert "mine.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_treebanks_are_found(data, example):
    with pytest.raises(CrossarcError, match=r"no treebank 'smal'; it has broken, small"):
        experiment(treebanks=["smal"]).jobs(data)
    (data / "small" / "train.conllu").rename(data / "small" / "xx_small-ud-train.conllu")
    (job,) = experiment().jobs(data)
    assert job.treebank.files["train"].endswith("xx_small-ud-train.conllu")
    shutil.copy(example, data / "small" / "train.conllu")
    with pytest.raises(CrossarcError, match="both look like the train part"):
        experiment().jobs(data)
    (data / "broken" / "dev.conllu").unlink()
    assert "dev" not in experiment(treebanks=["broken"]).jobs(data)[0].treebank.files
    with pytest.raises(CrossarcError, match=r"there is no dev\.conllu"):
        experiment(treebanks=["broken"], score="dev").jobs(data)


def test_keys_follow_what_matters(data, tmp_path):
    features = tmp_path / "features.toml"
    features.write_text('[addresses]\ns0 = "stack[0]"\n[templates]\nmine = ["s0.form"]\n')

    def key(**options):
        (job,) = experiment(**options).jobs(data)
        return job.key

    assert key(parsers=["mst"]) != key(parsers=["eisner"])  # whose feature models have another kind
    keys = [key(), key(seeds=[2]), key(settings={"epochs": 3}), key(score="dev"), key(parsers=["swap"])]
    keys.append(key(settings={"features": str(features)}))
    features.write_text(features.read_text().replace("form", "lemma"))
    keys.append(key(settings={"features": str(features)}))
    assert len(set(keys)) == len(keys)
    assert key(settings={"epochs": 10}) == keys[0]  # the default
    assert key(parsers={"my name for it": {"parser": "arc-hybrid"}}) == key(title="another") == keys[0]
    with open(data / "small" / "train.conllu", "a") as file:
        file.write("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert key() != keys[0]


def test_jobs_run_once(data, tmp_path):
    """Real jobs: figures are kept, one that is lost or damaged runs again, and the same seed gives the same model."""
    jobs = experiment(parsers=["arc-hybrid", "swap"], settings={"epochs": 1}).jobs(data)
    first, news = states(jobs, tmp_path / "cache", workers=2)
    assert sorted(news) == [(name, state) for name in ("arc-hybrid", "swap") for state in ("done", "started")]
    figures = first[0].figures
    assert figures["scores"]["las"] > 0
    assert figures["training"]["peak_memory"] > 1e6
    assert len(figures["training"]["epochs"]) == 1
    for name in METRICS:
        get_metric(name).find(figures)
    second, news = states(jobs, tmp_path / "cache")
    assert news == [("arc-hybrid", "kept"), ("swap", "kept")]
    assert second == first
    kept = tmp_path / "cache" / jobs[1].file_name
    kept.write_text(kept.read_text()[:100])
    third, news = states(jobs, tmp_path / "cache")
    assert news == [("arc-hybrid", "kept"), ("swap", "started"), ("swap", "done")]
    assert third[1].figures["model"] == first[1].figures["model"]
    assert third[1].figures["scores"] == first[1].figures["scores"]
    whole = kept.read_text()
    for changed in (whole.replace('"las": ', '"las": 1', 1), whole.replace("digest", "x"), "[" * 100_000, "[]"):
        assert changed != whole
        kept.write_text(changed)
        assert runner.read_result(tmp_path / "cache", jobs[1]) is None


def test_a_failing_job_leaves_the_others_alone(data, tmp_path):
    jobs = experiment(treebanks=["broken", "small"], settings={"epochs": 1}).jobs(data)
    results, _ = states(jobs, tmp_path / "cache")
    assert [result.failed for result in results] == [True, False]
    assert re.search(r"train\.conllu:1: .*cycle", results[0].error)
    again, news = states(jobs, tmp_path / "cache")
    assert [state for _, state in news] == ["kept", "kept"]
    assert again[0].error == results[0].error
    _, news = states(jobs, tmp_path / "cache", retry=True)
    assert [state for _, state in news] == ["kept", "started", "failed"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("os.kill(os.getpid(), 9)", "killed by signal 9"),
        ("sys.exit('no memory left')", "ended with exit code 1: no memory left"),
        ("print('{\"result', end='')", "ended with exit code 0"),
        ('print(json.dumps({"error": "bad"}))', "bad"),
    ],
)
def test_the_ways_of_failing(data, tmp_path, stub, code, error):
    stub(code)
    (result,) = run(experiment().jobs(data), tmp_path / "cache")
    assert result.failed
    assert result.error == error


def test_a_process_that_never_starts(data, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "COMMAND", [sys.executable, "-c", "import sys; sys.stdin.close(); sys.exit(3)"])
    (result,) = run(experiment().jobs(data), tmp_path / "cache")
    assert result.error == "ended with exit code 3"


def test_same_jobs_run_once_and_anew_runs_all(data, tmp_path, stub):
    stub(FIGURES)
    plan = experiment(parsers={"one": {"parser": "swap"}, "other": {"parser": "swap"}}, seeds=[1, 2])
    results, news = states(plan.jobs(data), tmp_path / "cache")
    assert [(result.job.name, result.figures["seed"]) for result in results] == [
        ("one", 1),
        ("one", 2),
        ("other", 1),
        ("other", 2),
    ]
    assert sum(state == "started" for _, state in news) == 2
    _, news = states(plan.jobs(data), tmp_path / "cache", rerun=True)
    assert sum(state == "started" for _, state in news) == 2


def test_an_interrupted_run_goes_on(data, tmp_path, stub):
    """What was finished is kept, what was under way is ended and leaves no trace."""
    jobs = experiment(seeds=[1, 2, 3]).jobs(data)
    stub(
        FIGURES
        + 'if order["settings"]["seed"] > 1: print(json.dumps({"epoch": os.getpid()}), flush=True), time.sleep(60)'
    )
    pids = []

    def interrupt(news):
        if news.state == "epoch":
            pids.append(news.epoch)
            raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(jobs, tmp_path / "cache", report=interrupt)
    assert time.monotonic() - begin < 30
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
    assert os.listdir(tmp_path / "cache") == [jobs[0].file_name]
    stub(FIGURES)
    results, news = states(jobs, tmp_path / "cache")
    assert [state for _, state in news].count("kept") == 1
    assert [result.figures["seed"] for result in results] == [1, 2, 3]


def test_a_worker_ends_with_its_runner(data):
    """When the runner is killed its end of the pipe closes, and training for ever stops."""
    (job,) = experiment(settings={"epochs": 100_000}).jobs(data)
    process = subprocess.Popen(
        runner.COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with process:
        process.stdin.write(job.order() + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"epoch": 1}
        process.stdin.close()
        process.stdout.close()
        assert process.wait(30) == 1


def test_what_a_job_tells(data):
    (job,) = experiment(settings={"epochs": 2}).jobs(data)
    epochs = []
    figures = work(json.loads(job.order()), epochs.append)
    assert [epoch.number for epoch in epochs] == [1, 2]
    rows = {row["name"]: row["labelled"] for row in figures["breakdowns"]["projectivity"]}
    assert get_metric("projectivity:non-projective").find(figures) == rows["non-projective"]["recall"]
    assert get_metric("np_recall").find(figures) == rows["non-projective"]["recall"]
    assert get_metric("label:no such label").find(figures) is None
    told, scores = figures["sentences"], figures["scores"]
    assert sum(told["words"]) == figures["parsing"]["words"]
    assert sum(told["without_punctuation"]["words"]) < sum(told["words"])
    for name, figure in (("las", "las"), ("uas", "uas"), ("undirected", "undirected_uas")):
        for counts, found in ((told, figure), (told["without_punctuation"], f"{figure}_no_punct")):
            assert get_metric(found).find(figures) == pytest.approx(100 * sum(counts[name]) / sum(counts["words"]))
    assert sum(told["without_punctuation"]["las"]) == scores["without_punctuation"]["right"]


def test_what_lengths_leave_out(data):
    (job,) = experiment(parsers=["mst"], settings={"epochs": 1, "lengths": True}).jobs(data)
    figures = work(json.loads(job.order()))
    found = figures["model"]["pruning"]
    assert get_metric("pruned").find(figures) == pytest.approx(100 * found["pruned"] / found["arcs"])
    assert 0 < found["pruned"] < found["arcs"]


def made_up(jobs, values):
    """Results with a LAS each; None fails."""
    parts = {"training": {"data": {"words": 1000}}, "parsing": {"words": 100, "cpu_seconds": 0.1}}
    return [
        Result(job, None, "out of luck")
        if las is None
        else Result(job, {**parts, "scores": {"las": las, "non_projective": {"gold": 7}}})
        for job, las in zip(jobs, values, strict=True)
    ]


def test_tables(data):
    plan = experiment(parsers=["swap", "planar"], seeds=[1, 2], columns=["las", "tokens_per_second"], overview=["las"])
    text = tables(plan, made_up(plan.jobs(data), [80.0, 82.0, None, None]))
    assert "| parser | small |\n|---|---:|\n| swap | 81.00 ± 1.41 |\n| planar | failed |" in text
    assert "**small**: 1,000 training words, 100 scored words with 7 non-projective" in text
    assert "| swap | 81.00 ± 1.41 | 1,000 ± 0 |" in text
    assert "- planar on small, seed 1: out of luck" in text
    assert "Mean and standard deviation of 2 seeds" in text
    plan = experiment(columns=["las"])
    assert "| arc-hybrid | 80.00 |" in tables(plan, made_up(plan.jobs(data), [80.0]))


def by_sentence(result, uas, words, las=None, **more):
    """The result with the words of each sentence that have the right head."""
    told = {"words": words, "uas": uas, "las": las or uas, **more}
    return replace(result, figures={**(result.figures or {}), "sentences": told})


def test_pairs_of_parsers(data):
    """The sentences that each parser wins, and the score of the better parse of each."""
    plan = experiment(parsers=["swap", "planar"], treebanks=["small", "broken"], columns=[], pairs=[("swap", "planar")])
    plan.check()
    results = made_up(plan.jobs(data), [50.0] * 4)
    words = [4, 4, 2, 10]
    results[0] = by_sentence(results[0], [4, 1, 2, 5], words)
    results[1] = by_sentence(results[1], [3, 1, 2, 8], words)
    text = tables(plan, results)
    assert "| swap better, % of sentences | 25.0 |  |  |" in text  # the other treebank's results are older
    assert "| planar better, % of sentences | 25.0 |  |  |" in text
    assert "| UAS of the better parse | 75.00 (+15.00) |  |  |" in text  # 15 of 20 words, the first alone has 12
    assert "| UAS, second - first (p) | +10.00 (1.0000) |  |  |" in text  # -1 and +3: no shuffle gives less than 2
    results[2] = by_sentence(results[2], [1, 2], [2, 2])
    results[3] = by_sentence(results[3], [1, 1], [2, 2])
    text = tables(plan, results)
    assert "| UAS of the better parse | 75.00 (+15.00) | 75.00 (+0.00) | 75.00 (+7.50) |" in text
    assert "| LAS, second - first (p) | +10.00 (1.0000) | -25.00 (1.0000) | -7.50 |" in text
    assert text.count("sentence by sentence") == 1
    assert "punctuation counted. LAS" in text


def test_the_p_value_of_a_pair(data):
    """LAS and UAS have a p value each, and seeds are shuffled together."""
    plan = experiment(parsers=["swap", "planar"], seeds=[1, 2], columns=[], pairs=[("swap", "planar")])
    results = made_up(plan.jobs(data), [50.0] * 4)
    words, heads, labels = [4] * 40, [3] * 40, [2] * 40
    for number, more in enumerate([0, 0, 1, 1]):
        results[number] = by_sentence(results[number], [each + more for each in heads], words, labels)
    text = tables(plan, results)
    assert "| LAS, second - first (p) | +0.00 (1.0000) |" in text
    assert "| UAS, second - first (p) | +25.00 (0.0001) |" in text
    assert "randomised comparator with 10,000 shuffles" in text
    # What one seed gains and the other loses in the same sentence says nothing for either parser.
    results[3] = by_sentence(results[3], [2] * 40, words, labels)
    assert "| UAS, second - first (p) | +0.00 (1.0000) |" in tables(plan, results)
    # A seed that failed is left out on both sides.
    results[3] = replace(results[3], figures=None, error="out of luck")
    assert "| UAS, second - first (p) | +25.00 (0.0001) |" in tables(plan, results)


@pytest.mark.parametrize(("punctuation", "shown"), [("counted", [0]), ("left out", [1]), ("both", [0, 1])])
def test_pairs_without_punctuation(data, punctuation, shown):
    """Sentences of nothing but punctuation do not count for the shares."""
    options = {"pairs": [("swap", "planar")], "among_all": ["planar"], "punctuation": punctuation}
    plan = experiment(parsers=["swap", "planar"], columns=[], **options)
    results = made_up(plan.jobs(data), [50.0, 60.0])
    for number, (uas, rest) in enumerate([([3, 1, 4], [2, 0, 3]), ([2, 1, 4], [2, 0, 4])]):
        without = {"words": [3, 0, 4], "uas": rest, "las": rest}
        results[number] = by_sentence(results[number], uas, [4, 1, 5], without_punctuation=without)
        scores = results[number].figures["scores"]
        scores |= {"uas": 50.0, "without_punctuation": {"las": 40.0 + number, "uas": 45.0}}
    text = tables(plan, results)
    for number, parts in enumerate(
        [
            [
                "**swap and planar, sentence by sentence**",
                "| swap better, % of sentences | 33.3 |",
                "| planar better, % of sentences | 0.0 |",
                "| UAS of the better parse | 80.00 (+0.00) |",
                "**planar among all parsers**",
                "| small | 60.00 | 55.00 | 7.07 |",
            ],
            [
                "**swap and planar, sentence by sentence, no punct.**",
                "| swap better, % of sentences | 0.0 |",
                "| planar better, % of sentences | 50.0 |",
                "| UAS of the better parse | 85.71 (+14.29) |",
                "**planar among all parsers, no punct.**",
                "| small | 41.00 | 40.50 | 0.71 |",
            ],
        ]
    ):
        for part in parts:
            assert (part in text) == (number in shown)
    assert ("left out if a heading says no punct." in text) == (1 in shown)


def test_a_parser_among_all(data):
    plan = experiment(parsers=["swap", "planar", "covington"], columns=[], among_all=["planar"], overview=[])
    results = made_up(plan.jobs(data), [80.0, 81.0, 85.0])
    for result in results:
        result.figures["scores"]["uas"] = result.figures["scores"]["las"] + 5
    text = tables(plan, results)
    assert "| treebank | LAS | mean of all | SD | UAS | mean of all | SD |" in text
    assert "| small | 81.00 | 82.00 | 2.65 | 86.00 | 87.00 | 2.65 |" in text


def test_the_mean_of_treebanks(data):
    plan = experiment(parsers=["swap", "planar"], treebanks=["small", "broken"], columns=[], overview=["las"])
    text = tables(plan, made_up(plan.jobs(data), [80.0, 70.0, 82.0, None]))
    assert "| parser | small | broken | mean |" in text
    assert "| swap | 80.00 | 82.00 | 81.00 |" in text
    assert "| planar | 70.00 | failed |  |" in text


def test_pages(tmp_path):
    page = tmp_path / "docs" / "page.md"
    plan = experiment(note="Some words.")
    write_page(page, "mine", plan, "table 1\n", "crossarc experiment mine.toml")
    text = page.read_text()
    assert text.startswith(
        "# t\n\nSome words.\n\n<!-- begin experiment mine -->\nMade by `crossarc experiment mine.toml`."
    )
    page.write_text("before\n" + text.partition("words.\n")[2] + "after\n")
    write_page(page, "mine", plan, "table 2\n", "again")
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("table 2\n<!-- end experiment mine -->\nafter\n")
    assert "table 1" not in text
    with pytest.raises(CrossarcError, match="add the lines <!-- begin experiment other -->"):
        write_page(page, "other", plan, "table 3\n", "")
    assert page.read_text() == text


def test_command(data, define, tmp_path, stub, run_crossarc):
    stub(
        "if order['settings']['parser'] == 'swap': sys.exit('no luck')\n"
        "scores = {'las': 81.5, 'non_projective': {'gold': 0}}\n"
        "figures = {'scores': scores, 'training': {'data': {'words': 5}}, 'parsing': {'words': 5}}\n"
        "print(json.dumps({'result': figures}))\n"
    )
    path = define(DEFINITION + "columns = ['las']")

    command = partial(run_crossarc, "experiment", path, "--data", data)
    code, out, err = command("--jobs", 2)
    assert code == 1
    assert "| arc-hybrid | 81.50 |\n| swap | failed |" in out
    assert err.splitlines() == [
        "failed: swap on small, seed 1: ended with exit code 1: no luck",
        "2 jobs: 0 cached, 2 run, 1 failed",
    ]
    assert len(list((tmp_path / ".cache").iterdir())) == 2
    path.write_text(path.read_text().replace(', "swap"', ""))
    code, out, err = command("--output", tmp_path / "page.md")
    assert (code, out) == (0, "")
    assert "1 job: 1 cached, 0 run, 0 failed" in err
    assert "Made by `crossarc experiment" in (tmp_path / "page.md").read_text()
    (tmp_path / "page.md").write_text("my own words")
    code, _, err = command("--output", tmp_path / "page.md", "--anew")
    assert code == 2
    assert "the page has no markers for the tables" in err
    assert " run" not in err


def test_results_belong_to_their_jobs(data):
    (job,) = experiment().jobs(data)
    assert str(replace(job, seed=4)) == "arc-hybrid on small, seed 4"
