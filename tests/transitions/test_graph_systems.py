"""Systems that build graphs: their oracles, what they can build at all, and how they end."""

import itertools
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.errors import CrossarcError, UnknownName
from crossarc.transitions.registry import GRAPH_SYSTEMS, get_graph_system, get_system
from crossarc.transitions.system import Configuration, GraphTargets, replay, replay_graphs

PROJECTIVE = [name for name in GRAPH_SYSTEMS if name != "dag-covington"]


def crosses(a, b):
    (p, q), (r, s) = sorted(a), sorted(b)
    return p < r < q < s or r < p < s < q


def is_acyclic(n, arcs):
    """Take away nodes without heads as long as there are any."""
    left = set(range(n + 1))
    while True:
        free = {v for v in left if not any(h in left and d == v for h, d in arcs)}
        if not free:
            return not left
        left -= free


@cache
def all_graphs(n, projective):
    """All graphs over n words without cycles in which each word has a head."""
    pairs = [(h, d) for d in range(1, n + 1) for h in range(n + 1) if h != d]
    found = []

    def extend(k, chosen):
        if k == len(pairs):
            if {d for _, d in chosen} == set(range(1, n + 1)) and is_acyclic(n, chosen):
                found.append(tuple(chosen))
            return
        extend(k + 1, chosen)
        h, d = pairs[k]
        if (d, h) not in chosen and not (projective and any(crosses((h, d), other) for other in chosen)):
            extend(k + 1, [*chosen, (h, d)])

    extend(0, [])
    return found


def targets_of(graphs, sizes):
    table = np.array([arc for graph in graphs for arc in graph], dtype=np.int32).reshape(-1, 3)
    arcs = np.cumsum([0, *(len(graph) for graph in graphs)])
    return GraphTargets(*(np.ascontiguousarray(column) for column in table.T), arcs, np.cumsum([0, *sizes]))


def with_labels(graph, rng, most):
    """The arcs with up to so many different labels each."""
    return [(h, d, x) for h, d in graph for x in rng.sample(range(most), rng.randint(1, most))]


def system_of(name, **options):
    return get_graph_system(name, **{"most_heads": 30, "most_parallel": 3, **options})


def check_replay(system, graphs, sizes):
    right, others, moves = replay_graphs(system, targets_of(graphs, sizes))
    assert right.tolist() == [len(graph) for graph in graphs]
    assert not others.any()
    assert (moves >= 0).all()
    return moves


@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
@pytest.mark.parametrize("labels", [1, 3])
@pytest.mark.parametrize("n", range(1, 6))
def test_oracles_rebuild_all_small_projective_graphs(name, labels, n):
    rng = random.Random(n)
    graphs = [with_labels(graph, rng, labels) for graph in all_graphs(n, True)]
    check_replay(system_of(name), graphs, [n + 1] * len(graphs))


@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
def test_oracles_rebuild_projective_graphs_with_one_root(name):
    graphs = [[(h, d, 0) for h, d in graph] for graph in all_graphs(5, True) if sum(h == 0 for h, _ in graph) == 1]
    assert len(graphs) > 500
    check_replay(system_of(name, single_root=True), graphs, [6] * len(graphs))


def test_lists_rebuild_all_small_graphs():
    rng = random.Random(1)
    graphs = [with_labels(graph, rng, 2) for graph in all_graphs(4, False)]
    assert len(graphs) > len(all_graphs(4, True))
    check_replay(system_of("dag-covington"), graphs, [5] * len(graphs))


def test_lists_rebuild_cycles_where_they_are_allowed():
    graph = [(0, 1, 0), (1, 2, 0), (2, 1, 1), (2, 3, 0), (1, 3, 0)]
    check_replay(system_of("dag-covington", allows_cycles=True), [graph], [4])
    right, _, _ = replay_graphs(system_of("dag-covington"), targets_of([graph], [4]))
    assert right.tolist() == [4]


