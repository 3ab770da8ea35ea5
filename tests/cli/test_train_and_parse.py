"""`crossarc train` and `parse` as people use them: what they say, warn of, and leave behind when they are stopped."""

import os
import re
import signal
import subprocess
import sys

import pytest

from crossarc import load as load_pipeline
from crossarc.cli.info import describe_model
from crossarc.cli.parse import default_threads
from crossarc.errors import CrossarcError
from crossarc.parsers import Parser, load
from crossarc.treebank import read, write

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and terminals")


@pytest.fixture(scope="module")
def model(example, tmp_path_factory):
    """A model that learned from all columns of the example treebank."""
    path = tmp_path_factory.mktemp("model") / "m.crossarc"
    Parser("arc-hybrid", epochs=3).fit(example).save(path)
    return path


def test_parse_follows_the_policy(crossarc, model, example, malformed, tmp_path):
    bad = malformed / "columns-few.conllu"
    path = tmp_path / "out.conllu"
    code, err = crossarc("parse", model, example, bad, "-o", path)
    assert (code, path.exists()) == (2, False)
    assert "columns-few.conllu:6: sentence 's1': 9 columns instead of 10; give" in err
    assert "--on-error skip leaves such sentences out" in err
    code, err = crossarc("parse", model, example, bad, "-o", path, "--on-error", "skip")
    left = len(list(read(path)))
    assert (code, "1 left out" in err, left >= 40) == (0, True, True)
    code, err = crossarc("parse", model, example, bad, "-o", path, "--on-error", "fix")
    assert (code, "1 fixed" in err, len(list(read(path)))) == (0, True, left + 1)
    code, err = crossarc("parse", model, example, "-o", path, "--on-error", "ignore")
    assert (code, "no policy for errors 'ignore'" in err) == (2, True)


def test_a_beam_is_refused_for_one_reason(crossarc, example, tmp_path):
    Parser("mst", epochs=1).fit(example).save(tmp_path / "m.crossarc")
    code, err = crossarc("parse", tmp_path / "m.crossarc", example, "--beam", 4)
    assert (code, err.count("\n"), "parsers that score arcs find the best tree without one" in err) == (2, 1, True)


def test_parse_knows_plain_text(crossarc, model, tmp_path):
    (tmp_path / "news.txt").write_text("Snow fell on the hills.\n")
    code, err = crossarc("parse", model, tmp_path / "news.txt")
    assert (code, "this looks like plain text, which must be split into words first" in err) == (2, True)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_named(model, example):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "crossarc", "parse", model, example]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "crossarc: standard output: No space left on device\n")


def without(sentences, *columns):
    """The sentences with nothing in some columns."""
    for sentence in sentences:
        yield sentence.replace(**{column: ["_"] * (len(sentence) + 1) for column in columns})


def test_train_says_what_it_found_and_chose(crossarc, example, tmp_path):
    path = tmp_path / "m.crossarc"
    code, err = crossarc("train", "--train", example, "--dev", example, "-o", path, "--epochs", 2)
    assert code == 0
    lines = err.splitlines()
    assert lines[0] == f"{example}: 40 sentences, 318 words, no errors"
    assert lines[2].startswith("parser carreras-npa, recommended for this treebank: 30% of the sentences are non-")
    numbers = r"\d+\.\d\d%  dev LAS \d+\.\d\d  UAS \d+\.\d\d  [\d,k]+ tokens/s"
    assert re.fullmatch(rf"epoch 1/2  wrong or unsure {numbers}", lines[3])
    assert lines[5] == "carreras-npa can build 100.0% of the training trees and 100.0% of their arcs"
    assert re.fullmatch(r"best: epoch \d, dev LAS [\d.]+, UAS [\d.]+\. Saved .*m\.crossarc \(\d\.\d MB\)", lines[6])
    assert len(lines) == 7
    assert os.listdir(tmp_path) == ["m.crossarc"]
    code, err = crossarc("train", "--train", example, "-o", path, "--epochs", 1, "--parser", "arc-hybrid")
    assert "recommended" not in err
    assert re.search(r"epoch 1/1  wrong \d+\.\d\d%  [\d,k]+ tokens/s", err)
    assert "arc-hybrid can build 70.0% of the training trees and 9" in err


