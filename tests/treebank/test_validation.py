"""One file per fault: each is found at its place, and nowhere else."""

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import TreebankError
from crossarc.treebank import FORMATS, Finding, Sentence, read, validate
from crossarc.treebank.fields import arcs_of
from crossarc.treebank.graph import deps_fault
from crossarc.treebank.sentence import Scanner
from crossarc.treebank.validation import MOST_FAULTS, REMEDIES, cycles_of, inspect_syntax
from helpers import sentences, trees

# file: code, line, what of the message, whether `fix` keeps the sentence
FAULTS = {
    "arguments.sdp": ("arguments", 7, "1 predicates, but 2 argument columns", False),
    "blank-line.conllu": ("blank-line", 6, "white space", True),
    "columns-blanks.conllu": ("columns", 6, "separated by blanks", True),
    "columns-few.conllu": ("columns", 6, "9 columns instead of 10", True),
    "columns-many.conllx": ("columns", 3, "11 columns instead of 10", False),
    "columns-tab-in-misc.conllu": ("columns", 6, "tabs in the last", True),
    "columns-uneven.conll09": ("columns", 4, "14 columns instead of 15", True),
    "comment-alone.conllu": ("no-words", 4, "without a sentence", False),
    "comment-inside.conllu": ("comment", 6, "below the first token", True),
    "crlf-cycle.conllu": ("cycle", 6, "2 -> 3 -> 4 -> 2", True),
    "cycle.conllu": ("cycle", 6, "2 -> 3 -> 4 -> 2", True),
    "deps-form.conllu": ("deps", 6, "'1dep', which is not of the form", True),
    "deps-head.conllu": ("deps", 6, "names the head '7'", True),
    "deps-label.conllu": ("deps", 5, "'0:', which is not of the form", True),
    "empty-field.conllu": ("empty-field", 6, "column 3 is empty", True),
    "empty-node-order.conllu": ("empty-node", 6, "1.2 stands where 1.1 should", False),
    "empty-node-place.conllu": ("empty-node", 6, "3.1 stands where 1.1 should", False),
    "head-missing.conllu": ("missing-head", 6, "word 2 has no head", True),
    "head-negative.conllu": ("head", 6, "'-1' is not a number", True),
    "head-not-a-number.conllu": ("head", 6, "'one' is not a number", True),
    "head-range.conllu": ("head-range", 6, "head 9, but there are 2 words", True),
    "id-gap.conllu": ("id", 6, "word 3 stands where word 2 should", False),
    "id-not-a-number.conllu": ("id", 6, "'two' is not a number", False),
    "id-repeated.conllu": ("id", 6, "word 1 stands where word 2 should", False),
    "id-starts-at-2.conllu": ("id", 5, "word 2 stands where word 1 should", False),
    "no-root.conllu": ("no-root", 5, "no word has the head 0", True),
    "no-words.conllu": ("no-words", 5, "no word", False),
    "range-late.conllu": ("range", 6, "1-2 is out of place", False),
    "range-open.conllu": ("range", 7, "ends with 4", False),
    "range-order.conllu": ("range", 6, "2-1 is out of place", False),
    "range-overlap.conllu": ("range", 7, "2-3 is out of place", False),
    "self-loop.conllu": ("self-loop", 6, "its own head", True),
    "several-roots.conllu": ("several-roots", 6, "2 roots: words 1, 2", False),
    "utf8.conllu": ("utf8", 6, "byte 0xff at column 4", True),
}


def test_every_file_is_in_the_table(malformed):
    assert {path.name for path in malformed.iterdir()} == set(FAULTS)


def test_every_code_has_a_file():
    # These are in test_graph_validation.py.
    graphs = {"no-graph", "duplicate-arc", "unreachable", "graph-cycle", "several-graph-roots"}
    assert {code for code, *_ in FAULTS.values()} == set(REMEDIES) - {"size"} - graphs


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_found(malformed, name):
    code, line, what, _ = FAULTS[name]
    found = list(validate(malformed / name))
    findings = [item for item in found if isinstance(item, Finding)]
    assert sum(isinstance(item, Sentence) for item in found) == 1, "the good sentence is still there"
    assert any((each.code, each.line) == (code, line) and what in each.what for each in findings), findings
    message = str(next(each for each in findings if each.code == code))
    assert message.startswith(f"{malformed / name}:{line}: ")
    assert REMEDIES[code] in message


