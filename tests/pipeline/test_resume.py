"""A training that is killed in any stage goes on there, and gives the same bytes."""

import os
import signal
import subprocess
import sys

import pytest

import crossarc
from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from crossarc.pipeline.stages import STAGES, stage_files
from crossarc.tagging import Tagger, Tokenizer, jackknife_tags
from crossarc.treebank import write
from graph_treebank import graph_treebank

EPOCHS = {"tokenizer": 12, "tagger": 2, "parser": 3, "graph": 3}


class KilledError(Exception):
    pass


def make(**options):
    options = {"jackknife": 3, "tagger": {"epochs": 2}, "epochs": 3, "graph": "dag-covington", **options}
    return Pipeline("arc-hybrid", **options)


class Watch:
    """Counts what a training says, stage by stage, and kills it after so many events of one kind in a stage."""

    def __init__(self, stage="", event="", count=0):
        self.place, self.count = (stage, event), count
        self.stages, self.epochs, self.steps, self.words = [], {}, {}, {}

    def hear(self, event):
        if (self.stages[-1], event) == self.place:
            self.count -= 1
            if not self.count:
                raise KilledError

    def on_stage(self, name):
        self.stages.append(name)
        self.hear("stage")

    def on_step(self, done, of):
        self.steps.setdefault(self.stages[-1], []).append(done)
        self.hear("step")

    def on_epoch(self, epoch):
        self.epochs.setdefault(self.stages[-1], []).append((epoch.number, epoch.seconds > 0))
        self.hear("epoch")

    def on_progress(self, progress):
        self.words.setdefault(self.stages[-1], []).append((progress.epoch, progress.words, progress.of))
        self.hear("progress")

    @property
    def options(self):
        return {name: getattr(self, name) for name in ("on_stage", "on_step", "on_epoch", "on_progress")}


@pytest.fixture(scope="module")
def sentences():
    return graph_treebank(40)


@pytest.fixture(scope="module")
def whole(sentences, tmp_path_factory):
    path = tmp_path_factory.mktemp("resume") / "whole"
    make().fit(sentences, sentences[:9]).save(path)
    return path.read_bytes()


KILLS = [
    *((stage, "stage", 1) for stage in STAGES),
    *((stage, "epoch", 2) for stage in EPOCHS),
    *((stage, "progress", epochs) for stage, epochs in EPOCHS.items()),
    *((stage, "step", 2) for stage in ("tagger", "jackknife")),
]


@pytest.mark.parametrize(("stage", "event", "count"), KILLS)
def test_a_killed_pipeline_goes_on_where_it_was(sentences, whole, tmp_path, stage, event, count):
    path = tmp_path / "m"
    options = {"checkpoint": f"{path}.checkpoint"}
    first = Watch(stage, event, count)
    with pytest.raises(KilledError):
        make().fit(sentences, sentences[:9], **options, **first.options)
    again = Watch()
    resumed = make().fit(sentences, sentences[:9], **options, resume=True, **again.options)
    resumed.save(path)
    assert path.read_bytes() == whole
    assert os.listdir(tmp_path) == ["m"], "save deletes all checkpoints"
    expected = [name for name in STAGES if STAGES.index(name) >= STAGES.index(stage) or name == "jackknife"]
    assert again.stages == expected, "finished stages do not learn again"
    if event == "epoch":
        assert again.epochs[stage][0] == (1, False), "the first epoch was in the checkpoint"
        assert again.epochs[stage][1][1]
    if (stage, event) == ("tagger", "epoch"):
        assert "tagger" not in again.steps, "its first round was in the checkpoint"


@pytest.mark.parametrize("kind", ["linear", "graphs", "without development set"])
def test_it_may_be_killed_again_and_again(sentences, tmp_path, kind):
    """In every epoch and step of all stages, with the same pipeline trained on."""
    build = {"graphs": lambda: Pipeline("dag-covington", jackknife=2, tagger={"epochs": 2}, epochs=2)}.get(
        kind, lambda: make(graph=None)
    )
    dev = () if kind.startswith("without") else (sentences[:9],)
    build().fit(sentences, *dev).save(tmp_path / "whole")
    killed = 0
    for event in ("epoch", "step"):
        for stage in STAGES:
            watch = Watch(stage, event, 2)
            try:
                pipeline = build()
                pipeline.fit(sentences, *dev, checkpoint=tmp_path / "c", resume=True, **watch.options)
            except KilledError:
                killed += 1
    assert killed >= 3
    build().fit(sentences, *dev, checkpoint=tmp_path / "c", resume=True).save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_networks_with_tags_and_graphs_go_on(sentences, tmp_path):
    """The linear tagger is learned for the graphs alone; the parser has finished when the graphs are killed."""
    small = {"hidden": 8, "lexical_size": 8, "tag_size": 8, "arc_size": 8, "label_size": 8, "epochs": 2}

    def build():
        return Pipeline("neural", graph="dag-covington", jackknife=2, tagger={"epochs": 1}, **small)

    build().fit(sentences, sentences[:9]).save(tmp_path / "whole")
    with pytest.raises(KilledError):
        build().fit(sentences, sentences[:9], checkpoint=tmp_path / "c", **Watch("graph", "epoch", 3).options)
    watch = Watch()
    resumed = build().fit(sentences, sentences[:9], checkpoint=tmp_path / "c", resume=True, **watch.options)
    assert watch.stages == ["jackknife", "graph"]
    assert resumed.tagger is None
    resumed.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_training_from_the_beginning_forgets_the_one_before(sentences, whole, tmp_path):
    """Files of later stages, which another training left, do not stop it or change what it learns."""
    options = {"checkpoint": tmp_path / "c"}
    with pytest.raises(KilledError):
        make(epochs=2, jackknife=2).fit(sentences, sentences[:9], **options, **Watch("graph", "epoch", 2).options)
    left = set(os.listdir(tmp_path))
    assert left == {f"c.{name}" for name in STAGES}
    with pytest.raises(KilledError):
        make().fit(sentences, sentences[:9], **options, **Watch("tokenizer", "epoch", 5).options)
    make().fit(sentences, sentences[:9], **options, resume=True).save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == whole
    assert os.listdir(tmp_path) == ["m"]


