"""An answer keeps its formatting and nothing that leads or loads."""

from core.report.page import prose
from tests.cases import cases
from tests.unit.report.reading import reading
from tests.unit.ui.shell.test_safe import HOSTILE

ALLOWED = {"p", "strong", "em", "s", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "br", "div"} | {
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


@cases("text", HOSTILE)
def test_hostile_markdown_becomes_harmless_elements(text: str) -> None:
    for tag, attributes in reading(f"<div>{prose(text)}</div>").elements:
        assert tag in ALLOWED
        assert set(attributes) <= {"class", "start"}


def test_formatting_stays() -> None:
    html = prose("# Title\n\n**bold** *soft* ~~gone~~ `code`\n\n3. three\n4. four\n\n| a |\n| :-: |\n| b |")
    assert "<p><strong>Title</strong></p>" in html
    assert "<strong>bold</strong> <em>soft</em> <s>gone</s> <code>code</code>" in html
    assert '<ol start="3">' in html
    assert "<th>a</th>" in html


def test_links_keep_their_words_and_images_their_description() -> None:
    assert prose("[words](http://evil.example) ![seen](http://evil.example/p)").strip() == "<p>words seen</p>"


def test_marks_of_known_passages_are_links() -> None:
    html = prose("It is so [1, 3]. Not so [2].", {1: 'a"b', 3: "c"}, "run-evidence")
    assert html.count('class="cite"') == 2
    assert 'data-evidence="run-evidence" data-chunk="a&#34;b">1</a>' in html
    assert "Not so [2]." in html
