"""Text through the command line: `crossarc train --pipeline` and `crossarc parse`."""

import gzip
import io
import json
import sys

import pytest

from crossarc import load
from crossarc.tagging import text_of
from crossarc.treebank import read, write
from graph_treebank import graph_treebank

SMALL = "hidden = 16\nlexical_size = 16\ntag_size = 8\narc_size = 16\nlabel_size = 16\nepochs = 2\n"


@pytest.fixture(scope="module")
def model(example, tmp_path_factory):
    from crossarc.cli.train_pipeline import train_pipeline

    path = tmp_path_factory.mktemp("text") / "m.crossarc"
    options = {"hidden": 16, "lexical_size": 16, "arc_size": 16, "label_size": 16, "epochs": 2}
    train_pipeline([str(example)], str(example), str(path), options, False, "fail")
    return path


def test_train_says_what_it_does(crossarc, example, tmp_path):
    (tmp_path / "s.toml").write_text(SMALL)
    files = ("--train", example, "--dev", example, "-o", tmp_path / "m")
    code, err = crossarc("train", "--pipeline", "--config", tmp_path / "s.toml", *files)
    assert code == 0
    for part in (
        "tokenizer: learning",
        "parser neural\n",
        "epoch 2/2",
        "best: epoch ",
        "\ndevelopment set Tokens Sentences  Words   UPOS UFeats Lemmas    UAS    LAS\n",
        "\nfrom its tokens  ",
        "\nfrom its text  ",
        "Saved",
    ):
        assert part in err
    assert not (tmp_path / "m.checkpoint").exists()
    code, err = crossarc("train", "--graph", "dag-mst", *files)
    assert (code, "add --pipeline" in err) == (2, True)
    code, err = crossarc("train", "--pipeline", "--init", tmp_path / "m", *files)
    assert (code, "leave --init and --directed out" in err) == (2, True)
    for setting, message in (
        ("jackknife = 3", "neural gives tags itself"),
        ('jackknife = "3"', "name the number of folds"),
        ("tagger = 3", "give a table of settings"),
        ("tagger = { colour = 3 }", "no setting of the tagger 'colour'"),
        ('graph = "swap"', "gives trees; name a preset of graphs"),
    ):
        (tmp_path / "s.toml").write_text(f"{SMALL}{setting}\n")
        code, err = crossarc("train", "--pipeline", "--config", tmp_path / "s.toml", *files)
        assert (code, message in err) == (2, True)
    code, err = crossarc("train", "--jackknife", "3", *files)
    assert (code, "--jackknife is for the tagger of a pipeline" in err) == (2, True)


def test_the_fast_pipeline(crossarc, example, tmp_path):
    """Its summary leaves out what the treebank does not have."""
    bare = [sentence.replace(upos=["_"] * (len(sentence) + 1)) for sentence in read(example)]
    write(bare, tmp_path / "t.conllu")
    files = ("--train", tmp_path / "t.conllu", "--dev", tmp_path / "t.conllu", "-o", tmp_path / "m")
    code, err = crossarc("train", "--pipeline", "--fast", "--jackknife", "0", "--epochs", "2", *files)
    assert code == 0
    assert "parser arc-hybrid\n" in err
    assert "best: epoch" in err
    assert "Lemmas" in err
    assert "UPOS" not in err


def test_both_lines_about_the_development_set_have_one_definition(crossarc, example, tmp_path):
    """Labels are cut at the colon in both, so that given tokens are never worse than text for their labels."""
    odd = (
        sentence.replace(deprels=[f"{label}:{k}" for k, label in enumerate(sentence.deprels)])
        for sentence in read(example)
    )
    write(odd, tmp_path / "dev.conllu")
    files = ("--train", example, "--dev", tmp_path / "dev.conllu", "-o", tmp_path / "m")
    err = crossarc("train", "--pipeline", "--fast", "--jackknife", "0", "--epochs", "2", *files)[1]
    las = [float(line.split()[-1]) for line in err.splitlines() if line.startswith("from its")]
    assert min(las) > 20
    assert abs(las[0] - las[1]) < 5


def test_a_small_network_by_name(crossarc, example, tmp_path):
    files = ("--epochs", "1", "--train", example, "-o", tmp_path / "m")
    assert crossarc("train", "--pipeline", "--fast", "--parser", "neural", *files)[0] == 0
    settings = load(tmp_path / "m").parser.settings
    assert (settings.fast, settings.hidden, settings.arc_size) == (True, 96, 128)


def test_pipelines_offer_graphs(crossarc, tmp_path):
    write(graph_treebank(20), tmp_path / "t.conllu")
    files = ("--epochs", "1", "--jackknife", "0", "--train", tmp_path / "t.conllu", "-o", tmp_path / "m")
    err = crossarc("train", "--pipeline", "--fast", *files)[1]
    assert "the treebank has graphs: " in err
    assert "--graph dag-" in err
    assert "has graphs" not in crossarc("train", "--pipeline", "--fast", "--graph", "dag-mst", *files)[1]
    write(
        (sentence.replace(deps=["_"] * (len(sentence) + 1)) for sentence in graph_treebank(20)), tmp_path / "t.conllu"
    )
    assert "has graphs" not in crossarc("train", "--pipeline", "--fast", *files)[1]