def test_other_settings_and_data_are_refused(sentences, tmp_path):
    options = {"checkpoint": tmp_path / "c", "resume": True}
    with pytest.raises(KilledError):
        make().fit(sentences, **options, **Watch("parser", "epoch", 2).options)
    for pipeline, data, message in (
        (make(epochs=4), (sentences,), r"c\.tokenizer: .* parser\.epochs was 3 and is 4"),
        (make(tagger={"epochs": 3}), (sentences,), r"tagger\.epochs was 2 and is 3"),
        (make(jackknife=2), (sentences,), "jackknife was 3 and is 2"),
        (make(max_sentence_words=50), (sentences,), "max_sentence_words was 1000 and is 50"),
        (make(), (sentences[1:],), "the training sentences differ"),
        (make(), (sentences, sentences[:9]), "the development sentences differ"),
    ):
        with pytest.raises(CrossarcError, match=message):
            pipeline.fit(*data, **options)
    (tmp_path / "c.tokenizer").write_bytes(b"broken")
    with pytest.raises(ModelError, match="not a crossarc model"):
        make().fit(sentences, **options)
    with pytest.raises(CrossarcError, match="nothing to resume from"):
        make().fit(sentences, resume=True)


def test_a_tokenizer_and_a_tagger_of_another_training_are_refused(sentences, tmp_path):
    def stop(epoch):
        if epoch.number == 2:
            raise KilledError

    for make_one, changed in ((Tokenizer, {"cut": 3}), (Tagger, {"cost": 0.1})):
        path = tmp_path / make_one.__name__
        with pytest.raises(KilledError):
            make_one().fit(sentences, checkpoint=path, on_epoch=stop)
        with pytest.raises(CrossarcError, match=r"belongs to another training: .* was .* and is"):
            make_one(**changed).fit(sentences, checkpoint=path, resume=True)
        with pytest.raises(CrossarcError, match="the training sentences differ"):
            make_one().fit(sentences[1:], checkpoint=path, resume=True)
        with pytest.raises(CrossarcError, match="nothing to resume from"):
            make_one().fit(sentences, resume=True)
        with pytest.raises(ModelError, match="checkpoint of a training that did not end"):
            crossarc.load(path)


def test_jackknifed_tags_go_on(sentences, tmp_path, monkeypatch):
    expected = [sentence.raw for sentence in jackknife_tags(sentences, folds=3, epochs=1)]
    options = {"folds": 3, "epochs": 1, "checkpoint": tmp_path / "c", "resume": True}

    def stop(fold):
        if fold == 2:
            raise KilledError

    with pytest.raises(KilledError):
        jackknife_tags(sentences, **options, report=stop)
    fitted = []
    fit = Tagger.fit
    monkeypatch.setattr(Tagger, "fit", lambda self, *data: fitted.append(len(data[0])) or fit(self, *data))
    found = jackknife_tags(sentences, **options)
    assert [sentence.raw for sentence in found] == expected
    assert [sentence.source for sentence in found] == [sentence.source for sentence in sentences]
    assert len(fitted) == 1, "two of three folds were done"
    with pytest.raises(CrossarcError, match="folds was 3 and is 2"):
        jackknife_tags(sentences, **{**options, "folds": 2})


def test_copies_own_no_checkpoint(sentences, tmp_path):
    import copy

    pipeline = make(graph=None).fit(sentences, checkpoint=tmp_path / "c")
    for twin in (copy.copy(pipeline), copy.deepcopy(pipeline)):
        assert twin.checkpoint_ is None
        assert all(each.checkpoint_ is None for each in twin.components.values())
    assert isinstance(pipeline.parser, Parser)
    pipeline.save(tmp_path / "m")
    assert os.listdir(tmp_path) == ["m"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("line", ["epoch 3/12", "epoch 1/6", "graph "])
def test_a_process_that_is_killed(sentences, tmp_path, line):
    """SIGKILL while the tokenizer, the tagger or the parser of graphs learns; the command line goes on."""
    write(sentences * 3, tmp_path / "t.conllu")
    options = ["--pipeline", "--parser", "arc-hybrid", "--graph", "dag-mst", "--jackknife", "2", "--epochs", "3"]
    command = [sys.executable, "-m", "crossarc", "train", *options, "--train", str(tmp_path / "t.conllu"), "-o"]
    process = subprocess.Popen([*command, str(tmp_path / "m")], stderr=subprocess.PIPE, text=True)
    said = []
    for text in process.stderr:
        said.append(text)
        if text.startswith(line):
            process.send_signal(signal.SIGKILL)
            break
    process.communicate()
    assert process.returncode == -signal.SIGKILL, said
    assert not (tmp_path / "m").exists()
    resume = [*command, str(tmp_path / "m"), "--resume"]
    again = subprocess.run(resume, capture_output=True, text=True, check=True).stderr
    assert not any(character in again for character in "\x1b\r"), "no bars in a pipe"
    assert ("tokenizer: " in again, "tagger: " in again) == (line == "epoch 3/12", line != "graph ")
    subprocess.run([*command, str(tmp_path / "other")], capture_output=True, check=True)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "other").read_bytes()
    assert not [path for path in stage_files(tmp_path / "m.checkpoint").values() if os.path.exists(path)]
