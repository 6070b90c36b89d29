"""Train the adapter.

    python -m research.training.train WORK_FOLDER [--epochs 1] [--seed 0] [--rate 6e-4]
        [--part TASK=FRACTION ...] [--start CHECKPOINT --name second]

WORK_FOLDER holds what `research.training.prepare` wrote. `--part` takes a random part of a task's examples; tasks that
are not named take part whole. `--start` goes on from the weights of another run, with a schedule of its own, and
`--name` keeps the two apart. Runs on a GPU if there is one, else on the CPU: about an hour on two
cores. After every 20 steps all that is needed to go on is in `NAME.pt` (`checkpoint.pt`): a run that was killed goes on
from there when it is started again with the same arguments. `NAME.jsonl` gets a line per step.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from research.training.lora import adapt, adapters, weights
from research.training.model import encoded, load, read
from research.training.packing import Row, rows, trees

STEP_TOKENS = 2000
"""Tokens of a step, at most one row more."""
RATE = 6e-4
WARM_UP = 20
CLIP = 1.0
SAVE_EVERY = 20


def main() -> None:
    """Train to the end, from where it was."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=RATE, help="the highest learning rate")
    parser.add_argument("--part", action="append", default=[], metavar="TASK=FRACTION")
    parser.add_argument("--start", type=Path, help="the weights of another run")
    parser.add_argument("--name", default="checkpoint")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, tokenizer = load()
    adapt(model)
    model.to(device).train()
    steps = planned(arguments, tokenizer)
    parameters = [part for _, module in adapters(model) for part in (module.a, module.b)]
    optimizer = torch.optim.AdamW(parameters, lr=arguments.rate, betas=(0.9, 0.99), weight_decay=0.0)
    checkpoint = arguments.work / f"{arguments.name}.pt"
    first = resumed(checkpoint, model, optimizer, device)
    if not first and arguments.start:
        take_over(torch.load(arguments.start, map_location=device, weights_only=False), model)
    print(f"{len(steps)} steps on {device}, from step {first}", flush=True)
    for number in range(first, len(steps)):
        started = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * slope(number, len(steps))
        loss = step(model, steps[number], device)
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        count = sum(len(row.tokens) for row in steps[number])
        told = {"step": number + 1, "loss": round(loss, 4), "tokens": count,
                "seconds": round(time.perf_counter() - started, 1)}  # fmt: skip
        print(told, flush=True)
        with (arguments.work / f"{arguments.name}.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(told) + "\n")
        if (number + 1) % SAVE_EVERY == 0 or number + 1 == len(steps):
            save(checkpoint, model, optimizer, number + 1)


def planned(arguments: argparse.Namespace, tokenizer: Any) -> list[list[Row]]:
    """The rows of every step; the same for the same arguments. Each epoch packs them anew."""
    parts = {task: float(part) for task, _, part in (given.partition("=") for given in arguments.part)}
    draw = random.Random(arguments.seed)
    lines = read(arguments.work / "examples.jsonl")
    made = trees([encoded(tokenizer, line) for line in lines if draw.random() < parts.get(line["task"], 1.0)])
    steps: list[list[Row]] = []
    for epoch in range(math.ceil(arguments.epochs)):
        order = rows(made, arguments.seed + epoch)
        part = min(1.0, arguments.epochs - epoch)
        current: list[Row] = []
        for row in order[: round(part * len(order))]:
            current.append(row)
            if sum(len(one.tokens) for one in current) >= STEP_TOKENS:
                steps.append(current)
                current = []
    return steps


def slope(number: int, count: int) -> float:
    """The part of the learning rate in a step: it rises, then falls to a tenth along half a cosine."""
    if number < WARM_UP:
        return (number + 1) / WARM_UP
    return 0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * (number - WARM_UP) / max(1, count - WARM_UP)))


def step(model: Any, group: Sequence[Row], device: str) -> float:
    """Gradients of the mean loss over the rows of a step, and that loss: nats per weighted token."""
    whole = sum(float(row.weights.sum()) for row in group)
    loss = 0.0
    for row in group:
        part = row_loss(model, row, device) / whole
        part.backward()
        loss += float(part.detach())
    return loss


def row_loss(model: Any, row: Row, device: str) -> torch.Tensor:
    """The weighted sum of what a row's replies cost, in nats."""
    sees = torch.from_numpy(row.sees).to(device)
    hidden_from = torch.zeros(sees.shape, device=device).masked_fill(~sees, -1e9)
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        state = model.model(
            input_ids=torch.from_numpy(row.tokens).to(device)[None],
            attention_mask=hidden_from[None, None],
            position_ids=torch.from_numpy(row.positions).to(device)[None],
            use_cache=False,
        ).last_hidden_state[0]
        scores = model.lm_head(state[torch.from_numpy(row.at).to(device)])
    each = torch.nn.functional.cross_entropy(
        scores.float(), torch.from_numpy(row.say).to(device), reduction="none"
    )
    total: torch.Tensor = (each * torch.from_numpy(row.weights).to(device)).sum()
    return total


def save(file: Path, model: Any, optimizer: torch.optim.Optimizer, done: int) -> None:
    """Write the checkpoint in one go, so that a kill leaves the one before."""
    half = file.with_suffix(".half")
    state = {"step": done, "weights": weights(model), "optimizer": optimizer.state_dict()}
    torch.save(state, half)
    half.replace(file)


def resumed(file: Path, model: Any, optimizer: torch.optim.Optimizer, device: str) -> int:
    """Load the checkpoint if there is one; the steps that are done."""
    if not file.exists():
        return 0
    state = torch.load(file, map_location=device, weights_only=False)
    take_over(state, model)
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])


def take_over(state: Mapping[str, Any], model: Any) -> None:
    """Give a model the weights of a checkpoint."""
    for name, module in adapters(model):
        module.a.data.copy_(state["weights"][f"{name}.a"])
        module.b.data.copy_(state["weights"][f"{name}.b"])


if __name__ == "__main__":
    main()
