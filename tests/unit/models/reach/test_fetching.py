"""Fetching a model's file: whole, in parts, and not."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.errors import InputError, LoupeError
from core.models.reach.fetching import Downloads, Fetched, fetch, is_there, part_of
from core.models.reach.recommended import RECOMMENDED, Recommended, recommended
from core.users import NotAllowed, User
from tests.hub import Hub, small_model
from tests.patience import Patience

CONTENT = bytes(range(256)) * 2048
MODEL = small_model(CONTENT)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    hub = Hub(CONTENT)
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(
        constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        hub.url + "/{repo_id}/resolve/{revision}/{filename}",
    )
    yield hub
    hub.close()


def fetched(folder: Path, model: Recommended = MODEL) -> tuple[Path, list[Fetched]]:
    told: list[Fetched] = []
    return asyncio.run(fetch(model, folder, told.append, pause=0.0)), told


def refused(folder: Path, model: Recommended = MODEL) -> str:
    with pytest.raises(LoupeError) as error:
        fetched(folder, model)
    said = str(error.value)
    assert "\n" not in said
    assert said.endswith(".")
    assert not (folder / MODEL.file).exists()
    return said


def test_a_whole_file(hub: Hub, tmp_path: Path) -> None:
    path, told = fetched(tmp_path / "models")
    assert path.read_bytes() == CONTENT
    assert is_there(MODEL, path.parent)
    assert not part_of(MODEL, path.parent).exists()
    assert (told[0].stage, told[-1]) == ("asking", Fetched(len(CONTENT), len(CONTENT), "fetching"))
    assert hub.begun == ["bytes=0-"]
    assert constants.HF_HUB_DISABLE_TELEMETRY
    fetched(tmp_path / "models")  # there already: nobody is asked
    assert hub.begun == ["bytes=0-"]


def test_a_token_is_told_to_the_hub_alone(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fetched(tmp_path)
    told = [(path, "hf_secret" in str(headers)) for _, path, headers in hub.asked]
    assert dict(told) == {f"/{MODEL.repository}/resolve/main/{MODEL.file}": True, "/cdn": False}


def test_cut_connections_go_on_where_they_broke(hub: Hub, tmp_path: Path) -> None:
    hub.cut_after = [100_000, 0, 50_000]
    path, _ = fetched(tmp_path)
    assert path.read_bytes() == CONTENT
    assert hub.begun == ["bytes=0-", "bytes=100000-", "bytes=100000-", "bytes=150000-"]


def test_a_connection_that_brings_nothing_is_given_up_and_goes_on_later(hub: Hub, tmp_path: Path) -> None:
    hub.cut_after = [100_000, *[0] * 5]
    assert "broke at 100 kB of 524 kB. What has come is kept" in refused(tmp_path)
    assert part_of(MODEL, tmp_path).stat().st_size == 100_000
    path, told = fetched(tmp_path)
    assert path.read_bytes() == CONTENT
    assert told[1] == Fetched(100_000, len(CONTENT), "checking")
    assert hub.begun[-1] == "bytes=100000-"


def test_a_server_that_knows_no_ranges(hub: Hub, tmp_path: Path) -> None:
    hub.ranges, hub.cut_after = False, [100_000]
    path, _ = fetched(tmp_path)
    assert path.read_bytes() == CONTENT


def test_a_stopped_download_goes_on(hub: Hub, tmp_path: Path) -> None:
    hub.pause = 0.02
    downloads = Downloads(tmp_path)
    job = downloads.start(MODEL)
    assert downloads.start(MODEL) is job  # two browsers see the same one
    patience = Patience()
    while job.progress.bytes == 0:
        patience.ask("no byte came")
        time.sleep(0.005)
    assert re.fullmatch(r"Fetching: \d+ kB of 524 kB.*", job.message)
    downloads.stop(MODEL)
    job.wait(30)
    assert job.done
    with pytest.raises(CancelledError):
        job.result()
    had = part_of(MODEL, downloads.folder).stat().st_size
    assert 0 < had < len(CONTENT)
    hub.pause = 0.0
    again = downloads.start(MODEL)
    assert again is not job
    assert again.result(30).read_bytes() == CONTENT
    assert hub.begun == ["bytes=0-", f"bytes={had}-"]
    assert again.share == 1


@pytest.mark.processes
def test_a_killed_download_goes_on(hub: Hub, tmp_path: Path) -> None:
    hub.pause = 0.02
    script = (
        "import asyncio, pathlib, sys\n"
        "from core.models.reach.fetching import fetch\n"
        "from tests.hub import small_model\n"
        "model = small_model(bytes(range(256)) * 2048)\n"
        "asyncio.run(fetch(model, pathlib.Path(sys.argv[1]), lambda now: print(now.bytes, flush=True)))\n"
    )
    environment = {**os.environ, "HF_ENDPOINT": hub.url}
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        while int(process.stdout.readline()) == 0:
            pass
        assert "fetched by another process" in refused(tmp_path)
        process.send_signal(signal.SIGKILL)
    had = part_of(MODEL, tmp_path).stat().st_size
    assert 0 < had < len(CONTENT)
    hub.pause = 0.0
    assert fetched(tmp_path)[0].read_bytes() == CONTENT
    assert hub.begun[-1] == f"bytes={had}-"


def test_what_is_wrong_is_deleted(hub: Hub, tmp_path: Path) -> None:
    hub.content = b"x" + CONTENT[1:]
    assert "its hash differs. It was deleted" in refused(tmp_path)
    assert not part_of(MODEL, tmp_path).exists()


def test_another_file_at_the_hub_is_not_fetched(hub: Hub, tmp_path: Path) -> None:
    hub.etag = "0" * 64
    assert "is not the recommended one" in refused(tmp_path)
    hub.etag, hub.size = MODEL.sha256, 5
    assert "is not the recommended one" in refused(tmp_path)
    assert hub.begun == []


def test_no_room(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 10_000_000))
    assert "needs 524 kB in" in (said := refused(tmp_path))
    assert "and 10 MB are free" in said
    assert hub.begun == []


def test_a_disk_that_becomes_full(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.models.reach.fetching._write", full)
    assert "the disk is full" in refused(tmp_path)


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (403, "GatedRepo", "needs a login at Hugging Face"),
        (401, "RepoNotFound", "not at the hub, or needs a login"),
        (404, "RepoNotFound", "not at the hub"),
        (404, "EntryNotFound", "not at the hub"),
        (503, "", "refuses (HTTP 503)"),
    ],
)
def test_refusals(hub: Hub, tmp_path: Path, status: int, code: str, said: str) -> None:
    hub.status, hub.error_code = status, code
    assert said in refused(tmp_path)


def test_no_network(hub: Hub, tmp_path: Path) -> None:
    hub.close()
    assert "cannot be reached" in refused(tmp_path)


def test_offline_by_choice(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in refused(tmp_path)


def test_a_file_of_somebody_is_left_alone(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / MODEL.file).write_bytes(b"mine")
    with pytest.raises(InputError, match="another file called"):
        fetched(tmp_path)
    assert (tmp_path / MODEL.file).read_bytes() == b"mine"


def test_the_rest_of_another_version_is_deleted(hub: Hub, tmp_path: Path) -> None:
    former = part_of(small_model(b"former"), tmp_path)
    former.write_bytes(b"for")
    too_long = part_of(MODEL, tmp_path)
    too_long.write_bytes(CONTENT + b"more")
    assert fetched(tmp_path)[0].read_bytes() == CONTENT
    assert not former.exists()


def test_who_may_fetch(tmp_path: Path) -> None:
    with pytest.raises(NotAllowed, match="only the teacher"):
        Downloads(tmp_path).start(MODEL, User("a" * 32))


def test_the_list() -> None:
    assert 4 <= len(RECOMMENDED) <= 6
    assert len({model.name for model in RECOMMENDED}) == len(RECOMMENDED)
    for model in RECOMMENDED:
        assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)
        assert model.revision == "main" or re.fullmatch(r"[0-9a-f]{40}", model.revision)
        assert model.file.endswith(".gguf")
        assert model.licence in {"Apache-2.0", "MIT"}
        assert model.memory * 10**9 > model.bytes
        assert recommended(model.name) is model
    assert [model.bytes for model in RECOMMENDED[:3]] == sorted(model.bytes for model in RECOMMENDED[:3])
    with pytest.raises(InputError, match="No model “gpt” is recommended"):
        recommended("gpt")