def random_projective(n, rng):
    """A random projective graph: arcs that cross nothing and close no cycle, until every word has a head."""
    arcs = []
    pairs = [(h, d) for h in range(n + 1) for d in range(1, n + 1) if h != d]
    rng.shuffle(pairs)
    pairs.sort(key=lambda pair: abs(pair[0] - pair[1]) + rng.random() * n)
    for pair in pairs:
        wanted = rng.random() < 0.5 or not any(d == pair[1] for _, d in arcs)
        if wanted and not any(crosses(pair, arc) for arc in arcs) and is_acyclic(n, [*arcs, pair]):
            arcs.append(pair)
    return arcs if {d for _, d in arcs} == set(range(1, n + 1)) else random_projective(n, rng)


@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
def test_oracles_rebuild_longer_projective_graphs(name):
    rng = random.Random(5)
    sizes = [rng.randint(6, 14) for _ in range(60)]
    graphs = [with_labels(random_projective(n, rng), rng, 2) for n in sizes]
    check_replay(system_of(name), graphs, [n + 1 for n in sizes])


def trees(n):
    """All projective trees over n words, as heads."""
    return [
        [-1, *(h for h, _ in sorted(graph, key=lambda arc: arc[1]))] for graph in all_graphs(n, True) if len(graph) == n
    ]


def check_on_trees(graph_name, tree_name, moves, n, single_root):
    """The oracle of a graph system does on trees what that of a tree system does, some moves by others."""
    graph_system = get_graph_system(graph_name, single_root=single_root, most_heads=1)
    tree_system = get_system(tree_name, single_root=single_root)
    for heads in trees(n):
        if single_root and heads.count(0) != 1:
            continue
        ours = Configuration(graph_system, arcs=[(heads[d], d, 0) for d in range(1, n + 1)], n=n)
        theirs = Configuration(tree_system, heads)
        while not theirs.is_final():
            move = tree_system.moves[theirs.oracle()]
            theirs.apply(theirs.oracle())
            for expected in moves.get(move, [move]):
                assert graph_system.moves[ours.oracle()] == expected
                ours.apply(ours.oracle())
        assert ours.is_final()
        assert sorted(ours.arcs) == sorted(theirs.arcs)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", range(1, 6))
def test_standard_on_trees_is_arc_standard(n, single_root):
    moves = {"LEFT-ARC": ["LEFT-REDUCE"], "RIGHT-ARC": ["RIGHT-REDUCE"]}
    check_on_trees("dag-standard", "arc-standard", moves, n, single_root)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", range(1, 6))
def test_eager_on_trees_is_arc_eager(n, single_root):
    moves = {"LEFT-ARC": ["LEFT-ARC", "REDUCE"], "RIGHT-ARC": ["RIGHT-ARC", "SHIFT"]}
    check_on_trees("dag-eager", "arc-eager", moves, n, single_root)


def test_right_attach_puts_the_dependent_back():
    """The second example of Sagae and Tsujii's Figure 2: X -> Y -> Z and X -> Z."""
    system = system_of("dag-standard")
    c = Configuration(system, arcs=[(0, 1, 0), (1, 2, 0), (2, 3, 0), (1, 3, 1)], n=3)
    made = []
    while not c.is_final():
        made.append(system.moves[c.oracle()])
        c.apply(c.oracle(), max(0, c.gold_label(c.oracle())))
    assert made == [
        "SHIFT", "SHIFT", "SHIFT", "RIGHT-ATTACH", "RIGHT-REDUCE", "SHIFT", "RIGHT-REDUCE", "RIGHT-REDUCE",
    ]  # fmt: skip
    assert sorted(c.arcs) == [(0, 1, 0), (1, 2, 0), (1, 3, 1), (2, 3, 0)]


def test_left_attach_leaves_both_words():
    """The first example of Sagae and Tsujii's Figure 2: two heads on the right."""
    system = system_of("dag-standard")
    c = Configuration(system, arcs=[(2, 1, 0), (3, 1, 0), (3, 2, 0), (0, 3, 0)], n=3)
    for _ in range(2):
        c.apply(c.oracle())
    assert system.moves[c.oracle()] == "LEFT-ATTACH"
    c.apply(c.oracle())
    assert c.stack == [0, 1, 2]


