"""Items of linked text as records and as the examples of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crosspro.evaluation.core.metric import Scored
from crosspro.evaluation.inputs.anchors import Anchor
from crosspro.evaluation.inputs.inputs import MtInput
from crosspro.evaluation.inputs.linked_text import Translation
from crosspro.evaluation.output.examples import (
    Examples,
    ExampleVerdict,
    Mark,
    Rendering,
    Version,
)


def linked_record(
    data: MtInput, anchor: Anchor, candidate: int, own: Mapping[str, Any]
) -> dict[str, Any]:
    """A pronoun, what a metric says of it, and its sentences; positions count from 0."""
    texts = {
        "source": data.source,
        "reference": data.reference.text,
        "candidate": data.candidates[candidate].text,
    }
    return {
        "sentence": anchor.sentence,
        "position": anchor.position,
        "source": anchor.word,
        "pronoun": anchor.pronoun,
        **own,
        "sentences": {name: " ".join(text.words(anchor.sentence)) for name, text in texts.items()},
    }


def linked_examples(
    scored: Scored[MtInput, Any],
    verdicts: Sequence[tuple[str, Any]],
    shown: Iterable[tuple[Anchor, Mark, Sequence[Rendering]]],
) -> Examples:
    """Pronouns with their place in the reference and what became of them; a line is kept once."""
    data = scored.data
    kinds = [ExampleVerdict(name, kind) for name, kind in verdicts]
    examples = Examples(scored.systems, kinds, scored.size)
    known: dict[int, int] = {}
    for anchor, reference, renderings in shown:
        line = anchor.sentence
        if line not in known:
            documents = data.documents
            known[line] = examples.add_line(
                line,
                " ".join(data.source.words(line)),
                [_version(data.reference, line)],
                [_version(candidate, line) for candidate in data.candidates],
                "" if documents is None else documents.names[int(documents.of_line[line])],
            )
        examples.add(anchor.pronoun, [known[line]], [[reference]], renderings)
    return examples


def _version(translation: Translation, line: int) -> Version:
    return Version(" ".join(translation.text.words(line)), translation.links.of_line(line))
