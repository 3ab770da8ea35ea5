"""What can be chosen about a parser: the settings that all parsers share, and those that each family has.

A family is a type of settings; `crossarc.parsers.families` finds the type for given values.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from crossarc.errors import CrossarcError, UnknownName

WIDEST_BEAM = 1_000
MOST_DEGREE = 10
# Learners that take all instances of the static oracle at once.
AT_ONCE = ("liblinear", "libsvm")
# C of each learner: MIRA's by trial on a development set, LIBLINEAR's as MaltParser has it.
COSTS = {"mira": 0.01, "liblinear": 0.1, "libsvm": 10.0}
# The settings that only some learners have.
OWN_SETTINGS = {
    "cost": tuple(COSTS),
    "learning_rate": ("maxent",),
    "l2": ("maxent",),
    "degree": ("libsvm",),
    "gamma": ("libsvm",),
    "coef0": ("libsvm",),
}


class Settings(BaseModel):
    """The settings that all parsers have; a model file keeps them."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True, allow_inf_nan=False)

    family: str
    parser: str
    # The transition system, or the decoder.
    system: str
    # A feature model by name or a TOML file; "compact" and "rich" are those made for the system.
    features: str
    epochs: int = Field(10, ge=1)
    seed: int = Field(1, ge=0)
    single_root: bool | Literal["auto"] = "auto"
    # The pseudo-projective encoding around the parser.
    transform: Literal["none", "head", "path", "headpath"] = "none"
    # How many of the labels that the encoding adds are kept, the most frequent ones; None for all.
    cap: int | None = Field(None, ge=0)
    # Where a lifted edge goes back to: the first place that its label names, or one where it is non-projective.
    prefer: Literal["first", "non-projective"] = "first"

    @property
    def kind(self) -> str:
        """The kind of model that these settings ask for; see `crossarc.parsers.registry`."""
        return self.family

    @property
    def is_projective(self) -> bool:
        """Whether the parser learns and builds projective trees only."""
        return False

    @model_validator(mode="after")
    def check_cap(self) -> Self:
        """Refuse settings of encodings where there is none."""
        for name, usual in (("cap", None), ("prefer", "first")):
            value = getattr(self, name)
            if value != usual and self.transform == "none":
                raise CrossarcError(f"setting {name} = {value} is of a transform: set transform too, or leave it out")
        return self


class LinearSettings(Settings):
    """The settings of all parsers with weights of features."""

    # C of MIRA, LIBLINEAR and LIBSVM: how much one mistake may change.
    cost: float | None = Field(None, gt=0)
    # A feature counts from this update on, with LIBLINEAR and LIBSVM from this instance on.
    cut: int = Field(2, ge=1)
    # Weights below this share of the greatest are not kept in the model.
    prune: float = Field(0.0005, ge=0, lt=1)
    # How much the model that training starts from weighs: 0 forgets most of it.
    inertia: float = Field(3.0, ge=0)

    def check_learner(self, learner: str) -> None:
        """Refuse settings that other learners have."""
        for name, learners in OWN_SETTINGS.items():
            field = type(self).model_fields.get(name)
            if field is not None and learner not in learners and getattr(self, name) != field.default:
                raise CrossarcError(f"setting {name} is of {', '.join(learners)}; {learner} has none: leave it out")


