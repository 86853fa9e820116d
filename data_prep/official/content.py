"""Whether what a server sent can be the file that was asked for, by its type and first bytes."""

from __future__ import annotations

from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError, quoted

_BEGINNINGS = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0", ".zip": b"PK", ".kenlm": b"mmap lm "}
_WEB_TYPES = ("text/html", "application/xhtml")
_WEB_BEGINNINGS = (b"<!doctype html", b"<html")


class DownloadError(CrossproError):
    """A file that cannot be had, or is not the one that was expected."""


def no_web_page(url: str, name: str, content_type: str) -> None:
    """Refuse a web page in place of a file: with it servers say that they do not have it."""
    if content_type.strip().lower().startswith(_WEB_TYPES) and not name.endswith(".html"):
        found = f"a web page ({quoted(content_type)})"
        raise DownloadError(f"{url}: expected the file {name}, found {found}")


def wrong_content(name: str, path: Path) -> str | None:
    """What is wrong with the beginning of a complete file, which will have this name."""
    with path.open("rb") as handle:
        start = handle.read(64)
    suffix = Path(name).suffix
    if not start:
        return "expected a file, found nothing at all"
    if start.lstrip().lower().startswith(_WEB_BEGINNINGS) and suffix != ".html":
        return "expected a file, found a web page"
    if not start.startswith(_BEGINNINGS.get(suffix, b"")):
        return f"expected the beginning of a {suffix} file, found {quoted(start[:16])}"
    return None
