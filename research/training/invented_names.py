"""Names of people, works, places and things that do not exist."""

from __future__ import annotations

import random
import re

_FIRST = re.findall(
    r"\S+",
    "Adela Bram Celia Dorian Edith Florian Greta Hamid Ilse Jonas Karim Leonie Marek Nadia Oskar Priya Quentin Rosa "
    "Stefan Tamar Ulrich Vera Wanda Xavier Yusuf Zelda Amara Boris Clara Diego Elena Farid Gustav Hana Igor Jana",
)
_LAST = re.findall(
    r"\S+",
    "Abernathy Bellweather Castellan Drummond Eklund Farrow Grunwald Hathaway Imhof Jarvinen Kowalczyk Lindqvist "
    "Moreau Nakagawa Okonkwo Petrov Quist Rasmussen Santoro Thackeray Ueda Vasquez Winterbourne Yilmaz Zamora",
)
_ADJECTIVES = [
    "Silent",
    "Crooked",
    "Last",
    "Burning",
    "Hidden",
    "Golden",
    "Broken",
    "Endless",
    "Distant",
    "Quiet",
    "Second",
    "Paper",
]
_NOUNS = [
    "Harbour",
    "Orchard",
    "Letter",
    "Winter",
    "River",
    "Garden",
    "Lantern",
    "Bridge",
    "Summer",
    "Train",
    "Mountain",
    "Promise",
]
_TOWNS = (
    "Ashcombe", "Brellen", "Corvale", "Dunmoor", "Eastmere", "Fallowby", "Greyport", "Harrowdale", "Kestrel Bay",
    "Lowenthal", "Marrick", "Northolm", "Ostrava Mill", "Pellworth", "Ravenna Heights", "Stourbeck", "Westrand",
)  # fmt: skip
_THINGS = (
    "the Merrow pump", "the Aldine printer", "the Tessel lamp", "the Corin engine", "the Halden loom",
    "the Pell telescope", "the Brook heater", "the Vantor drive", "the Lumen kiln", "the Orrin clock",
)  # fmt: skip


def name(kind: str, draw: random.Random) -> str:
    """A name of a person, a work, a place or a thing, as `kind` says."""
    if kind == "person":
        return f"{draw.choice(_FIRST)} {draw.choice(_LAST)}"
    if kind == "work":
        form = draw.choice(
            ("The {a} {n}", "{a} {n}", "{n} of {t}", "A {n} for {p}", "{p}'s {n}", "{n} ({y} Film)")
        )
        return form.format(
            a=draw.choice(_ADJECTIVES),
            n=draw.choice(_NOUNS),
            t=draw.choice(_TOWNS),
            p=draw.choice(_FIRST),
            y=draw.randint(1920, 2015),
        )
    return draw.choice(_TOWNS) if kind == "place" else draw.choice(_THINGS)
