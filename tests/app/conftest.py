"""Fixtures for tests of the page."""

from collections.abc import Iterator
from functools import cache

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(scope="package", autouse=True)
def packages_are_searched_once() -> Iterator[None]:
    """An AppTest reads what every installed package says of itself in each run, for most of its time; a server once."""
    with pytest.MonkeyPatch.context() as patch:
        once = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    """All AppTests of a process share one session, and with it what is cached."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()
