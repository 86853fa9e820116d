"""The filter of OpusFilter, in OpusFilter itself."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("opusfilter")

from opusfilter import ConfigurationError
from opusfilter.opusfilter import OpusFilter

from crosspro.integrations.opusfilter import PronounAgreement
from tests.integrations.pairs import NONE, RIGHT, RUNNING, WRONG


def steps(tmp_path, *pairs, **settings):
    """OpusFilter's three ways to use a filter, on some pairs."""
    for side, language in enumerate(("en", "de")):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (tmp_path / f"all.{language}").write_text(text, encoding="utf-8")
    inputs = ["all.en", "all.de"]
    own = {
        "PronounAgreement": {"model": "en-de", **settings},
        "module": "crosspro.integrations.opusfilter",
    }

    def step(kind, **parameters):
        return {
            "type": kind,
            "parameters": {"inputs": inputs, "filters": [dict(own)], **parameters},
        }

    return {
        "common": {"output_directory": str(tmp_path)},
        "steps": [
            step("filter", outputs=["kept.en", "kept.de"]),
            step("filter", outputs=["left.en", "left.de"], filterfalse=True),
            step("score", output="scores.jsonl"),
        ],
    }


def test_a_configuration_filters_and_scores(tmp_path):
    OpusFilter(steps(tmp_path, RIGHT, WRONG, NONE)).execute_steps()
    assert (tmp_path / "kept.de").read_text("utf-8").splitlines() == [RIGHT[1], NONE[1]]
    assert (tmp_path / "left.de").read_text("utf-8").splitlines() == [WRONG[1]]
    lines = (tmp_path / "scores.jsonl").read_text("utf-8").splitlines()
    right, wrong, none = (json.loads(line)["PronounAgreement"] for line in lines)
    assert none == 0 < right < 0.4 <= wrong


def test_batches_do_not_change_scores_but_running_text_does():
    whole, single = (PronounAgreement("en-de", batch=size) for size in (500, 1))
    pairs = [*RUNNING, RIGHT, WRONG]
    assert list(whole.score(pairs)) == pytest.approx(list(single.score(pairs)), abs=1e-6)
    running = PronounAgreement("en-de", running=True)
    assert list(running.score(RUNNING))[1] < list(whole.score(RUNNING))[1]


@pytest.mark.parametrize(("settings", "said"), [({"threshold": 2}, "chance"), ({"batch": 0}, "1")])
def test_settings_that_cannot_be(settings, said):
    with pytest.raises(ConfigurationError, match=said):
        PronounAgreement("en-de", **settings)


def test_one_language_is_refused():
    with pytest.raises(ConfigurationError, match="two languages, found 1"):
        list(PronounAgreement("en-de").score([("Only one.",)]))