def test_train_learns_from_all_files_given(crossarc, example, tmp_path):
    sentences = list(read(example))
    write(sentences[:25], tmp_path / "a.conllu")
    write(sentences[25:], tmp_path / "b.conllu")
    path = tmp_path / "m.crossarc"
    settings = ("-o", path, "--epochs", 2, "--parser", "swap")
    code, err = crossarc("train", "--train", tmp_path / "a.conllu", "--train", tmp_path / "b.conllu", *settings)
    assert code == 0
    assert f"{tmp_path}/a.conllu: 25 sentences" in err
    assert f"{tmp_path}/b.conllu: 15 sentences" in err
    assert load(path).manifest_["data"]["source"] == "a.conllu + b.conllu"
    together = load(path)
    crossarc("train", "--train", example, *settings)
    assert [each.heads.tolist() for each in together.parse(example)] == [
        each.heads.tolist() for each in load(path).parse(example)
    ]


def test_train_follows_the_policy(crossarc, malformed, tmp_path):
    path = tmp_path / "m.crossarc"
    train = ("train", "--train", malformed / "cycle.conllu", "-o", path, "--epochs", 1, "--parser", "arc-hybrid")
    code, err = crossarc(*train)
    assert code == 2
    assert "cycle.conllu:6: sentence 's1': heads form a cycle 2 -> 3 -> 4 -> 2; give one" in err
    assert "cycle.conllu: 1 finding (1 cycle); --on-error skip leaves such sentences out, fix repairs them\n" in err
    code, err = crossarc(*train, "--on-error", "skip")
    assert code == 0
    assert "cycle.conllu: 1 sentence, 1 word, 1 finding (1 cycle): 1 left out\n" in err
    assert (
        "cycle.conllu: 2 sentences, 5 words, 1 finding (1 cycle): 1 fixed\n" in crossarc(*train, "--on-error", "fix")[1]
    )
    code, err = crossarc(*train, "--on-error", "ignore")
    assert (code, "no policy for errors 'ignore'" in err) == (2, True)


def test_train_refuses_settings_before_it_reads(crossarc, tmp_path):
    (tmp_path / "c.toml").write_text("epoch = 3\n")
    train = ("train", "--train", tmp_path / "not-there.conllu", "-o", tmp_path / "m.crossarc")
    code, err = crossarc(*train, "--config", tmp_path / "c.toml")
    assert (code, "no setting 'epoch'; did you mean 'epochs'?" in err) == (2, True)
    code, err = crossarc(*train, "--learner", "guess")
    assert (code, "no learner 'guess'" in err) == (2, True)
    code, err = crossarc(*train, "--parser", "mst", "--fast")
    assert (code, "setting fast belongs to transition parsers" in err) == (2, True)


def test_train_takes_any_setting(crossarc, example, tmp_path):
    """What has no option of its own is given by --set; the model is that of the same settings in Python."""
    path, config = tmp_path / "m.crossarc", tmp_path / "settings.toml"
    config.write_text('parser = "swap"\ncut = 5\nexplore = 0.5\n')
    chosen = ("--config", config, "--epochs", 1, "--set", "cut=2", "--set", "features=stack-compact", "-o", path)
    code, err = crossarc("train", "--train", example, *chosen)
    assert code == 0, err
    settings = load(path).settings
    assert (settings.parser, settings.cut, settings.features, settings.explore) == ("swap", 2, "stack-compact", 0.5)
    for options, message in (
        (("--set", "epochs=2"), "setting epochs is given twice, by --epochs and by --set; leave one out"),
        (("--set", "cut=2", "--set", "cut=3"), "--set: setting cut is given twice"),
        (("--set", "cut"), "--set: 'cut' is not a setting; write name=value"),
        (("--set", "cutt=3"), "no setting 'cutt'; did you mean 'cut'"),
        (("--set", "transform=head,cap=30"), "transform"),
    ):
        code, err = crossarc("train", "--train", example, "--epochs", 1, "--parser", "swap", *options, "-o", path)
        assert (code, err.count("\n"), message in err) == (2, 1, True), err


