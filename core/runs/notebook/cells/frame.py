# How the run's prompts hold passages and answers: between tags that no text in them can close or open, so that what a
# document says is not taken for what the prompt says.
import re

from langchain_core.documents import Document

TAG = re.compile(
    r"[<＜](?=\s*(?:[/／]\s*)?(?:answer|answers|candidates|documents|draft|examples|failed|found|general|graph|nodes|pair|"
    r"passage|passages|path|plan|question|reasoning|relations|schema|searched|sources|step|text|title|triple|triples|"
    r"unsupported)\b)",
    re.IGNORECASE,
)
TURN = re.compile(
    r"<(?=[|｜])|(?<=[|｜])>"
    r"|<(?=/?(?:s|bos|eos|pad|unk|sop|eop|think|(?:start|end)_of_(?:turn|image)|begin_of_text|end_of_text|endoftext"
    r"|tools?|tool_(?:calls?|responses?|results?|list|declare)|function(?:_calls?|_results?|_response)?)>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|THINK|ARGS|CALL_ID|gMASK|sMASK"
    r"|BOS|EOS)\])"
)
NUMBER = re.compile(r"\[(\s*[\d?+][\d\s,–-]*)\]")


def shielded(text: str) -> str:
    return TURN.sub("‹", TAG.sub("‹", text))


def unmarked(text: str) -> str:
    return NUMBER.sub(lambda mark: f"({mark[1].strip()})", text)


def one_line(text: str) -> str:
    return shielded(" ".join(text.split()))


def plain(line: str) -> str:
    return " ".join(line.strip("#*_= \t").casefold().split())


def title_line(document: Document) -> str:
    title, (first, _, _) = document.metadata.get("title", ""), document.page_content.lstrip().partition("\n")
    return "" if plain(first) == plain(title) else f"{one_line(unmarked(title))}\n"


def passage(document: Document) -> str:
    return f"{title_line(document)}{shielded(unmarked(document.page_content))}"


def as_lines(document: Document, sentences: list[str]) -> str:
    lines = [f"{number}: {one_line(unmarked(sentence))}" for number, sentence in enumerate(sentences, 1)]
    return title_line(document) + "\n".join(lines)


def numbered(documents: list[Document], first: int = 1) -> str:
    return (
        "\n".join(
            f'<passage number="{number}">\n{passage(document)}\n</passage>'
            for number, document in enumerate(documents, first)
        )
        or "(nothing)"
    )


def as_text(pairs: list[tuple[str, str]]) -> str:
    return (
        "\n".join(
            f'<pair number="{number}">\n<question>{one_line(question)}</question>\n'
            f"<answer>{shielded(answer or '(no answer was found)')}</answer>\n</pair>"
            for number, (question, answer) in enumerate(pairs, 1)
        )
        or "(nothing)"
    )