class TransitionSettings(LinearSettings):
    """The settings of transition parsers."""

    family: Literal["transition"] = "transition"
    # Two stages, the move and then its label, with the templates that weigh most and a small table of weights.
    fast: bool = False
    # How many derivations are followed side by side; with more than one, training learns from whole derivations, but
    # maxent still from single decisions, whose log probabilities are then summed.
    beam: int = Field(1, ge=1, le=WIDEST_BEAM)
    # Derivations in a beam are compared by the sum over their steps, or by the mean, which does not favour short ones.
    compare: Literal["sum", "mean"] = "sum"
    # How often training goes on from the model's own mistakes.
    explore: float = Field(0.9, ge=0, le=1)
    static_epochs: int = Field(1, ge=0)
    learner: Literal["perceptron", "mira", "maxent", "liblinear", "libsvm"] = "perceptron"
    # Settings of maxent.
    learning_rate: float = Field(0.1, gt=0)
    l2: float = Field(1e-4, ge=0)
    # LIBSVM's kernel, (gamma * x * y + coef0) ** degree. With a hundred templates these are about half linear; kernels
    # that are more quadratic were worse.
    degree: int = Field(2, ge=1, le=MOST_DEGREE)
    gamma: float = Field(0.01, gt=0)
    coef0: float = Field(1.0, ge=0)
    # How undirected parses get their directions: away from node 0, by their labels with either table of costs, or by
    # the scores of these labels.
    reconstruction: Literal["naive", "label", "label-first", "score"] = "naive"
    # Undirected systems: whether they build links of node 0, or the reconstruction finds the roots.
    root_links: Literal["all", "none"] = "all"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse values that do not go together."""
        from crossarc.transitions.registry import get_system

        self.check_learner(self.learner)
        for name in ("reconstruction", "root_links"):
            value = getattr(self, name)
            if value != type(self).model_fields[name].default and get_system(self.system).directed:
                raise CrossarcError(
                    f"setting {name} = {value!r}: {self.parser} finds directions as it goes; "
                    "leave it out, or take a -naive or -label preset"
                )
        if self.fast and (self.learner != "perceptron" or self.beam > 1):
            raise CrossarcError(
                "fast search is greedy and learned by the perceptron: leave out the beam or the learner"
            )
        if self.learner in AT_ONCE:
            others = "leave it out, or take perceptron, mira or maxent"
            if self.explore > 0:
                reason = "it learns the decisions of the static oracle, all at once, and never parses while it learns"
                raise CrossarcError(f"learner {self.learner} with explore = {self.explore}: {reason}; {others}")
            if self.beam > 1:
                reason = "it scores single decisions, not whole parses, so that sums of its scores mean nothing"
                raise CrossarcError(f"learner {self.learner} with beam = {self.beam}: {reason}; {others}")
        return self


class GraphOutput(BaseModel):
    """The settings of parsers that give graphs: how graphs become what the parser can build."""

    # Cycles are broken by reversing arcs, with marked labels; or the parser builds them.
    cycles: Literal["reverse", "allow"] = "reverse"
    # Which arc of a cycle is reversed: one whose dependent keeps another head, or the shortest (Sagae and Tsujii 2008).
    reversal: Literal["default", "paper"] = "default"
    # Which crossing arc is lifted first: the shortest, or one whose lift does not end at node 0, which is 0.8 better in
    # Danish (labelled F on the development set).
    lifting: Literal["shortest", "root-last"] = "root-last"
    # Marks of lifted arcs count words with the same label up to this number. More bring back more gold arcs, but such
    # labels are rare: parsers find no more.
    numbers: int = Field(1, ge=1, le=9)
    # Paths through empty nodes become arcs with marked labels; or arcs of empty nodes stay as they are in the input.
    empty: Literal["collapse", "keep"] = "collapse"
    # Lemmas and cases in labels are written as placeholders that the words fill in.
    lemmas: bool = True
    # Use the tree in HEAD and DEPREL as features; dag-mst begins with it.
    use_tree: bool = False


class DagSettings(TransitionSettings, GraphOutput):
    """The settings of transition parsers that give graphs."""

    family: Literal["dag"] = "dag"  # type: ignore[assignment]

    @property
    def is_projective(self) -> bool:
        """Whether the parser learns and builds projective graphs only."""
        return self.system != "dag-covington"

    @model_validator(mode="after")
    def check_graphs(self) -> Self:
        """Refuse what is of parsers of trees."""
        if self.fast or self.transform != "none":
            name = "fast" if self.fast else "transform"
            raise CrossarcError(f"setting {name} is of parsers of trees; {self.parser} has none: leave it out")
        if self.cycles == "allow" and self.is_projective:
            raise CrossarcError(
                f"cycles = 'allow': {self.parser} builds graphs without cycles only; take dag-covington or dag-mst"
            )
        return self


class GraphSettings(LinearSettings):
    """The settings that all graph parsers have: all arcs scored on their own, the best tree by a decoder, MIRA."""

    learner: Literal["perceptron", "mira"] = "mira"
    # Learn from the tree that is best when each wrong arc counts one more.
    augment: bool = True
    # Weights below 0.01 cost English EWT 0.1 LAS on its development set, and are seven in ten features.
    prune: float = Field(0.01, ge=0, lt=1)
    # Leave out arcs longer than any of training between words with such tags.
    lengths: bool = False
    # Keep the mean of the weights of all steps, not the last.
    average: bool = True

    @model_validator(mode="after")
    def check_shared(self) -> Self:
        """Refuse settings that other learners have."""
        self.check_learner(self.learner)
        return self


class ArcSettings(GraphSettings):
    """The settings of parsers with a directed decoder."""

    family: Literal["graph"] = "graph"
    system: Literal["chu-liu-edmonds", "eisner"] = "chu-liu-edmonds"
    # Labels by a second model over the finished tree, or the best label of each arc before there is a tree.
    labels: Literal["after", "joint"] = "after"
    # MIRA moves the gold tree from so many of the best trees at once.
    k_best: int = Field(1, ge=1, le=100)

    @property
    def kind(self) -> str:
        """With labels after the tree, or joint."""
        return "joint" if self.labels == "joint" else "graph"

    @property
    def is_projective(self) -> bool:
        """With Eisner's algorithm."""
        return self.system == "eisner"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse k best trees where they are not found."""
        if self.k_best > 1 and (self.system != "chu-liu-edmonds" or self.learner != "mira"):
            raise CrossarcError(
                f"setting k_best is of mst, learned by mira; {self.parser} with {self.learner} has none: leave it out"
            )
        return self


class UndirectedSettings(GraphSettings):
    """The settings of parsers with undirected spanning trees."""

    family: Literal["undirected"] = "undirected"
    system: Literal["undirected"] = "undirected"
    # How the scores of both directions become one; none has features without directions.
    combine: Literal["none", "mean", "product", "max", "min"] = "none"
    # What finds the spanning tree; "auto" is prim, or boruvka where lengths leave edges out. All but prim then look
    # only at the edges that are left.
    method: Literal["auto", "prim", "kruskal", "boruvka", "kkt"] = "auto"
    # Whether learning counts wrong edges, or also right ones that point the wrong way.
    loss: Literal["edges", "heads"] = "edges"
    # How many arcs of a tree a directed model turns round at most; it is learned beside.
    enhance: int = Field(0, ge=0)
    # A third model sees the trees of the undirected and the directed one. While it learns, models of the other parts
    # guess the trees of each of so many parts of the treebank; 0 for no such model.
    stack: int = Field(0, ge=0)
    # With directions combined: learn from the best directed tree.
    directed_training: bool = False

    @property
    def kind(self) -> str:
        """Alone, enhanced, or with a model on top."""
        return "stacked" if self.stack else "enhanced" if self.enhance else "graph"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse values that do not go together."""
        if self.stack == 1 or (self.stack and not self.enhance):
            raise CrossarcError(
                "setting stack: it needs at least two parts of the treebank, and a directed model beside (enhance); "
                "take mst-combined, or leave it out"
            )
        if self.loss == "heads" and self.combine != "none":
            raise CrossarcError(
                "setting loss is of parsers with undirected features; those of directed features always count wrong "
                "heads: leave it out"
            )
        if self.directed_training and self.combine == "none":
            raise CrossarcError(
                "setting directed_training is of parsers with directed features, and these have none; "
                "take mst-undirected-df, or leave it out"
            )
        return self