def test_pipelines_take_any_setting(crossarc, example, tmp_path):
    path = tmp_path / "m.crossarc"
    chosen = ("--pipeline", "--parser", "arc-hybrid", "--epochs", 1, "--jackknife", 0, "--set", "cut=3")
    code, err = crossarc("train", "--train", example, *chosen, "-o", path)
    assert code == 0, err
    assert load_pipeline(str(path)).parser.settings.cut == 3


def test_train_refuses_a_development_set_without_sentences(crossarc, example, tmp_path):
    (tmp_path / "dev.conllu").touch()
    code, err = crossarc("train", "--train", example, "--dev", tmp_path / "dev.conllu", "-o", tmp_path / "m.crossarc")
    assert (code, "dev.conllu: the development set has no sentence; leave --dev out" in err) == (2, True)
    with pytest.raises(CrossarcError, match="the development set has no sentence"):
        Parser(epochs=1).fit(example, dev=[])


def test_graph_parsers_say_what_their_share_counts(crossarc, example, tmp_path):
    train = ("train", "--train", example, "-o", tmp_path / "m.crossarc", "--epochs", 1, "--parser", "mst")
    assert re.search(r"epoch 1/1  wrong or unsure \d+\.\d\d%", crossarc(*train)[1])
    (tmp_path / "c.toml").write_text("augment = false\n")
    assert re.search(r"epoch 1/1  wrong \d+\.\d\d%", crossarc(*train, "--config", tmp_path / "c.toml")[1])


def test_train_looks_at_its_output_first(crossarc, example, tmp_path):
    for wrong in (tmp_path / "no" / "m.crossarc", tmp_path / "m.gz", tmp_path, "-"):
        code, err = crossarc("train", "--train", example, "-o", wrong)
        assert (code, err.count("\n"), "epoch" in err) == (2, 1, False)


def test_train_from_a_model(crossarc, example, model, tmp_path):
    path = tmp_path / "new.crossarc"
    train = ("train", "--train", example, "--dev", example, "-o", path, "--init", model)
    code, err = crossarc(*train, "--epochs", 2)
    assert code == 0
    assert "parser arc-hybrid, as in the initial model" in err
    assert re.search(r"start  dev LAS \d\d\.\d\d  UAS \d\d\.\d\d\nepoch 1/2", err)
    assert load(path).settings.epochs == 2
    code, err = crossarc(*train, "--parser", "swap")
    assert (code, "'swap' cannot start from the weights of a parser 'arc-hybrid'" in err) == (2, True)


def test_options_go_before_the_settings_file(crossarc, example, tmp_path):
    (tmp_path / "c.toml").write_text("parser = 'planar'\nepochs = 2\n")
    path = tmp_path / "m.crossarc"
    crossarc("train", "--train", example, "-o", path, "--config", tmp_path / "c.toml", "--parser", "swap")
    assert (load(path).settings.parser, load(path).settings.epochs) == ("swap", 2)


@pytest.fixture
def big(example, tmp_path):
    """A treebank that takes some seconds to learn."""
    path = tmp_path / "big.conllu"
    path.write_bytes(example.read_bytes() * 60)
    return path


