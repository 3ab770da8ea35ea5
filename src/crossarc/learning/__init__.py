"""Learning: tables of weights, and how they are learned."""