class RoundSettings(GraphSettings):
    """The settings of parsers that find heads in rounds, from the bottom up."""

    family: Literal["rounds"] = "rounds"
    system: Literal["bottom-up"] = "bottom-up"
    # The tags of each round, else found: as many rounds as can reach this share of the gold arcs.
    order: list[str | list[str]] = []
    reachable: float = Field(0.995, ge=0, le=1)
    # Whether words that have a head can no longer be heads.
    absorb: bool = True
    # Whether later rounds see the labels of the dependents found in earlier rounds.
    child_labels: bool = False


OWN_STARTS = {"mst": "coarse", "mst-undirected": "undirected"}  # those of the parser itself, as factors/ calls them
MOST_STARTS = 6


class SecondOrderSettings(GraphSettings):
    """The settings of parsers that score pairs of arcs."""

    family: Literal["second-order"] = "second-order"
    system: Literal["carreras"] = "carreras"
    # Each of many pairs says little: weights below 0.01 cost Hungarian 0.3 to 0.5 LAS on its development set.
    prune: float = Field(0.003, ge=0, lt=1)
    # A first-order model keeps so many heads of each word, but none further below the best than the margin. 0 keeps
    # all in sentences of up to 100 words.
    heads: int = Field(8, ge=0, le=64)
    margin: float = Field(2.0, gt=0)
    # Words of the projective tree are moved as long as each move gains more than this; None keeps trees projective.
    reattach: float | None = Field(None, ge=0)
    # Moves also start from these trees, and the best end is taken: the best of the first-order model ("mst"), an
    # undirected one by its scores ("mst-undirected"), or that of a transition parser by its preset, trained beside.
    starts: list[str] = []
    # Labels by a second model over the finished tree, or inside the chart, where pairs of arcs see them.
    labels: Literal["after", "joint"] = "after"

    @property
    def is_projective(self) -> bool:
        """Without moves."""
        return self.reattach is None

    @property
    def guides(self) -> list[str]:
        """The transition parsers among the starts."""
        return [name for name in self.starts if name not in OWN_STARTS]

    @property
    def kind(self) -> str:
        """Alone, or with transition parsers beside."""
        return "guided" if self.guides else "second-order"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse starts that are unknown, or where no words are moved."""
        from crossarc.parsers.presets import PRESETS, TRANSITION_PRESETS

        known = [*OWN_STARTS, *(name for name in TRANSITION_PRESETS if "transform" not in PRESETS[name])]
        for name in self.starts:
            if name not in known:
                raise UnknownName("start", name, known)
        if self.starts and self.reattach is None:
            raise CrossarcError(f"setting starts is of carreras-npa; {self.parser} moves no words: leave it out")
        if len(set(self.starts)) < len(self.starts) or len(self.starts) > MOST_STARTS:
            raise CrossarcError(f"setting starts = {self.starts}: name up to {MOST_STARTS} starts, each once")
        return self


class DagMstSettings(GraphSettings, GraphOutput):
    """The settings of the graph parser that gives words several heads."""

    family: Literal["dag-mst"] = "dag-mst"
    system: Literal["dag-mst"] = "dag-mst"
    # Weights below 0.01 cost Danish 0.1 labelled F on its development set.
    prune: float = Field(0.003, ge=0, lt=1)
    # What a missing gold arc costs in learning, if a wrong arc costs 1. Higher values find more arcs beside the tree:
    # 1 misses a third of those in the Danish development set, 3 a quarter, and the F-score of all arcs is higher.
    missing: float = Field(3.0, ge=0)

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse what is of other parsers of graphs, or of trees."""
        if self.use_tree and self.lengths:
            raise CrossarcError("setting lengths leaves out arcs that a given tree may have; leave it or use_tree out")
        if self.transform != "none":
            raise CrossarcError(f"setting transform is of parsers of trees; {self.parser} has none: leave it out")
        return self


