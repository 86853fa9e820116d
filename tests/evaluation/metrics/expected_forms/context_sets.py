"""Context sets and outputs as their files have them."""

from __future__ import annotations

import json

from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules, read_outputs


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


def tsv_row(*, payload=None, distance=1, label="correct", pronoun="Elle", source="A. <eos> It.",
            reference="a. <eos> Elle.", output="a. <eos> Elle."):  # fmt: skip
    cells = [distance, label, pronoun, source, reference, output]
    return "\t".join(map(str, cells if payload is None else [payload, *cells]))


def written(tmp_path, name, content):
    path = tmp_path / name
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path, content, *outputs, language="fr", rules=None, parts=None, **options):
    """The set and the outputs, each a list of lines."""
    path = written(tmp_path, "set", content)
    found, rows = read_expected(path, language)
    files = [written(tmp_path, f"s{n}", "".join(f"{one}\n" for one in lines))
             for n, lines in enumerate(outputs)]  # fmt: skip
    if parts is not None:
        options["parts"] = written(tmp_path, "parts", "".join(f"{one}\n" for one in parts))
    tsv = None if rows is None else (path, rows)
    return found, read_outputs(files, found, rules or PayloadRules(), language, tsv=tsv, **options)
