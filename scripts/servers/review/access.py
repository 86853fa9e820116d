"""Who may use a review server: secret tokens, made from a key beside the store of verdicts.

The tokens are the same whenever the server is started with the same store.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import input_error

_KEY_LENGTH = 64
RESEARCHER = "researcher"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person with a token; the researcher sees all verdicts and decides conflicts."""

    name: str
    is_researcher: bool
    token: str


def visitors(annotators: Iterable[str], key: bytes) -> list[Visitor]:
    """The researcher and the annotators, with their tokens."""
    people = [(RESEARCHER, True), *((name, False) for name in annotators)]
    return [
        Visitor(name, is_researcher, _token(key, f"{is_researcher} {name}"))
        for name, is_researcher in people
    ]


def visitor_with(token: str, people: Iterable[Visitor]) -> Visitor | None:
    """The visitor who has a token."""
    given = token.encode("utf-8", "replace")
    matching = [who for who in people if hmac.compare_digest(who.token.encode(), given)]
    return matching[0] if matching else None


def read_or_make_key(store: Path) -> bytes:
    """The key of a store, which only its owner may read; made where there is none."""
    path = store.with_name(store.name + ".key")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_bytes().strip()
        if len(key) != _KEY_LENGTH:
            raise input_error(path, "key", f"{_KEY_LENGTH} digits", str(len(key))) from None
        return key
    except OSError as error:
        raise input_error(path, "key", "a file that can be made", str(error.strerror)) from error
    with os.fdopen(descriptor, "wb") as handle:
        key = secrets.token_hex(_KEY_LENGTH // 2).encode()
        handle.write(key)
        handle.flush()
        os.fsync(handle.fileno())
    return key


def _token(key: bytes, name: str) -> str:
    return hmac.new(key, name.encode("utf-8"), hashlib.sha256).hexdigest()[:32]