@pytest.mark.parametrize("name", FAULTS)
def test_policies(malformed, name):
    code, _, _, fixable = FAULTS[name]
    path = malformed / name
    reported: list[Finding] = []
    if code == "several-roots":  # a matter for `validate` alone: treebanks with several roots can be trained on
        assert len(list(read(path, check="all"))) == 2
        return
    with pytest.raises(TreebankError, match=name):
        list(read(path, check="all"))
    kept = list(read(path, check="all", on_error="skip", report=reported.append))
    assert len(kept) == 1
    assert all(each.action == "left out" for each in reported)
    reported.clear()
    fixed = list(read(path, check="all", on_error="fix", report=reported.append))
    assert len(fixed) == 1 + fixable
    assert {each.action for each in reported} == {"fixed" if fixable else "left out"}
    assert code in {each.code for each in reported}
    again = b"".join(sentence.raw for sentence in fixed)
    assert list(read(io.BytesIO(again), FORMATS[fixed[0].format.name], check="all")) == fixed


def test_validate_allows_several_roots_if_told(malformed):
    assert all(isinstance(item, Sentence) for item in validate(malformed / "several-roots.conllu", roots="any"))


def test_real_treebanks_are_good(treebanks):
    for path in treebanks:
        assert all(isinstance(item, Sentence) for item in validate(path, roots="any")), path


def test_all_faults_of_a_sentence_are_found():
    text = "1\ta\t_\tN\t_\t_\tx\tdep\t_\t_\n3\tb\t_\n# late\n4\t\xff\t_\tN\t_\t_\t0\troot\t_\t_\n\n"
    findings = inspect_syntax(text.encode("latin-1"), FORMATS["conllu"], source="f", line=10)
    assert [(each.line, each.code) for each in findings] == [
        (10, "head"),
        (11, "columns"),
        (12, "comment"),
        (13, "utf8"),
    ]


pieces = st.sampled_from(
    [
        "\t",
        "\t_\t_\t_\t_\t_",
        "\t_\t_\n",
        "\n",
        "\r\n",
        "_",
        "0",
        "1",
        "2",
        "3",
        "01",
        "1-2",
        "1.1",
        "0.1",
        "#",
        " ",
        "x",
        "\udcff",
    ]
)


@given(
    st.lists(pieces, max_size=40).map(lambda parts: "".join(parts).encode(errors="surrogateescape")),
    st.sampled_from(sorted(FORMATS)),
)
def test_native_and_detailed_checks_agree(data, name):
    """Whatever the native parser refuses, the detailed look finds a reason for, and the other way round."""
    for item in Scanner(FORMATS[name], "f").feed(data, final=True):
        raw = item[0] if isinstance(item, tuple) else item.raw
        assert bool(inspect_syntax(raw, FORMATS[name])) == isinstance(item, tuple)


deps_pieces = st.sampled_from(
    ["0", "1", "2", "3", "1.1", "1.2", "0.1", "01", ".", ":", "|", "a", "é", "_", "9999999999"]
)


@given(st.lists(deps_pieces, max_size=8).map("".join))
def test_native_and_detailed_deps_agree(deps):
    """The native parser of DEPS refuses what the detailed look finds a fault in, and nothing else."""
    lines = ["1\ta\t_\tN\t_\t_\t0\troot\t0:root\t_", "1.1\tb\t_\tN\t_\t_\t_\t_\t_\t_"]
    lines.append(f"2\tc\t_\tN\t_\t_\t1\tdep\t{deps}\t_")
    sentence = Sentence(("\n".join(lines) + "\n\n").encode())
    fault = deps_fault(deps, sentence.node_ids)
    assert (arcs_of(sentence) is None) == bool(fault)
    if not fault and deps != "_":
        arcs = [entry.partition(":") for entry in deps.split("|")]
        expected = [(sentence.node_ids.index(head), 3, label) for head, _, label in arcs]
        assert list(sentence.graph) == [(0, 1, "root"), *expected]


