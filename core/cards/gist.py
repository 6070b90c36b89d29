"""What a run did, in one line; and the words of an answer without its formatting."""

from __future__ import annotations

from markdown_it import MarkdownIt

from core.runs.record import Record
from core.trace.artefacts import (
    Answer,
    Fusion,
    Grade,
    Passages,
    Path,
    Plan,
    Queries,
    Ranking,
    Rewrite,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
    ToolCall,
    Union,
)
from core.wording import counted

_PARSER = MarkdownIt("commonmark", {"html": False})


def gist(record: Record) -> str:
    """What a run has done so far, from its artefacts; raw text, empty before the first of them."""
    for way in (_agentic, _explored, _reasoned, _divided, _graded, _stepped_back, _imagined, _merged):
        if text := way(record):
            return text
    if searches := len(record.find(Ranking)):
        return "1 search with the question as it is" if searches == 1 else f"{searches} searches"
    return "No search: the model alone" if record.find(Answer) else ""


def _agentic(record: Record) -> str:
    calls = record.find(ToolCall)
    if not calls:
        return ""
    rounds = max(call.round for call in calls)
    tools = ", ".join(dict.fromkeys(call.tool for call in calls if call.tool))
    text = f"{counted(len(calls), 'tool call')} in {counted(rounds, 'round')}"
    return f"{text}: {tools}" if tools else text


def _explored(record: Record) -> str:
    plans = record.find(Plan)
    if not plans:
        return ""
    text = f"A plan of {counted(len(plans[-1].steps), 'step')} through the graph"
    paths = record.find(Path)
    if paths and paths[-1].triples:
        text += f", a way of {counted(len({triple.hop for triple in paths[-1].triples}), 'hop')}"
    return text + (f"; {counted(len(plans) - 1, 'plan')} given up" if len(plans) > 1 else "")


def _reasoned(record: Record) -> str:
    thoughts, searches = record.find(Thought), record.find(Ranking)
    if not thoughts:
        return ""
    asked = counted(len(searches), "search", "searches")
    return f"{counted(len(thoughts), 'sentence')} of reasoning, {asked}"


def _divided(record: Record) -> str:
    questions, answers = record.find(SubQuestions), record.find(SubAnswer)
    if not questions:
        return ""
    text = counted(len(questions[-1].questions), "sub-question")
    if answers:
        how = "one after the other" if any(answer.given for answer in answers) else "each by itself"
        text += f", {len({one.index for one in answers if not one.abstained})} answered {how}"
    return text


def _graded(record: Record) -> str:
    grades = record.find(Grade)
    if not grades:
        return ""
    passages = [grade for grade in grades if grade.what == "IsRel"]
    parts = []
    if passages:
        good = sum(grade.passes for grade in passages)
        parts.append(f"{counted(len(passages), 'passage')} graded, {good} relevant")
    drafts = sum(grade.what == "IsSup" for grade in grades)
    parts += [f"{counted(drafts, 'draft')} graded"] if drafts else []
    rewrites = len(record.find(Rewrite))
    parts += [f"question rewritten {counted(rewrites, 'time')}"] if rewrites else []
    return "; ".join(parts) or "No search was needed"


def _stepped_back(record: Record) -> str:
    found = record.find(StepBack)
    return f"Stepped back to: “{found[-1].general}”" if found else ""


def _imagined(record: Record) -> str:
    found = record.find(Passages)
    if not found:
        return ""
    return f"{counted(len(found[-1].texts), 'hypothetical passage')}, searched for real ones like it"


def _merged(record: Record) -> str:
    queries, fusions, unions = record.find(Queries), record.find(Fusion), record.find(Union)
    lists = (fusions or unions)[-1].lists if fusions or unions else ()
    count = len({ranked.query for ranked in lists}) or (len(queries[-1].queries) if queries else 0)
    if not count:
        return ""
    how = ", fused by reciprocal ranks" if fusions else ", pooled" if unions else ""
    return counted(count, "query", "queries") + how


def unformatted(text: str) -> str:
    """The words of Markdown, a line per paragraph; what is not formatting stays as it is written."""
    lines: list[str] = []
    bullet = ""
    for token in _PARSER.parse(text):
        if token.type == "list_item_open":
            bullet = "• "
        elif token.type == "inline":
            pieces = (
                " " if child.type in ("softbreak", "hardbreak") else child.content
                for child in token.children or ()
            )
            lines.append(bullet + "".join(pieces))
            bullet = ""
        elif token.type in ("fence", "code_block"):
            lines.append(token.content.rstrip())
    return "\n".join(lines)
