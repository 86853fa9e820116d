"""Context sets and outputs as their files have them."""

from __future__ import annotations

import json

from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
from crosspro.evaluation.metrics.expected_forms.outputs import read_outputs


def ctxpro_instance(expected="elle", **more):
    return {
        "document id": "d1",
        "segment id": 1,
        "rule": "GENDER.F",
        "expected": expected,
        "src pronoun": "it",
        "src segment": "It sleeps.",
        "ref segment": "Elle dort.",
        **more,
    }


def written(tmp_path, name, content):
    path = tmp_path / name
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path, content, *outputs, language="fr", **options):
    """The set and the outputs, each a list of lines."""
    test_set = read_expected(written(tmp_path, "set", content), language)
    files = [
        written(tmp_path, f"s{number}", "".join(f"{line}\n" for line in lines))
        for number, lines in enumerate(outputs)
    ]
    return test_set, read_outputs(files, test_set, **options)
