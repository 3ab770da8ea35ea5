"""Pictures of trees and graphs, and of the differences of two analyses, as terminal text, SVG and HTML.

>>> from crossarc.treebank import Sentence
>>> sentence = Sentence.from_columns(forms=["", "Cats", "sleep"], heads=[-1, 2, 0], deprels=["", "nsubj", "root"])
>>> print(to_text(sentence))
  ┌► 1 Cats  nsubj
●─┴─ 2 sleep root
"""

from crossarc.draw.html import to_html
from crossarc.draw.svg import diff_svg, to_svg
from crossarc.draw.terminal import diff_text, to_text

__all__ = ["diff_svg", "diff_text", "to_html", "to_svg", "to_text"]
