"""Damaged files are read or refused with an error of ours; what is accepted can be written again.

`pytest tests/test_damaged_files.py --hypothesis-profile=long` tries 20,000 inputs of each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.formats.links import read_links, write_links
from crosspro.data_prep.formats.shared_task import (
    format_example,
    read_doc_ids,
    read_examples,
    write_examples,
)
from crosspro.data_prep.lexicon.lexicon import HEADER, Lexicon, read_lexicon, write_lexicon
from crosspro.evaluation.pronouns import load_lists
from tests.data_prep.formats.conllu_sample import SAMPLE

NUMBERS = (
    b"-1", b"0", b"00", b"+1", b"2147483648", b"18446744073709551616", b"1e309", b"NaN", b"1.5",
    b"0x10", b"1_000", b"\xd9\xa3", b"\xc2\xb2", b"9" * 5000, b"", b"999999999",
)  # fmt: skip
"""What may stand for a number, most of them none."""
PIECES = (
    b"", b"\0", b"\t", b"\n", b"\r", b"\r\n", b"\x0b", b"\x1b[31m", b"\x85", b" ", b"  ",
    b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80", b"e\xcc\x81", b"\xe2\x80\xae", b"\xff", b"\xc3", b"|", b"-", b"_", b"#",
    b"/", b"..", b"\\", b"'", b'"', b"<", b"&amp;", b"[", b"]", b"{", b"}", b":", b",", b"=",
    b"null", b"true", b"*a", b"&a", b"!!x", b"<<", b"REPLACE_", b"REPLACE_0", b"REPLACE_9",
    b"OTHER", b"a" * 3000, b"[" * 2000, b"ce", b"<s>", b"\xc3\x9f", b"\xc4\xb0",
)  # fmt: skip
_STRETCHES = {
    "number": re.compile(rb"[-+]?\d+(?:\.\d+)?"),
    "word": re.compile(rb"\S+"),
    "field": re.compile(rb"[^\t\n,;|=:]+"),
    "line": re.compile(rb"[^\n]*\n?"),
}


@st.composite
def stretches(draw: Any, content: bytes, kind: str) -> tuple[int, int]:
    """Where a number, word, field or line begins and ends; or a few bytes, or all the rest."""
    at = draw(st.integers(0, len(content)))
    if kind == "bytes":
        return at, min(len(content), at + draw(st.integers(0, 16)))
    if kind == "rest":
        return draw(st.sampled_from([(at, len(content)), (0, at)]))
    match = _STRETCHES[kind].search(content, at) or _STRETCHES[kind].search(content)
    return match.span() if match else (at, at)


@st.composite
def damaged(draw: Any, content: bytes, words: tuple[bytes, ...]) -> bytes:
    """Content in which one to three stretches are replaced: by a hostile piece, a word of the
    format, noise, nothing, or another stretch of the content (perhaps 40 times)."""
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
        kind = draw(st.sampled_from(("bytes", "bytes", "rest", *_STRETCHES)))
        start, end = draw(stretches(content, kind))
        way = draw(st.sampled_from(("piece", "piece", "noise", "nothing", "copy")))
        piece = b""
        if kind == "number":
            piece = draw(st.sampled_from(NUMBERS))
        elif way == "piece":
            piece = draw(st.sampled_from((*words, *PIECES)))
        elif way == "noise":
            piece = draw(st.binary(min_size=1, max_size=9))
        elif way == "copy":
            first, last = draw(stretches(content, kind))
            piece = content[first:last] * draw(st.sampled_from((1, 2, 40)))
        content = content[:start] + piece + content[end:]
    return content


@dataclass(frozen=True)
class Reader:
    """A function that reads a file, valid content for it, and words of its format.

    With `write`, what was accepted is written, read again and compared.
    """

    read: Callable[[Path], Any]
    contents: tuple[bytes, ...]
    words: tuple[bytes, ...] = ()
    write: Callable[[Path, Any], None] | None = None


def examples_of(task: Task, number: int = 3) -> bytes:
    examples = demo_examples(task, "dev", 1)[:number]
    return "".join(format_example(example) + "\n" for example in examples).encode()


def shared_task_reader(name: str, *contents: bytes) -> Reader:
    task = load_task(name)
    words = (b"ce", b"elle", b"OTHER", b"REPLACE_7", b"0-0", b"ce|PRON", b"fooREPLACE_1")
    return Reader(
        lambda path: list(read_examples(path, task)),
        contents or (examples_of(task), examples_of(task, 1)),
        words,
        write_examples,
    )


def plain_lists(lists: Any) -> Any:
    """Pronoun lists as YAML writes them."""
    return json.loads(json.dumps(lists.to_dict()))


EN_FR = load_task("en-fr")
INFLECTED = b"elle\telle\tThe car is red .\tla voiture est rouge et REPLACE_4 .\t4-5\n"
LINK_WORDS = (b"0-0", b"1-", b"-1", b"0-0-0")
TOKENS = [["a"] * 5, ["b"] * 3]
LISTS = (
    b"name: x\nsource_language: en\ntarget_language: fr\nsource_pronouns: [it, they]\n"
    b"target_pronouns: [il, elle, ce]\n",
    yaml.safe_dump(plain_lists(load_lists("en-fr")), allow_unicode=True).encode(),
)


def sentences(path: Path) -> Any:
    return [(s.words, s.written(), s.scheme) for s in read_conllu(path)]


READERS = {
    "five columns en-fr": shared_task_reader("en-fr"),
    "five columns de-en": shared_task_reader("de-en"),
    "five columns en-fr-2015": shared_task_reader("en-fr-2015", INFLECTED * 2),
    "five columns, lenient": Reader(
        lambda path: list(read_examples(path, EN_FR, lenient=True)), (examples_of(EN_FR),)
    ),
    "document ids": Reader(
        lambda path: list(read_doc_ids(path)),
        (b"talk 1\tAnn\tcur\ntalk 1\n\ntalk 2\n",),
        write=lambda path, ids: write_text(path, "".join(f"{name}\n" for name in ids)),
    ),
    "links": Reader(
        lambda path: list(read_links(path)),
        (b"0-0 1-1 2-10\n\n3-2 3-3\n999-0\n", b"0-0\n" * 5),
        LINK_WORDS,
        write_links,
    ),
    "links inside sentences": Reader(
        lambda path: list(read_links(path, TOKENS, TOKENS)),
        (b"0-0 4-4\n2-2\n",),
        LINK_WORDS,
    ),
    "lexicon": Reader(
        lambda path: list(read_lexicon(path)),
        (f"{HEADER}\nPierre\tPROPN\tMasc\t_\t_\nclé\tNOUN\tFem\tSing\t3\n".encode(),),
        (b"_", b"NOUN", b"Fem", b"X", b"17"),
        lambda path, entries: write_lexicon(path, Lexicon.of(entries)),
    ),
    "CoNLL-U": Reader(
        sentences, (SAMPLE.encode(),), (b"1-2", b"1.1", b"0", b"_", b"# newdoc id = x", b"root")
    ),
    "pronoun lists": Reader(
        load_lists,
        LISTS,
        (b"- ", b"? ", b"|", b">", b"*x", b"&x ", b"---"),
        lambda path, lists: write_text(path, yaml.safe_dump(plain_lists(lists))),
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_read_or_refused(name, tmp_path):
    reader = READERS[name]
    suffix = ".yaml" if name == "pronoun lists" else ""
    path, copy = tmp_path / f"file{suffix}", tmp_path / f"copy{suffix}"
    for content in reader.contents:
        path.write_bytes(content)
        assert reader.read(path)

    @settings(suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink))
    @given(st.sampled_from(reader.contents).flatmap(lambda content: damaged(content, reader.words)))
    def read_or_refused(content: bytes) -> None:
        path.write_bytes(content)
        try:
            content_read = reader.read(path)
        except CrossproError as error:
            assert str(error)
            return
        if reader.write:
            reader.write(copy, content_read)
            assert reader.read(copy) == content_read

    read_or_refused()
