"""What a rule or a parse says of an ambiguous pronoun."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubjectJudgement:
    """Whether the pronoun is a subject, and the name of the rule that said so."""

    subject: bool
    rule: str
    expletive: bool = False
