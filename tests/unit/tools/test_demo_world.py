"""Written texts become documents of an office whose text is what was written, the same bytes each time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.corpora.documents import Document
from core.corpora.loaders import load
from core.corpora.rows import row_cells
from tools.demo_world.making import MAKERS, made, make_documents, same, written_files
from tools.demo_world.written import Unwritable, read_written, words_of

TEXT = """# A short history of the *Grey Teal*

The steamer was bought by **Ilse Marrack** for “less than a bell costs”,
as she liked to say.

## Ships

| Ship | Built | Remarks |
|---|---|---|
| Grey Teal | 1898 | bought second-hand and sold again to a merchant in the north harbour, who left it lying |
| Marigold | 1925 | |

- Cattle paid half.
- Dogs
  paid nothing.

(a) Nobody is left behind.
(b) The timetable comes second.

The Company\\
Harbour Road 3

---

### Later

Notes: Speak slowly.
"""


def written(folder: Path, name: str, text: str = TEXT) -> Path:
    file = folder / "written" / f"{name}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def loaded(name: str, data: bytes) -> Document:
    [document] = load(name, data, 5)
    return document


def words(document: Document) -> list[str]:
    """The words of a made document that were written, without names of columns and borders of cells."""
    lines = [" ".join(value for _, value in row_cells(line)) or line for line in document.text.splitlines()]
    return [word for word in " ".join(lines).split() if word != "|"]


@pytest.mark.parametrize("ending", MAKERS)
def test_a_document_holds_what_was_written(tmp_path: Path, ending: str) -> None:
    file = written(tmp_path, f"teal{ending}")
    document = loaded(f"teal{ending}", made(file))
    assert document.title == "A short history of the Grey Teal"
    found, meant = words(document), words_of(read_written(TEXT))
    assert Counter(found) == Counter(meant) if ending == ".pptx" else found == meant
    assert (len(document.pages), len(document.headings)) == {
        ".pdf": (2, 2), ".docx": (0, 3), ".pptx": (2, 2),
    }[ending]  # fmt: skip
    assert "Harbour Road 3" in document.text.splitlines()
    bare = document.text.replace("|", "").replace("Ship: ", "").replace("Built: ", "")
    assert any(line.split()[:3] == ["Grey", "Teal", "1898"] for line in bare.splitlines())


@pytest.mark.parametrize("ending", MAKERS)
def test_it_is_written_again_only_where_the_text_has_changed(tmp_path: Path, ending: str) -> None:
    file = written(tmp_path, f"teal{ending}")
    (target,) = make_documents(tmp_path)
    assert target == tmp_path / "documents" / f"teal{ending}"
    assert made(file) == target.read_bytes()
    assert make_documents(tmp_path) == []
    file.write_text(TEXT.replace("half", "double"), encoding="utf-8")
    assert make_documents(tmp_path) == [target]
    assert not same(target.read_bytes(), made(written(tmp_path, f"other{ending}")))


def test_a_paragraph_is_not_parted_by_a_page(tmp_path: Path) -> None:
    paragraph = " ".join(["The board met twice and asked for a new bell."] * 9)
    text = "# Minutes\n\n" + "\n\n".join([paragraph] * 20)
    document = loaded("minutes.pdf", made(written(tmp_path, "minutes.pdf", text)))
    assert len(document.pages) > 2
    assert " ".join(document.text.split()).count(paragraph) == 20


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("teal.pdf", "The *Grey Teal*", "must begin with"),
        ("teal.pdf", "# One\n\n# Two", "no other heading"),
        ("teal.pdf", "# One\n\n| a | b |\n| c |", "different lengths"),
        ("teal.pdf", "# One\n\nThe arrow → is not there.", "PDF has no “→”"),
        ("teal.rtf", "# One", "does not say its format"),
    ],
)
def test_what_cannot_be_made_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    written(tmp_path, name, text)
    with pytest.raises(Unwritable, match=said) as error:
        make_documents(tmp_path)
    assert name in str(error.value)


def test_the_name_says_where_it_goes(tmp_path: Path) -> None:
    file = written(tmp_path, "teal.docx")
    assert written_files(tmp_path) == {tmp_path / "documents" / "teal.docx": file}
