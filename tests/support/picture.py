"""Draw the picture of the README from a run of `dateline demo`: `python tests/support/picture.py`.

It shows the definition that the demo prints, the answers that two callers get, and the findings for
an edit that would break them. All texts are from the run.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Final, NamedTuple

PICTURE: Final = Path(__file__).parents[2] / "docs" / "picture.svg"

_COLUMN: Final = 42
"""Where the answer to the second caller begins in a line of the demo."""

_WIDTH, _HEIGHT, _LINE = 960, 408, 20
_STYLE: Final = """\
text { white-space: pre }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328 }
.page { fill: #ffffff } .card { fill: #f6f8fa; stroke: #d1d9e0 }
.head { fill: #59636e } .mark { fill: #953800; font-weight: bold }
.bad { fill: #d1242f } .good { fill: #1a7f37 } .arrow { fill: none; stroke: #818b98 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .page { fill: #0d1117 } .card { fill: #151b23; stroke: #3d444d }
  .head { fill: #9198a1 } .mark { fill: #ffa657 } .bad { fill: #f85149 } .good { fill: #3fb950 }
}"""


class _Card(NamedTuple):
    """A box at *x*, *y* with a heading and lines, each with its CSS class."""

    x: int
    y: int
    width: int
    heading: str
    lines: Sequence[tuple[str, str]]

    def draw(self) -> Iterator[str]:
        height = _LINE * (len(self.lines) + 1) + 18
        yield (
            f'<rect class="card" x="{self.x}" y="{self.y}" width="{self.width}" '
            f'height="{height}" rx="6"/>'
        )
        for number, (text, kind) in enumerate([(self.heading, "head"), *self.lines]):
            named = f' class="{kind}"' if kind else ""
            yield (
                f'<text x="{self.x + 14}" y="{self.y + 22 + _LINE * number}"{named}>'
                f"{escape(text, quote=False)}</text>"
            )


def draw_picture(printed: str) -> str:
    """Return a picture (SVG) of what the demo *printed*."""
    lines = printed.splitlines()
    definition = dedent("\n".join(_find_block(lines, r" +customer:", r"$"))).split("\n")
    asked, *answers = _find_block(lines, r"\$ curl .*\$ curl", r"$")
    versions = re.findall(r"API-Version: (\S+?)'", asked)
    both = [(line[:_COLUMN].rstrip(), line[_COLUMN:].rstrip()) for line in answers]
    older, newer = (
        [(pair[side], "mark" if pair[0] != pair[1] else "") for pair in both] for side in (0, 1)
    )
    edit, check, gate = (
        _find_block(lines, rf"\$ {command}", r"\$|$")[0]
        for command in ("sed", "dateline check", "dateline gate")
    )
    finding = _find_block(lines, r"\S+: gated \[response-field-removed\]", r"$")[0]
    last = [line for line in lines if line == "no findings"][-1]
    cards = (
        _Card(
            24,
            16,
            344,
            "schemas/api.yaml",
            [(line, "mark" if "x-was" in line else "") for line in definition],
        ),
        _Card(428, 16, 246, f"API-Version: {versions[0]}", older),
        _Card(690, 16, 246, f"API-Version: {versions[1]}", newer),
        _Card(
            24,
            254,
            912,
            edit,
            [
                (check, "head"),
                (finding, "bad"),
                (gate, "head"),
                (check, "head"),
                (last, "good"),
            ],
        ),
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
            "<title>One definition, what callers of two versions get, and an edit that would "
            "break them</title>",
            f"<style>\n{_STYLE}\n</style>",
            f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}" rx="8"/>',
            '<path class="arrow" d="M376 126 h 44 m -7 -5 l 7 5 l -7 5"/>',
            *(line for card in cards for line in card.draw()),
            "</svg>\n",
        ]
    )


def _find_block(lines: Sequence[str], start: str, end: str) -> Sequence[str]:
    """Return the lines from the first that starts with *start* to the one before *end*."""
    first = next(number for number, line in enumerate(lines) if re.match(start, line))
    ends = (n for n in range(first + 1, len(lines)) if re.fullmatch(end, lines[n]))
    return lines[first : next(ends, len(lines))]


def main() -> None:
    """Run the demo and write the picture."""
    command = [sys.executable, "-m", "dateline", "demo"]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    PICTURE.write_text(draw_picture(done.stdout), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
