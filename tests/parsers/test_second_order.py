"""Second-order parsers: settings, model files, training that goes on, odd treebanks and sentences."""

from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest

from crossarc.components import streams, write_model
from crossarc.errors import CrossarcError, DecodeError, ModelError
from crossarc.features.templates import TemplateError
from crossarc.parsers import Constraints, Parser, load
from crossarc.parsers.arcs.label_lists import LabelLists
from crossarc.parsers.arcs.second_order import SecondOrderModel
from crossarc.parsers.composites.guided import GuidedModel
from crossarc.parsers.trees import Trees
from crossarc.structure import is_projective
from crossarc.transforms.lifting import lift
from crossarc.treebank import Corpus, Sentence, read
from decode.forest import all_trees
from helpers import scrambled, tree

WAYS = [("carreras", "after"), ("carreras", "joint"), ("carreras-npa", "after"), ("carreras-npa", "joint")]
ways = pytest.mark.parametrize(("name", "labels"), WAYS)


@pytest.fixture(scope="module")
def trained(example):
    return {way: Parser(way[0], epochs=3, labels=way[1]).fit(example) for way in WAYS}


def saved(parser, path):
    """The bytes of a model file."""
    parser.save(path)
    return path.read_bytes()


@ways
def test_the_example_treebank_is_learned(example, name, labels):
    """Nearly all of it; what a projective parser learns are trees made projective."""
    sentences = list(read(example))
    if name == "carreras":
        sentences = [sentence.replace(heads=lift(sentence.heads)[0]) for sentence in sentences]
    assert Parser(name, epochs=15, labels=labels).fit(example).evaluate(sentences).las > 99


@ways
def test_projective_or_not(trained, example, name, labels):
    crossed = sum(not sentence.is_projective for sentence in trained[name, labels].parse(example))
    assert (crossed > 0) == (name == "carreras-npa")


# ---- constraints


@ways
def test_the_parse_under_constraints_is_of_second_order(trained, example, name, labels):
    """Required arcs of the parse itself change nothing; what one other arc changes is a tree of the same search."""
    model = trained[name, labels].model
    changed = 0
    for seed in range(6):
        sentence = scrambled(example, 5, seed)
        tokens = model.attributes.encode(Corpus.of([sentence]))
        (parse,) = trained[name, labels].parse([sentence])
        own = dict(enumerate(parse.heads.tolist()[1:], 1))
        assert model.parse_under(tokens, Constraints(own)).tolist() == parse.heads.tolist()
        for word, head in own.items():
            known = Constraints({}, {(word, head)})
            if not any(known.allow(each) for each in all_trees(5, projective=name == "carreras")):
                continue
            (found,) = trained[name, labels].parse([sentence], k=2, constraints=lambda _, known=known: known)
            assert found.best.heads.tolist() == model.parse_under(tokens, known).tolist()
            first_order = max(found.trees, key=lambda each: each.score)
            changed += first_order is not found.best
    assert changed


def test_crossing_constraints(trained, example):
    sentence, known = scrambled(example, 5, 1), Constraints({2: 5, 4: 1})
    (found,) = trained["carreras-npa", "joint"].parse([sentence], constraints=lambda _: known)
    assert found.is_tree
    assert known.allow(found.heads)
    with pytest.raises(DecodeError, match="required 5 -> 2, required 1 -> 4 leave no projective tree"):
        list(trained["carreras", "joint"].parse([sentence], constraints=lambda _: known))


@ways
def test_lengths_that_leave_no_projective_tree(example, name, labels):
    parser = Parser(name, epochs=1, labels=labels, lengths=True, heads=1).fit(example)
    for seed in range(20):
        (parsed,) = parser.parse([scrambled(example, 12, seed)])
        assert parsed.is_tree
        assert len(parsed.roots) == 1
        assert parsed.is_projective or name == "carreras-npa"


# ---- files, seeds, threads


