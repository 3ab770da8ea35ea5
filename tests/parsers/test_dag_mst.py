"""The parser dag-mst: learning graphs with several heads, model files, training that goes on, long sentences."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from crossarc.components.modelfile import read_model, write_model
from crossarc.components.training import chunks
from crossarc.decode import best_graph
from crossarc.errors import CrossarcError
from crossarc.parsers.arcs.graphs import ArcGraphModel, ArcGraphTrainer
from crossarc.parsers.graphs import Graphs
from crossarc.parsers.presets import make_settings
from crossarc.parsers.registry import stored_model
from crossarc.structure import describe_fault, is_acyclic
from crossarc.treebank import Corpus, Graph, Sentence

NOUNS, PLANS, DEEDS = ("mara", "tolen", "pik"), ("vill", "rukar", "hopar"), ("gona", "sika", "lema")


def sentence_of(words, tags, arcs):
    """A sentence with a graph; its tree has the first head of each word."""
    n = len(words)
    first = {d: (h, label) for h, d, label in reversed(arcs)}
    return Sentence.from_columns(
        forms=["", *words],
        lemmas=["", *words],
        upos=["", *tags],
        heads=[-1, *(first[d][0] for d in range(1, n + 1))],
        deprels=["", *(first[d][1] for d in range(1, n + 1))],
        graph=Graph.from_arcs(map(str, range(n + 1)), arcs),
    )


def controlled(seed):
    """A subject that two verbs share, and sometimes an object or a second verb that has the same subject too."""
    rng = np.random.default_rng(seed)
    words, tags = [str(rng.choice(NOUNS)), str(rng.choice(PLANS)), str(rng.choice(DEEDS))], ["N", "P", "D"]
    arcs = [(2, 1, "subj"), (3, 1, "[subj]"), (0, 2, "root"), (2, 3, "comp")]
    if rng.random() < 0.5:
        words.append(str(rng.choice(NOUNS)))
        tags.append("N")
        arcs.append((3, 4, "obj"))
    if rng.random() < 0.5:
        words += ["ok", str(rng.choice(DEEDS))]
        tags += ["C", "D"]
        last = len(words)
        arcs += [(3, last - 1, "coord"), (last - 1, last, "conj"), (last, 1, "[subj]")]
    return sentence_of(words, tags, arcs)


def graphs_of(sentences):
    return Graphs.from_lists(Corpus.of(sentences), [list(sentence.graph) for sentence in sentences])


def trained(graphs, init=None, epochs=6, **options):
    """A trainer after its epochs, as `run_epochs` does it."""
    trainer = ArcGraphTrainer(graphs, make_settings("dag-mst", epochs=epochs, **options), init)
    for _ in range(epochs):
        for chunk in chunks(trainer.shuffle.permutation(len(trainer.sizes)), trainer.sizes):
            trainer.learn(chunk)
    return trainer


def arcs_of(model, sentences):
    """The arcs that a model finds, sentence by sentence."""
    arcs = model.parse_graphs(Corpus.of(sentences))
    names = [model.labels[label] for label in arcs.labels]
    rows = list(zip(arcs.heads.tolist(), arcs.dependents.tolist(), names, strict=True))
    return [rows[begin:end] for begin, end in pairwise(arcs.starts.tolist())]


def as_bytes(model):
    manifest, arrays = model.to_arrays()
    return repr(manifest), {name: array.tobytes() for name, array in arrays.items()}


@pytest.fixture(scope="module")
def sentences():
    return [controlled(seed) for seed in range(60)]


@pytest.fixture(scope="module")
def model(sentences):
    return trained(graphs_of(sentences)).model()


def test_shared_subjects_are_learned(model, sentences):
    """And found in sentences that were not seen."""
    unseen = [controlled(seed) for seed in range(100, 130)]
    for each in (sentences, unseen):
        assert [sorted(arcs) for arcs in arcs_of(model, each)] == [sorted(sentence.graph) for sentence in each]
    assert (model.most_heads, model.most_parallel, model.single_root) == (3, 1, True)
    assert model.describe() == {"heads": "up to 3 of a word"}
    assert model.output == "graph"


@pytest.mark.parametrize("seed", range(3))
def test_random_graphs_are_learned_by_heart(seed):
    """With several roots, parallel arcs and labels that both have."""
    rng = np.random.default_rng(seed)
    sentences = []
    for number in range(8):
        n = int(rng.integers(1, 7))
        order = rng.permutation(n) + 1
        arcs = {(int(rng.choice([0, *order[:k]])), int(d), "ab"[rng.integers(2)]) for k, d in enumerate(order)}
        for _ in range(3):
            k, j = sorted(rng.integers(0, n, size=2))
            if k < j:
                arcs.add((int(order[k]), int(order[j]), "abc"[rng.integers(3)]))
        sentences.append(sentence_of([f"w{number}.{d}" for d in range(n)], ["X"] * n, sorted(arcs)))
    model = trained(graphs_of(sentences), epochs=60, cut=1, cost=0.5, prune=0).model()
    assert not model.single_root
    assert [sorted(arcs) for arcs in arcs_of(model, sentences)] == [sorted(sentence.graph) for sentence in sentences]


def test_model_files_give_the_same_model(model, sentences, tmp_path):
    manifest, arrays = model.to_arrays()
    write_model(tmp_path / "dag.crossarc", manifest, arrays)
    again = stored_model(*read_model(tmp_path / "dag.crossarc"))
    assert isinstance(again, ArcGraphModel)
    assert as_bytes(again) == as_bytes(model)
    assert arcs_of(again, sentences) == arcs_of(model, sentences)
    for name, value in (("most_heads", 0), ("most_parallel", "2"), ("single_root", None), ("labels", [])):
        with pytest.raises((ValueError, LookupError)):
            stored_model({**manifest, name: value}, arrays)
    with pytest.raises((ValueError, LookupError)):
        stored_model(manifest, {name: array for name, array in arrays.items() if not name.startswith("arcs.")})


@pytest.mark.parametrize("options", [{}, {"lengths": True}, {"learner": "perceptron"}, {"augment": False}])
def test_the_same_seed_gives_the_same_model(sentences, options):
    first, second = (trained(graphs_of(sentences), epochs=2, **options).model() for _ in range(2))
    assert as_bytes(first) == as_bytes(second)
    manifest, arrays = first.to_arrays()
    assert as_bytes(stored_model(manifest, arrays)) == as_bytes(first)


def test_lengths_are_noted(sentences):
    model = trained(graphs_of(sentences), epochs=2, lengths=True).model()
    arcs_of(model, sentences)
    assert model.notes()[0].startswith("lengths left out")
    manifest, arrays = model.scored().to_arrays()
    assert not model.notes()
    assert "left out" in stored_model(manifest, arrays).describe()


def test_training_goes_on_from_a_state(sentences):
    whole = trained(graphs_of(sentences), epochs=4)
    half = trained(graphs_of(sentences), epochs=2)
    rest = ArcGraphTrainer(graphs_of(sentences), make_settings("dag-mst", epochs=4), None)
    rest.restore({name: array.copy() for name, array in half.state().items()})
    for epoch in range(4):
        order = rest.shuffle.permutation(len(rest.sizes))
        for chunk in chunks(order, rest.sizes) if epoch >= 2 else []:
            rest.learn(chunk)
    assert as_bytes(rest.model()) == as_bytes(whole.model())
    with pytest.raises(KeyError):
        rest.restore({})


def test_training_goes_on_from_a_model(model, sentences):
    """New labels come behind the known ones, and what was learned is kept."""
    new = sentence_of(["mara", "nok", "gona"], ["N", "V", "D"], [(2, 1, "obl"), (0, 2, "root"), (2, 3, "comp")])
    trainer = trained(graphs_of([*sentences, *[new] * 10]), init=model, inertia=0.5)
    assert trainer.continued
    later = trainer.model()
    assert later.labels == [*model.labels, "obl"]
    assert later.most_heads == 3
    assert sorted(arcs_of(later, [new])[0]) == sorted(new.graph)
    assert [sorted(arcs) for arcs in arcs_of(later, sentences)] == [sorted(sentence.graph) for sentence in sentences]
    trainer = ArcGraphTrainer(graphs_of([new]), make_settings("dag-mst"), model)  # before it learns it is the old model
    assert arcs_of(trainer.model(), sentences) == arcs_of(model, sentences)


def test_cycles_are_built_only_if_allowed():
    """The graph 0 -> 1 -> 2 -> 3 -> 1 of words that are always the same."""
    arcs = [(0, 1, "root"), (3, 1, "back"), (1, 2, "a"), (2, 3, "b")]
    sentences = [sentence_of(["ta", "te", "to"], ["A", "B", "C"], arcs)] * 5
    for cycles in ("allow", "reverse"):
        model = trained(graphs_of(sentences), cycles=cycles).model()
        (found,) = arcs_of(model, sentences[:1])
        assert (sorted(found) == sorted(arcs)) == (cycles == "allow")
        coverage = model.coverage(Corpus.of(sentences))
        assert (coverage.sentences, coverage.words) == (coverage.exact, coverage.right) == (5, 20)


def test_coverage_counts_graphs_and_arcs(model, sentences):
    coverage = model.coverage(Corpus.of(sentences))
    assert coverage.exact == coverage.sentences == len(sentences)
    assert coverage.right == coverage.words == sum(len(sentence.graph) for sentence in sentences)


@pytest.mark.parametrize("single_root", [True, False])
def test_long_sentences_are_parsed_in_pieces(model, sentences, single_root):
    long = Sentence.from_columns(
        forms=["", *(form for sentence in sentences for form in sentence.forms[1:])],
        upos=["", *(tag for sentence in sentences for tag in sentence.upos[1:])],
    )
    model = replace(model, long_sentence=20, single_root=single_root)
    short = sentences[0]
    before, found, after = arcs_of(model, [short, long, short])
    assert before == after == arcs_of(model, [short])[0]
    assert {d for _, d, _ in found} == set(range(1, len(long) + 1))
    assert all(0 <= h <= len(long) and h != d for h, d, _ in found)
    roots = [arc for arc in found if arc[0] == 0]
    assert len(roots) == 1 if single_root else len(roots) >= len(long) // 20
    assert [d for _, d, _ in found] == sorted(d for _, d, _ in found)
    assert is_acyclic(Graph.from_arcs(map(str, range(len(long) + 1)), found))


def test_a_sentence_of_5_000_words(model):
    long = Sentence.from_columns(forms=["", *(NOUNS + PLANS + DEEDS + ("ok",)) * 500], upos=["", *"NNNPPPDDDC" * 500])
    (found,) = arcs_of(model, [long])
    assert {d for _, d, _ in found} == set(range(1, 5001))
    assert is_acyclic(Graph.from_arcs(map(str, range(5001)), found))


def test_no_sentences_and_no_words(model):
    assert arcs_of(model, []) == []
    assert model.parse_graphs(Corpus.of([])).starts.tolist() == [0]


def test_what_graphs_have_not(model, sentences):
    assert not hasattr(model, "parse")
    assert not hasattr(model, "analyse")


def random_tree(n, generator):
    """The heads of a tree with one root, most of whose arcs are not in the graphs."""
    heads, order = np.full(n + 1, -1), generator.permutation(n) + 1
    heads[order[0]] = 0
    for k in range(1, n):
        heads[order[k]] = order[generator.integers(k)]
    return heads.tolist()


def test_graphs_begin_with_the_given_tree(sentences):
    """As `best_graph` gives them if these arcs are required, whatever the tree is."""
    generator = np.random.default_rng(5)
    model = trained(graphs_of(sentences), use_tree=True).model()
    assert model.features.name == "mst"
    others = [sentence.replace(heads=random_tree(len(sentence), generator)) for sentence in sentences]
    factors, corpus = model.factors(), Corpus.of(others)
    tokens = model.attributes.encode(corpus)
    more = 0
    for number, (sentence, found) in enumerate(zip(others, arcs_of(model, others), strict=True)):
        rows = np.ascontiguousarray(tokens[corpus.starts[number] : corpus.starts[number + 1]])
        scores = factors.scores(model.arc_weights, model.label_weights, rows)
        wanted = best_graph(scores, required=np.array(sentence.heads), most_heads=model.most_heads)
        arcs = {(head, dependent) for head, dependent, _ in found}
        assert arcs == {(head, dependent) for dependent, head in np.argwhere(wanted).tolist()}
        assert arcs >= {(head, dependent) for dependent, head in enumerate(sentence.heads) if dependent}
        more += len(arcs) > len(sentence)
    assert more > 20
    assert [sorted(arcs) for arcs in arcs_of(model, sentences)] == [sorted(sentence.graph) for sentence in sentences]


def test_sentences_without_a_tree_get_the_best_one(sentences):
    model = trained(graphs_of(sentences), use_tree=True).model()
    own = replace(model, settings=make_settings("dag-mst"))
    faulty = [
        sentence.replace(heads=heads)
        for sentence in sentences[:5]
        for n in [len(sentence)]
        for heads in ([-1] * (n + 1), [-1, *[0] * n], [-1, 2, 1, *[1] * (n - 2)], [-1, 0, *[1] * (n - 2), -1])
    ]
    assert all(describe_fault(each.heads) or each.heads.tolist().count(0) > 1 for each in faulty)
    assert arcs_of(model, faulty) == arcs_of(own, faulty)
    without = graphs_of([sentence.replace(heads=[-1] * (len(sentence) + 1)) for sentence in sentences])
    with pytest.raises(CrossarcError, match="no sentence has a tree in HEAD"):
        trained(without, use_tree=True)
    with pytest.raises(CrossarcError, match="lengths leaves out arcs that a given tree may have"):
        make_settings("dag-mst", use_tree=True, lengths=True)


def test_wrong_trees_teach_which_arcs_are_missing(sentences):
    """A parser that learns from trees without the arcs of the graph adds these arcs to such trees."""
    chains = [sentence.replace(heads=[-1, *range(len(sentence))]) for sentence in sentences]
    model = trained(graphs_of(chains), use_tree=True, epochs=10).model()
    for sentence, found in zip(chains, arcs_of(model, chains), strict=True):
        wanted = {arc[:2] for arc in sentence.graph}
        chain = {(word - 1, word) for word in range(1, len(sentence) + 1)}
        room = {(head, word) for head, word in wanted if 0 < head < word}  # others close cycles, or make a second root
        assert {arc[:2] for arc in found} == chain | room