def test_an_interrupt_while_graphs_are_learned_leaves_the_parser(crossarc, tmp_path, monkeypatch):
    from crossarc.parsers import Parser

    write(graph_treebank(20), tmp_path / "t.conllu")
    learn = Parser.fit

    def fit(self, *arguments, **options):
        if self.gives_graphs:
            raise KeyboardInterrupt
        return learn(self, *arguments, **options)

    monkeypatch.setattr(Parser, "fit", fit)
    command = ("train", "--pipeline", "--parser", "arc-hybrid", "--graph", "dag-mst", "--jackknife", "0")
    files = ("--epochs", "3", "--train", tmp_path / "t.conllu", "-o", tmp_path / "m")
    code, err = crossarc(*command, *files)
    assert code
    assert "what was learned before is saved in" in err
    monkeypatch.setattr(Parser, "fit", learn)
    assert crossarc(*command, "--resume", *files)[0] == 0
    assert crossarc(*command, *files[:-1], tmp_path / "other")[0] == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "other").read_bytes()


def test_sentences_on_lines_know_their_document(crossarc, model, tmp_path):
    (tmp_path / "a.txt").write_text("She left. They stayed.\n\nWhy?\n")
    (tmp_path / "b.txt").write_text("Go!\n")
    (tmp_path / "c.jsonl").write_text('{"id": "third", "text": "No. Yes."}\n')
    files = (tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "b.txt")
    assert crossarc("parse", model, *files, "--to", "jsonl", "-o", tmp_path / "o")[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "o").read_text().splitlines()]
    assert [line["id"] for line in lines] == ["1", "2", "3", "4", "5"]
    assert [line["document"] for line in lines] == ["a.txt"] * 3 + ["b.txt"] * 2
    assert [line["paragraph"] for line in lines] == [1, 1, 2, 1, 1]
    assert crossarc("parse", model, *files, tmp_path / "c.jsonl", "-o", tmp_path / "o.conllu")[0] == 0
    found = list(read(tmp_path / "o.conllu"))
    assert [sentence.id for sentence in found] == [str(number) for number in range(1, len(found) + 1)]
    assert found[-1].metadata.get("newdoc id", "third") == "third"


def test_files_that_cannot_be_read_are_left_out(crossarc, model, example, tmp_path):
    """The others are parsed, with what comes before the damage; all files are looked at before the first."""
    damaged, text, encoded = tmp_path / "d.conllu.gz", tmp_path / "t.txt", tmp_path / "e.txt"
    damaged.write_bytes(gzip.compress(example.read_bytes() * 200)[:-2000])
    text.write_text("She left.\n")
    encoded.write_bytes("Grüße. Und tschüss.".encode("latin-1"))
    files = (damaged, tmp_path / "none.txt", tmp_path, encoded, text)
    out = tmp_path / "o.conllu"
    for policy in ("skip", "fix"):
        code, err = crossarc("parse", model, *files, "--on-error", policy, "-o", out)
        assert code == 3
        assert f"{damaged}: the gzip data end too early; get the file again; the rest of the file was left out" in err
        assert f"{tmp_path / 'none.txt'}: No such file or directory; the file was left out" in err
        assert f"{tmp_path}: Is a directory; the file was left out" in err
        assert f"{encoded}: byte 3 is not UTF-8" in err
        assert "crossarc: 4 files could not be read\n" in err
        found = list(read(out))
        assert len(found) > 1000
        assert found[-1].forms[1:] == ("She", "left", ".")
        out.unlink()
    code, err = crossarc("parse", model, example, *files, "-o", out)
    assert (code, err, out.exists()) == (2, f"crossarc: {tmp_path / 'none.txt'}: No such file or directory\n", False)


def test_a_text_as_a_name_is_explained(crossarc, model):
    code, err = crossarc("parse", "She left.")
    assert (code, "crossarc parse --text 'She left.'" in err) == (2, True)
    code, err = crossarc("parse", model, "She left.")
    assert (code, "crossarc parse --text 'She left.'" in err) == (2, True)


@pytest.mark.parametrize("name", ["x.docx", "x.docx.gz", "x.csv", "x.PDF"])
def test_names_of_other_kinds_are_refused(crossarc, model, example, tmp_path, name):
    for command in (
        ("parse", model, example),
        ("convert", example),
        ("transform", "projectivize", example),
        ("transform", "encode-graphs", example),
        ("jackknife", example),
    ):
        code, err = crossarc(*command, "-o", tmp_path / name)
        assert (code, f"{name}: " in err, list(tmp_path.glob("x*"))) == (2, True, [])
    assert crossarc("validate", example, "--fix", tmp_path / name)[0] == 2
    assert crossarc("parse", model, example, "--to", "conllu", "-o", tmp_path / name)[0] == 0


