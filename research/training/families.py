"""Questions of forms that the hand-written records hardly have: two hops, dates, comparisons, yes or no.

A family is a question with gaps, and what the tasks should make of it, written by hand; names are put into the gaps.
The people and works are invented, so that nothing about real ones is taught.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from research.training.invented_names import name


@dataclass(frozen=True)
class Family:
    """A form of question; `{a}` and `{b}` are filled with names of the kind that `kind` says."""

    kind: str
    """`person`, `work`, `place` or `thing`."""
    question: str
    rewordings: tuple[str, ...]
    step_back: str
    parts: tuple[str, ...]
    """Sub-questions in order; `#1` is the answer to the first."""


FAMILIES = (
    Family(
        "work", "When was the director of the film {a} born?",
        (
            "What is the birth date of the director of the film {a}?",
            "On what day was the person who directed {a} born?",
            "In which year was the director of the movie {a} born?",
            "The director of the film {a}: when was that person born?",
            "What date of birth does the director of {a} have?",
        ),
        "What is known about the director of {a}?", ("Who directed the film {a}?", "When was #1 born?"),
    ),
    Family(
        "work", "What is the place of birth of the director of film {a}?",
        (
            "Where was the director of the film {a} born?",
            "In which place was the person who directed {a} born?",
            "What is the birthplace of the director of the movie {a}?",
            "Which town or city did the director of {a} come from by birth?",
            "The film {a} was directed by a person born where?",
        ),
        "What is the life of the director of {a}?", ("Who directed the film {a}?", "Where was #1 born?"),
    ),
    Family(
        "work", "Where did the performer of the song {a} die?",
        (
            "In what place did the singer of {a} die?",
            "What is the place of death of the performer of the song {a}?",
            "Where did the death of the artist who sang {a} take place?",
            "In which city did the person who performed {a} pass away?",
            "The performer of the song {a} died in which place?",
        ),
        "What is the life of the performer of {a}?", ("Who performed the song {a}?", "Where did #1 die?"),
    ),
    Family(
        "work", "What nationality is the composer of the opera {a}?",
        (
            "Which country does the composer of the opera {a} come from?",
            "The opera {a} was composed by a person of which nationality?",
            "Of what nationality is the person who composed {a}?",
            "What is the country of citizenship of the composer of {a}?",
            "From which country is the composer of the opera {a}?",
        ),
        "Who is the composer of {a}?", ("Who composed the opera {a}?", "What nationality is #1?"),
    ),
    Family(
        "work", "Which award did the author of the novel {a} receive?",
        (
            "What prize was given to the author of the novel {a}?",
            "The writer of the novel {a} received which award?",
            "What award did the person who wrote {a} win?",
            "With which prize was the author of {a} honoured?",
            "Which honour was the writer of the novel {a} given?",
        ),
        "What is the career of the author of {a}?", ("Who wrote the novel {a}?", "Which award did #1 receive?"),
    ),
    Family(
        "work", "Who is the spouse of the director of the film {a}?",
        (
            "Who is the director of the film {a} married to?",
            "What is the name of the spouse of the person who directed {a}?",
            "To whom is the director of the movie {a} married?",
            "Which person is the husband or wife of the director of {a}?",
            "The director of the film {a} has which spouse?",
        ),
        "What is the family of the director of {a}?", ("Who directed the film {a}?", "Who is the spouse of #1?"),
    ),
    Family(
        "work", "Which film has the director who was born first, {a} or {b}?",
        (
            "Of the films {a} and {b}, which one was made by the director born earlier?",
            "Was the director of {a} or the director of {b} born first?",
            "Which of the two films, {a} or {b}, has the director with the earlier date of birth?",
            "Between {a} and {b}, which film's director was born first?",
            "Whose director was born earlier, that of {a} or that of {b}?",
        ),
        "When were the directors of {a} and {b} born?",
        (
            "Who directed the film {a}?", "Who directed the film {b}?",
            "When was #1 born?", "When was #2 born?",
        ),
    ),
    Family(
        "work", "Which film has the director who died later, {a} or {b}?",
        (
            "Of the films {a} and {b}, whose director died later?",
            "Did the director of {a} or the director of {b} die later?",
            "Which of the two films, {a} or {b}, was made by the director who died later?",
            "Between {a} and {b}, which film's director lived until a later date?",
            "The director of which film died later, {a} or {b}?",
        ),
        "When did the directors of {a} and {b} die?",
        (
            "Who is the director of {a}?", "Who is the director of {b}?",
            "When did #1 die?", "When did #2 die?",
        ),
    ),
    Family(
        "work", "Which film came out first, {a} or {b}?",
        (
            "Of {a} and {b}, which film was released earlier?",
            "Was {a} or {b} the first of the two films to come out?",
            "Which of the films {a} and {b} has the earlier release date?",
            "Between {a} and {b}, which film came out first?",
            "What film was released first, {a} or {b}?",
        ),
        "When were {a} and {b} released?", ("When did the film {a} come out?", "When did the film {b} come out?"),
    ),
    Family(
        "work", "Do the directors of {a} and {b} come from the same country?",
        (
            "Are the directors of {a} and {b} from the same country?",
            "Is the country of the director of {a} also that of the director of {b}?",
            "Do the people who directed {a} and {b} share the same country?",
            "Have {a} and {b} directors from the same country?",
            "Is it the same country that the directors of {a} and {b} come from?",
        ),
        "Who directed {a} and {b}?",
        (
            "Who directed {a}?", "Who directed {b}?",
            "Which country does #1 come from?", "Which country does #2 come from?",
        ),
    ),
    Family(
        "person", "Who was born first, {a} or {b}?",
        (
            "Of {a} and {b}, who was born earlier?",
            "Which of the two was born first, {a} or {b}?",
            "Between {a} and {b}, who has the earlier date of birth?",
            "Was {a} or {b} born first?",
            "Which person was born before the other, {a} or {b}?",
        ),
        "When were {a} and {b} born?", ("When was {a} born?", "When was {b} born?"),
    ),
    Family(
        "person", "Who lived longer, {a} or {b}?",
        (
            "Of {a} and {b}, who had the longer life?",
            "Which of the two lived longer, {a} or {b}?",
            "Did {a} or {b} live longer?",
            "Between {a} and {b}, whose life lasted longer?",
            "Which person reached the greater age, {a} or {b}?",
        ),
        "When did {a} and {b} live?",
        ("When was {a} born and when did {a} die?", "When was {b} born and when did {b} die?"),
    ),
    Family(
        "person", "Are {a} and {b} of the same nationality?",
        (
            "Do {a} and {b} have the same nationality?",
            "Is the nationality of {a} the same as that of {b}?",
            "Do {a} and {b} share one nationality?",
            "Are {a} and {b} citizens of the same country?",
            "Have {a} and {b} the same country of citizenship?",
        ),
        "Who are {a} and {b}?", ("What is the nationality of {a}?", "What is the nationality of {b}?"),
    ),
    Family(
        "person", "Were {a} and {b} both born in the same city?",
        (
            "Do {a} and {b} have the same city of birth?",
            "Is the birthplace of {a} the same city as that of {b}?",
            "Did {a} and {b} come into the world in the same city?",
            "Were the births of {a} and {b} in one and the same city?",
            "Is it true that {a} and {b} were both born in the same city?",
        ),
        "Where were {a} and {b} born?", ("In which city was {a} born?", "In which city was {b} born?"),
    ),
    Family(
        "person", "Who is the maternal grandfather of {a}?",
        (
            "What is the name of the maternal grandfather of {a}?",
            "Who was the father of the mother of {a}?",
            "Which person is {a}'s grandfather on the mother's side?",
            "{a}'s mother was whose daughter?",
            "Who is {a}'s maternal grandfather?",
        ),
        "What is the family of {a}?", ("Who is the mother of {a}?", "Who is the father of #1?"),
    ),
    Family(
        "person", "Who is the paternal grandmother of {a}?",
        (
            "What is the name of the paternal grandmother of {a}?",
            "Who was the mother of the father of {a}?",
            "Which person is {a}'s grandmother on the father's side?",
            "Who is {a}'s paternal grandmother?",
            "On the father's side, who is the grandmother of {a}?",
        ),
        "Who are the parents and grandparents of {a}?", ("Who is the father of {a}?", "Who is the mother of #1?"),
    ),
    Family(
        "person", "Where was the father of {a} born?",
        (
            "What is the birthplace of the father of {a}?",
            "In which place was {a}'s father born?",
            "{a}'s father was born where?",
            "What is the place of birth of {a}'s father?",
            "In what town or city was the father of {a} born?",
        ),
        "What is the family of {a}?", ("Who is the father of {a}?", "Where was #1 born?"),
    ),
    Family(
        "person", "When did {a}'s husband die?",
        (
            "What is the date of death of the husband of {a}?",
            "On what date did the husband of {a} die?",
            "In which year did {a}'s husband pass away?",
            "The man who was married to {a} died when?",
            "When was the death of {a}'s husband?",
        ),
        "Who was {a} married to?", ("Who was the husband of {a}?", "When did #1 die?"),
    ),
    Family(
        "person", "Which university did the founder of the company that employed {a} attend?",
        (
            "At which university did the founder of {a}'s employer study?",
            "The company that employed {a} was founded by someone who attended which university?",
            "What university did the person who founded the company where {a} worked go to?",
            "Where did the founder of the company that {a} worked for go to university?",
            "Which university was attended by the founder of the company {a} was employed by?",
        ),
        "What company employed {a}?",
        ("Which company employed {a}?", "Who founded #1?", "Which university did #2 attend?"),
    ),
    Family(
        "place", "Which country has the larger population, the one where {a} lies or the one where {b} lies?",
        (
            "Of the countries in which {a} and {b} lie, which has more inhabitants?",
            "Is the population larger in the country of {a} or in that of {b}?",
            "Which has more people, the country where {a} is or the one where {b} is?",
            "Between the countries of {a} and {b}, which one has the larger population?",
            "Do more people live in the country of {a} or in the country of {b}?",
        ),
        "In which countries do {a} and {b} lie?",
        (
            "In which country does {a} lie?", "In which country does {b} lie?",
            "What is the population of #1?", "What is the population of #2?",
        ),
    ),
    Family(
        "place", "Are {a} and {b} located in the same country?",
        (
            "Do {a} and {b} lie in the same country?",
            "Is the country of {a} also the country of {b}?",
            "Are {a} and {b} both in one country?",
            "Is it the same country in which {a} and {b} are found?",
            "Can {a} and {b} be found in the same country?",
        ),
        "Where are {a} and {b}?", ("In which country is {a} located?", "In which country is {b} located?"),
    ),
    Family(
        "place", "What is the capital of the county in which {a} is located?",
        (
            "{a} lies in a county with which capital?",
            "Which town is the capital of the county where {a} is found?",
            "The county that {a} belongs to has what capital?",
            "What is the county seat of the county in which {a} lies?",
            "Name the capital of the county that contains {a}?",
        ),
        "Where is {a}?", ("In which county is {a} located?", "What is the capital of #1?"),
    ),
    Family(
        "place", "Who was mayor of {a} when the bridge at {b} was opened?",
        (
            "At the opening of the bridge at {b}, who was the mayor of {a}?",
            "Which person was mayor of {a} in the year in which the bridge at {b} opened?",
            "When the bridge at {b} opened, who held the office of mayor in {a}?",
            "What was the name of the mayor of {a} when they opened the bridge at {b}?",
            "The bridge at {b} was opened under which mayor of {a}?",
        ),
        "Who were the mayors of {a}?", ("When was the bridge at {b} opened?", "Who was mayor of {a} in #1?"),
    ),
    Family(
        "place", "How long is the river on which the birthplace of the founder of {a} lies?",
        (
            "What is the length of the river on which the founder of {a} was born?",
            "The founder of {a} was born on which river, and how long is it?",
            "How many kilometres long is the river at the birthplace of {a}'s founder?",
            "What length has the river by which the birthplace of the founder of {a} lies?",
            "The birthplace of {a}'s founder lies on a river of what length?",
        ),
        "Who founded {a}?",
        (
            "Who founded {a}?", "Where was #1 born?", "On which river does #2 lie?",
            "How long is #3?",
        ),
    ),
    Family(
        "thing", "In what year was the company that makes {a} founded?",
        (
            "When was the maker of {a} founded?",
            "What is the founding year of the company that produces {a}?",
            "In which year did the company behind {a} begin?",
            "The company that makes {a} was founded in what year?",
            "The manufacturer of {a} has existed since which year?",
        ),
        "Which company makes {a}?", ("Which company makes {a}?", "In what year was #1 founded?"),
    ),
    Family(
        "thing", "Which was invented earlier, {a} or {b}?",
        (
            "Of {a} and {b}, which was invented first?",
            "Was {a} or {b} invented earlier?",
            "Which of the two inventions is older, {a} or {b}?",
            "Between {a} and {b}, which one was invented first?",
            "Which came first as an invention, {a} or {b}?",
        ),
        "When were {a} and {b} invented?", ("When was {a} invented?", "When was {b} invented?"),
    ),
    Family(
        "thing", "Which is more expensive to run, {a} or {b}, and by how much?",
        (
            "What costs more to run, {a} or {b}, and how large is the difference?",
            "By how much does running {a} differ in cost from running {b}, and which is dearer?",
            "Of {a} and {b}, which has the higher running costs, and by how much?",
            "Between {a} and {b}, which one is more expensive to run and what is the difference?",
            "How do the running costs of {a} and {b} compare, and which are higher?",
        ),
        "What do {a} and {b} cost?", ("What does it cost to run {a}?", "What does it cost to run {b}?"),
    ),
    Family(
        "thing", "Why did the inventor of {a} leave the firm that first sold it?",
        (
            "For what reason did the inventor of {a} leave the company that sold it first?",
            "What made the person who invented {a} leave the firm that was first to sell it?",
            "How come {a}'s inventor left the firm that first sold it?",
            "What was the reason for which the inventor of {a} quit the firm first selling it?",
            "The inventor of {a} left the firm that first sold it: why?",
        ),
        "What is the history of {a}?",
        ("Who invented {a}?", "Which firm first sold {a}?", "Why did #1 leave #2?"),
    ),
)  # fmt: skip


def filled(times: int, seed: int) -> Iterator[Family]:
    """Every family with names in its gaps, so many times; the two names differ."""
    draw = random.Random(seed)
    for family in FAMILIES:
        for _ in range(times):
            a = b = name(family.kind, draw)
            while b == a:
                b = name(family.kind, draw)
            yield _put(family, a, b)


def _put(family: Family, a: str, b: str) -> Family:
    def put(text: str) -> str:
        return text.replace("{a}", a).replace("{b}", b)

    rewordings, parts = tuple(map(put, family.rewordings)), tuple(map(put, family.parts))
    return Family(family.kind, put(family.question), rewordings, put(family.step_back), parts)
