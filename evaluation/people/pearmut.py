"""Questions as a campaign of Pearmut (https://github.com/zouharvi/pearmut), and its annotations.

Checked with Pearmut 1.1.6. Each question is a document of one segment with two sliders. Pearmut
shows texts as HTML: `<b>` marks the words in question, and `<` of the texts is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_bytes
from crosspro.evaluation.people.questions import Question, bracketed, read_verdict
from crosspro.evaluation.people.verdicts import Kind, Verdict

OUTPUT = "output"
"""The name of the translation: annotators do not learn whose it is."""
PRONOUN_SCALE = ("bad", "wrong", "unclear", "right")
ANTECEDENT_SCALE = ("", "wrong", "unclear", "right")
INSTRUCTIONS = (
    "Judge the marked pronoun and the marked head of its antecedent; ignore other errors.<br>"
    "<b>pronoun</b>: 0 the translation is too bad to judge, 1 wrong, 2 unclear, 3 right<br>"
    "<b>antecedent</b>: 0 none is asked for, 1 wrong, 2 unclear, 3 right"
)


def campaign(suite: str, questions: Iterable[Question], annotators: Sequence[str]) -> str:
    """The JSON of a campaign in which every annotator judges all questions on a suite."""
    task = [[_segment(question)] for question in questions]
    sliders = [
        {"name": name, "min": 0, "max": len(scale) - 1, "step": 1}
        for name, scale in (("pronoun", PRONOUN_SCALE), ("antecedent", ANTECEDENT_SCALE))
    ]
    content = {
        "campaign_id": f"protest-{suite}",
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
    source, output = (
        bracketed(lines).replace("<", "‹").replace("[[", "<b>").replace("]]", "</b>")
        for lines in (question.source, question.output)
    )
    judged = "pronoun and antecedent" if question.anaphoric else "pronoun (antecedent: 0)"
    return {
        "item_id": question.name,
        "instructions": f"{question.label}: {judged}",
        "src": source,
        "tgt": {OUTPUT: output},
        "system": question.item.system,
        "output_pronoun": question.item.pronoun,
        "output_head": question.item.head,
    }


def read_annotations(
    path: Path, suite: str, anaphoric: Mapping[str, bool], kind: Kind = "verdict"
) -> list[Verdict]:
    """The verdicts in the annotations that Pearmut's dashboard downloads (JSON).

    `suite` is the digest of the suite, `anaphoric` has its tokens. The last answer of an annotator
    to a question counts, and a reset takes the annotator's earlier answers back.
    """
    verdicts: dict[tuple[str, str], Verdict] = {}
    try:
        for record in parse_json(read_bytes(path))[f"protest-{suite}"]:
            annotator = record["user_id"]
            if record["annotation"] == "__RESET__":
                verdicts = {
                    key: verdict for key, verdict in verdicts.items() if key[0] != annotator
                }
                continue
            for segment, answers in zip(record["item"], record["annotation"], strict=True):
                row = _row(segment, answers[OUTPUT]) | {"annotator": annotator, "kind": kind}
                verdicts[annotator, row["item"]] = read_verdict(path, None, row, anaphoric)
    except InputError:
        raise
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        expected = f"annotations of the Pearmut campaign protest-{suite}"
        raise input_error(path, "annotations", expected, quoted(repr(error))) from error
    return list(verdicts.values())


def _row(segment: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, str]:
    names = ("system", "output_pronoun", "output_head")
    pronoun, antecedent = answers["sliders"]["pronoun"], answers["sliders"]["antecedent"]
    return {
        "item": segment["item_id"],
        **{name: " ".join(segment[name].split()) for name in names},
        "pronoun": dict(enumerate(PRONOUN_SCALE))[pronoun],
        "antecedent": dict(enumerate(ANTECEDENT_SCALE))[antecedent],
        "remark": " ".join((answers.get("textfield") or "").split()),
    }
