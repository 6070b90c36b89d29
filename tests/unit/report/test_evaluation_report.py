"""The report of an evaluation: everything that is needed to judge it, and foreign text stays text."""

from __future__ import annotations

from core.charts.evaluation_grid import SCALE
from core.charts.evaluation_settings import with_titles
from core.evaluation.oracle import ORACLE
from core.report import evaluation_report
from core.report.evaluation import shade
from tests.examples.evaluations import BASE, GOOD, SAME, evaluation, with_budgets
from tests.hostile import EVIL
from tests.unit.report.reading import Reading, reading


def words(found: Reading) -> str:
    return " ".join(found.text.split())


def test_findings_differences_charts_failures_and_settings() -> None:
    found = reading(evaluation_report(*evaluation()))
    text = words(found)
    assert "Hybrid finds 100 % of the gold documents, Dense 25 %: 75 points more" in text
    (table,) = [data for name, data in found.drawings if name == "evaluation"]
    assert [column["name"] for column in table["columns"]] == [BASE, GOOD, SAME, ORACLE]
    ndcg = next(row for group in table["groups"] for row in group["rows"] if row["title"] == "nDCG@10")
    assert [cell["difference"] for cell in ndcg["cells"]] == ["", "+0.750", "0.000", ""]
    assert [cell["verdict"] for cell in ndcg["cells"]] == [None, "better", "no significant difference", None]
    assert ndcg["cells"][-1]["mean"] == ndcg["cells"][1]["mean"]
    assert "The oracle takes the best setting of each question, chosen afterwards" in text
    for part in ("Quality against cost", "Question by question", "Per type of question", "Every question"):
        assert part in text
    assert "A sample with seed 7" in text or "a sample with seed 7" in text
    assert "The endpoint refused." in text
    assert "Given but not used" in text


def test_equal_budgets_lead() -> None:
    made, outcomes = evaluation()
    text = words(reading(evaluation_report(made, with_budgets(outcomes))))
    assert (
        text.index("Hybrid finds 100 %") < text.index("Hybrid was given 100 %") < text.index("Hybrid answers")
    )
    assert "different numbers of passages per question: Dense 6.0, Hybrid 8.0" in text
    assert "Difference to plain retrieval with as many passages" in text
    assert "1.000, plain 0.250" in str(reading(evaluation_report(made, with_budgets(outcomes))).drawings)
    assert "as many passages" not in words(reading(evaluation_report(made, outcomes)))  # noted earlier


def test_another_baseline() -> None:
    text = words(reading(evaluation_report(*evaluation(), baseline=GOOD)))
    assert "Hybrid finds 100 % of the gold documents, Dense 25 %: 75 points less (60 to 88) for Dense" in text
    assert "Differences to Hybrid" in text


def test_before_anything_is_done() -> None:
    made, outcomes = evaluation()
    empty = type(outcomes)()
    assert "Nothing is done yet." in words(reading(evaluation_report(made, empty)))


def test_hostile_text_is_text() -> None:
    labels = (EVIL[:60], EVIL[:61], EVIL[:62])
    found = reading(evaluation_report(*evaluation(EVIL, EVIL, labels)))
    assert "default-src 'none'" in found.policy
    assert not [tag for tag, _ in found.elements if tag in ("img", "iframe", "link")]
    assert not [name for _, attributes in found.elements for name in attributes if name.startswith("on")]
    assert not [attributes for _, attributes in found.elements if "style" in attributes]
    assert "<img src=x onerror=alert(1)>" in found.text


def test_shades_run_along_the_scale() -> None:
    assert [shade(place) for place, _ in SCALE] == [colour.lower() for _, colour in SCALE]
    assert shade(-1) == shade(0)
    assert shade(2) == SCALE[-1][1]


def test_settings_that_are_named_by_their_keys_have_titles() -> None:
    keys = ("plain", "multi-query", "hyde (dense)")
    made, outcomes = evaluation(labels=keys)
    found = reading(evaluation_report(made, outcomes, baseline="multi-query"))
    (table,) = [data for name, data in found.drawings if name == "evaluation"]
    names = [column["name"] for column in table["columns"]]
    assert names[0] == "Multi-Query"
    assert set(names) == {"Plain retrieval", "Multi-Query", "HyDE (dense)", ORACLE}
    assert "Differences to Multi-Query" in words(found)
    assert [one.label for one in made.spec.settings] == list(keys)
    alike = ("plain", "Plain retrieval", "hyde")  # two would have one name
    assert [one.label for one in with_titles(evaluation(labels=alike)[0]).spec.settings] == list(alike)
