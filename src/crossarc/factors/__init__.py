"""Parts of trees (arcs, labels), their features and scores, and learning from parts."""
