"""The training of the weights of a search: from single decisions, from moves and labels, from whole derivations."""
include "oracle_moves.pyx"
include "greedy_training.pyx"
include "stage_training.pyx"
include "beam_training.pyx"


def train(Greedy search, weights, rule, tokens, targets, order, explore=0.0):
    """Learn from sentences in an order, an epoch or a part of one, as suits the search.

    Returns two counts: of decisions, or of sentences for a beam, and of the wrong ones.
    """
    if isinstance(search, Beam):
        return train_beam(search, weights, rule, tokens, targets, order, explore)
    if isinstance(search, TwoStage):
        return train_stages(search, weights, rule, tokens, targets, order, explore)
    return train_greedy(search, weights, rule, tokens, targets, order, explore)
