"""Questions as a campaign of Pearmut (https://github.com/zouharvi/pearmut), and its annotations.

Checked with Pearmut 1.1.6. Each question is a document of one segment with two sliders. Pearmut
shows texts as HTML: `<b>` marks the words in question, and `<` of the texts is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_bytes
from crosspro.evaluation.human.verdicts import Kind, Verdict
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.match import marked_texts
from crosspro.evaluation.protest.review import Question, read_verdict
from crosspro.evaluation.protest.suite import Suite

OUTPUT = "output"
"""The name of the translation: annotators do not learn whose it is."""
PRONOUN_SCALE = ("bad", "wrong", "unclear", "right")
ANTECEDENT_SCALE = ("", "wrong", "unclear", "right")
INSTRUCTIONS = (
    "Judge the marked pronoun and the marked head of its antecedent; ignore other errors.<br>"
    "<b>pronoun</b>: 0 the translation is too bad to judge, 1 wrong, 2 unclear, 3 right<br>"
    "<b>antecedent</b>: 0 none is asked for, 1 wrong, 2 unclear, 3 right"
)


def campaign(suite: Suite, questions: Iterable[Question], annotators: Sequence[str]) -> str:
    """The JSON of a campaign in which every annotator judges all questions."""
    task = [[_segment(question)] for question in questions]
    sliders = [
        {"name": name, "min": 0, "max": len(scale) - 1, "step": 1}
        for name, scale in (("pronoun", PRONOUN_SCALE), ("antecedent", ANTECEDENT_SCALE))
    ]
    content = {
        "campaign_id": f"protest-{suite.digest}",
        "info": {
            "assignment": "task-based",
            "protocol": "DA",
            "instructions": INSTRUCTIONS,
            "sliders": sliders,
            "textfield": "visible",
            "users": list(annotators),
        },
        "data": [task] * len(annotators),
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _segment(question: Question) -> dict[str, Any]:
    result, item = question.result, question.item
    source, _, output = map(_marked, marked_texts(result))
    category = BY_NAME[result.token.category].label
    asked = "pronoun and antecedent" if result.token.anaphoric else "pronoun (antecedent: 0)"
    return {
        "item_id": question.name,
        "instructions": f"{category}: {asked}",
        "src": source,
        "tgt": {OUTPUT: output},
        "system": item.system,
        "output_pronoun": item.pronoun,
        "output_head": item.head,
    }


def _marked(text: str) -> str:
    return text.replace("<", "‹").replace("[[", "<b>").replace("]]", "</b>")


def read_annotations(path: str | Path, suite: Suite, kind: Kind = "verdict") -> list[Verdict]:
    """The verdicts in the annotations that Pearmut's dashboard downloads (JSON)."""
    try:
        content = parse_json(read_bytes(Path(path)))
        log = content[f"protest-{suite.digest}"]
        last: dict[tuple[str, str], tuple[int, dict[str, str]]] = {}
        for number, record in enumerate(log):
            user = record["user_id"]
            if record["annotation"] == "__RESET__":
                last = {key: value for key, value in last.items() if key[0] != user}
                continue
            for segment, answers in zip(record["item"], record["annotation"], strict=True):
                row = _answers(segment, answers[OUTPUT]) | {"annotator": user, "kind": ""}
                last[user, segment["item_id"]] = number, row
    except ValueError as error:
        raise input_error(path, "JSON", "annotations of Pearmut", str(error)) from error
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        expected = f"annotations of the Pearmut campaign protest-{suite.digest}"
        raise input_error(path, "annotations", expected, quoted(repr(error))) from error
    problems: list[Problem] = []
    verdicts = []
    for number, row in last.values():
        faults: list[tuple[str, str, str]] = []
        verdict = read_verdict(suite, row, None, kind, faults)
        for field, expected, found in faults:
            name = f"annotation {number + 1}, {field}"
            problems.append(Problem(str(path), None, name, expected, found))
        verdicts += [] if verdict is None else [verdict]
    if problems:
        raise InputError(problems)
    return verdicts


def _answers(segment: dict[str, Any], answers: dict[str, Any]) -> dict[str, str]:
    """The cells of a review file's row."""
    names = ("system", "output_pronoun", "output_head")
    pronoun, antecedent = answers["sliders"]["pronoun"], answers["sliders"]["antecedent"]
    return {
        "item": segment["item_id"],
        **{name: " ".join(segment[name].split()) for name in names},
        "pronoun": dict(enumerate(PRONOUN_SCALE))[pronoun],
        "antecedent": dict(enumerate(ANTECEDENT_SCALE))[antecedent],
        "remark": " ".join((answers.get("textfield") or "").split()),
    }
