"""What of a page is text: code as it was typed, words without their readings, nothing that a reader never sees."""

from __future__ import annotations

import pytest
from bs4.element import Tag

from core.corpora.loaders import web
from tests.cases import cases
from tests.unit.corpora.test_loaders import archive, read
from tests.unit.corpora.test_more_loaders import book, open_document

CODE = "def f(x):\n    if x:\n        return 1\n\n    return 2"
MARKED = CODE.replace("def", "<span class=k>def</span>").replace("return", "<b>return</b>")
MAIN = "<main><p>" + "The tide at Skerry rises six metres and turns at noon. " * 5 + "</p></main>"


def page(body: str) -> list[str]:
    return read("page.html", f"<html><body>{body}</body></html>".encode()).text.split("\n\n")


@cases(
    "listing",
    [
        f"<pre>{CODE}</pre>",
        f"<pre><code class=language-py>{MARKED}\n</code></pre>",
        f"<div class=highlight><pre><span></span><code>{MARKED}</code></pre></div>",
        f"<pre>{CODE.replace(chr(10), '<br>')}</pre>",
        "<pre>" + "".join(f"<div class=line>{line}&nbsp;</div>" for line in CODE.split("\n")) + "</pre>",
        f"<textarea rows=9>{CODE}</textarea>",
        f'<code style="display:block; white-space: pre">{MARKED}</code>',
        '<div style="color:red;white-space:pre">'
        + "".join(f"<div>{line or '<br>'}</div>" for line in CODE.split("\n"))
        + "</div>",
        "<p><code>" + CODE.replace("    ", "&nbsp;" * 4).replace("\n", "<br>\n   ") + "</code></p>",
        f"<table><tr><td class=linenos><pre>1\n2\n3</pre></td><td class=code><pre>{MARKED}</pre></td></tr></table>",
    ],
)
def test_code_keeps_its_lines_and_blanks(listing: str) -> None:
    before, *code, after = page(f"<p>Use it so:</p>{listing}<p>and then\n  go  on.</p>")
    assert (before, after) == ("Use it so:", "and then go on.")
    assert [line.rstrip() for line in "\n\n".join(code).split("\n")] == CODE.split("\n")


def test_code_in_an_e_book_and_within_a_sentence() -> None:
    chapters = {"a": f"<h1>Loops</h1><pre class='programlisting'><code>{MARKED}</code></pre>"}
    assert read("b.epub", book(chapters=chapters, spine=["a"])).text == f"Loops\n\n{CODE}"
    assert page("<p>The name  <code>a\n b</code> is short.</p>") == ["The name a b is short."]
    assert page('<div style="white-space:pre-wrap"><h2>Tides</h2><p>One</p><p>Two</p></div>') == [
        "Tides",
        "One",
        "Two",
    ]


TOKYO = "<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rp>(</rp><rt>きょう</rt><rp>)</rp></ruby>駅は大きい。"


@pytest.mark.parametrize(
    "text",
    [
        TOKYO,
        "<ruby>\n  東\n  <rt>とう</rt>\n  京\n  <rt>きょう</rt>\n</ruby>駅は大きい。",
        "<ruby><rb>東</rb><rb>京</rb><rtc><rt>とう</rt><rt>きょう</rt></rtc></ruby>駅は大きい。",
        "<ruby><b>東京</b><rt>とうきょう</rt></ruby><ruby>駅<rt>えき</rt></ruby>は大きい。",
    ],
)
def test_readings_do_not_part_a_word(text: str) -> None:
    assert page(f"<p>{text}</p>") == ["東京駅は大きい。"]
    assert read("b.epub", book(chapters={"a": f"<p>{text}</p>"}, spine=["a"])).text == "東京駅は大きい。"
    if "\n" not in text:
        assert read("m.md", text.encode()).text.replace("<b>", "").replace("</b>", "") == "東京駅は大きい。"


