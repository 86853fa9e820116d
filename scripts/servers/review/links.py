"""Secret links: who opens one is who it was sent to.

All secrets come from one key in a file beside the store, which only its owner may read; the store
itself holds none, so that backups and archives may be passed on. A secret has 132 bits.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.evaluation.human.campaign import Person

_KEY_BYTES = 32
_LETTERS = 22


class LinkKey:
    """The key of a campaign's links."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def annotator(self, person: Person) -> str:
        """The secret of an annotator's link."""
        return self._derived(f"annotator {person.generation} {person.name}")

    @property
    def management(self) -> str:
        """The secret of the researcher's link."""
        return self._derived("management")

    def form(self, secret: str) -> str:
        """What a form must bring along that was sent from a page under a link."""
        return self._derived(f"form {secret}")

    def all(self, people: Iterable[Person]) -> dict[bytes, Person]:
        """The secrets of some annotators, as bytes: each request is compared with all of them."""
        return {self.annotator(person).encode("ascii"): person for person in people}

    def _derived(self, purpose: str) -> str:
        digest = hmac.new(self._key, purpose.encode("utf-8"), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode("ascii")[:_LETTERS]


def same(secret: str, given: str) -> bool:
    """Compare secrets in constant time."""
    return hmac.compare_digest(secret.encode("utf-8"), given.encode("utf-8", "replace"))


def find(secret: str, known: Mapping[bytes, Person]) -> Person | None:
    """Whose link it is; the time that this takes says nothing."""
    found = None
    given = secret.encode("utf-8", "replace")
    for own, person in known.items():
        if hmac.compare_digest(own, given):
            found = person
    return found


def key_path(store: Path) -> Path:
    """Where the key of a store's links is."""
    return store.with_name(f"{store.name}.key")


def open_key(store: Path) -> LinkKey:
    """The key of a store's links; made if there is none, and never shown."""
    path = key_path(store)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(f"{secrets.token_hex(_KEY_BYTES)}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError:  # half a key is none
            path.unlink()
            raise
    try:
        key = bytes.fromhex(path.read_text("ascii"))
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        expected = f"a key of {2 * _KEY_BYTES} hexadecimal digits; without the file links are new"
        raise input_error(path, "key", expected, "something else")
    return LinkKey(key)