@ways
def test_files_and_threads_make_no_difference(trained, example, tmp_path, monkeypatch, name, labels):
    monkeypatch.setattr(streams, "BATCH_WORDS", 60)
    parser = trained[name, labels]
    saved(parser, tmp_path / "m")
    again = load(tmp_path / "m")
    parsed = list(parser.parse(example))
    assert list(again.parse(example, threads=3)) == parsed
    assert [found.best.sentence for found in again.parse(example, k=2)] == parsed
    assert saved(again, tmp_path / "n") == (tmp_path / "m").read_bytes()
    assert saved(Parser(name, epochs=3, labels=labels).fit(example), tmp_path / "o") == (tmp_path / "m").read_bytes()


@ways
def test_resumed_training_gives_the_same_model(trained, example, tmp_path, name, labels):
    def die(epoch):
        if epoch.number == 2:
            raise KeyboardInterrupt

    options = {"checkpoint": tmp_path / "c"}
    with pytest.raises(KeyboardInterrupt):
        Parser(name, epochs=3, labels=labels).fit(example, on_epoch=die, **options)
    resumed = Parser(name, epochs=3, labels=labels).fit(example, resume=True, **options)
    assert saved(resumed, tmp_path / "resumed") == saved(trained[name, labels], tmp_path / "whole")


@ways
def test_going_on_from_a_model(example, name, labels):
    sentences = list(read(example))
    first = Parser(name, epochs=3, labels=labels).fit(sentences[:20])
    second = Parser(name, epochs=3, labels=labels, inertia=0.5).fit(sentences[20:], init=first)
    assert second.model.labels[: len(first.model.labels)] == first.model.labels
    assert second.evaluate(sentences[20:]).las > first.evaluate(sentences[20:]).las
    assert second.evaluate(sentences[:20]).las > 60
    with pytest.raises(CrossarcError, match="labels is"):
        Parser(name, labels="joint" if labels == "after" else "after").fit(sentences, init=first)


@pytest.mark.parametrize("labels", ["after", "joint"])
def test_damaged_files(trained, tmp_path, labels):
    path, parser = tmp_path / "m", trained["carreras-npa", labels]
    manifest, arrays = parser.model.to_arrays()
    manifest |= parser.manifest_
    write_model(path, manifest, arrays)
    assert load(path).settings == parser.settings
    pairs = "pairs" if labels == "after" else "labels"
    buckets, unit = arrays[f"{pairs}.buckets"], f"{pairs}.unit"
    full = buckets.copy()
    full[:, -1] = 1
    gone = ["parts.cells", f"{pairs}.buckets", f"{pairs}.keys", unit]
    faults = [
        *({**arrays, unit: np.array([value])} for value in (0.0, -1.0, np.inf, np.nan)),
        {**arrays, f"{pairs}.buckets": buckets[:, :-1].copy()},
        {**arrays, f"{pairs}.buckets": buckets[:0]},
        {**arrays, f"{pairs}.buckets": full},
        {**arrays, f"{pairs}.buckets": buckets.astype(np.int64)},
    ]
    if labels == "after":
        faults += [
            {**arrays, "pairs.buckets": np.where(buckets != 0, 40_000, 0).astype(np.int32)},
            {**arrays, "pairs.keys": arrays["pairs.keys"].astype(np.float64)},
        ]
    else:
        rows, starts, names = (arrays[f"filter.{name}"] for name in ("rows", "starts", "labels"))
        gone += ["filter.rows", "filter.labels"]
        faults += [
            {**arrays, "filter.rows": rows[:-1]},
            {**arrays, "filter.rows": rows + len(starts)},
            {**arrays, "filter.rows": rows - 1},
            {**arrays, "filter.starts": starts[::-1].copy()},
            {**arrays, "filter.starts": starts[:1]},
            {**arrays, "filter.labels": names + len(parser.model.labels)},
            {**arrays, "filter.labels": names.astype(np.int64)},
        ]
    faults += [{name: value for name, value in arrays.items() if name != each} for each in gone]
    for wrong in faults:
        write_model(path, manifest, wrong)
        with pytest.raises(ModelError):
            load(path)


# ---- lists of labels


def lists_of(arcs, names="abcd", tags=4):
    """The lists of arcs from a tag to a tag with a label, each in a sentence of its own."""
    tokens = np.array([row for head, dependent, _ in arcs for row in ([0], [head], [dependent])], dtype=np.int32)
    sentences = [tree([-1, 0, 1], ["", "d", name]) for _, _, name in arcs]
    trees = Trees.of(Corpus.of(sentences)).numbered(list(names))
    return LabelLists.of(tokens, 0, tags, trees)