@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
@pytest.mark.parametrize("single_root", [True, False])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_moves_end_in_a_graph(name, single_root, data):
    """Whatever legal moves are made, they end within the bound, and every word has a head that leads to node 0."""
    n = data.draw(st.integers(1, 7))
    heads, parallel = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 2))
    system = get_graph_system(name, single_root=single_root, most_heads=heads, most_parallel=parallel)
    c = Configuration(system, arcs=[], n=n)
    while not c.is_final():
        legal = c.legal()
        assert legal
        move = data.draw(st.sampled_from(legal))
        taken = [label for h, d, label in c.arcs if (h, d) == c.arc_of(move)]
        c.apply(move, len(taken))
        if name == "dag-standard":
            assert sum(c.arc_of(m) is not None for m in c.legal()) <= 4
    moves = len(c.arcs)
    c.finish()
    arcs = [(h, d) for h, d, _ in c.arcs]
    assert len(set(c.arcs)) == len(c.arcs) or len(c.arcs) > moves
    assert {d for _, d in arcs} == set(range(1, n + 1))
    assert is_acyclic(n, set(arcs))
    assert not single_root or sum(h == 0 for h, _ in arcs) == 1
    if name == "dag-standard":
        assert len(c.arcs) == moves  # nothing is left over
        assert max(sum(d == word for _, d in arcs) for word in range(1, n + 1)) <= max(heads, 1) + single_root


def final_states(system, n):
    """The final states that legal moves lead to, each once."""
    seen, todo = set(), [Configuration(system, arcs=[], n=n)]
    while todo:
        c = todo.pop()
        if c.is_final():
            yield c
            continue
        for move in c.legal():
            after = c.copy()
            taken = [label for h, d, label in c.arcs if (h, d) == c.arc_of(move)]
            after.apply(move, len(taken))
            # The last arc to a word counts as its head.
            state = tuple(after.stack), after.left, tuple(after.buffer), frozenset(after.arcs), tuple(after.heads)
            if state not in seen:
                seen.add(state)
                todo.append(after)


ROOT_CASES = [(name, False) for name in GRAPH_SYSTEMS] + [("dag-covington", True)]


@pytest.mark.parametrize(("name", "cycles"), ROOT_CASES)
def test_a_single_root_is_kept_whatever_moves_are_made(name, cycles):
    """All derivations of up to four words: one arc from node 0 in the end, and every word is reached from there."""
    for n in range(1, 5):
        system = get_graph_system(name, single_root=True, allows_cycles=cycles, most_heads=2 if n > 3 else 3)
        count = 0
        for c in final_states(system, n):
            c.finish()
            arcs = {(h, d) for h, d, _ in c.arcs}
            assert [h for h, _, _ in c.arcs].count(0) == 1, c.arcs
            assert all(leads_to_root(word, arcs) for word in range(1, n + 1)), c.arcs
            assert cycles or is_acyclic(n, arcs), c.arcs
            count += 1
        assert count >= n


def leads_to_root(word, arcs):
    """Whether a way up from a word ends in node 0."""
    above = {word}
    while more := {h for h, d in arcs if d in above} - above:
        above |= more
    return 0 in above


def test_without_cycles_the_root_word_takes_no_other_head():
    """An arc to it would come from a word that can only be below it."""
    names = list(system_of("dag-covington").moves)
    for cycles in (False, True):
        c = Configuration(system_of("dag-covington", single_root=True, allows_cycles=cycles), arcs=[], n=2)
        c.apply(names.index("RIGHT-ARC"))  # 0 -> 1
        c.apply(names.index("SHIFT"))
        assert (names.index("LEFT-ARC") in c.legal()) == cycles
        c = Configuration(system_of("dag-covington", single_root=True, allows_cycles=cycles), arcs=[], n=2)
        for move in ("SHIFT", "RIGHT-ARC", "NO-ARC"):  # 1 -> 2
            c.apply(names.index(move))
        assert (names.index("RIGHT-ARC") in c.legal()) == cycles  # 0 -> 2


