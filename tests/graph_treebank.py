"""A small treebank of graphs with control, shared subjects and objects, and relative clauses that close cycles."""

import random

from crossarc.treebank import Graph, Sentence
from helpers import arcs_of

NAMES = ["Ann", "Bob", "Cleo", "Dora", "Emil"]
NOUNS = ["song", "cake", "book", "boat", "lamp"]
VERBS = ["likes", "sees", "finds", "sells"]
BARE = ["sing", "bake", "read", "mend"]
TAGS = {**dict.fromkeys(NAMES, "PROPN"), **dict.fromkeys(NOUNS, "NOUN"), **dict.fromkeys(VERBS, "VERB")}
TAGS |= dict.fromkeys(BARE, "VERB")
TAGS |= {"wants": "VERB", "to": "PART", "the": "DET", "and": "CCONJ", "that": "PRON", ".": "PUNCT", "of": "ADP"}

# Words with categories to fill in, and arcs: head, dependent, label. The first arc of a word is that of the tree.
PATTERNS = [
    (
        "NAME wants to BARE the NOUN .",
        "0-2 root, 2-1 nsubj, 4-1 nsubj:xsubj, 4-3 mark, 2-4 xcomp, 6-5 det, 4-6 obj, 2-7 punct",
    ),
    (
        "NAME VERB and VERB NOUN .",
        "0-2 root, 2-1 nsubj, 4-1 nsubj, 4-3 cc, 2-4 conj:and, 4-5 obj, 2-5 obj, 2-6 punct",
    ),
    (
        "NAME VERB the NOUN that NAME VERB .",
        "0-2 root, 2-1 nsubj, 4-3 det, 2-4 obj, 7-4 obj, 7-5 obj, 4-5 ref, 7-6 nsubj, 4-7 acl:relcl, 2-8 punct",
    ),
    (
        "NAME and NAME VERB the NOUN of NAME",
        "0-4 root, 4-1 nsubj, 3-2 cc, 1-3 conj:and, 4-3 nsubj, 6-5 det, 4-6 obj, 8-7 case, 6-8 nmod:of",
    ),
    ("NAME VERB", "0-2 root, 2-1 nsubj"),
]


def graph_treebank(count=60, seed=1):
    rng = random.Random(seed)
    kinds = {"NAME": NAMES, "NOUN": NOUNS, "VERB": VERBS, "BARE": BARE}
    sentences = []
    for number in range(count):
        words, text = PATTERNS[number % len(PATTERNS)]
        forms = [rng.choice(kinds[word]) if word in kinds else word for word in words.split(" ")]
        arcs = arcs_of(text)
        heads, deprels = [-1] * (len(forms) + 1), [""] * (len(forms) + 1)
        for head, dependent, label in arcs:
            if heads[dependent] < 0:
                heads[dependent], deprels[dependent] = head, label.partition(":")[0]
        nodes = [str(node) for node in range(len(forms) + 1)]
        sentences.append(
            Sentence.from_columns(
                comments=[f"# sent_id = g{number}"],
                forms=["", *forms],
                lemmas=["", *(form.lower() for form in forms)],
                upos=["", *(TAGS[form] for form in forms)],
                heads=heads,
                deprels=deprels,
                graph=Graph.from_arcs(nodes, arcs),
            )
        )
    return sentences
