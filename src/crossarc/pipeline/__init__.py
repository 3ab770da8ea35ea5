"""Text in, trees out: tokenizer, tagger and parsers as one model, trained by one command and kept in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily

if TYPE_CHECKING:
    from crossarc.pipeline.loading import bundled_models, load, model_path
    from crossarc.pipeline.pipeline import Pipeline

__all__ = ["Pipeline", "bundled_models", "load", "model_path"]

__getattr__, __dir__ = lazily(
    __name__,
    loading="bundled_models load model_path",
    pipeline="Pipeline",
)