# Background jobs of a shell ignore interrupts, those of nohup that the terminal is gone, and so would what they start.
LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
from crossarc.cli import main
main()
"""


def start(*arguments, **options):
    """The command line in a process of its own, which hears all signals."""
    command = [sys.executable, "-c", LISTENING, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def read_until(process, text):
    """What the process says up to a line with a text."""
    lines = []
    for line in process.stderr:
        lines.append(line)
        if text in line:
            return lines
    raise AssertionError("".join(lines))


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_training_is_resumed(crossarc, big, tmp_path, number):
    path = tmp_path / "m.crossarc"
    train = ("train", "--train", big, "-o", path, "--epochs", 10, "--parser", "arc-hybrid")
    process = start(*train)
    said = read_until(process, "epoch 2/10")  # the eight that are left give the signal time to arrive
    process.send_signal(number)
    rest = process.communicate(timeout=60)[1]
    assert not any("\x1b" in line or "\r" in line for line in said)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert re.fullmatch(
            r"crossarc: interrupted in epoch \d+; epochs? 1 (is|to \d are) saved in .*m\.crossarc\.checkpoint, "
            r"and --resume continues from there; .*m\.crossarc was not written\n",
            rest,
        )
    else:
        assert process.returncode == -signal.SIGKILL
    assert not path.exists()
    code, err = crossarc("info", f"{path}.checkpoint")
    assert (code, "checkpoint of a training that did not end" in err) == (2, True)
    code, err = crossarc(*train, "--seed", 9, "--resume")
    assert (code, "seed was 1 and is 9" in err) == (2, True)
    code, err = crossarc(*train, "--resume")
    assert code == 0
    assert re.search(r"epoch 1/10  wrong \S+  before the interruption\n", err)
    assert not os.path.exists(f"{path}.checkpoint")
    Parser("arc-hybrid", epochs=10).fit(big).save(tmp_path / "whole.crossarc")
    assert path.read_bytes() == (tmp_path / "whole.crossarc").read_bytes()


def test_checkpoints_are_announced(crossarc, example, tmp_path):
    path = tmp_path / "m.crossarc"
    train = ("train", "--train", example, "-o", path, "--epochs", 1, "--parser", "swap")
    code, err = crossarc(*train, "--resume")
    assert (code, f"there is no {path}.checkpoint to resume from" in err) == (0, True)
    (tmp_path / "m.crossarc.checkpoint").write_text("left")
    code, err = crossarc(*train)
    assert (code, f"{path}.checkpoint is from an interrupted training" in err) == (0, True)


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminated_parse_leaves_no_part(model, big, tmp_path, number):
    """The input never ends, so the signal comes while the output is written."""
    process = start("parse", model, "-", "-o", tmp_path / "o.conllu", stdin=subprocess.PIPE)
    written = big.read_bytes()
    for _ in range(20):
        process.stdin.buffer.write(written)
    process.stdin.flush()
    assert list(tmp_path.glob("*.part"))
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert (process.returncode, said) == (128 + number, "crossarc: terminated; no file was changed\n")
    assert list(tmp_path.iterdir()) == [big]


def test_a_terminal_has_a_bar(big, tmp_path, model, on_terminal):
    files = ("--train", big, "--dev", big, "-o", tmp_path / "m")
    said = on_terminal("train", *files, "--epochs", 2, "--parser", "planar", columns=120)
    assert re.search(
        r"epoch 2/2 .*━.* wrong \d+\.\d\d%  dev LAS \d\d\.\d\d  UAS \d\d\.\d\d  \S+ tokens/s  0:\d\d left", said
    )
    assert "Saved" in said
    said = on_terminal("parse", model, big, "-o", tmp_path / "p.conllu")
    assert re.search(r"big\.conllu .*━.* tokens/s", said)


def test_parse_warns_of_columns_that_are_missing(crossarc, example, model, tmp_path):
    raw, bare = tmp_path / "raw.conllu", tmp_path / "bare.conllu"
    write(without(read(example), "upos", "xpos"), raw)
    write(without(read(example), "lemmas", "upos", "xpos", "feats"), bare)
    output = tmp_path / "out.conllu"
    code, err = crossarc("parse", model, example, raw, bare, "-o", output)
    assert code == 0
    remedy = "but the model learned from them, so expect more mistakes; fill them first, or train a model without them"
    assert err.splitlines()[:-1] == [
        f"crossarc: {raw}: UPOS and XPOS are empty, {remedy}",
        f"crossarc: {bare}: LEMMA, UPOS, XPOS and FEATS are empty, {remedy}",
    ]
    assert re.fullmatch(rf"{output}: 120 sentences, 954 words, [\d,]+ tokens/s", err.splitlines()[-1])


def test_models_without_tags_need_none(crossarc, example, tmp_path, caplog):
    bare = tmp_path / "bare.conllu"
    write(without(read(example), "lemmas", "upos", "xpos", "feats"), bare)
    parser = Parser("swap", epochs=8).fit(bare)
    assert parser.evaluate(bare).las > 85
    parser.save(tmp_path / "m.crossarc")
    code, err = crossarc("parse", tmp_path / "m.crossarc", bare, "-o", tmp_path / "out.conllu")
    assert (code, err.count("\n")) == (0, 1)
    assert not caplog.messages
    tagged = Parser("swap", epochs=1).fit(example)
    list(tagged.parse(bare))
    list(tagged.parse(read(bare)))
    assert [message.partition(" are empty")[0] for message in caplog.messages] == [
        f"{bare}: LEMMA, UPOS, XPOS and FEATS",
        "the input: LEMMA, UPOS, XPOS and FEATS",
    ]


def test_a_column_may_be_empty_by_chance(crossarc, example, tmp_path):
    """A short text without features is no surprise where few words have any."""
    sentences = list(read(example))
    few = [sentence.replace(feats=["", "A=1", *["_"] * (len(sentence) - 1)]) for sentence in sentences]
    Parser("swap", epochs=1).fit(few).save(tmp_path / "m.crossarc")
    assert 0.1 < load(tmp_path / "m.crossarc").columns["feats"] < 0.2
    for count, warned in ((3, False), (40, True)):
        write(without(sentences[:count], "feats"), tmp_path / "raw.conllu")
        err = crossarc("parse", tmp_path / "m.crossarc", tmp_path / "raw.conllu", "-o", tmp_path / "out.conllu")[1]
        assert ("FEATS is empty, but the model learned from it" in err) == warned


def test_long_sentences_are_counted(crossarc, example, tmp_path):
    Parser("covington", epochs=2).fit(example).save(tmp_path / "m.crossarc")
    lines = [f"{i}\tw{i}\tw\tNOUN\tNN\t_\t_\t_\t_\t_\n" for i in range(1, 1_002)]
    (tmp_path / "long.conllu").write_text("".join([*lines, "\n", *lines[:50], "\n"]))
    code, err = crossarc("parse", tmp_path / "m.crossarc", tmp_path / "long.conllu", "-o", tmp_path / "out.conllu")
    assert code == 0
    assert "crossarc: 1 sentence of more than 1,000 words: words further apart than 500" in err
    assert [sentence.is_tree for sentence in read(tmp_path / "out.conllu")] == [True, True]


def test_lengths_say_what_they_leave_out(crossarc, example, tmp_path):
    config, model, parsed = tmp_path / "own.toml", tmp_path / "m.crossarc", tmp_path / "out.conllu"
    config.write_text('parser = "mst"\nlengths = true\nepochs = 1')
    _, err = crossarc("train", "--train", example, "--dev", example, "-o", model, "--config", config)
    left_out = re.search(r"on the development set lengths left out \d+\.\d% of all arcs between words", err)[0]
    assert left_out in " ".join(str(row) for row in describe_model(load(model)).values())
    _, err = crossarc("parse", model, example, "-o", parsed)
    assert re.search(r"lengths left out \d+\.\d% of all arcs between words; sentences without a tree then: 0", err)


def test_threads_are_as_many_as_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert default_threads() == 2
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert default_threads() == 4
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert default_threads() == 1


def test_info_and_parsers_speak_to_people(run_crossarc, model, example):
    def printed(*arguments):
        _, out, _ = run_crossarc(*arguments)
        return re.sub(r" +", " ", re.sub(r"\n {20,}", " ", out))  # broken cells in one line

    text = printed("info", model)
    assert " learned from example.conllu: 40 sentences, 318 words\n" in text
    assert " can build 70.0% of those trees, 9" in text
    assert re.search(r" words with LEMMA 100%, UPOS 100%, XPOS 100%, FEATS \d\d%\n", text)
    assert "started from" not in text
    text = printed("parsers")
    assert " arc-hybrid projective learns from its own mistakes\n" in text
    own = "learns from its own mistakes"
    assert f" two-planar-label 2-planar {own}; undirected; directions by its labels\n" in text
    assert " arc-eager-pp nearly all learns from its own mistakes; makes trees" in text
    assert f" planar-naive projective {own}; undirected; directions by walking" in text
