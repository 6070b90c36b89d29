"""Low-rank adapters on a model's linear layers (Hu et al. 2021, arXiv 2106.09685): W x + (alpha / r) B A x."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

RANK = 16
ALPHA = 32
LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class Adapted(nn.Module):
    """A frozen linear layer with an adapter, which changes nothing at first: B is zero."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer
        self.a = nn.Parameter(torch.empty(RANK, layer.in_features))
        self.b = nn.Parameter(torch.zeros(layer.out_features, RANK))
        nn.init.kaiming_uniform_(self.a, a=5**0.5)

    def forward(self, x: Tensor) -> Tensor:
        """Of shape (..., in) to (..., out)."""
        low = nn.functional.linear(nn.functional.linear(x, self.a), self.b)
        return self.layer(x) + low * (ALPHA / RANK)


def adapt(model: nn.Module) -> None:
    """Freeze a model and put adapters on the linear layers of its blocks."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in LAYERS and isinstance(child, nn.Linear):
                setattr(module, name, Adapted(child))


def adapters(model: nn.Module) -> Iterator[tuple[str, Adapted]]:
    """The adapters by the names of their layers."""
    for name, module in model.named_modules():
        if isinstance(module, Adapted):
            yield name, module


def weights(model: nn.Module) -> dict[str, Tensor]:
    """What was learned: `NAME.a` of shape (rank, in) and `NAME.b` of shape (out, rank)."""
    return {
        f"{name}.{part}": getattr(module, part).detach()
        for name, module in adapters(model)
        for part in ("a", "b")
    }
