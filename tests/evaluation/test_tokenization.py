from __future__ import annotations

import random
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.errors import AlignmentError
from crossarc.evaluation import evaluate_tokenization
from crossarc.evaluation.alignment import without_spaces
from crossarc.treebank import Sentence

CONTENT = ("nsubj", "obj", "root")
FUNCTIONAL = ("det", "case", "aux")


def words_text(tokens):
    """CoNLL-U of tokens written "form" or "form=word+word"; every word but the first hangs from the first."""
    lines, count = [], 0
    for token in tokens:
        form, _, parts = token.partition("=")
        words = parts.split("+") if parts else [form]
        if parts:
            lines.append(f"{count + 1}-{count + len(words)} {form}")
        for word in words:
            count += 1
            lines.append(f"{count} {word} _ _ _ _ {int(count > 1)} dep")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),
    [
        ("sea", "sea", 1),
        ("sea lion", "sea lion", 2),
        ("sealion", "sea lion", 0),
        ("a sealion b", "a sea lion b", 2),
        ("ab cd ef", "abc def", 0),
        # A multiword token against plain words, and against another multiword token.
        ("della=di+la", "de lla", 0),
        ("della=de+lla", "de lla", 2),
        ("della=di+la", "della=di+la", 2),
        ("della=di+la", "della=di+l'+la", 2),
        ("della=DI+la", "della=di+LA", 2),
        # Stretches of overlapping multiword tokens.
        ("abcd=ab+cd", "abc=ab+c d", 1),
        ("ab=a+b cd=c+d", "a bc=b+c d", 4),
        ("ab=a+b c de=d+e", "ab=a+b cd=c+d e", 5),
        ("x ab=a+b y", "xa=x+a b y", 4),
        # A plain word that sticks out of the stretch on the right is not part of it.
        ("ab=a+b cd", "abc=a+b+cd d", 2),
        # Plain words that were passed before the stretch begins are not aligned any more.
        ("ab c=c+x", "a bc=c+x", 2),
        # Among equal words the longest common subsequence takes the earlier.
        ("aaa=a+a+a", "aaa=a+a", 2),
    ],
)
def test_alignment_by_hand(conllu, gold, system, aligned):
    one, other = conllu(words_text(gold.split())), conllu(words_text(system.split()))
    result = evaluate_tokenization(one, other)
    assert result["Words"].correct == aligned
    assert (result["Words"].gold, result["Words"].system) == (len(one[0]), len(other[0]))
    assert evaluate_tokenization(other, one)["Words"].correct == aligned


GOLD = """
1-2 Zum
1 Zu zu ADP APPR _ 3 case
2 dem der DET ART Case=Dat|Number=Sing|Style=Old 3 det
3 Meer Meer NOUN NN Case=Dat 4 obl
4 fuhr fahren VERB VV Tense=Past 0 root
5 sie _ PRON PP Person=3 4 nsubj:x

1 Gut gut ADJ ADJD Degree=Pos 0 root
2 . . PUNCT $. _ 1 punct
"""
SYSTEM = """
1-2 Zum
1 zu zu ADP APPR _ 3 case
2 der der DET ART _ 3 det
3 Meer meer NOUN NE Case=Dat 4 obl:loc
4 fuhr fahren VERB VV Tense=Past 0 root
5 si sie PRON PP Person=3 4 nsubj
6 e e X XY _ 5 flat
7 Gut gut ADJ ADJD Degree=Pos|Style=New 4 root
8 . . PUNCT $. _ 7 punct
"""


def test_figures_by_hand(conllu):
    found = evaluate_tokenization(conllu(GOLD), conllu(SYSTEM))
    # Tokens: Zum, Meer, fuhr, Gut and . are found of 6, and "sie" is split into two.
    # Words: Zu = zu, "dem" and "der" differ in form, Meer, fuhr, Gut, "." are aligned.
    expected = {
        "Tokens": (5, 6, 7, None),
        "Sentences": (0, 2, 1, None),
        "Words": (5, 7, 8, None),
        "UPOS": (5, 7, 8, 5),
        "XPOS": (4, 7, 8, 5),
        "UFeats": (5, 7, 8, 5),
        "AllTags": (4, 7, 8, 5),
        "Lemmas": (4, 7, 8, 5),
        # Heads: Zu, Meer, fuhr and "." agree; Gut is a root in gold only.
        "UAS": (4, 7, 8, 5),
        "LAS": (4, 7, 8, 5),
        # Content: obl, root, nsubj, root in gold; obl, root, nsubj, flat, root in the system. Right: Meer,
        # fuhr.
        "CLAS": (2, 4, 5, 3),
        # The article below Meer is not aligned, so the function words differ; fuhr has none.
        "MLAS": (1, 4, 5, 3),
        # Meer has another lemma.
        "BLEX": (1, 4, 5, 3),
    }
    assert {
        name: (score.correct, score.gold, score.system, score.aligned) for name, score in found.scores.items()
    } == expected
    las = found["LAS"]
    assert (las.precision, las.recall, las.f1, las.aligned_accuracy) == (
        50.0,
        100 * (4 / 7),
        100 * (8 / 15),
        80.0,
    )
    assert found["Words"].aligned_accuracy is None


