"""The papers, each in a package of its own, with what only that paper needs."""
