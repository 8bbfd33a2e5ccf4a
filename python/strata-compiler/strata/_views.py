"""What notebooks show: pages and flame graphs."""

import html
import json
from pathlib import Path


class Page:
    """A page of `Program.explore`: one file of HTML, which loads nothing. Notebooks show it in a frame.

    Attributes:
        html: the page, as text.
    """

    def __init__(self, html):
        self.html = html

    def save(self, path):
        """Writes the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self):
        # The frame has no origin: what runs in the page cannot reach the notebook.
        inner = html.escape(self.html, quote=True)
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:800px;border:0" srcdoc="{inner}"></iframe>'

    def __repr__(self):
        return f"<strata.Page of {len(self.html)} characters: .save(path) writes it>"


class Profile:
    """Where the time of a program goes, of `Program.profile`. Notebooks show the flame graph.

    Attributes:
        data: all of it, as docs/guide/profile.md describes: a dictionary.
        text: the report of `strata profile`.
        folded: the stacks of the flame graph, one to a line with its samples.
        svg: the flame graph.
    """

    def __init__(self, data, text, folded, svg):
        self.data, self.text, self.folded, self.svg = json.loads(data), text, folded, svg

    def save(self, path):
        """Writes what `strata explore --profile` reads."""
        Path(path).write_text(json.dumps(self.data, indent=2) + "\n", encoding="utf-8")

    def _repr_html_(self):
        # The frame has no origin, as that of a page.
        inner = html.escape(self.svg, quote=True)
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:600px;border:0" srcdoc="{inner}"></iframe>'

    def __repr__(self):
        return self.text
