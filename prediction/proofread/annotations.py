"""Doubtful pronouns as annotations of code review: SARIF 2.1.0, and GitHub's workflow commands."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from crosspro.evaluation.output.records import json_text
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt
from crosspro.prediction.proofread.output import DOUBTFUL, Proofreading, change, doubt_text
from crosspro.prediction.proofread.text import FilePlace, WrittenFile
from crosspro.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_CERTAIN = 0.6
"""From this chance of being wrong on, a doubt is an error; one that is likelier than not warns."""
_RULES = {
    DoubtKind.WORD: (
        "wrong-pronoun",
        "A pronoun that is probably wrong",
        "Given both documents, another pronoun is likelier here: of other gender, number or kind.",
    ),
    DoubtKind.MISSING: (
        "missing-pronoun",
        "A pronoun of the source that nothing translates",
        "No word of the translation is linked to this pronoun of the source.",
    ),
    DoubtKind.ADDITIONAL: (
        "additional-pronoun",
        "A pronoun that translates nothing",
        "No word of the source is linked to this pronoun of the translation.",
    ),
}
_NUMBERS = {kind: number for number, kind in enumerate(_RULES)}


def _level(one: PronounDoubt) -> str:
    if one.wrong >= _CERTAIN:
        return "error"
    return "warning" if one.wrong >= DOUBTFUL else "note"


def message(one: PronounDoubt) -> str:
    """One line: what might stand there, why, and how probably it is wrong."""
    return f"{doubt_text(one)} (chance of being wrong: {one.wrong:.2f})"


# SARIF --------------------------------------------------------------------------------------------


def as_sarif(found: Proofreading, every: bool = False) -> str:
    """A log of one run, with a rule for each kind; the doubtful pronouns, or all, are results."""
    shown = found.worst_first if every else found.doubtful
    driver = {
        "name": "crosspro proofread",
        "semanticVersion": _semantic(__version__),
        "version": __version__,
        "rules": [
            {
                "id": name,
                "shortDescription": {"text": f"{short}."},
                "fullDescription": {"text": full},
                "defaultConfiguration": {"level": "warning"},
            }
            for name, short, full in _RULES.values()
        ],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(found, one) for one in shown],
        "properties": {
            "model": found.model.name,
            "digest": found.model.digest,
            "threshold": found.threshold,
            "signature": found.score.signature,
            "counts": found.counts,
        },
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(found: Proofreading, one: PronounDoubt) -> dict[str, Any]:
    target, source = found.text.target, found.text.source
    related = [
        {
            **_location(target if noun.side == "target" else source, noun.place),
            "message": {"text": f"{noun.word}, which it may stand for"},
        }
        for noun in one.stands_for
    ]
    if one.source_place is not None:
        pronoun = {"text": f"{one.source_word} in the source"}
        related.insert(0, {**_location(source, one.source_place), "message": pronoun})
    result: dict[str, Any] = {
        "ruleId": _RULES[one.kind][0],
        "ruleIndex": _NUMBERS[one.kind],
        "level": _level(one),
        "rank": round(100 * one.wrong, 2),
        "message": {"text": message(one)},
        "locations": [_location(target, one.place)],
        "partialFingerprints": {"pronoun/v1": _fingerprint(found, one)},
        "properties": {
            "wrong": one.wrong,
            "probability": one.probability,
            "suggestion_probability": one.suggestion_probability,
        },
    }
    if related:
        result["relatedLocations"] = [{"id": id_, **own} for id_, own in enumerate(related)]
    if one.suggestion and one.kind is DoubtKind.WORD:
        replacement = {
            "deletedRegion": _region(one.place),
            "insertedContent": {"text": one.suggestion},
        }
        changed = {"artifactLocation": _artifact(target), "replacements": [replacement]}
        result["fixes"] = [
            {"description": {"text": f"{change(one)}"}, "artifactChanges": [changed]}
        ]
    return result


def _location(file: WrittenFile, place: FilePlace) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(file), "region": _region(place)}}


def _region(place: FilePlace) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.start + 1,
        "endLine": place.line,
        "endColumn": place.end + 1,
    }


def _artifact(file: WrittenFile) -> dict[str, str]:
    path = PurePath(file.name)
    if path.is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(path.as_posix(), safe="/", errors="surrogateescape")}


def _fingerprint(found: Proofreading, one: PronounDoubt) -> str:
    """What stays if lines are put before a pronoun: its segment, the place in it, and its kind."""
    segment = found.text.segments[one.segment]
    parts = (one.kind, segment.source.text, segment.target.text, f"{one.start}")
    content = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(content).hexdigest()[:32]


def _semantic(version: str) -> str:
    """Three numbers, whatever a version ends with."""
    numbers = [part for part in version.split(".") if part.isdigit()]
    return ".".join([*numbers, "0", "0"][:3])


# GitHub -------------------------------------------------------------------------------------------

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def as_github(found: Proofreading, every: bool = False) -> str:
    """Workflow commands that annotate the lines of a pull request, the worst first."""
    lines = []
    for one in found.worst_first if every else found.doubtful:
        properties = {
            "file": found.text.target.name,
            "line": one.place.line,
            "endLine": one.place.line,
            "col": one.place.start + 1,
            "endColumn": max(one.place.end, one.place.start + 1),
            "title": _RULES[one.kind][1],
        }
        told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
        lines.append(f"::{_COMMANDS[_level(one)]} {told}::{_escaped(message(one))}\n")
    return "".join(lines)


def github_error(text: str) -> str:
    """The command that says on the page of a run what went wrong."""
    return f"::error::{_escaped(text)}\n"


def _escaped(text: str) -> str:
    """A message of a workflow command, which ends with its line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The same for a property, which ends at a comma, and their list at a colon."""
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
