"""Hostile text must reach Streamlit's Markdown without a construct that Markdown would act on."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.cards.texts import visible
from core.ui.shell.safe import JOINER, answer_markdown, code, literal
from tests.cases import cases

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "![tracker](http://evil.example/pixel.png)",
    "![ref][r]\n\n[r]: http://evil.example/pixel.png",
    "[click](javascript:alert(1))",
    "[click](http://evil.example)",
    "[a [nested](http://x.example) b](http://y.example)",
    "<http://evil.example>",
    "see http://evil.example/a?b=c&d and www.evil.example and HTTPS://EVIL.EXAMPLE",
    "mail me@evil.example",
    ":material/home: :tada: :+1: :streamlit:",
    ":red[danger] :red-background[x] :blue-badge[y] :shimmer[z]",
    ':color[x]{foreground="red"}',
    "$x^2$ and $$\\frac{1}{2}$$",
    "```mermaid\ngraph TD; A-->B\n```",
    "~~~mermaid\ngraph TD; A-->B\n~~~",
    "# heading\n## another",
    "| a | b |\n|---|---|\n| ![x](http://evil.example/p) | 2 |",
    "- [ ] task\n- [x] ![y](http://evil.example/q)",
    "\\![x](http://evil.example/p)",
    "&#33;[x](http://evil.example/p) &lt;b&gt;",
    "[^1]\n\n[^1]: ![x](http://evil.example/p)",
    "`code` ``two`` ```three",
    "***bold*** __under__ ~~gone~~",
    "\u202eevil\u202c \u2066x\u2069 \x00\x1b[31m",
    "line one\n> quote\n\n1. list",
    "x\u200b![y](http://evil.example/p)",
]
ALLOWED_INLINE = {"text", "softbreak", "hardbreak", "code_inline", "strong_open", "strong_close", "em_open",
                  "em_close", "s_open", "s_close"}  # fmt: skip
PARSER = MarkdownIt("gfm-like", {"html": True, "linkify": False})


def inline(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or []]


def harmless(markdown: str) -> str:
    """What a Markdown parser sees as plain text; fails on every construct that does more than format."""
    tokens = PARSER.parse(markdown)
    assert not [t for t in tokens if t.type in ("html_block", "fence") and t.info not in ("", "text")]
    assert not [t for t in tokens if t.type == "html_block"]
    found = [t for t in inline(tokens) if t.type not in ALLOWED_INLINE]
    assert not found, found
    text = "".join(t.content for t in inline(tokens) if t.type == "text")
    # Streamlit and GFM look for these once more in the text that is left after escapes are resolved.
    assert not re.search(r"https?://|www\.|\S@\w", text, re.IGNORECASE)
    assert not re.search(r":[\w+/-]+:", text)
    return text


@cases("text", HOSTILE)
def test_literal_text_is_shown_character_for_character(text: str) -> None:
    shown = literal(text)
    assert "\n" not in shown
    tokens = PARSER.parse(shown)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in inline(tokens)} <= {"text"}
    assert harmless(shown).replace(JOINER, "") == " ".join(visible(text).split())


@cases("text", HOSTILE)
def test_every_directive_and_formula_is_escaped(text: str) -> None:
    """Directives and formulas are parsed from the source, so their first characters need a backslash."""
    for shown in (literal(text), answer_markdown(text)):
        outside = re.sub(r"(`+).*?\1", "", shown, flags=re.DOTALL)
        assert not re.search(r"(?<!\\):\w|(?<!\\)\$|(?<!\\)\[|(?<!\\)<", outside)


@cases("text", HOSTILE)
def test_answers_lose_what_could_fetch_or_run(text: str) -> None:
    shown = answer_markdown(text)
    harmless(shown)
    assert "mermaid\n" not in shown


def test_answers_keep_their_formatting() -> None:
    shown = answer_markdown(
        "**Bold** and *soft* `x = 1`\n\n- one\n- two\n    - deep\n\n3. three\n4. four\n\n> said"
    )
    assert "**Bold** and *soft* ` x = 1 `" in shown
    assert "- one\n- two\n" in shown
    assert "3. three\n4. four" in shown
    assert "> said" in shown
    assert answer_markdown("# Title") == "**Title**"
    assert answer_markdown("```python\nx = '`'\n```") == "```text\nx = '`'\n```"
    assert answer_markdown("[words](http://evil.example)") == "words"
    assert answer_markdown("| a | b |\n|---|---|\n| 1 | 2 |") == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_a_code_block_cannot_end_early() -> None:
    hostile = "````\n```\n![x](http://evil.example/p)\n````"
    tokens = PARSER.parse(answer_markdown(hostile))
    assert [token.type for token in tokens] == ["fence"]


def test_citation_marks_become_badges_or_links_only_for_known_passages() -> None:
    shown = answer_markdown("True [1, 2]. False [9].", marks={1, 2})
    assert shown == "True :gray-badge[1] :gray-badge[2]\\. False \\[9\\]\\."
    leads = answer_markdown("True [1, 2]. [3](#open-1) [9].", marks={1, 2}, leads=True)
    assert leads == "True [1](#open-1) [2](#open-2)\\. 3 \\[9\\]\\."


def test_a_half_streamed_answer_is_safe_at_every_length() -> None:
    text = "So **bold [1] and ![x](http://evil.example/p) `code` [l](http://evil.example) <b>"
    for end in range(len(text)):
        harmless(re.sub(r":gray-badge\[\d\]", "", answer_markdown(text[:end], {1})))


def test_inline_code_holds_backticks() -> None:
    assert code("a `b` c") == "`` a `b` c ``"
    assert code("") == ""


def test_direction_marks_and_control_characters_are_removed() -> None:
    assert visible("a\u202eb\x00c\u2066d") == "abcd"
    assert visible("한국어 日本語\tx\n") == "한국어 日本語\tx\n"


def test_long_labels_are_cut() -> None:
    assert literal("abcdef", 4) == "abc…"
