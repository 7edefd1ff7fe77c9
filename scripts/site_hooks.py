"""Hooks of the documentation site (mkdocs.yml): links that lead out of `docs/` name the file instead."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = re.compile(r"\[([^][]*)\]\(\.\./([^)#]*)(#[^)]*)?\)")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Called for each page. Raises FileNotFoundError for a link to a file that is not there."""
    return OUTSIDE.sub(_name, markdown)


def _name(link: re.Match[str]) -> str:
    text, target = link[1], link[2]
    if not (ROOT / target).exists():
        raise FileNotFoundError(f"a page links ../{target}, which is not there")
    return f"`{target}`" if text in (target, Path(target).name) else f"{text} (`{target}`)"
