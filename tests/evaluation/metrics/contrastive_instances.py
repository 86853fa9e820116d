"""Instances of contrastive sets as their JSON files have them."""

from __future__ import annotations

import json


def instance(**changes):
    fields = {
        "src pronoun": "It",
        "ref pronoun": "Er",
        "ante distance": 1,
        "intrasegmental": False,
        "document id": "d",
        "segment id": 1,
        "src segment": "It sees him .",
        "ref segment": "Er sieht ihn .",
        "errors": [{"contrastive": "Sie sieht ihn .", "replacement": "sie"}],
    }
    return {k: v for k, v in {**fields, **changes}.items() if v is not ...}


def french_instance(reference, *errors, **extra):
    return {
        "src pronoun": "it",
        "ref pronoun": reference.split()[0],
        "src segment": "It does .",
        "ref segment": reference,
        "errors": [{"contrastive": fields, "replacement": fields.split()[0]} for fields in errors],
        **extra,
    }


def written_set(tmp_path, content):
    path = tmp_path / "set.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def ctxpro_instance(expected="elle", **more):
    return {
        "document id": "d1",
        "rule": "GENDER.F",
        "expected": expected,
        "src pronoun": "it",
        "src segment": "It sleeps.",
        "ref segment": "Elle dort.",
        **more,
    }
