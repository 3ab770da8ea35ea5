"""Sentences in, sentences with tags and lemmas out: UPOS, XPOS, FEATS and LEMMA as a treebank has them.

Words are tagged in two rounds. The first gives each word its first tag, UPOS if the treebank has it. The second gives
it all its tags at once, as one label, and sees the first tags of the words on both sides. It learns from first tags
that are predicted (jackknifed), since it also gets predicted ones. Lemmas come last, from forms and labels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

from crossarc.components.learner import Learner, checkpoint_at
from crossarc.components.training import Epoch, Progress
from crossarc.core.checked import checked_count, checked_positive
from crossarc.errors import CrossarcError
from crossarc.parsers.columns import filled_columns_of
from crossarc.tagging.labels import Labels
from crossarc.tagging.lemmas import Lemmatizer
from crossarc.tagging.tagger_model import COLUMNS, TAGS, TaggerModel
from crossarc.treebank import Sentence
from crossarc.treebank.corpus import Corpus

if TYPE_CHECKING:
    from crossarc.tagging.tagger_training import Steps

__all__ = ["Tagger"]


class Tagger(Learner[TaggerModel]):
    """Gives words the tags and lemmas that a treebank would have for them.

    `epochs` are those of the second round, `cut` is how often a feature must matter before it counts, and `cost` bounds
    how much one word changes weights. The same seed and the same treebank give the same tagger.
    """

    title = "tagger"
    component = TaggerModel

    def __init__(self, *, epochs: int = 6, seed: int = 1, cut: int = 2, cost: float = 0.05) -> None:
        self.epochs = checked_count("epochs", epochs)
        self.seed = checked_count("seed", seed, 0)
        self.cut = checked_count("cut", cut)
        self.cost = checked_positive("cost", cost)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it learned."""
        return self.model.gives

    def fit(
        self,
        sentences: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        on_step: Steps = lambda done, of: None,
        on_epoch: Callable[[Epoch], None] = lambda epoch: None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> Self:
        """Learn the filled columns of a treebank; with `dev`, keep the epoch that is best there.

        `on_step` is called after each step of the preparation with how many are done and how many there are;
        `checkpoint`, `resume`, `on_epoch` and `on_progress` are as in `Parser.fit`.
        """
        # What only training needs.
        from crossarc.parsers.provenance import digest
        from crossarc.tagging.tagger_training import TaggerTrainer

        sentences, held_out = list(sentences), list(dev or ())
        corpus = Corpus.of(sentences)
        filled = filled_columns_of(corpus, COLUMNS)
        tags = [column for column in TAGS if filled[column]]
        if not any(filled.values()):
            raise CrossarcError("the sentences have neither tags nor lemmas; a tagger needs some to learn from")
        settings: dict[str, Any] = {name: getattr(self, name) for name in ("epochs", "seed", "cut", "cost")}
        file = checkpoint_at(
            checkpoint,
            resume,
            lambda: {"settings": settings, "train": digest(sentences), "dev": digest(held_out)},
        )
        if tags:
            trainer = TaggerTrainer(corpus, tags, has_lemmas=bool(filled["lemma"]), on_step=on_step, **settings)
            model = self.run(trainer, Corpus.of(held_out) if held_out else None, on_epoch, on_progress, file)
        else:
            labels, numbers = Labels.of(corpus, tags)
            model = TaggerModel(labels, None, Lemmatizer.learn(corpus, numbers, labels.first_tags))
        return self.keep(model, file)

    def tag(self, sentences: Iterable[Sentence], *, keep: bool = False) -> list[Sentence]:
        """Return sentences with new tags and lemmas; with `keep`, values that are there stay.

        A word without features that has another tag stays without features.

        Columns that the tagger did not learn stay as they are.
        """
        return self.model.parsed(list(sentences), keep_tags=keep)

    def evaluate(self, sentences: Iterable[Sentence]) -> dict[str, float]:
        """Return the share of the words whose tags and lemmas are right, in percent, by column."""
        return self.model.score(Corpus.of(sentences))

    def describe(self) -> dict[str, str]:
        """Return facts about the tagger, by name."""
        return self.model.describe()
