"""Lines of linked text for the examples of a page, each of which is kept once."""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.evaluation.inputs.document_units import Documents
from crosspro.evaluation.inputs.linked_text import Text, Translation
from crosspro.evaluation.output.examples import Examples, Version


class ExampleLines:
    """Puts lines into the examples of a page when they are first asked for."""

    def __init__(
        self,
        examples: Examples,
        source: Text,
        reference: Translation,
        candidates: Sequence[Translation],
        documents: Documents | None,
    ) -> None:
        self.examples = examples
        self.source = source
        self.reference = reference
        self.candidates = candidates
        self.documents = documents
        self.known: dict[int, int] = {}

    def number(self, line: int) -> int:
        """What a line of the text is known by among the examples."""
        if line not in self.known:
            documents = self.documents
            self.known[line] = self.examples.add_line(
                line,
                " ".join(self.source.words(line)),
                [_version(self.reference, line)],
                [_version(candidate, line) for candidate in self.candidates],
                "" if documents is None else documents.names[int(documents.of_line[line])],
            )
        return self.known[line]


def _version(translation: Translation, line: int) -> Version:
    return Version(" ".join(translation.text.words(line)), translation.links.of_line(line))
