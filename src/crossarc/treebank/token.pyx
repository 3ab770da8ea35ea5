"""Tokens: the rows of a sentence."""
from operator import itemgetter

from crossarc.core.typedefs cimport int32_t


cdef Token make_token(FieldTable sentence, int32_t row):
    """The token of a row."""
    cdef Token token = Token.__new__(Token)
    token.sentence = sentence
    token.row = row
    return token


cdef class Token:
    """One line of a sentence: a word, a multiword range or an empty node."""

    def __getitem__(self, str column):
        """A column by our name for it or the format's own; "_" if the format does not have it."""
        index = self.sentence.format.index(column)
        return "_" if index < 0 else self.sentence.field(self.row, index)

    @property
    def id(self):
        """The id as in the file: "3", "3-4" or "8.1"."""
        return self.sentence.field(self.row, 0)

    form = property(itemgetter("form"), doc="The word form.")
    lemma = property(itemgetter("lemma"), doc="The lemma.")
    upos = property(itemgetter("upos"), doc="The universal or coarse part-of-speech tag.")
    xpos = property(itemgetter("xpos"), doc="The language's own part-of-speech tag.")
    feats = property(itemgetter("feats"), doc="The morphological features.")

    @property
    def head(self):
        """The number of the head: 0 for a root, -1 for none."""
        cdef int32_t kind = self.sentence.kinds[self.row]
        return self.sentence.heads_[kind] if kind > 0 else -1

    deprel = property(itemgetter("deprel"), doc="The label of the arc from the head.")
    deps = property(itemgetter("deps"), doc="The DEPS column.")
    misc = property(itemgetter("misc"), doc="The MISC column.")

    @property
    def line(self):
        """The line of the file with this token."""
        return self.sentence.lines_of_rows[self.row]

    @property
    def is_word(self):
        """Whether this is a word of the tree."""
        return self.sentence.kinds[self.row] > 0

    @property
    def is_range(self):
        """Whether this is a multiword range."""
        return self.sentence.kinds[self.row] == RANGE_ROW

    @property
    def is_empty(self):
        """Whether this is an empty node."""
        return self.sentence.kinds[self.row] == EMPTY_ROW

    @property
    def space_after(self):
        """Whether a space follows in the running text."""
        return "SpaceAfter=No" not in self.misc.split("|")

    def __eq__(self, other):
        if not isinstance(other, Token):
            return NotImplemented
        return self.sentence == (<Token>other).sentence and self.row == (<Token>other).row

    def __hash__(self):
        return hash((self.id, self.form))

    def __repr__(self):
        return f"<Token {self.id} {self.form}>"
