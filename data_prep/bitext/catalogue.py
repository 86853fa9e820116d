"""Bitext from gettext catalogues: one with its messages as the other language, or two of a kind.

A document is the file in which a message is first used. Messages that are fuzzy or not translated
are left out, as programs leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crosspro.data_prep.bitext.message import Header, Message
from crosspro.data_prep.bitext.mo import scan_mo
from crosspro.data_prep.bitext.po import scan_po
from crosspro.data_prep.bitext.segment import (
    Segment,
    one_line,
    or_nothing,
    same_language,
    segments_of,
)
from crosspro.data_prep.core.errors import Problem

MESSAGE_LANGUAGE = "en"
"""The language of messages by long custom."""


def read_catalogue(
    source: Path,
    target: Path | None = None,
    *,
    source_language: str,
    target_language: str,
    fuzzy: bool = False,
    compiled: bool | None = None,
) -> Iterator[Segment]:
    """The segments of one catalogue (messages and translations), or of two by the same messages.

    The header of a single catalogue says which of the two languages it translates into; without a
    header its file name does (fr.po), else it is the one that is not English. Catalogues named .mo
    are `compiled` unless said otherwise.
    """
    messages = _scan(source, compiled)
    if target is None:
        found = _single(messages, source, source_language, target_language, fuzzy)
    else:
        others = _scan(target, compiled)
        found = _double(messages, others, source, target, source_language, target_language, fuzzy)
    return segments_of(or_nothing(found, source))


def _scan(path: Path, compiled: bool | None) -> Iterator[Header | Message | Problem]:
    if compiled is None:
        compiled = any(suffix in {".mo", ".gmo"} for suffix in path.suffixes)
    return scan_mo(path) if compiled else scan_po(path)


def _single(
    messages: Iterator[Header | Message | Problem],
    path: Path,
    source_language: str,
    target_language: str,
    fuzzy: bool,
) -> Iterator[Segment | Problem]:
    reverse = _translates_into(None, path, source_language, target_language) == source_language
    for item in messages:
        if isinstance(item, Header):
            language = _translates_into(item.language, path, source_language, target_language)
            if language is None:
                expected = f"{source_language} or {target_language}"
                yield Problem(str(path), None, "Language", expected, str(item.language))
                return
            reverse = language == source_language
        elif isinstance(item, Problem):
            yield item
        elif fuzzy or not item.fuzzy:
            for message, translation in item.pairs:
                texts = one_line(message), one_line(translation)
                if all(texts):
                    first, second = reversed(texts) if reverse else texts
                    yield Segment(first, second, _document(item), item.line)


def _translates_into(
    stated: str | None, path: Path, source_language: str, target_language: str
) -> str | None:
    """Which of the two languages a catalogue's translations are in; None if it states another."""
    both = (target_language, source_language)
    if stated is not None:
        return next((language for language in both if same_language(stated, language)), None)
    for part in reversed(path.name.split(".")):
        for language in both:
            if same_language(part, language):
                return language
    return source_language if same_language(target_language, MESSAGE_LANGUAGE) else target_language


def _double(
    messages: Iterator[Header | Message | Problem],
    translations: Iterator[Header | Message | Problem],
    source: Path,
    target: Path,
    source_language: str,
    target_language: str,
    fuzzy: bool,
) -> Iterator[Segment | Problem]:
    others: dict[tuple[str | None, str], Message] = {}
    for item in translations:
        if isinstance(item, Message):
            others[item.key] = item
        else:
            yield from _wrong(item, target, target_language)
    for item in messages:
        if not isinstance(item, Message):
            yield from _wrong(item, source, source_language)
            continue
        other = others.get(item.key)
        if other is None or ((item.fuzzy or other.fuzzy) and not fuzzy):
            continue
        forms = [(item.translations[0], other.translations[0])]
        if len(item.translations) > 1 and len(other.translations) > 1:
            forms.append((item.translations[-1], other.translations[-1]))
        for first, second in forms:
            if first.strip() and second.strip():
                yield Segment(one_line(first), one_line(second), _document(item), item.line)


def _wrong(item: Header | Problem, path: Path, language: str) -> Iterator[Problem]:
    if isinstance(item, Problem):
        yield item
    elif item.language is not None and not same_language(item.language, language):
        yield Problem(str(path), None, "Language", language, item.language)


def _document(message: Message) -> str | None:
    return message.references[0] if message.references else None