def listed(lists, head, dependent, names="abcd"):
    return "".join(names[label] for label in lists.listed(int(lists.rows[head, dependent])))


def test_lists_of_labels():
    """Tag 0 is that of node 0; words with tag 3 are never dependents of words."""
    lists = lists_of([(1, 2, "a"), (1, 2, "b"), (2, 1, "c"), (2, 2, "b")])
    assert (listed(lists, 1, 2), listed(lists, 2, 1), listed(lists, 2, 2)) == ("ab", "c", "b")
    assert listed(lists, 0, 1) == "d"
    assert listed(lists, 3, 2) == "abd", "all labels of dependents with the tag"
    assert listed(lists, 1, 3) == "abcd", "all labels"


def test_merged_lists():
    before, after = lists_of([(1, 2, "a"), (2, 1, "c")], tags=3), lists_of([(1, 2, "b"), (3, 2, "c")], tags=5)
    merged = after.merged(before)
    assert listed(merged, 1, 2) == "ab"
    assert listed(merged, 3, 2) == "c"
    assert "c" in listed(merged, 2, 1)
    assert listed(merged, 1, 3) == "d"
    assert listed(merged, 1, 4) == "abcd"
    assert after.merged(None) is after
    again = LabelLists.from_arrays(merged.to_arrays(), 0, 5, 4)
    assert [again.listed(row) for row in again.rows.flat] == [merged.listed(row) for row in merged.rows.flat]


def test_labels_are_those_of_such_arcs(trained, example):
    """Labels of arcs between tags that training has seen together are among those seen."""
    seen: dict[tuple[str, str], set[str]] = {}
    for sentence in read(example):
        for d, h in enumerate(sentence.heads):
            if h > 0:
                seen.setdefault((sentence.upos[h], sentence.upos[d]), set()).add(sentence.deprels[d])
    for seed in range(20):
        (parsed,) = trained["carreras-npa", "joint"].parse([scrambled(example, 8, seed)])
        for d, h in enumerate(parsed.heads):
            known = seen.get((parsed.upos[h], parsed.upos[d]), set())
            assert h <= 0 or not known or parsed.deprels[d] in known


# ---- odd treebanks and sentences


def words(count):
    """A sentence of so many words."""
    forms = [f"w{i % 50}" for i in range(count)]
    return Sentence.from_columns(forms=["", *forms], upos=["", *("NOUN" if i % 3 else "VERB" for i in range(count))])


@pytest.mark.parametrize(
    ("name", "labels", "size"),
    [*((*way, size) for way in WAYS for size in (1, 2, 300)), ("carreras-npa", "after", 3000)],
)
def test_sentences_of_all_sizes(trained, name, labels, size):
    (parsed,) = trained[name, labels].parse([words(size)])
    assert parsed.is_tree
    assert len(parsed.roots) == 1
    assert is_projective(parsed.heads) or name == "carreras-npa"
    assert all(
        (label == "root") == (head == 0) for label, head in zip(parsed.deprels[1:], parsed.heads[1:], strict=True)
    )


@ways
def test_nothing_to_parse(trained, name, labels):
    assert list(trained[name, labels].parse([])) == []


@ways
def test_treebanks_without_tags_or_lemmas(example, tmp_path, name, labels):
    sentences = [
        Sentence.from_columns(forms=each.forms, heads=each.heads, deprels=each.deprels) for each in read(example)
    ]
    parser = Parser(name, epochs=8, labels=labels).fit(sentences)
    assert parser.evaluate(sentences).las > 80
    saved(parser, tmp_path / "m")
    assert list(load(tmp_path / "m").parse(sentences)) == list(parser.parse(sentences))


@ways
def test_treebanks_with_several_roots(malformed, name, labels):
    path = malformed / "several-roots.conllu"
    parser = Parser(name, epochs=10, labels=labels).fit(path)
    assert not parser.model.single_root
    assert [len(sentence.roots) for sentence in parser.parse(path)] == [1, 2]


# ---- settings


def test_feature_models_need_pairs(example):
    with pytest.raises(TemplateError, match="mst: there are no templates for siblings or grandchildren"):
        Parser("carreras", features="mst", epochs=1).fit(example)


