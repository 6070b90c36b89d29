"""A question about a row of a table is answered from it, and not at all where it could be another row or column."""

from __future__ import annotations

from core.corpora.loaders import load
from core.corpora.sentence_spans import copied_sentences, sentences
from core.skills.copying import row_fact
from core.trace.passages import Passage
from tests.cases import cases

SHIPS = (
    "Ship,Year built,Length (m),Home port,Master,Remarks\n"
    "Dunlin,1911,31,Skerry,Orrin Vale,Lost in fog. Found again.\nTern,1930,28,Port Ansel,Ada Moll,\n"
    "Gannet,1930,44,Skerry,Ilse Marrack,Sold.\nGrey Teal,1898,52,Brackwater,Orrin Vale,\n"
)
ORDERS = (
    "order_id,createdAt,customer_name,customer_email,city,product,quantity,unit_price,total,status,shipped_at,carrier,"
    "tracking_number,warehouse,discount,notes,currency,payment,weight,depth\n"
    + "".join(
        f"{10400 + n},2024-05-1{n},{'Ruth Keel' if n % 2 else 'Ivo Marsh'},mail{n}@example.org,"
        f"{'Kiel' if n % 3 else 'Oban'},{'Brass lamp' if n % 2 else 'Rope'},{n + 2},{n}.50,{n}40.00,"
        f"{'shipped' if n % 2 else 'open'},2024-06-1{n},{'DHL' if n % 3 else 'GLS'},TRK{n}00,North,5%,call before,EUR,"
        f"card,{n}9,{n}\n"
        for n in range(9)
    )
)
FEES = (
    "<table><tr><th>Boat<th>Fee<th>Berth</tr><tr><td>Punt<td>12 crowns<td>4</tr>"
    "<tr><td>Barge<td>90 crowns<td>7</tr></table>"
)


def passages(name: str, source: str) -> list[Passage]:
    """Each line of the document by itself."""
    (document,) = load(name, source.encode(), 1)
    lines = document.text.split("\n")
    return [
        Passage(
            chunk=f"c{place}", document="d", title=name, text=line, position=place, start=0, end=len(line)
        )
        for place, line in enumerate(lines)
    ]


@cases(
    ("question", "value"),
    [
        ("When was the Dunlin built?", "1911"),
        ("In which year was the Grey Teal built?", "1898"),
        ("How long is the Tern?", "28"),
        ("What is the length of the Gannet?", "44"),
        ("What is the home port of the Tern?", "Port Ansel"),
        ("Who was the master of the Gannet?", "Ilse Marrack"),
        ("Which ship was built in 1911?", "Dunlin"),
        ("Which ship has Port Ansel as its home port?", "Tern"),
        ("Which ship was built in 1930?", None),  # two were
        ("Which is longer, the Tern or the Gannet?", None),
        ("When did the Dunlin sink?", None),
        ("What is the Dunlin?", None),
        ("When was the Curlew built?", None),
        ("Which ship is the longest?", None),
    ],
)
def test_ships(question: str, value: str | None) -> None:
    fact = row_fact(question, passages("ships.csv", SHIPS))
    assert (fact and fact.value) == value
    if fact:
        assert fact.value in fact.line
        assert fact.line in fact.passage.text
        assert row_fact(question, passages("ships.csv", SHIPS), {fact.line}) is None


@cases(
    ("question", "value"),
    [
        ("What is the status of order 10403?", "shipped"),
        ("Who is the customer of order 10404?", "Ivo Marsh"),
        ("When was order 10405 created?", "2024-05-15"),
        ("Which carrier shipped order 10403?", "GLS"),
        ("How much did order 10402 cost in total?", "240.00"),
        ("What is the tracking number of order 10407?", "TRK700"),
        ("What is the total of order 10499?", None),
        ("What did Ruth Keel order?", None),
    ],
)
def test_an_export_of_twenty_columns(question: str, value: str | None) -> None:
    fact = row_fact(question, passages("orders.csv", ORDERS))
    assert (fact and fact.value) == value


def test_tables_of_any_document() -> None:
    fact = row_fact("What is the fee for the Barge?", passages("fees.html", FEES))
    assert fact is not None
    assert (fact.value, fact.column) == ("90 crowns", "Fee")
    assert (
        row_fact(
            "What is the fee for the Barge?", passages("fees.txt", "The fee for the Barge | the punt: 90")
        )
        is None
    )


def test_a_row_is_one_sentence() -> None:
    row = passages("ships.csv", SHIPS)[1].text
    assert "fog. Found" in row
    assert sentences(row) == copied_sentences(row) == [row]
    assert sentences("Up | down it went. It was found again.") == [
        "Up | down it went.",
        "It was found again.",
    ]