def test_an_open_lemma_of_gold_cannot_be_wrong(conllu):
    gold, system = conllu("1 a _ X _ _ 0 root"), conllu("1 a b X _ _ 0 root")
    assert evaluate_tokenization(gold, system)["Lemmas"].f1 == 100.0
    assert evaluate_tokenization(gold, system)["BLEX"].f1 == 100.0
    assert evaluate_tokenization(system, gold)["Lemmas"].f1 == 0.0


@pytest.mark.parametrize(
    ("gold", "system", "same"),
    [
        ("_", "Foo=Bar", True),
        ("Case=Nom|Foo=1", "Case=Nom", True),
        ("Number=Sing|Case=Nom", "Case=Nom|Number=Sing", True),
        ("Case=Nom", "Case=Acc", False),
        ("Case=Nom", "_", False),
        ("Gender[psor]=Masc", "_", True),
    ],
)
def test_universal_features(conllu, gold, system, same):
    one, other = conllu(f"1 a _ X _ {gold} 0 root"), conllu(f"1 a _ X _ {system} 0 root")
    assert evaluate_tokenization(one, other)["UFeats"].correct == same


def naive(gold, system):
    """The metrics where both sides have the same tokens, by the definitions, word by word and with
    dictionaries.
    """

    def longest(a, b):
        if not a or not b:
            return 0
        if a[0] == b[0]:
            return 1 + longest(a[1:], b[1:])
        return max(longest(a[1:], b), longest(a, b[1:]))

    def spans(sentence):
        ranges = {int(token.id.split("-")[0]): int(token.id.split("-")[1]) for token in sentence.ranges}
        word = 1
        while word <= len(sentence):
            last = ranges.get(word, word)
            yield word in ranges, list(range(word, last + 1))
            word = last + 1

    def universal(feats):
        return sorted(f for f in feats.split("|") if f.split("=")[0] in ("Case", "Number"))

    def base(sentence, word):
        return sentence.deprels[word].split(":")[0]

    def children(sentence, word, name):
        return [
            (name(k), base(sentence, k), sentence.upos[k], universal(sentence.feats[k]))
            for k in range(1, len(sentence) + 1)
            if sentence.heads[k] == word and base(sentence, k) in FUNCTIONAL
        ]

    counts = dict.fromkeys(
        ("Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX"), 0
    )
    for ours, theirs in zip(gold, system, strict=True):
        pairs = []
        for (multi, left), (other, right) in zip(spans(ours), spans(theirs), strict=True):
            if not multi and not other:
                pairs.append((left[0], right[0]))
                continue
            left, right = list(left), list(right)
            while left and right:
                a = [ours.forms[k].lower() for k in left]
                b = [theirs.forms[k].lower() for k in right]
                if a[0] == b[0]:
                    pairs.append((left.pop(0), right.pop(0)))
                elif longest(a, b) == longest(a[1:], b):
                    left.pop(0)
                else:
                    right.pop(0)
        partner = {b: a for a, b in pairs} | {0: 0}
        for a, b in pairs:
            upos = ours.upos[a] == theirs.upos[b]
            xpos = ours.xpos[a] == theirs.xpos[b]
            feats = universal(ours.feats[a]) == universal(theirs.feats[b])
            lemma = ours.lemmas[a] in ("_", theirs.lemmas[b])
            head = partner.get(int(theirs.heads[b]), -1) == ours.heads[a]
            both = head and base(ours, a) == base(theirs, b)
            content = base(ours, a) in CONTENT
            below = children(ours, a, lambda k: k) == children(theirs, b, lambda k, partner=partner: partner.get(k, -1))
            for name, right in (
                ("Words", True),
                ("UPOS", upos),
                ("XPOS", xpos),
                ("UFeats", feats),
                ("Lemmas", lemma),
                ("AllTags", upos and xpos and feats),
                ("UAS", head),
                ("LAS", both),
                ("CLAS", both and content),
                ("MLAS", both and content and upos and feats and below),
                ("BLEX", both and content and lemma),
            ):
                counts[name] += right
    return counts


