"""A check for Weblate: pronouns of a translation that a model takes for wrong.

Weblate finds it by its settings:

    CHECK_LIST += ("crosspro.integrations.weblate.PronounCheck",)

Each string is read by itself. Strings of languages for which no model comes with the package are
not looked at, and `ignore-crosspro-pronouns` among the flags of a string switches the check off.
"""

from __future__ import annotations

from typing import Any

from django.utils.html import format_html_join
from weblate.checks.base import TargetCheck

import crosspro
from crosspro.integrations import loaded
from crosspro.prediction.model_archive import box_models

THRESHOLD = 0.5
"""A check that fails should more often be right than not; proofread itself begins at 0.4."""


class PronounCheck(TargetCheck):
    """Fails where a pronoun of the translation is probably wrong, and says why."""

    check_id = "crosspro_pronouns"
    name = "Pronoun"
    description = "A pronoun of the translation is probably wrong."
    threshold = THRESHOLD

    def check_single(self, source: str, target: str, unit: Any) -> bool:
        """Whether a string has a doubtful pronoun."""
        return bool(self.doubtful(source, target, unit))

    def doubtful(self, source: str, target: str, unit: Any) -> list[crosspro.PronounDoubt]:
        """The doubtful pronouns of a string, the worst first."""
        translation = unit.translation
        languages = translation.component.source_language, translation.language
        model = "-".join(language.base_code for language in languages)
        if model not in box_models():
            return []
        # A string is one segment, however many lines it has.
        lines = [" ".join(text.split()) for text in (source, target)]
        found = crosspro.proofread(
            lines[:1], lines[1:], None, loaded(model), threshold=self.threshold
        )
        return found.doubtful

    def get_description(self, check_obj: Any) -> str:
        """What is doubtful, what might stand there instead, and why."""
        unit = check_obj.unit
        sources, targets = unit.get_source_plurals(), unit.get_target_plurals()
        found = [
            one
            for number, target in enumerate(targets)
            for one in self.doubtful(sources[min(number, len(sources) - 1)], target, unit)
        ]
        if not found:
            return self.description
        rows = ((one.word or "–", one.suggestion or "–", one.reason) for one in found)
        return str(format_html_join("; ", "{} → {}? {}", rows))
