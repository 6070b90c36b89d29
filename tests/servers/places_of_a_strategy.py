"""Collects all that the app in the working directory shows of a strategy:

    python places_of_a_strategy.py KEY FOLDER WORD …

The words are those of a command that asks it; its report and notebook come into the folder. Prints one JSON object:
what the commands print, and what every page shows. For a process of its own, since a strategy is found where the app's
package lies; for one only, as each takes seconds to import the app.
"""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest


def core(*words: str) -> str:
    """The standard output of a command, which must end well."""
    from core.cli.main import main  # where the app's package lies

    output = io.StringIO()
    with redirect_stdout(output):
        status = main(words)
    assert not status, words
    return output.getvalue()


def opened(path: str, **query: str) -> AppTest:
    """A page that was opened by its address."""
    page = AppTest.from_file(str(Path.cwd() / "app.py"), default_timeout=120).switch_page(path)
    page.session_state["owner"] = "me"
    for name, value in query.items():
        page.query_params[name] = value
    return drawn(page.run())


def drawn(page: AppTest) -> AppTest:
    """The page, in which nothing unexpected went wrong."""
    assert not page.exception, page.exception
    return page


def said(page: AppTest) -> str:
    """What the page says in words, without the marks that keep it literal."""
    kinds = ("header", "subheader", "markdown", "caption", "success")
    items: list[Any] = [item for kind in kinds for item in page.get(kind)]
    folds: list[Any] = list(page.expander)
    return plain("\n".join([*(fold.label for fold in folds), *(str(item.value) for item in items)]))


def plain(text: str) -> str:
    """Without the marks that keep it literal."""
    return text.replace("\\", "").replace("\u2060", "")


def settings(page: AppTest) -> list[str]:
    """The strategies that a form sets side by side."""
    found = (one for one in page.selectbox if re.search(r"-\d+-strategy$", str(one.key)))
    return [str(one.value) for one in found]


def playground(key: str, run: str) -> dict[str, Any]:
    """The strategies offered, by their titles; what the form says of this one; and its stored run."""
    page = opened("pages/playground.py")
    components: Any = page.get("bidi_component")
    drawings = [json.loads(component.proto.json or "{}") for component in components]
    (picker,) = (drawing for drawing in drawings if "families" in drawing)
    offered = {
        strategy["title"]: strategy["idea"]
        for family in picker["families"]
        for strategy in family["strategies"]
    }
    page.session_state["strategy"] = key
    page.session_state["how"] = True  # unfolded
    drawn(page.run())
    return {"offered": offered, "form": said(page), "run": said(opened("pages/playground.py", run=run))}


def lineups(path: str, scope: str, name: str) -> dict[str, Any]:
    """The line-ups of a form that sets strategies side by side, and one of them filled in."""
    page = opened(path)
    drawn(page.button(key=f"{scope}-more-lineups").click().run())
    box = page.selectbox(key=f"{scope}-lineup")
    offered = box.options
    first = next(one for one in page.selectbox if re.search(r"-\d+-strategy$", str(one.key)))
    strategies = first.options
    drawn(box.set_value(name).run())
    return {"lineups": offered, "strategies": strategies, "settings": settings(page)}


def learn(key: str) -> dict[str, Any]:
    """Titles of the lessons, this lesson, and the reply of its exercise to the option 2."""
    cards = (one for one in opened("pages/learn.py").button if str(one.key).startswith("open-"))
    overview = [plain(one.label).strip("*").partition(" · ")[2] for one in cards]
    page = opened("pages/learn.py", lesson=key)
    lesson, code = said(page), [one.value for one in page.code]
    drawn(page.radio(key=f"predict-{key}").set_value("2").run())
    drawn(page.button(key="reveal").click().run())
    return {"overview": overview, "lesson": lesson, "code": code, "revealed": said(page)}


def main(key: str, folder: str, *words: str) -> None:
    """Ask it, take its run home, and look at every page."""
    listed, asked = json.loads(core("strategies", "--json")), json.loads(core(*words))
    for name in ("run.ipynb", "run.html"):
        core("runs", "export", asked["run"], "--output", str(Path(folder) / name))
    seen = {
        "listed": listed["strategies"],
        "asked": asked,
        "playground": playground(key, asked["run"]),
        "compare": lineups("pages/compare.py", "compare", "Search with something else"),
        "evaluate": lineups("pages/evaluate.py", "evaluation", "Does searching with something else help?"),
        "learn": learn(key),
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