# EWT dev: 0.3 LAS less than with the usual size, 1.8 times the speed and half the time of training.
FAST_SIZES = {"hidden": 96}


class NetworkSettings(Settings):
    """The settings of all parsers with a network that scores arcs."""

    epochs: int = Field(20, ge=1)
    # A smaller network, nearly twice as fast: `FAST_SIZES`, unless other sizes are asked for.
    fast: bool = False
    # A word, lemma or part of a word has an embedding if it occurs so often; all others share one.
    cut: int = Field(2, ge=1)
    # The numbers in the sums of embeddings, in one direction of each layer, and in the vectors of arcs and of labels.
    lexical_size: int = Field(128, ge=1, le=4096)
    tag_size: int = Field(96, ge=1, le=4096)
    hidden: int = Field(160, ge=1, le=4096)
    layers: int = Field(2, ge=1, le=8)
    arc_size: int = Field(128, ge=1, le=4096)
    label_size: int = Field(96, ge=1, le=4096)
    # Pretrained vectors of words, a text file of word2vec or fastText: those of all words of the treebank, and so many
    # of other words, which are the most frequent ones if the file is sorted so.
    vectors: str = ""
    vector_rows: int = Field(50_000, ge=0)
    # What training leaves out: outputs of layers, whole sums of embeddings, and words, the rare ones more often. None
    # goes by the size of the treebank: 0.4 and 0.4 below 50,000 words, else 0.33 and 0.25.
    dropout: float | None = Field(None, ge=0, lt=1)
    part_dropout: float | None = Field(None, ge=0, lt=1)
    word_dropout: float = Field(0.25, ge=0)
    # Adam's rate at its highest; it rises over the first steps and falls to 0 at the end.
    rate: float = Field(0.002, gt=0, le=1)
    # The words that are learned from in one step. In small treebanks fewer are, so that an epoch has some steps.
    batch: int = Field(400, ge=1)


