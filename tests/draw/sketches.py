"""Small sentences for the tests of drawing."""

from crossarc.treebank import Sentence, read_string


def sketch(text: str, name: str = "") -> Sentence:
    """A sentence of words written "form/upos/head/deprel" or with "/deps" after it, empty nodes "3.1=form/..."."""
    lines = [f"# sent_id = {name}"] if name else []
    number = 0
    for word in text.split():
        place, sign, rest = word.rpartition("=")
        form, upos, head, deprel, *deps = rest.split("/")
        number += not sign
        columns = [place or str(number), form, "_", upos, "_", "_", head, deprel, deps[0] if deps else "_", "_"]
        lines.append("\t".join(columns))
    return read_string("\n".join(lines) + "\n\n", "conllu")[0]


CROSSING = sketch(
    "A/DET/2/det talk/NOUN/3/nsubj starts/VERB/0/root now/ADV/3/advmod on/ADP/6/case owls/NOUN/2/nmod", "talk-7"
)
TWO_ROOTS = sketch("Stop/VERB/0/root !/PUNCT/1/punct Go/VERB/0/root")
SECOND_HEADS = sketch(
    "Birds/NOUN/2/nsubj/2:nsubj|4:nsubj sing/VERB/0/root/0:root and/CCONJ/4/cc/4:cc fly/VERB/2/conj/0:root|2:conj:and"
)
EMPTY_NODE = sketch(
    "I/PRON/2/nsubj/2:nsubj drink/VERB/0/root/0:root tea/NOUN/2/obj/2:obj you/PRON/2/conj/4.1:nsubj "
    "4.1=drink/VERB/_/_/2:conj milk/NOUN/4/orphan/4.1:obj"
)
PARALLEL = sketch(
    "it/PRON/2/nsubj/2:nsubj|2:obj rests/VERB/0/root/0:root|1:back|1:dep|2:self at/ADP/2/obl/2:obl:at|2:obl:to"
)
GRAPH_ONLY = sketch(
    "she/PRON/_/_/2:a|2:b|4:c sat/VERB/_/_/0:root|4:d and/X/_/_/4:e slept/VERB/_/_/2:f|2:g|0:root ./X/_/_/_"
)
HEBREW = sketch("הינשוף/NOUN/2/nsubj ישן/VERB/0/root היום/ADV/2/advmod")
CHINESE = sketch("小鸟/NOUN/3/nsubj 在/AUX/3/aux 唱歌/VERB/0/root 🎵/SYM/3/dep cafe\u0301/X/3/dep")
BROKEN = sketch("a/X/2/x b/X/3/y c/X/1/z d/X/_/_ e/X/5/self f/X/0/root g/X/2/far")
ONE = sketch("Hush/INTJ/0/root")
EVERY = {
    "crossing": CROSSING,
    "two roots": TWO_ROOTS,
    "second heads": SECOND_HEADS,
    "empty node": EMPTY_NODE,
    "parallel arcs": PARALLEL,
    "graph without tree": GRAPH_ONLY,
    "right to left": HEBREW,
    "wide": CHINESE,
    "broken": BROKEN,
    "one word": ONE,
}
