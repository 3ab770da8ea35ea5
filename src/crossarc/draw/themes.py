"""The style sheets of SVG pictures.

They use plain rules and a media query, without CSS variables and outlines under letters, since renderers other than
browsers (Word, LibreOffice, CairoSVG) support neither. Every selector starts with the class of the picture, so that
pictures on one page, and the page itself, do not affect each other. No rule needs an id.
"""

from __future__ import annotations

from typing import Literal, get_args

from crossarc.errors import UnknownName

Theme = Literal["auto", "light", "dark"]

COLORS = {
    "light": {
        "ground": "#ffffff",
        "text": "#1f2328",
        "muted": "#656d76",
        "line": "#6e7781",
        "label": "#32383f",
        "cross": "#b35900",
        "extra": "#6e40c9",
        "missed": "#0550ae",
        "wrong": "#c11c28",
        "relabelled": "#9a6700",
    },
    "dark": {
        "ground": "#0d1117",
        "text": "#e6edf3",
        "muted": "#9198a1",
        "line": "#8b949e",
        "label": "#c9d1d9",
        "cross": "#f0a04b",
        "extra": "#bc9cff",
        "missed": "#79b8ff",
        "wrong": "#ff8a80",
        "relabelled": "#e3b341",
    },
}

# The kinds of arcs differ in the pattern of the line, without colour.
SHAPES = """
.crossarc text{font-family:system-ui,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif;text-anchor:middle}
.crossarc text{unicode-bidi:isolate}
.crossarc .form{font-size:15px;font-weight:500}
.crossarc .empty{font-style:italic}
.crossarc .headless{text-decoration:underline dotted}
.crossarc .tag{font-size:10.5px}
.crossarc .id,.crossarc .far{font-size:10px}
.crossarc .label{font-size:11px}
.crossarc .start{text-anchor:start}
.crossarc .end{text-anchor:end}
.crossarc .line{fill:none;stroke-width:1.3px}
.crossarc .cross .line{stroke-width:2px;stroke-dasharray:7 4}
.crossarc .extra .line{stroke-width:1.6px;stroke-dasharray:.1 4;stroke-linecap:round}
.crossarc .missed .line{stroke-width:2px;stroke-dasharray:9 3 2 3}
.crossarc .wrong .line{stroke-width:2px;stroke-dasharray:3 3}
.crossarc .missed .label,.crossarc .wrong .label,.crossarc .relabelled .label{font-weight:600}
.crossarc .ring{stroke-width:1.6px}
.crossarc .arc:hover .line{stroke-width:3px}
.crossarc .arc:hover .label{font-weight:700}
"""


def color_rules(colors: dict[str, str], scope: str) -> str:
    """The rules for the colours of a picture."""
    rules = [
        f"{scope} .ground{{fill:{colors['ground']}}}",
        f"{scope} .form{{fill:{colors['text']}}}",
        f"{scope} .tag,{scope} .id,{scope} .far,{scope} .empty,{scope} .key{{fill:{colors['muted']}}}",
        f"{scope} .label{{fill:{colors['label']}}}",
        f"{scope} .line,{scope} .ring{{stroke:{colors['line']}}}",
        f"{scope} .tip{{fill:{colors['line']}}}",
        f"{scope} .ring{{fill:{colors['ground']}}}",
    ]
    for kind in ("cross", "extra", "relabelled", "missed", "wrong"):
        color = colors[kind]
        rules.append(f"{scope} .{kind} .line,{scope} .{kind} .ring{{stroke:{color}}}")
        rules.append(f"{scope} .{kind} .tip,{scope} .{kind} .label{{fill:{color}}}")
    return "\n".join(rules)


def check_theme(theme: str) -> None:
    """Refuse an unknown theme."""
    if theme not in get_args(Theme):
        raise UnknownName("theme", theme, get_args(Theme))


def rules_of(theme: Theme) -> str:
    """The style sheet of a theme; "auto" follows the reader's preference for light or dark."""
    if theme != "auto":
        return SHAPES + color_rules(COLORS[theme], f".crossarc.{theme}")
    light, dark = (color_rules(COLORS[name], ".crossarc.auto") for name in ("light", "dark"))
    return f"{SHAPES}{light}\n@media screen and (prefers-color-scheme:dark){{\n{dark}\n}}"