class NeuralSettings(NetworkSettings):
    """The settings of parsers of trees with networks."""

    family: Literal["neural"] = "neural"
    system: Literal["chu-liu-edmonds", "eisner"] = "chu-liu-edmonds"
    # Each word chooses its head on its own, or the whole tree is one choice (matrix-tree theorem).
    loss: Literal["heads", "trees"] = "heads"
    # Labels after the tree, or the best label of each arc before there is a tree.
    labels: Literal["after", "joint"] = "after"
    # Networks of so many seeds, whose probabilities are averaged.
    ensemble: int = Field(1, ge=1, le=32)
    # Linear parsers by their presets, trained beside; arcs and labels of their trees score more.
    guides: list[str] = []
    # The columns that are predicted too, from the same vectors: upos, xpos, feats, lemma. They are no features then.
    predict: list[Literal["upos", "xpos", "feats", "lemma"]] = []

    @property
    def is_projective(self) -> bool:
        """With Eisner's algorithm."""
        return self.system == "eisner"

    @property
    def kind(self) -> str:
        """One network, several, or with a linear parser beside."""
        return "neural-hybrid" if self.guides else "neural-ensemble" if self.ensemble > 1 else "neural"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse parsers beside that are unknown, or not of plain trees."""
        from crossarc.parsers.presets import PRESETS, TREE_PRESETS

        known = [name for name in TREE_PRESETS if PRESETS[name]["family"] != "neural"]
        for name in self.guides:
            if name not in known:
                raise UnknownName("guide", name, known)
        if len(set(self.guides)) < len(self.guides):
            raise CrossarcError(f"setting guides = {self.guides}: name each once")
        if self.guides and self.transform != "none":
            raise CrossarcError("settings guides and transform do not go together: leave one of the two out")
        if self.predict and (self.guides or self.ensemble > 1):
            raise CrossarcError("setting predict is of one network: leave guides and ensemble out")
        if len(set(self.predict)) < len(self.predict):
            raise CrossarcError(f"setting predict = {self.predict}: name each once")
        return self


class NeuralGraphSettings(NetworkSettings, GraphOutput):
    """The settings of the parser of graphs with a network."""

    family: Literal["neural-graph"] = "neural-graph"
    system: Literal["best-graph"] = "best-graph"
    cycles: Literal["reverse", "allow"] = "allow"
    # The numbers in what the second pass sees of an arc beside the best tree of the first one; 0 for one pass only.
    beside_size: int = Field(128, ge=0, le=4096)

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse what is of other parsers of graphs, or of trees."""
        if self.transform != "none":
            raise CrossarcError(f"setting transform is of parsers of trees; {self.parser} has none: leave it out")
        return self
