"""Graph parsers: models, trainers, analysis."""
