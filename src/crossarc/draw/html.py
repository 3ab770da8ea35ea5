"""Many pictures on one HTML page that needs no server, font or library.

The page is an iterator of pieces, one per sentence, so that it can be written while the sentences are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from crossarc.draw.characters import escaped
from crossarc.draw.picture import Picture, comparison_of, picture_of
from crossarc.draw.svg import svg_of
from crossarc.draw.themes import COLORS, Theme, check_theme, rules_of
from crossarc.errors import AlignmentError
from crossarc.treebank import Sentence

PAGE_WIDTH = 1180
PAGE_RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);
font:15px/1.5 system-ui,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif}
header{position:sticky;top:0;z-index:1;padding:10px 20px;background:var(--ground);border-bottom:1px solid var(--rule)}
h1{margin:0 0 6px;font-size:18px}
form{display:flex;flex-wrap:wrap;gap:6px 18px;align-items:center}
input[type=search]{min-width:16em;flex:0 1 24em;padding:4px 8px;font:inherit;color:inherit;background:transparent;
border:1px solid var(--rule);border-radius:6px}
output,.keys,.meta{color:var(--muted)}
output{margin-left:auto;font-variant-numeric:tabular-nums}
.keys{display:flex;flex-wrap:wrap;gap:0 20px;margin-top:4px;font-size:12.5px}
.keys svg{vertical-align:middle;margin-right:6px}
main{padding:0 20px 40px;max-width:1240px;margin:auto}
article{padding:16px 0;border-bottom:1px solid var(--rule);content-visibility:auto;contain-intrinsic-size:auto 320px}
article[hidden]{display:none}
.meta{margin:0;font-size:12.5px;overflow-wrap:anywhere}
.meta b{color:var(--text);font-weight:600}
.text{margin:0 0 6px;overflow-wrap:anywhere}
h1,.meta b,.text{unicode-bidi:isolate}
.picture{overflow-x:auto}
.picture svg{display:block}
@media print{header{position:static;border:0}form{display:none}main{padding:0;max-width:none}
article{break-inside:avoid;content-visibility:visible}.picture{overflow:visible}
.picture svg{max-width:100%;height:auto}}
"""

SCRIPT = """
const form = document.forms[0], count = document.querySelector("output"), all = document.querySelectorAll("article");
const words = Array.from(all, item => item.querySelector("hgroup").textContent.toLowerCase());
function filter() {
  const find = form.find.value.toLowerCase().trim();
  let shown = 0;
  all.forEach((item, i) => {
    item.hidden = !(words[i].includes(find) && (!form.crossing.checked || "crossing" in item.dataset)
      && (!form.differing?.checked || "differs" in item.dataset));
    shown += !item.hidden;
  });
  count.value = `${shown} of ${all.length} sentences`;
}
form.addEventListener("input", filter);
form.addEventListener("submit", event => event.preventDefault());
filter();
"""


def to_html(
    sentences: Iterable[Sentence],
    *,
    system: Iterable[Sentence] | None = None,
    title: str = "Sentences",
    width: int | None = PAGE_WIDTH,
    labels: bool = True,
    tags: Sequence[str] = ("upos",),
    theme: Theme = "auto",
) -> Iterator[str]:
    """A page of sentences as an iterator of pieces.

    With `system`, each picture compares a sentence with the sentence at the same position in `system`. The reader can
    search for ids and text, and show only sentences with non-projective arcs or with differences.
    """
    if system is None:
        pictures = (picture_of(sentence, tags) for sentence in sentences)
    else:
        pictures = (comparison_of(*pair, tags) for pair in paired(sentences, system))
    return html_of(pictures, comparison=system is not None, title=title, width=width, labels=labels, theme=theme)


def paired(gold: Iterable[Sentence], system: Iterable[Sentence]) -> Iterator[tuple[Sentence, Sentence]]:
    """Pairs of sentences of two files; files of different length are refused at the end of the shorter one."""
    for count, (one, other) in enumerate(zip_longest(gold, system)):
        if one is None or other is None:
            shorter, longer = ("gold", "the system's file") if one is None else ("the system's file", "gold")
            raise AlignmentError(
                f"{shorter} ends after {count} sentences and {longer} has more; compare files of the same text"
            )
        yield one, other


def html_of(
    pictures: Iterable[Picture],
    *,
    comparison: bool = False,
    title: str = "Sentences",
    width: int | None = PAGE_WIDTH,
    labels: bool = True,
    theme: Theme = "auto",
) -> Iterator[str]:
    """The page of some pictures as an iterator of pieces."""
    check_theme(theme)
    yield opening(title, theme, comparison)
    for number, picture in enumerate(pictures, 1):
        yield article(
            picture.number or number, picture, svg_of(picture, width=width, labels=labels, theme=theme, style=False)
        )
    yield f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"


def opening(title: str, theme: Theme, comparison: bool) -> str:
    """The page before the first sentence."""
    differing = '<label><input type="checkbox" name="differing"> only differences</label>' if comparison else ""
    name = escaped(title)
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{name}</title>
<style>{variables(theme)}{PAGE_RULES}{rules_of(theme)}</style>
</head>
<body>
<header>
<h1>{name}</h1>
<form>
<input type="search" name="find" placeholder="find an id or text" aria-label="find an id or text">
<label><input type="checkbox" name="crossing"> only non-projective</label>
{differing}
<output></output>
</form>
<div class="keys">{keys(theme, comparison)}</div>
</header>
<main>
"""


def variables(theme: Theme) -> str:
    """The colours of the page around the pictures."""

    def root(name: str) -> str:
        colors = COLORS[name]
        scheme = f"color-scheme:{name};--ground:{colors['ground']};--text:{colors['text']};--muted:{colors['muted']}"
        return f":root{{{scheme};--rule:{colors['line']}55}}"

    if theme != "auto":
        return root(theme)
    return f"{root('light')}@media screen and (prefers-color-scheme:dark){{{root('dark')}}}"


def keys(theme: Theme, comparison: bool) -> str:
    """The legend of the lines."""
    entries = [("", "correct"), ("missed", "− missed: only in gold"), ("wrong", "+ wrong: only in the system's")]
    if not comparison:
        entries = [("", "tree"), ("cross", "crossing arc")]
    entries.append(("extra", "only in the graph"))
    return "".join(
        f'<span><svg class="crossarc {theme}" width="34" height="8" aria-hidden="true"><g class="{kind}">'
        f'<path class="line" d="M1 4h32"/></g></svg>{escaped(text)}</span>'
        for kind, text in entries
    )


def article(number: int, picture: Picture, drawing: str) -> str:
    """One sentence of the page."""
    marks = (" data-crossing" if picture.has_crossing else "") + (" data-differs" if picture.differs else "")
    notes = [escaped(note) for note in (f"{number}", summary(picture)) if note]
    notes.insert(1, f"<b>{escaped(picture.id)}</b>") if picture.id else None
    return (
        f'<article{marks}><hgroup><p class="meta">{" · ".join(notes)}</p>'
        f'<p class="text" dir="auto">{escaped(picture.text)}</p></hgroup>\n'
        f'<div class="picture">{drawing}</div></article>\n'
    )


def summary(picture: Picture) -> str:
    """The differences of a comparison in a few words."""
    if not picture.comparison:
        return ""
    counts = [
        (sum(arc.status == status for arc in picture.arcs), what)
        for status, what in (("missed", "missed"), ("wrong", "wrong"), ("relabelled", "with the wrong label"))
    ]
    return ", ".join(f"{count} {what}" for count, what in counts if count) or "no difference"
