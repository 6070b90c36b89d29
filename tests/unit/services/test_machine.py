"""Cores and memory that a process may use, of the machine or of its container."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from core.services import machine
from core.services.machine import cores, memory_left
from tests.cases import cases


def test_a_container_s_limit_of_memory_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_the_machine = memory_left()
    monkeypatch.setattr(machine, "_CGROUP", tmp_path)
    assert memory_left() == pytest.approx(of_the_machine, rel=0.5)
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    (tmp_path / "memory.stat").write_text("anon 3000\ninactive_file 700\n")
    assert memory_left() == 1700
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_left() > 5000


@cases(
    ("logical", "physical", "bound", "quota", "expected"),
    [
        (2, 2, 2, "max 100000", 2),
        (16, 8, 16, "max 100000", 8),
        (16, 8, 4, "max 100000", 2),
        (16, 8, 16, "250000 100000", 2),
        (8, 8, 8, "50000 100000", 1),
        (4, None, 4, "max 100000", 4),
    ],
)
def test_a_core_counts_once_and_a_container_s_share_is_not_exceeded(
    logical: int,
    physical: int | None,
    bound: int,
    quota: str,
    expected: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(machine, "_CGROUP", tmp_path)
    monkeypatch.setattr(os, "cpu_count", lambda: logical)
    monkeypatch.setattr(psutil, "cpu_count", lambda logical: physical)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(bound)), raising=False)
    (tmp_path / "cpu.max").write_text(f"{quota}\n")
    assert cores() == expected
