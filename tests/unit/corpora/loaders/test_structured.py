"""JSON, JSON Lines, notebooks, feeds and other XML."""

from __future__ import annotations

import json

from tests.unit.corpora.test_loaders import read, refusal
from tests.unit.corpora.test_more_loaders import blocks


def test_json_values_with_their_paths() -> None:
    data = {"title": "Ducks", "n": 2, "none": None, "birds": [{"name": "teal", "tags": ["small", "grey"]}]}
    assert blocks("d.json", json.dumps(data).encode("utf-16")) == [
        "title: Ducks\nn: 2",
        "birds[0].name: teal",
        "birds[0].tags[0]: small\nbirds[0].tags[1]: grey",
    ]
    assert blocks("d.json", b'"alone"') == ["alone"]
    assert "mistake in line 2" in refusal("d.json", b'{"a": 1,\n b}')
    assert "nested too deeply" in refusal("d.json", b"[" * 200_000 + b"1" + b"]" * 200_000)


def test_notebooks() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Ducks\n", "Swim."]},
        {"cell_type": "code", "source": "# no heading\nprint('```')", "outputs": [{"text": "left out"}]},
        {"cell_type": "code", "source": []},
        {"cell_type": "markdown", "source": "## End"},
    ]
    notebook = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}
    document = read("n.ipynb", json.dumps(notebook).encode())
    assert document.title == "Ducks"
    assert document.text == "# Ducks\nSwim.\n\n````python\n# no heading\nprint('```')\n````\n\n## End"
    assert [text for _, text in document.headings] == ["Ducks", "End"]
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": "1 + 1"}]}], "nbformat": 3}
    assert "1 + 1" in read("n.ipynb", json.dumps(old).encode()).text
    assert "no cells" in refusal("n.ipynb", b"{}")


def test_feeds_and_other_xml() -> None:
    feed = (
        "<rss><channel><title>Pond news</title><description>All about it</description><item><title>Ice</title>"
        "<pubDate>Mon, 9 Dec 2024</pubDate><description>&lt;p&gt;The pond &lt;b&gt;froze&lt;/b&gt;.&lt;/p&gt;"
        "</description></item></channel></rss>"
    )
    document = read("news.rss", feed.encode())
    assert document.title == "Pond news"
    texts = ["Pond news", "All about it", "Ice", "pubDate: Mon, 9 Dec 2024", "The pond froze."]
    assert document.text.split("\n\n") == texts
    atom = '<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>B</title><summary>C</summary></entry></feed>'
    assert blocks("news.xml", atom.encode()) == ["A", "B", "C"]
    assert blocks("any.xml", b"<a><!-- no --><b>one</b> two <c/>three</a>") == ["one", "two", "three"]
    assert "XML cannot be read" in refusal("any.xml", b"<a><b></a>")


def test_json_lines_and_numbers_as_they_are_written() -> None:
    lines = '\ufeff{"id": 12345678901234567890, "score": NaN, "text": "gulls"}\n\n{"id": 2, "n": 1.10}\n'
    lines += '{"n": -Infinity}\n'
    assert blocks("export.json", lines.encode()) == [
        "[0].id: 12345678901234567890\n[0].score: NaN\n[0].text: gulls",
        "[1].id: 2\n[1].n: 1.10",
        "[2].n: -Infinity",
    ]
    assert blocks("d.json", b'{"a": 1}{"a":\n1e999}\x1e[3]') == ["[0].a: 1", "[1].a: 1e999", "[2][0]: 3"]
    assert blocks("d.json", b'{"a": ' + b"9" * 5000 + b"}") == ["a: " + "9" * 5000]
    assert "mistake in line 2" in refusal("d.json", b'{"a": 1}\n{"a": }')
    assert "mistake in line 1" in refusal("d.json", b'{"a": 1} and more')
