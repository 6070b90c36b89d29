"""Fixtures for tests of the page."""

from collections.abc import Iterator

import pytest
import streamlit as st


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    """All AppTests of a process share one session, and with it what is cached."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()
