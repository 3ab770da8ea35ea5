"""Sentences as JSON: what `json.dumps` gives for `Sentence.to_dict`, several times as fast.

Fields repeat, so the JSON of each is kept. What differs from word to word, the offsets in MISC, is put in afterwards.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from crossarc.treebank.dictionaries import READERS, frame_of, layout_of, optional, to_dict, token_dicts
from crossarc.treebank.sentence import Sentence

KEPT = 1 << 16  # fields whose JSON is kept
NUMBER = "(0|[1-9][0-9]*)"
RANGE = re.compile(rf"(?:^|(?<=\|))TokenRange={NUMBER}:{NUMBER}(?=\||\Z)")
SOME_RANGE = '"TokenRange": "0:0"'

json_of = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def sentence_json(sentence: Sentence) -> str:
    """Return `Sentence.to_dict` as JSON, with all characters as they are."""
    if sentence.format.extra:
        return json_of(to_dict(sentence))
    keys, columns = layout_of(sentence.format)
    fields = [sentence.column(column)[1:] for column in columns]
    if "_" in fields[keys.index("form")]:  # a word whose lemma may be an underscore
        tokens = json_of(token_dicts(keys, fields))
    else:
        texts = [
            [misc_json(field) for field in column]
            if key == "misc" and key == keys[-1]
            else [field_json(key, field) for field in column]
            for key, column in zip(keys, fields, strict=True)
        ]
        pattern = "{" + ", ".join(f'"{key}": %s' for key in keys) + "}"
        tokens = "[" + ", ".join(pattern % row for row in zip(*texts, strict=True)) + "]"
    parts = [
        f'"{name}": {tokens if name == "tokens" else json_of(value)}' for name, value in frame_of(sentence).items()
    ]
    return "{" + ", ".join(parts) + "}"


@lru_cache(KEPT)
def field_json(key: str, field: str) -> str:
    """Return the value of a field as JSON."""
    return json_of(READERS.get(key, optional)([field])[0])


def misc_json(misc: str) -> str:
    """Return the value of a MISC field as JSON; behind it the offsets of the token, if it has them."""
    found = RANGE.search(misc) if "TokenRange=" in misc else None
    if found is None:
        return field_json("misc", misc)
    begin, end = found.groups()
    known = field_json("misc", f"{misc[: found.start(1)]}0:0{misc[found.end(2) :]}")
    if known[0] != "{":  # a string, since its entries are not of the usual form
        return field_json("misc", misc)
    return known.replace(SOME_RANGE, f'"TokenRange": "{begin}:{end}"') + f', "start": {begin}, "end": {end}'
