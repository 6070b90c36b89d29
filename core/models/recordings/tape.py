"""A recording in one run: which reply comes next, and why one is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.models.recordings.covers import compared
from core.models.recordings.items import KeptRun
from core.models.recordings.keys import reply_key
from core.models.recordings.pace import Pace
from core.models.recordings.recorded import Recorded
from core.trace.events import BaseEvent, ModelFinished, StepFinished


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
    forked: bool = False
    """Whether the run goes on from an edited artefact."""
    _asked: Counter[str] = field(default_factory=Counter)
    _missed: str = ""
    """Skill of the first reply that was missing."""

    @property
    def name(self) -> str:
        """Of the recording."""
        return self.recorded.recording.name

    def goes_on(self, past: Iterable[BaseEvent]) -> None:
        """Count what the finished steps of a run asked before it was cut off, or before it left another."""
        past = list(past)
        finished = {event.step for event in past if isinstance(event, StepFinished)}
        asked = (event for event in past if isinstance(event, ModelFinished) and event.step in finished)
        self._asked.update(event.prompt for event in asked if event.prompt)

    def note(self, events: Iterable[BaseEvent]) -> None:
        """Note how a question was asked, now that its run has come to its end, if the recording holds all of it: what
        goes on from an edited artefact does not count. Blocks for a moment.

        Args:
            events: All of the run.
        """
        replies = [event for event in events if isinstance(event, ModelFinished)]
        if not self.forked and all(self.name in (reply.recorded, reply.kept) for reply in replies):
            self.recorded.keep_soon([self.run.model_copy(update={"calls": len(replies)})])

    def number(self, prompt: str) -> int:
        """How often a prompt had been asked before in this run, from 0; it counts as asked from now on."""
        number = self._asked[prompt]
        self._asked[prompt] += 1
        return number

    def missing(self, skill: str, method: str, prompt: str) -> str:
        """A sentence that says which step asked something new, and why. Blocks for a moment.

        Args:
            skill: Skill that asked.
            method: Which of its methods.
            prompt: Hash of its prompt.
        """
        title = self.titles.get(skill, skill)
        self._missed = self._missed or skill
        why = self._why(skill, f"{skill}.{method}", prompt)
        return f"The recording “{self.recorded.recording.name}” has no reply for the step “{title}”: {why}"

    def _why(self, skill: str, edited: str, prompt: str) -> str:
        run, store, recording = self.run, self.recorded.store, self.recorded.recording.id
        if edited in run.edited:
            return f"you edited the prompt of “{self.titles.get(skill, skill)}”."
        if self._missed != skill:
            return "an earlier step of this run was new already."
        if not store.there(recording):
            return "the recording has been deleted."
        if self.recorded.reply(reply_key(prompt, 0)):
            return "the same was asked less often when it was recorded."
        if why := compared(store.runs(recording), run)[0]:
            return why
        if self.forked:
            return "you edited an artefact that goes into its prompt."
        return "its prompt is another one than in the recording, which may be of another version, or was cut off."
