"""Text in, trees out: tokenizer, tagger and parsers as one model, trained by one command and kept in one file."""

from crossarc.pipeline.pipeline import Pipeline, bundled_models, load, model_path

__all__ = ["Pipeline", "bundled_models", "load", "model_path"]
