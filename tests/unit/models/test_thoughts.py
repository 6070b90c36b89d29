"""Thoughts in front of an answer, marks behind it, and answers that speak of them."""

from __future__ import annotations

import pytest

from core.models.thoughts import turn, without_thought
from tests.cases import cases

FINAL = "<|channel|>final<|message|>"


@pytest.mark.parametrize(
    "thought",
    [
        "<think>Hm {x}?</think>\n\n",
        "<THINKING>a</THINKING>",
        " \n<thought>a\nb</thought> ",
        "[THINK]The form is {}.[/THINK]",
        "◁think▷a◁/think▷",
        "<seed:think>a</seed:think>",
        "<think>a <think>b</think> c</think>",
        "<think>a</think>\n<think>b</think>\n",
        "<think>The tag </think> ends it.\n</think>\n\n",
        "Hm, let me see.\n</think>\n\n",
        "Hm, let me see.\n</think>",
        "Hm, let me see.</think>\n\n",
        "</think>\n\n",
        "Hm.\n[/THINK]",
        f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant{FINAL}",
        f"Hm.<|end|><|start|>assistant{FINAL}",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
        "analysisWe need to answer.assistantfinal",
    ],
)
@pytest.mark.parametrize("answer", ["Fine, < 3.", '{"name": "fig"}', "The tag </think> ends a thought."])
def test_a_thought_in_front_is_left_out(thought: str, answer: str) -> None:
    assert without_thought(thought + answer) == answer


@cases(
    "answer",
    [
        "He wrote that the tag </think> ends a thought; he resigned in 1974 [1].",
        "A thought stands between <think> and\n</think>\nin such a reply.",
        "It ends with `</think>`\nand goes on.",
        "It ends with </think>\nand goes on.",
        "</think> is the tag that ends it.",
        "Write:\n```\n</think>\n```\nThat is all.",
        "Write:\n</think>",
        "The mark [/THINK] and the channel <|channel|>final<|message|> are others.",
        "1 < 2",
        "analysis of the final",
        "",
        " ",
    ],
)
def test_an_answer_that_speaks_of_thoughts_is_whole(answer: str) -> None:
    assert without_thought(answer) == answer


@cases(
    "begun",
    ["<", "<thi", "[THI", "<think>Hm", "<think>a <think>b</think> c", "<|channel|>analysis<|message|>Hm"],
)
def test_nothing_is_shown_as_long_as_it_may_be_a_thought(begun: str) -> None:
    assert without_thought(begun) == ("c" if begun.endswith("c") else "")


def test_a_thought_that_names_its_own_mark() -> None:
    assert without_thought("<think>The tag <think> begins it.</think>\n\nFine.") == "Fine."


@cases("piece", ["<think>", "<think></think>", "</think>\n", "<|channel|>a", "[THINK]", "\n</think> "])
def test_marks_without_number_are_read_in_step_with_their_length(piece: str) -> None:
    without_thought(piece * 50_000)
    without_thought(f"a{' ' * 50_000}\n</think>\n\n{piece * 5_000}")
    turn(piece * 50_000)
    turn("<|" * 50_000)
    turn("<|end" * 20_000)
    turn("<|" + "end" * 20_000)


@pytest.mark.parametrize(
    "mark",
    ["<|im_end|>", "\n<|eot_id|>", "<end_of_turn>", "</s>", "<eos>", "<｜end▁of▁sentence｜>", "<|return|>"],
)
@pytest.mark.parametrize(
    "behind", ["", "\n", "\n<|im_start|>user\nAnd?", "<start_of_turn>user", "[INST] And?"]
)
def test_a_turn_ends_at_its_mark(mark: str, behind: str) -> None:
    assert turn(f"Fine, < 3.{mark}{behind}") == "Fine, < 3."


@cases(
    "answer",
    [
        "A turn ends with <|im_end|>",
        "It is `<|im_end|>`",
        "In ChatML, <|im_end|> ends a turn.",
        "So:\n```\nHi.<|im_end|>\n<|im_start|>user\n```",
        "<s>red</s>",
        "<|tool_call_begin|>a<|tool_call_end|><|tool_call_begin|>b",
        "A <legend>",
        "a < b",
    ],
)
def test_an_answer_that_speaks_of_turns_is_whole(answer: str) -> None:
    assert turn(answer) == answer
