"""What is on a page, in its address and in the session."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def draw() -> None:
    import streamlit as st

    from core.ui.shell import address

    st.button("show b", on_click=address.show, args=("thing", "b"))
    st.button("put c", on_click=address.write_param, args=("thing", "c"))
    st.button("forget a", on_click=address.forget, args=("thing", "a"))
    st.button("off", on_click=address.show, args=("thing", None))
    st.text(address.read_param("thing") or "nothing")


def opened(**query: str) -> AppTest:
    app = AppTest.from_function(draw)
    app.query_params.update(query)
    return app.run()


def press(app: AppTest, label: str) -> str:
    next(button for button in app.button if button.label == label).click().run()
    return app.text[0].value


def test_it_comes_from_the_address_and_outlives_another_page() -> None:
    app = opened(thing="a")
    assert app.text[0].value == "a"
    app.query_params.clear()
    app.run()
    assert (app.text[0].value, app.query_params["thing"]) == ("a", "a")


def test_another_takes_its_place_and_none_takes_it_off() -> None:
    app = opened()
    assert app.text[0].value == "nothing"
    assert press(app, "show b") == "b"
    assert app.query_params["thing"] == "b"
    assert press(app, "put c") == "c", "what the address says comes first"
    assert press(app, "off") == "nothing"
    assert "thing" not in app.query_params


def test_only_what_is_no_more_is_forgotten() -> None:
    assert press(opened(thing="a"), "forget a") == "nothing"
    assert press(opened(thing="b"), "forget a") == "b"