def random_text(rng, shapes):
    """Sentences over given tokens, "multi" ones made of one to three random words."""
    blocks = []
    for shape in shapes:
        rows, count = [], 0
        for form in shape:
            multi = form == "abab" and rng.random() < 0.7
            words = [rng.choice(["a", "b", "AB"]) for _ in range(rng.randint(2, 4))] if multi else [form]
            if multi:
                rows.append((f"{count + 1}-{count + len(words)}", form, None))
            for word in words:
                count += 1
                rows.append((str(count), word, count))
        lines = []
        for name, form, word in rows:
            if word is None:
                lines.append(f"{name} {form}")
                continue
            head = rng.choice([k for k in range(count + 1) if k != word])
            lines.append(
                " ".join(
                    (
                        name,
                        form,
                        rng.choice("_lm"),
                        rng.choice("XY"),
                        rng.choice("xy"),
                        rng.choice(["_", "Case=Nom", "Case=Nom|Other=1"]),
                        str(head),
                        rng.choice([*CONTENT, *FUNCTIONAL, "det:x", "punct"]),
                    )
                )
            )
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 100_000))
def test_equals_the_naive_twin(conllu, seed):
    rng = random.Random(seed)
    shapes = [[rng.choice(["abab", "cow", "."]) for _ in range(rng.randint(1, 5))] for _ in range(4)]
    gold, system = conllu(random_text(rng, shapes)), conllu(random_text(rng, shapes))
    found = evaluate_tokenization(gold, system)
    expected = naive(gold, system)
    assert {name: found[name].correct for name in expected} == expected
    assert found["Tokens"].f1 == found["Sentences"].f1 == 100.0
    back = evaluate_tokenization(system, gold)
    # Which of several longest common subsequences is taken may differ, its length may not.
    for name in ("Tokens", "Words"):
        assert found[name].precision == back[name].recall
    assert all(score.f1 == 100.0 or not score.gold for score in evaluate_tokenization(gold, gold).scores.values())


def test_spaces_are_those_of_the_unicode_category():
    spaces = {chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Zs"}
    assert {chr(code) for code in range(sys.maxunicode + 1) if not without_spaces(chr(code))} == spaces


def test_spaces_inside_tokens_do_not_count(conllu):
    gold = Sentence(b"1\t10 000\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    system = conllu("1 10 _ X _ _ 0 root\n2 000 _ X _ _ 1 flat")
    assert evaluate_tokenization([gold], system)["Tokens"].correct == 0
    assert evaluate_tokenization([gold], conllu("1 10000 _ X _ _ 0 root"))["LAS"].f1 == 100.0
    assert without_spaces("10 000") == without_spaces("10\u00a0000") == without_spaces("10\u2009000") == "10000"


def test_roots_and_missing_heads(conllu):
    gold = conllu("1 a _ X _ _ 0 root\n2 b _ X _ _ 0 root\n3 c _ X _ _ 1 obj")
    system = conllu("1 a _ X _ _ 0 root\n2 b _ X _ _ _ root\n3 c _ X _ _ 1 obj")
    assert evaluate_tokenization(gold, gold)["UAS"].correct == 3
    assert evaluate_tokenization(gold, system)["UAS"].correct == 2
    assert evaluate_tokenization(system, system)["UAS"].correct == 2


def test_different_texts_are_refused_with_the_place(conllu):
    gold = conllu(words_text(["sea", "lion"]) + "\n\n" + words_text(["owl", "eye"]))
    system = conllu(words_text(["sea", "lion"]) + "\n\n" + words_text(["owls"]))
    with pytest.raises(AlignmentError) as caught:
        evaluate_tokenization(gold, system)
    assert "(sentence 2) has 'eye'" in str(caught.value)
    assert "(sentence 2) has 's'" in str(caught.value)
    with pytest.raises(AlignmentError, match=r"\(sentence 1\) ends"):
        evaluate_tokenization(gold, gold[:1])
    with pytest.raises(AlignmentError, match="an empty file"):
        evaluate_tokenization(gold, [])
    assert evaluate_tokenization([], [])["LAS"].f1 == 0.0