@given(sentences(), st.data())
def test_small_damage_is_noticed_or_harmless(sentence, data):
    """One byte changed: the sentence is read as it is, or refused with a line of the sentence."""
    place = data.draw(st.integers(0, len(sentence.raw) - 1))
    raw = sentence.raw[:place] + data.draw(st.binary(min_size=1, max_size=1)) + sentence.raw[place + 1 :]
    try:
        found = list(read(io.BytesIO(raw), "conllu"))
    except TreebankError as error:
        assert "<input>:" in str(error)
    else:
        assert b"".join(each.raw for each in found) in (raw, b"")


@given(trees(max_size=8), st.data())
def test_broken_trees_are_mended(heads, data):
    n = len(heads) - 1
    broken = [-1, *(data.draw(st.integers(-1, n + 2)) for _ in range(n))]
    lines = [f"{i}\tw\t_\tN\t_\t_\t{'_' if broken[i] < 0 else broken[i]}\troot\t_\t_\n" for i in range(1, n + 1)]
    raw = ("".join(lines) + "\n").encode()
    (fixed,) = read(io.BytesIO(raw), "conllu", check="tree", on_error="fix", report=lambda finding: None)
    assert fixed.is_tree
    if Sentence(raw).is_tree:
        assert fixed.raw == raw


@given(st.lists(st.integers(-1, 9), min_size=2, max_size=10))
def test_cycles_are_cycles(heads):
    heads = [-1, *(head if head < len(heads) else 0 for head in heads[1:])]
    for cycle in cycles_of(heads):
        assert len(set(cycle)) == len(cycle)
        assert [heads[word] for word in cycle] == cycle[-1:] + cycle[:-1]
        assert cycle[0] == min(cycle)


def seconds_of(function):
    begin = time.process_time()
    function()
    return time.process_time() - begin


@pytest.mark.parametrize("kind", ["self-loop", "deps", "good"])
def test_the_time_of_validation_grows_with_the_sentence(kind):
    """Faults in every word of a sentence that is 32 times as long take 32 times as long, and not 1,024 times."""

    def sentence(n):
        row = {
            "self-loop": lambda word: f"{word}\tw\t_\t_\t_\t_\t{word}\tdep\t_\t_",
            "deps": lambda word: f"{word}\tw\t_\t_\t_\t_\t{word - 1}\tdep\t{n + 1}:dep\t_",
            "good": lambda word: f"{word}\tw\t_\t_\t_\t_\t{word - 1}\tdep\t{word - 1}:dep\t_",
        }[kind]
        return ("\n".join(row(word) for word in range(1, n + 1)) + "\n\n").encode()

    def check(n):
        found = list(validate(io.BytesIO(sentence(n)), graph=True))
        if kind == "good":
            assert [len(good) for good in found] == [n]
        else:
            lines = [finding.line for finding in found if finding.code == kind]
            assert lines == list(range(1, min(n, MOST_FAULTS) + 1))

    short, long = (min(seconds_of(lambda n=n: check(n)) for _ in range(3)) for n in (1_000, 32_000))
    assert long < 250 * short


def test_the_reader_of_a_bad_graph_finds_its_fault_in_linear_time():
    n = 20_000
    rows = [f"{word}\tw\t_\t_\t_\t_\t{word - 1}\tdep\t{word - 1}:dep\t_" for word in range(1, n)]
    text = "\n".join([*rows, f"{n}\tw\t_\t_\t_\t_\t{n - 1}\tdep\t{n + 1}:dep\t_"]) + "\n\n"
    broken = Sentence(text.encode())

    def fault():
        with pytest.raises(TreebankError, match=f"token {n}: DEPS names the head '{n + 1}'"):
            _ = broken.graph

    assert seconds_of(fault) < 1