@pytest.mark.parametrize("name", ["dag-eager", "dag-covington"])
def test_a_wrong_head_costs_the_root_arc_that_it_forbids(name):
    """The root word is 2; an arc from 1 to it and the one from node 0 exclude each other."""
    names = list(system_of(name).moves)
    for single_root, cost in ((True, 2), (False, 1)):
        c = Configuration(system_of(name, single_root=single_root), arcs=[(2, 1, 0), (0, 2, 0)], n=2)
        c.apply(names.index("SHIFT"))
        costs = costs_by_name(c.system, c)
        if name == "dag-eager":  # where a wrong arc also takes the place of the one in the other direction
            cost += 1
        assert costs["RIGHT-ARC"] == cost
        assert costs["LEFT-ARC"] == 0


def test_a_wrong_root_costs_other_roots_and_later_heads():
    names = list(system_of("dag-covington").moves)
    arcs = [(0, 2, 0), (2, 1, 0), (3, 1, 1), (2, 3, 0)]
    for single_root, cost in ((True, 1 + 1 + 2), (False, 1)):
        c = Configuration(system_of("dag-covington", single_root=single_root), arcs=arcs, n=3)
        assert costs_by_name(c.system, c) == {"SHIFT": 0, "RIGHT-ARC": cost}
        c.apply(names.index("RIGHT-ARC"))
        c.apply(names.index("SHIFT"))
        # The arcs from 2 to 1 and from 0 to 2 cannot be made any more, so nothing that loses them costs anything.
        if single_root:
            assert costs_by_name(c.system, c)["SHIFT"] == 0


@pytest.mark.parametrize("most_heads", [1, 2, 4])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_standard_keeps_its_bound(most_heads, data):
    n = data.draw(st.integers(1, 8))
    system = get_graph_system("dag-standard", most_heads=most_heads, most_parallel=2)
    c = Configuration(system, arcs=[], n=n)
    moves = 0
    while not c.is_final():
        # Attach as often as possible.
        legal = sorted(c.legal(), key=lambda move: "ATTACH" in system.moves[move], reverse=True)
        move = legal[0] if data.draw(st.booleans()) else data.draw(st.sampled_from(legal))
        taken = [label for h, d, label in c.arcs if (h, d) == c.arc_of(move)]
        c.apply(move, len(taken))
        moves += 1
        assert moves <= 2 * n * most_heads


@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
def test_oracles_end_on_graphs_outside_of_the_class(name):
    rng = random.Random(2)
    graphs = rng.sample(all_graphs(4, False), 200)
    system = get_graph_system(name, most_heads=2)
    _, _, moves = replay_graphs(system, targets_of([[(h, d, 0) for h, d in g] for g in graphs], [5] * len(graphs)))
    assert (moves >= 0).all()


@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
def test_long_sentences(name):
    """A chain of 5,000 words, each with the two words before as its heads."""
    n = 5_000
    graph = [(d - 1, d, 0) for d in range(1, n + 1)] + [(d - 2, d, 0) for d in range(2, n + 1) if d % 2]
    right, _, moves = replay_graphs(system_of(name), targets_of([graph], [n + 1]))
    assert moves[0] > 0
    assert right[0] == len(graph)


@pytest.mark.parametrize("name", ["dag-eager", "dag-covington"])
def test_costs_are_zero_for_the_oracle_alone_or_for_equals(name):
    rng = random.Random(3)
    for graph in rng.sample(all_graphs(4, True), 100):
        c = Configuration(system_of(name), arcs=with_labels(graph, rng, 2), n=4)
        while not c.is_final():
            move = c.oracle()
            assert c.costs()[move] == 0
            c.apply(move, max(0, c.gold_label(move)))


