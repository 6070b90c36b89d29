"""Recordings as files: out and in again unchanged; what is not one whole recording is refused with the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.models.recordings.files import HEAD_BYTES, import_recording, to_lines
from core.models.recordings.items import KeptReply
from core.models.recordings.store import RecordingStore, size_of
from tests.unit.models.recordings.samples import LIMIT, ME, everything, head, open_store, reply


@pytest.fixture
def store(tmp_path: Path) -> RecordingStore:
    return open_store(tmp_path)


GOOD = "".join(f"{line.model_dump_json()}\n" for line in [head(), *everything()]).encode()


def changed(line: int, **values: Any) -> bytes:
    lines = GOOD.decode().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | values)
    return "\n".join(lines).encode()


def test_out_in_and_out_again(store: RecordingStore) -> None:
    one = store.begin(head(), ME, items=everything())
    first = list(to_lines(store, one))
    again = import_recording("a.jsonl", "".join(first).encode(), store, "a student", LIMIT)
    assert list(to_lines(store, again)) == first
    assert (again.replies, again.bytes) == (one.replies, one.bytes)


def test_a_full_recording_can_be_handed_on(store: RecordingStore) -> None:
    limit = size_of(everything())
    one = store.begin(head(licence="x" * 2000), ME, items=everything())
    lines = "".join(to_lines(store, one)).encode()
    assert import_recording("a.jsonl", lines, store, "a student", limit).bytes == limit


def test_names_that_exist_get_a_number(store: RecordingStore) -> None:
    names = [import_recording("a.jsonl", GOOD, store, ME, LIMIT).name for _ in range(3)]
    assert names == ["Lesson", "Lesson (2)", "Lesson (3)"]
    long = changed(0, name="y" * 200)
    assert [len(import_recording("a.jsonl", long, store, ME, LIMIT).name) for _ in range(2)] == [200, 194]


def test_names_are_cleaned_and_markup_stays_text(store: RecordingStore) -> None:
    data = changed(0, name="\u202e<b>Les\u0000son</b>\u2066\n[a](b)", model="ca\u0007pable")
    found = import_recording("a.jsonl", data, store, ME, LIMIT)
    assert (found.name, found.model) == ("<b>Les son</b> [a](b)", "ca pable")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n", "Line 1 of .* is no line"),
        (b"\xff\xfe{\x00", "Line 1 of .* is no line"),
        (GOOD.split(b"\n", 1)[1], "does not begin with the head"),
        (GOOD + GOOD, "more than one recording"),
        (GOOD.split(b"\n", 1)[0], "no reply of a model"),
        (changed(0, version=2), "another version .* reads version 1"),
        (changed(0, version="1"), "another version"),
        (changed(0, name="\u202e "), "needs a name"),
        (changed(0, model=""), "Line 1 of"),
        (changed(0, created="0001-01-01T00:00:00+14:00"), "Line 1 of"),
        (changed(0, created="2026-01-01T00:00:00"), "Line 1 of"),
        (changed(0, licence="x" * 2001), "Line 1 of"),
        (changed(0, owner="app"), "Line 1 of"),
        (changed(0, pinned=True), "Line 1 of"),
        (changed(2, key="../../etc/passwd"), "Line 3 of"),
        (changed(2, key="A" * 32), "Line 3 of"),
        (changed(2, kind="macro"), "Line 3 of"),
        (changed(2, text=" \n"), "Line 3 of"),
        (changed(2, seconds=-1), "Line 3 of"),
        (changed(2, seconds=1e9), "Line 3 of"),
        (changed(2, usage={"input": "many"}), "Line 3 of"),
        (changed(2, shell="rm"), "Line 3 of"),
        (changed(1, params={"a": json.loads("[" * 200 + "]" * 200)}), "Line 2 of"),
        (GOOD.replace(b'"score":1.0', b'"score":NaN', 1), "Line 5 of"),
        (GOOD.replace(b'{"k":6}', b'{"k":Infinity}', 1), "Line 2 of"),
        (GOOD.replace(b"d:2", b"d:1"), "Line 5 of"),
        (changed(5, numbers="not Base64!"), "Line 6 of"),
        (changed(5, numbers="abcde"), "a vector that cannot be read"),
        (changed(5, scale=0), "Line 6 of"),
        (changed(5, scale=1e300), "Line 6 of"),
        (GOOD + b"\n{}", "Line 8 of"),
        (b"[" * 100_000, "Line 1 of"),
        (b"{}\n" * 300_001, "has 300,001 lines; at most"),
        (GOOD + b" " * (LIMIT + HEAD_BYTES), "larger than the 1 MB"),
    ],
)
def test_what_is_no_recording_is_refused(store: RecordingStore, data: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        import_recording("lesson.jsonl", data, store, ME, LIMIT)
    assert store.listed([ME]) == []


def test_lines_that_become_larger_in_the_database_count_as_they_are_there(store: RecordingStore) -> None:
    short = [{"kind": "reply", "key": f"{number:032x}", "skill": "a", "text": "b"} for number in range(3)]
    data = "\n".join([head().model_dump_json(), *map(json.dumps, short)]).encode()
    limit = size_of([KeptReply.model_validate(one) for one in short])
    assert len(data) < limit
    with pytest.raises(InputError, match="larger than"):
        import_recording("a.jsonl", data, store, ME, limit - 1)
    assert import_recording("a.jsonl", data, store, ME, limit).replies == 3


def test_of_two_imports_under_one_id_the_second_changes_nothing(store: RecordingStore) -> None:
    import_recording("a.jsonl", GOOD, store, ME, LIMIT, ident="app-1")
    with pytest.raises(InputError, match="already"):
        import_recording("a.jsonl", changed(2, text="another"), store, ME, LIMIT, ident="app-1")
    assert reply() in store.everything("app-1")
    assert [one.id for one in store.listed([ME])] == ["app-1"]
