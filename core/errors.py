"""Errors that a user may see. Each message says what happened and what to do, and never holds a secret."""


class LoupeError(Exception):
    """Base of every expected error; `str(error)` is fit for the page and the command line."""


class InputError(LoupeError):
    """Something that the user gave cannot be used: a question, a parameter, a name."""


class DocumentError(LoupeError):
    """A document cannot be read."""


class ModelError(LoupeError):
    """The chat or embedding model did not give a usable reply."""


class UnusableReply(ModelError):
    """The model did reply, but twice without the form asked for; the endpoint itself works."""

    def __init__(self, message: str, skill: str = "") -> None:
        """Take the message, and the key of the skill that asked; empty: it is not known."""
        super().__init__(message)
        self.skill = skill


class EmptyReplyError(UnusableReply):
    """The chat model replied with nothing, each time it was asked."""


class ServiceError(LoupeError):
    """A local service is missing, died or does not answer."""


class StoreError(LoupeError):
    """The catalogue, the index or the run store cannot be read or written."""


class UnknownRun(StoreError):
    """No run of that id is stored."""


class CallLimitReached(LoupeError):
    """A run used up the model calls it was allowed."""


class NotKept(LoupeError):
    """A recording was asked for a reply that it does not hold, and nobody else may give it."""
