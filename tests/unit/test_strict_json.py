"""JSON that somebody else wrote is refused with one kind of error, whatever it does to whoever would use it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.cards.kind import read_artefact
from core.corpora.loaders.structured import load_json, load_jsonl
from core.errors import DocumentError, InputError
from core.evaluation.dataset_lines import read_questions
from core.knowledge.store.importing import read_json_triples
from core.skills.choose_tool import ToolRequest
from core.strict_json import MOST_DEPTH, MOST_DIGITS, is_deep, read_json
from tests.cases import cases

HOSTILE = [
    pytest.param("[" * 200_000, id="deep and cut off"),
    pytest.param("[" * 200_000 + "]" * 200_000, id="deep"),
    pytest.param('{"a":' * 900 + "1" + "}" * 900, id="as deep as Python reads"),
    pytest.param("9" * 1_000_000, id="digits"),
    pytest.param("-" + "9" * (MOST_DIGITS + 1), id="beyond a float"),
    pytest.param("NaN", id="NaN"),
    pytest.param("[-Infinity]", id="Infinity"),
    pytest.param('{"a": 1e999}', id="overflow"),
    pytest.param("", id="nothing"),
    pytest.param("{'a': 1}", id="Python"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_unsafe_is_a_value_error(text: str) -> None:
    for form in (text, text.encode(), text.encode("utf-16")):
        with pytest.raises(ValueError, match="."):
            read_json(form)


@cases(
    ("text", "value"),
    [
        ("[" * MOST_DEPTH + "]" * MOST_DEPTH, None),
        ('{"a": "' + "[{" * 500 + '\\"]"}', {"a": "[{" * 500 + '"]'}),
        ("[" + "{}," * 500 + "{}]", [{}] * 501),
        ("9" * MOST_DIGITS, int("9" * MOST_DIGITS)),
        ('\ufeff"a"'.encode(), "a"),
        ('"\\ud83d"', "\ud83d"),
    ],
)
def test_what_is_safe_is_read(text: str | bytes, value: object) -> None:
    found = read_json(text)
    assert value is None or found == value


@pytest.mark.parametrize("text", ['"\\', '"' + '\\"' * 200_000 + "[" * 101, '"' * 200_001 + "[" * 101])
def test_a_string_without_an_end_is_the_rest(text: str) -> None:
    """So large that a time that grows with the square would never end."""
    assert not is_deep(text + "]" * 101)


@pytest.mark.parametrize("text", [one for one in HOSTILE if one.id not in ("NaN", "Infinity", "overflow")])
@pytest.mark.parametrize(
    ("read", "error"),
    [
        pytest.param(read_artefact, InputError, id="artefact"),
        pytest.param(
            lambda data: read_json_triples('{"subject": ' + data.decode() + "}"), InputError, id="triples"
        ),
        pytest.param(lambda data: load_jsonl("a.jsonl", data or b"x"), DocumentError, id="jsonl"),
    ],
)
def test_imported_files_are_refused_with_a_sentence(
    read: Callable[[bytes], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error):
        read(text.encode())


def test_a_document_keeps_its_numbers_as_they_are_written_and_is_not_read_where_it_is_deep() -> None:
    (document,) = load_json("a.json", b'{"a": ' + b"9" * 5000 + b"}")
    assert "9" * 5000 in document.text
    for text in ("[" * 100_000, '{"a":' * 900 + "1" + "}" * 900, ""):
        with pytest.raises(DocumentError):
            load_json("a.json", text.encode())


def test_a_data_set_names_the_line() -> None:
    defects: list[str] = []
    read_questions(b'{"id": "1", "text": "a"}\n' + b"[" * 100_000 + b"\n" + b"9" * 100_000, defects)
    assert defects == ["“queries.jsonl”: line 2 is not JSON.", "“queries.jsonl”: line 3 is not JSON."]


def test_arguments_that_cannot_be_read_are_told_to_the_model() -> None:
    for text in ("{" * 32_000, '{"a": ' + "9" * 5000 + "}", '{"a":' * 900 + "1" + "}" * 900):
        assert ToolRequest.model_validate({"tool": "t", "arguments": text}).arguments.keys() == {"unreadable"}
