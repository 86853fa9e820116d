"""What a rule says of a pronoun."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the pronoun is a subject, and the name of the rule that said so."""

    subject: bool
    rule: str
    expletive: bool = False