@pytest.mark.parametrize("options", [{"heads": 65}, {"heads": -1}, {"reattach": -0.1}, {"k_best": 2}])
def test_settings_that_are_refused(options):
    with pytest.raises(CrossarcError, match=f"setting {next(iter(options))}"):
        Parser("carreras-npa", **options)


@pytest.mark.parametrize("options", [{"heads": 0}, {"heads": 1}, {"learner": "perceptron"}, {"augment": False}])
def test_other_ways_to_learn(example, options):
    assert Parser("carreras-npa", epochs=6, **options).fit(example).evaluate(example).uas > 85


# ---- several starting trees


@pytest.fixture(scope="module")
def guided(example):
    return Parser("carreras-npa", epochs=4, starts=["mst", "mst-undirected", "covington"]).fit(example)


def totals(model, corpus):
    """The scores of the parses of a corpus, by the second-order model."""
    heads, _ = model.parse(corpus)
    factors = model.finder.part_factors(model.finder.factors(None))
    weights, tokens = model.finder.all_weights(model.label_weights), model.attributes.encode(corpus)
    return np.array(
        [
            factors.part_scores(*weights, np.ascontiguousarray(tokens[begin:end]), heads[begin:end]).sum()
            for begin, end in pairwise(corpus.starts.tolist())
        ]
    )


def test_more_starts_never_end_lower(guided, example):
    """And sometimes higher, at least where words are in no order that was ever seen."""
    corpus = Corpus.of([scrambled(example, 12, seed) for seed in range(60)])
    model = guided.model
    alone = model.settings.model_copy(update={"starts": []})
    plain = SecondOrderModel(
        **{
            field.name: getattr(model, field.name)
            for field in fields(SecondOrderModel)
            if field.name not in ("settings", "finder")
        },
        settings=alone,
        finder=replace(model.finder, settings=alone),
    )
    gains = totals(model, corpus) - totals(plain, corpus)
    assert gains.min() > -1e-6
    assert gains.max() > 0.01


def test_transition_parsers_beside_are_in_the_file(guided, example, tmp_path):
    path = tmp_path / "guided.crossarc"
    guided.save(path)
    again = load(path)
    assert isinstance(again.model, GuidedModel)
    assert [guide.settings.parser for guide in again.model.guides] == ["covington"]
    expected = list(guided.parse(example))
    assert list(again.parse(example, threads=2)) == expected
    assert all(sentence.is_tree and len(sentence.roots) == 1 for sentence in expected)
    more = Parser("carreras-npa", epochs=1, starts=guided.settings.starts).fit(example, init=again)
    assert more.evaluate(example).uas > 90
    manifest, arrays = again.model.to_arrays()
    manifest |= again.manifest_
    for guides in ([], manifest["members"] * 2):
        write_model(path, manifest | {"members": guides}, arrays)
        with pytest.raises(ModelError):
            load(path)


def test_training_with_starts_is_resumed_to_the_same_model(example, tmp_path):
    def fit(epochs, checkpoint, stop=None):
        def note(epoch):
            if epoch.number == stop:
                raise KeyboardInterrupt

        parser = Parser("carreras-npa", epochs=epochs, starts=["arc-hybrid"])
        return parser.fit(example, checkpoint=checkpoint, resume=True, on_epoch=note)

    whole = fit(3, tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        fit(3, tmp_path / "b", stop=3)
    resumed = fit(3, tmp_path / "b")
    files = [tmp_path / "whole", tmp_path / "resumed"]
    for parser, path in zip((whole, resumed), files, strict=True):
        parser.save(path)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("parser", "starts", "message"),
    [
        ("carreras-npa", ["no"], "no start 'no'"),
        ("carreras-npa", ["arc-eager-pp"], "no start 'arc-eager-pp'"),
        ("carreras-npa", ["mst", "mst"], "each once"),
        ("carreras", ["mst"], "carreras moves no words"),
        ("mst", ["mst"], "setting starts belongs to second-order parsers"),
    ],
)
def test_starts_that_are_refused(parser, starts, message):
    with pytest.raises(CrossarcError, match=message):
        Parser(parser, starts=starts)
