"""A recording in one run: which reply comes next, and why one is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from core.models.recordings.items import KeptRun
from core.models.recordings.keys import prompt_digest, reply_key
from core.models.recordings.pace import Pace
from core.models.recordings.recorded import Recorded
from core.trace.events import Message


@dataclass
class Tape:
    """What the chat client of one run plays from, and keeps in."""

    recorded: Recorded
    pace: Pace
    run: KeptRun
    """How the question is asked."""
    asks: bool
    """Whether the endpoint is asked for what is missing."""
    titles: Mapping[str, str]
    """Skill -> what it is called."""
    _asked: Counter[str] = field(default_factory=Counter)
    _left: bool = False
    """Whether a reply was missing."""

    @property
    def name(self) -> str:
        """Of the recording."""
        return self.recorded.recording.name

    def key(
        self,
        messages: Sequence[Message],
        form: type[BaseModel] | str | None,
        tools: Sequence[dict[str, Any]] = (),
    ) -> str:
        """Key of the reply to this prompt, which counts as asked; arguments as of `prompt_digest`."""
        prompt = prompt_digest(messages, form, tools)
        number = self._asked[prompt]
        self._asked[prompt] += 1
        return reply_key(prompt, number)

    def missing(self, skill: str, method: str) -> str:
        """A sentence that says which step asked something new, and why. Blocks for a moment."""
        title = self.titles.get(skill, skill)
        why = self._why(title, f"{skill}.{method}")
        self._left = True
        return f"The recording “{self.recorded.recording.name}” has no reply for the step “{title}”: {why}"

    def _why(self, title: str, prompt: str) -> str:
        run = self.run
        if prompt in run.edited:
            return f"you edited the prompt of “{title}”."
        if self._left:
            return "an earlier step of this run was new already."
        known = self.recorded.store.runs(self.recorded.recording.id)
        if not any(one.question == run.question for one in known):
            return "this question was not recorded."
        known = [one for one in known if one.question == run.question and one.strategy == run.strategy]
        if not known:
            return "this question was recorded with other strategies only."
        if not any(one.mark == run.mark for one in known):
            return "it was recorded with other documents, or they were cut otherwise."
        known = [one for one in known if one.mark == run.mark]
        if not any(
            (one.retriever, one.where, one.graph) == (run.retriever, run.where, run.graph) for one in known
        ):
            return "it was recorded with another retriever, filter or graph."
        if not any(one.params == run.params for one in known):
            changed = sorted(
                name for name, value in run.params.items() if known[0].params.get(name, value) != value
            )
            return (
                f"it was recorded with other settings ({', '.join(changed)})."
                if changed
                else "its settings differ."
            )
        if not any(one.methods == run.methods for one in known):
            return "it was recorded with other methods of its steps."
        return "something that goes into its prompt has changed: an artefact that you edited, or the app."