def test_costs_count_lost_arcs():
    """After a move off the path, the oracle builds as many gold arcs less as the move cost."""
    system = system_of("dag-covington")
    rng = random.Random(4)
    for graph in rng.sample(all_graphs(4, False), 60):
        arcs = [(h, d, 0) for h, d in graph]
        c = Configuration(system, arcs=arcs, n=4)
        while not c.is_final():
            for move, cost in c.costs().items():
                if system.moves[move] in ("SHIFT", "NO-ARC"):
                    other = c.copy()
                    other.apply(move)
                    while not other.is_final():
                        other.apply(other.oracle(), max(0, other.gold_label(other.oracle())))
                    assert len(arcs) - len(set(other.arcs) & set(arcs)) == cost
            c.apply(c.oracle(), max(0, c.gold_label(c.oracle())))


def costs_by_name(system, configuration):
    return {system.moves[move]: cost for move, cost in configuration.costs().items()}


def test_a_word_that_lost_its_head_may_get_a_wrong_one():
    """It will have a wrong one in any case, and as long as it has none it hides the nodes below."""
    system = system_of("dag-eager", single_root=True)
    names = list(system.moves)
    arcs = [(0, 1, 0), (1, 2, 0), (2, 3, 0), (2, 4, 0)]
    c = Configuration(system, arcs=arcs, n=4)
    for move in ("RIGHT-ARC", "SHIFT", "RIGHT-ARC", "SHIFT"):
        c.apply(names.index(move), 0)
    assert costs_by_name(system, c) == {"SHIFT": 1, "REDUCE": 2, "LEFT-ARC": 2, "RIGHT-ARC": 0}
    c.apply(names.index("SHIFT"))  # loses 2 -> 3
    assert c.stack == [0, 1, 2, 3]
    assert costs_by_name(system, c) == {"SHIFT": 1, "LEFT-ARC": 0, "RIGHT-ARC": 1}
    for move in ("LEFT-ARC", "REDUCE", "RIGHT-ARC"):
        assert costs_by_name(system, c)[move] == 0
        c.apply(names.index(move), 0)
    assert set(arcs) - set(c.arcs) == {(2, 3, 0)}


def test_a_word_under_the_root_word_needs_no_wrong_head():
    """Words without a head go there in the end."""
    system = system_of("dag-eager", single_root=True)
    names = list(system.moves)
    c = Configuration(system, arcs=[(0, 1, 0), (1, 2, 0), (1, 3, 0)], n=3)
    for move in ("RIGHT-ARC", "SHIFT", "SHIFT"):  # loses 1 -> 2
        c.apply(names.index(move), 0)
    assert costs_by_name(system, c) == {"SHIFT": 1, "LEFT-ARC": 1, "RIGHT-ARC": 1}


def test_a_wrong_root_costs_the_right_one():
    system = system_of("dag-eager", single_root=True)
    c = Configuration(system, arcs=[(2, 1, 0), (0, 2, 0)], n=2)
    # Wrong itself, it forbids the right root arc, and as the root the word takes no other head.
    assert costs_by_name(system, c) == {"SHIFT": 0, "RIGHT-ARC": 3}
    several = system_of("dag-eager")
    c = Configuration(several, arcs=[(2, 1, 0), (0, 2, 0)], n=2)
    assert costs_by_name(several, c) == {"SHIFT": 0, "RIGHT-ARC": 1}


def test_trees_in_graph_targets_are_like_trees():
    heads = list(itertools.chain.from_iterable(trees(4)))
    starts = np.arange(len(trees(4)) + 1) * 5
    _, moves = replay(get_system("arc-standard", single_root=False), heads, starts)
    graphs = [[(tree[d], d, 0) for d in range(1, 5)] for tree in trees(4)]
    _, _, ours = replay_graphs(get_graph_system("dag-standard", most_heads=1), targets_of(graphs, [5] * len(graphs)))
    assert ours.tolist() == moves.tolist()


def test_bad_limits_and_names_are_refused():
    with pytest.raises(CrossarcError, match="at least 1 is needed"):
        get_graph_system("dag-eager", most_heads=0)
    with pytest.raises(UnknownName, match="did you mean 'dag-eager'"):
        get_graph_system("dag-eage", most_heads=2)
    with pytest.raises(ValueError, match="leaves its sentence"):
        targets_of([[(0, 3, 0)]], [3])
