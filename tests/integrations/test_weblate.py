"""The check of Weblate, loaded by Weblate from its settings, on the units of its own tests.

Weblate has pins that ours do not go with, so that this runs in an environment of Weblate's in which
crosspro is installed as well.
"""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

pytest.importorskip("weblate")

PATH = "crosspro.integrations.weblate.PronounCheck"
SOURCE = "The dog slept. It snored."
WRONG, RIGHT = (f"Der Hund schlief. {word} schnarchte." for word in ("Es", "Er"))


@pytest.fixture(scope="module")
def tried():
    """Runs the check on a unit, as Weblate does."""
    os.environ.setdefault("CI_DATABASE", "postgresql")  # which is never asked anything
    import django
    import weblate.settings_test as own
    from django.conf import settings

    values = {name: getattr(own, name) for name in dir(own) if name.isupper()}
    settings.configure(**{**values, "CHECK_LIST": ("weblate.checks.same.SameCheck", PATH)})
    django.setup()
    from weblate.checks.models import CHECKS
    from weblate.checks.tests.test_checks import MockUnit

    def run(sources, targets, language="de", flags=""):
        unit = MockUnit(code=language, source=sources, target=targets, flags=flags)
        check = CHECKS["crosspro_pronouns"]
        fails = check.check_target(unit.sources, unit.targets, unit)
        return fails, str(check.get_description(SimpleNamespace(unit=unit)))

    return run


def test_a_wrong_pronoun_fails_with_its_reason(tried):
    fails, said = tried(SOURCE, WRONG)
    assert fails
    assert said.startswith("Es → Er? ")
    assert "Hund" in said
    assert not tried(SOURCE, RIGHT)[0]


def test_of_plural_forms_each_is_read(tried):
    assert tried([SOURCE, SOURCE], [RIGHT, WRONG])[0]
    assert not tried([SOURCE, SOURCE], [RIGHT, RIGHT])[0]


def test_lines_of_a_string_are_one_segment(tried):
    assert tried(SOURCE.replace(" It", "\nIt"), WRONG.replace(" Es", "\nEs"))[0]


@pytest.mark.parametrize(("language", "flags"), [("cs", ""), ("de", "ignore-crosspro-pronouns")])
def test_other_languages_and_strings_that_are_excepted_pass(tried, language, flags):
    assert not tried(SOURCE, WRONG, language, flags)[0]


def test_regional_varieties_have_the_model_of_their_language(tried):
    assert tried(SOURCE, WRONG, "de_AT")[0]


def test_nothing_is_said_of_an_empty_translation(tried):
    assert not tried(SOURCE, "")[0]