def test_readings_in_documents_of_an_office() -> None:
    def word(base: str, reading: str) -> str:
        return (
            f"<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>{reading}</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>{base}</w:t></w:r>"
            "</w:rubyBase></w:ruby></w:r>"
        )

    body = f"<w:p>{word('東', 'とう')}{word('京', 'きょう')}<w:r><w:t>駅</w:t></w:r></w:p>"
    data = f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>'.encode()
    assert read("w.docx", archive(**{"word/document.xml": data})).text == "東京駅"
    content = (
        "<text:p><text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text>"
        "</text:ruby>駅</text:p>"
    )
    assert read("o.odt", open_document(content)).text == "東京駅"


@cases(
    "hidden",
    [
        "<div hidden>GONE</div>",
        "<p HIDDEN=''>GONE</p>",
        '<div style="display:none">GONE</div>',
        '<span style="color:red; DISPLAY : none !important;">GONE</span>',
        "<p style='visibility:hidden'>GONE</p>",
        '<p style="font-size:0px">GONE</p>',
        '<p style="position:absolute; left:-9999px">GONE</p>',
        "<div aria-hidden=true>GONE</div>",
        "<dialog>GONE</dialog>",
        "<template>GONE</template>",
        "<noscript>GONE</noscript>",
        '<div id="onetrust-banner-sdk"><p>GONE</p></div>',
        '<section class="cookie-consent bottom"><p>GONE</p></section>',
        "<div role=navigation>GONE</div>",
        "<nav><p>GONE</p></nav>",
        "<button aria-controls=c>More</button><div id=c role=dialog hidden>GONE</div>",
        "<div hidden><div hidden>GONE</div>GONE</div>",
    ],
)
def test_what_no_reader_sees_is_no_text(hidden: str) -> None:
    text = "\n".join(page(f"{hidden}{MAIN}<p>After it.</p>"))
    assert "GONE" not in text
    assert text.startswith(("The tide", "More"))
    assert text.endswith("turns at noon.\nAfter it.")


@cases(
    "shown",
    [
        "<div role=tabpanel hidden>KEPT</div>",
        "<button aria-controls='a c'>More</button><div id=c hidden>KEPT</div>",
        "<details><summary>Fees</summary>KEPT</details>",
        "<div hidden=until-found>KEPT</div>",
        "<div aria-hidden=false>KEPT</div>",
        "<dialog open>KEPT</dialog>",
        '<div style="font-size:0"><span style="font-size:16px">KEPT</span></div>',
        "<template shadowrootmode=open><p>KEPT</p></template>",
        "<blockquote>Once.<footer>KEPT</footer></blockquote>",
        "<p class=cookie-recipe>KEPT</p>",
        "<p style='display:block'>KEPT</p>",
    ],
)
def test_what_a_reader_can_see_is_kept(shown: str) -> None:
    assert "KEPT" in "\n".join(page(f"{MAIN}{shown}"))


@pytest.mark.parametrize(
    "wrapper",
    [
        "<div aria-hidden=true>",
        '<div id=app style="display:none">',
        "<article hidden>",
        "<div class=cookie-wall>",
    ],
)
def test_the_main_text_is_kept_however_it_is_marked(wrapper: str) -> None:
    text = "The tide at Skerry rises six metres and turns at noon. " * 100
    assert text.strip() in page(f"<h1>Tides</h1>{wrapper}<p>{text}</p>")
    assert read("p.html", f'<body style="display:none"><p>{text}</p></body>'.encode()).text == text.strip()


def test_few_elements_are_looked_at_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[bool] = []
    stays = web._stays

    def noted(tag: Tag, length: int, main: int) -> bool:
        looks.append(stays(tag, length, main))
        return looks[-1]

    monkeypatch.setattr(web, "_stays", noted)
    assert (
        page(f"<p>on</p>{'<div class=cookie-banner>' * 1000}{'<p>down here, in all of them</p>' * 200}")[0]
        == "on"
    )
    assert 0 < len(looks) <= 100