@pytest.mark.parametrize("kind", ["txt", "txt.gz", "stdin"])
def test_text_files(crossarc, model, tmp_path, capsys, monkeypatch, kind):
    text = "She left.\r\n\r\nThey stayed, of course.\n"
    path = tmp_path / f"a.{kind}"
    if kind == "txt.gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    source, options = path, ()
    if kind == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        source, options = "-", ("--from", "text")
    assert crossarc("parse", model, source, *options, "-o", tmp_path / "out.conllu")[0] == 0
    assert text_of(read(tmp_path / "out.conllu")) == text


def test_text_as_json_lines_and_pictures(crossarc, model, tmp_path):
    for kind, begin in (("jsonl", '{"id": "1"'), ("svg", "<svg"), ("html", "<!"), ("txt", "# 1  Go on")):
        assert crossarc("parse", model, "--text", "Go on", "-o", tmp_path / f"o.{kind}")[0] == 0
        assert (tmp_path / f"o.{kind}").read_text().startswith(begin)


def test_documents_on_lines_keep_their_fields(crossarc, model, tmp_path):
    documents = [{"id": 7, "text": "She left. They stayed.", "x": [1]}, {"text": " "}, {"id": None, "text": "Yes."}]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    assert crossarc("parse", model, tmp_path / "d.jsonl", "-o", tmp_path / "o.jsonl")[0] == 0
    found = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [{key: each[key] for key in each if key != "sentences"} for each in found] == documents
    assert [[len(s["tokens"]) for s in each["sentences"]] for each in found] == [[3, 3], [], [2]]
    assert crossarc("parse", model, tmp_path / "d.jsonl", "-o", tmp_path / "o.conllu")[0] == 0
    assert [sentence.metadata.get("newdoc id") for sentence in read(tmp_path / "o.conllu")] == ["7", None, "3"]
    assert [sentence.id for sentence in read(tmp_path / "o.conllu")] == ["1", "2", "3"]
    (tmp_path / "bad.jsonl").write_text('{"text": "A."}\n{"no": 1}\n')
    code, err = crossarc("parse", model, tmp_path / "bad.jsonl")
    assert (code, "bad.jsonl:2" in err, "--on-error skip leaves such lines out" in err) == (2, True, True)
    code, err = crossarc("parse", model, tmp_path / "bad.jsonl", "--on-error", "skip", "-o", tmp_path / "o.conllu")
    assert (code, "crossarc: 1 document could not be read\n" in err) == (3, True)


def test_treebank_files_keep_their_tokens_and_tags_if_asked(crossarc, model, example, tmp_path):
    out = tmp_path / "o.conllu"
    assert crossarc("parse", model, example, "--keep-tags", "-o", out)[0] == 0
    gold, got = list(read(example)), list(read(out))
    assert [s.upos for s in gold] == [s.upos for s in got]
    for options in (("--scores", "--k", "2"), ("--constraints",)):
        assert crossarc("parse", model, example, "--keep-tags", *options, "-o", out)[0] == 0
        got = [s for s in read(out) if s.metadata.get("tree_rank", "1").startswith("1")]
        assert [s.upos for s in gold] == [s.upos for s in got]
    assert crossarc("parse", model, example, "--scores", "--k", "2", "-o", out)[0] == 0
    assert next(iter(read(out))).metadata["tree_rank"] == "1 of 2"


def test_what_is_refused(crossarc, model, example, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"caf\xe9.")
    (tmp_path / "two.txt").write_text("Yes. No.")
    (tmp_path / "text.log").write_text("She left.\n")
    two = tmp_path / "two.txt"
    for arguments, message in (
        (("parse",), ""),
        (("parse", model), "there is nothing to parse"),
        (("parse", model, example, "--text", "Hi"), "leave the files out"),
        (("parse", model, example, "--to", "pdf"), "no format 'pdf'"),
        (("parse", model, example, "--from", "pdf"), "no format 'pdf'"),
        (("parse", model, tmp_path / "bad.txt"), "bad.txt: byte 4 is not UTF-8 (0xe9); save the text as UTF-8"),
        (("parse", model, tmp_path / "text.log"), "; --from text parses it as text, --from jsonl as JSON lines"),
        (("parse", model, two, "-o", tmp_path / "o.svg"), "write all to a page with -o NAME.html"),
        (("parse", model, two, "-o", tmp_path / "o.json"), "json is not written; take .jsonl"),
        (("parse", model, two, "-o", tmp_path / "o.png"), "png is not written; take .svg"),
        (("parse", two), "crossarc parse en"),
    ):
        code, err = crossarc(*arguments)
        assert code == 2
        assert message in err


def test_info(crossarc, model, capsys):
    assert crossarc("info", model)[0] == 0


@pytest.mark.parametrize("name", ["en"])
def test_the_model_that_comes_with_crossarc(crossarc, tmp_path, name, monkeypatch):
    """Also where a folder has its name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    text = "She bought a coat yesterday that fits her well."
    assert crossarc("parse", name, "--text", text, "-o", tmp_path / "o.conllu")[0] == 0
    (sentence,) = read(tmp_path / "o.conllu")
    assert sentence.heads.tolist() == [-1, 2, 0, 4, 2, 2, 7, 4, 7, 7, 2]
    assert not sentence.is_projective
