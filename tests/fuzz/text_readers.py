"""Readers of text: shared-task files and what lies beside them, bitexts, annotation, lists."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from crosspro.conf import CONF_DIR
from crosspro.data_prep.annotate.files import ConlluFile, TokensFile
from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.files import read_text_lines, write_text
from crosspro.data_prep.core.task import load_task, task_from_mapping, task_to_mapping
from crosspro.data_prep.core.yaml_files import read_yaml
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.chains import HEADER, read_chains, write_chains
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.formats.links import read_links, scan_links, write_links
from crosspro.data_prep.formats.mmax import read_mmax
from crosspro.data_prep.formats.shared_task import (
    format_example,
    read_doc_ids,
    read_examples,
    scan,
    write_examples,
)
from crosspro.data_prep.lexicon.lexicon import HEADER as LEXICON_HEADER
from crosspro.data_prep.lexicon.lexicon import read_lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import read_german_nouns, read_lefff, read_lexique
from crosspro.data_prep.official.download import read_manifest
from crosspro.data_prep.official.files import official_files
from tests.conftest import GOLDEN
from tests.data_prep.bitext.compiled import compile_catalogue
from tests.data_prep.formats.conllu_sample import SAMPLE, write_conllu
from tests.fuzz.subject import Files, Subject, every, require, round_trip

EN_FR, EN_FR_2015, DE_EN = (load_task(name) for name in ("en-fr", "en-fr-2015", "de-en"))
INFLECTED = "elle\telle\tThe car is red and it runs .\tla voiture est rouge et REPLACE_5 .\t5-5\n"
BITEXT = GOLDEN / "bitext"


def _lines(examples: Any) -> bytes:
    return "".join(format_example(one) + "\n" for one in examples).encode()


def _data(name: str, count: int = 3) -> bytes:
    return _lines(demo_examples(load_task(name), "dev", 1)[:count])


def shared_task() -> Iterator[Subject]:
    """Five-column files, strict and lenient, with documents and other layers."""
    words = (
        b"ce",
        b"elle",
        b"OTHER",
        b"REPLACE_0",
        b"REPLACE_7",
        b"0-0",
        b"ce|PRON",
        b"fooREPLACE_1",
    )
    for name, task in (("en-fr", EN_FR), ("de-en", DE_EN)):

        def read(path: Path, task: Any = task) -> Any:
            return every(read_examples(path, task))

        yield Subject(
            f"shared_task.{name}",
            ({"x.data": _data(name)}, {"x.data": _data(name, 1)}),
            round_trip(read, write_examples, "x.data"),
            share=9000,
            words=words,
        )
    yield Subject(
        "shared_task.inflected",
        ({"x.data": INFLECTED.encode() * 2},),
        round_trip(lambda path: every(read_examples(path, EN_FR_2015)), write_examples, "x.data"),
        share=3000,
        words=words,
    )

    def lenient(folder: Path) -> Any:
        found = every(scan(folder / "x.data", EN_FR, folder / "x.doc-ids", lenient=True))
        problems = [one for one in found if isinstance(one, Problem)]
        if problems:
            raise InputError(problems)
        return found

    data = _data("en-fr")
    yield Subject(
        "shared_task.lenient", ({"x.data": data, "x.doc-ids": b"a\na\nb\n"},), lenient, share=3000
    )
    examples = demo_examples(EN_FR, "dev", 1)[:2]
    parse = "".join(
        "".join(
            f"{at}\t{word}\t{word}\tNOUN\t_\t_\t{at - 1}\tdep\t_\t_\n"
            for at, word in enumerate(one.source, start=1)
        )
        + "\n"
        for one in examples
    )
    layers: Files = {
        "x.data": _lines(examples),
        "x.doc-ids": b"d\nd\n",
        "x.source.conllu": parse.encode(),
        "x.chains.tsv": f"{HEADER}\nd\tc1\tsource\t0\t0\t1\nd\tc1\ttarget\t1\t0\t0\n".encode(),
    }
    yield Subject(
        "layers",
        (layers,),
        lambda folder: every(read_layered(folder / "x.data", EN_FR)),
        share=1500,
    )


def beside() -> Iterator[Subject]:
    """Documents, links, chains, CoNLL-U, annotation of somebody else, lexicons."""

    def written_ids(path: Path, ids: list[str]) -> None:
        write_text(path, "".join(f"{one}\n" for one in ids))

    yield Subject(
        "doc_ids",
        ({"x.doc-ids": b"talk 1\tAnn\tcur\ntalk 1\n\ntalk 2\n"},),
        round_trip(lambda path: every(read_doc_ids(path)), written_ids, "x.doc-ids"),
        share=4000,
    )
    links = b"0-0 1-1 2-10\n\n3-2 3-3\n999-0\n"
    yield Subject(
        "links",
        ({"x.links": links}, {"x.links": b"0-0\n" * 5}),
        round_trip(lambda path: every(read_links(path)), write_links, "x.links"),
        share=5000,
        words=(b"0-0", b"1-", b"-1", b"0-0-0"),
    )
    words = [["a"] * 5, ["b"] * 3]

    def inside(folder: Path) -> Any:
        found = every(scan_links(folder / "x.links", words, words, lenient=True))
        if any(isinstance(one, Problem) for one in found):
            raise InputError(found)
        return found

    yield Subject("links.lenient", ({"x.links": b"0-0 4-4 5-5\n2-2 9-9\n\n"},), inside, share=2000)
    chains = f"{HEADER}\nd\tc1\tsource\t0\t0\t1\nd\tc1\ttarget\t0\t2\t2\n\tc 2\tsource\t3\t1\t1\n"

    def rows(path: Path) -> Any:
        return [(one.document, one.sentence, one.mention) for one in read_chains(path)]

    def chains_again(folder: Path) -> Any:
        found = rows(folder / "x.chains.tsv")
        write_chains(folder / "copy", read_chains(folder / "x.chains.tsv"))
        require(rows(folder / "copy") == found, "chains are not what their writer makes of them")
        return found

    yield Subject("chains", ({"x.chains.tsv": chains.encode()},), chains_again, share=3000)

    def sentences(path: Path) -> Any:
        return [(s.words, s.comments, s.contractions) for s in read_conllu(path)]

    def conllu(folder: Path) -> Any:
        found = sentences(folder / "x.conllu")
        write_conllu(folder / "copy", read_conllu(folder / "x.conllu"))
        again = sentences(folder / "copy")
        require(again == [one for one in found if one[0]], "CoNLL-U changes when it is written")
        return found

    parsed = (GOLDEN / "annotate" / "parsed.es.conllu").read_bytes().split(b"\n\n")
    yield Subject(
        "conllu",
        ({"x.conllu": SAMPLE.encode()}, {"x.conllu": b"\n\n".join(parsed[:1]) + b"\n\n"}),
        conllu,
        share=3000,
        words=(b"1-2", b"1.1", b"0", b"_", b"# newdoc id = x", b"root"),
    )
    text = [["Il", "parle", "du", "chien", "."], ["Oui"], ["Non"]]

    def annotation(folder: Path) -> Any:
        reader = ConlluFile(str(folder / "x.conllu"), "fr", "treetagger-fr")
        found = reader.annotate(text)
        reader.finish()
        return found

    yield Subject("annotation.conllu", ({"x.conllu": SAMPLE.encode()},), annotation, share=1000)

    def tokens(folder: Path) -> Any:
        reader = TokensFile(str(folder / "x.tokens"), "fr", "treetagger-fr")
        found = reader.annotate(text)
        reader.finish()
        return found

    lines = "\n".join(" ".join(f"{word}|{word.lower()}|X" for word in line) for line in text)
    yield Subject("annotation.tokens", ({"x.tokens": f"{lines}\n".encode()},), tokens, share=2000)
    lexicon = f"{LEXICON_HEADER}\nmaison\tNOUN\tFem\tSing\t12\nchien\tNOUN\tMasc\t_\t_\n"
    yield Subject(
        "lexicon",
        ({"x.tsv": lexicon.encode()},),
        round_trip(lambda path: list(read_lexicon(path)), write_lexicon, "x.tsv"),
        share=3000,
    )
    tables: dict[str, tuple[Callable[[Path], Any], bytes]] = {
        "lefff": (read_lefff, "maisons\tnc\tmaison\tfp\nmangés\tv\tmanger\tKmp\n".encode()),
        "lexique": (
            read_lexique,
            b"ortho\tphon\tlemme\tcgram\tgenre\tnombre\tf\tl\tfilms\tlivres\tinfover\n"
            b"chien\tSj5\tchien\tNOM\tm\ts\t1\t1\t2,5\t3.5\t\n",
        ),
        "german_nouns": (
            read_german_nouns,
            b"lemma,pos,genus,genus 1,nominativ singular,nominativ plural\n"
            b'Haus,"Substantiv",n,,Haus,"H\xc3\xa4user"\nHau,Substantiv,m,,Hau,\n',
        ),
    }
    for name, (read, content) in tables.items():
        yield Subject(
            f"lexicon.{name}",
            ({"x": content},),
            lambda folder, read=read: every(read(folder / "x")),
            share=1000,
        )


def bitexts() -> Iterator[Subject]:
    """Parallel text in all formats."""

    def reader(first: str, second: str | None = None, **options: Any) -> Callable[[Path], Any]:
        def read(folder: Path) -> Any:
            target = None if second is None else folder / second
            return every(
                read_bitext(
                    folder / first, target, source_language="en", target_language="fr", **options
                )
            )

        return read

    def golden(*names: str) -> Files:
        return {name: (BITEXT / name).read_bytes() for name in names}

    xml = (
        b"<doc docid='1'>",
        b"</doc>",
        b"<seg id='1'>",
        b"</seg>",
        b"<title>",
        b"<!--",
        b"<![CDATA[",
    )
    tmx = (b"<tu>", b"</tu>", b"<tuv xml:lang='fr'>", b"<seg>", b"<bpt i='1'>", b"<?x?>")
    po = (b"msgid", b"msgstr", b"msgid_plural", b"msgctxt", b"msgstr[1]", b"#~", b"#, fuzzy", b"#|")
    plain: Files = {"x.en": b"It rains .\n\nYes .\n", "x.fr": "Il pleut .\n\nOuí .\n".encode()}
    messages = {
        "": "Content-Type: text/plain; charset=UTF-8\nLanguage: fr\n",
        "It rains.": "Il pleut.",
        "ctx\4Yes": "Oui",
        "one\0many": "un\0plusieurs",
    }
    yield Subject("bitext.plain", (plain,), reader("x.en", "x.fr"), share=3000)
    yield Subject(
        "bitext.blank_lines",
        (plain,),
        reader("x.en", "x.fr", blank_line_documents=True, missing="drop"),
        share=1500,
    )
    talks = golden("talks.en.xml", "talks.fr.xml")
    yield Subject("bitext.iwslt", (talks,), reader(*talks), share=2000, words=xml)
    tags = golden("train.tags.en-fr.en", "train.tags.en-fr.fr")
    yield Subject("bitext.train_tags", (tags,), reader(*tags), share=2000, words=xml)
    memory = golden("memory.tmx")
    yield Subject("bitext.tmx", (memory,), reader("memory.tmx"), share=2000, words=tmx)
    game = golden("game.fr.po")
    yield Subject("bitext.po", (game,), reader("game.fr.po"), share=3000, words=po)
    compiled = ({"x.mo": compile_catalogue(messages)}, {"x.mo": compile_catalogue(messages, ">")})
    yield Subject("bitext.mo", compiled, reader("x.mo"), share=3000)
    packed = (
        {"x.gz": gzip.compress(plain["x.en"], mtime=0)},
        {"x.gz": gzip.compress(b"a\n" * 999)},
    )
    yield Subject("text.gz", packed, lambda folder: every(read_text_lines(folder / "x.gz")))
    packed = ({"x.xz": lzma.compress(plain["x.en"])}, {"x.xz": lzma.compress(b"a\n" * 999)})
    yield Subject("text.xz", packed, lambda folder: every(read_text_lines(folder / "x.xz")))


def settings() -> Iterator[Subject]:
    """YAML of tasks and other YAML, the table and the manifest of downloads, MMAX projects."""
    tasks = tuple(
        {"task.yaml": (CONF_DIR / "task" / f"{name}.yaml").read_bytes()}
        for name in ("en-fr", "es-en", "en-fr-2015")
    )

    def task(folder: Path) -> Any:
        found = load_task(folder / "task.yaml")
        again = task_from_mapping(task_to_mapping(found), "again")
        require(again == found, "a task is not what its mapping makes of it")
        return found

    yaml_words = (
        b"- ",
        b"? ",
        b"|",
        b">",
        b"!!set",
        b"!!binary",
        b"*x",
        b"&x ",
        b"---",
        b"...",
        b"<<: ",
    )
    yield Subject("yaml.task", tasks, task, share=100, words=yaml_words)
    small = yaml.safe_dump({"a": [1, 2.5, None], "b": {"c": "d", "e": True}, "f": "2001-01-01"})
    anchors = b"a: &x [1, 2]\nb: *x\nc: {d: {e: !!str 1}}\n"
    yield Subject(
        "yaml",
        ({"x.yaml": small.encode()}, {"x.yaml": anchors}),
        lambda folder: read_yaml(folder / "x.yaml"),
        share=1000,
        words=yaml_words,
    )
    with (CONF_DIR.parent / "data_prep" / "official" / "urls.tsv").open("rb") as handle:
        table = b"".join(islice((line for line in handle if not line.startswith(b"#")), 4))
    yield Subject(
        "downloads.table", ({"x.tsv": table},), lambda folder: official_files(folder / "x.tsv")
    )
    entry = {"url": "http://x", "size": 3, "sha256": "0" * 64, "etag": None, "modified": "now"}
    manifest = json.dumps({"a.gz": entry, "b": {**entry, "size": 9}}, indent=2).encode()
    yield Subject("downloads.manifest", ({"manifest.json": manifest},), read_manifest, share=2000)
    project = GOLDEN / "protest" / "en"
    files = {
        path.relative_to(project.parent).as_posix(): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file()
    }
    yield Subject(
        "mmax",
        (files,),
        lambda folder: read_mmax(folder / "en"),
        share=500,
        words=(
            b"word_1..word_3",
            b"word_1,word_9",
            b"<markable id='x'/>",
            b"<word id='word_1'>x</word>",
        ),
    )
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"c/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    yield Subject(
        "mmax.tar",
        ({"x.tar": out.getvalue()},),
        lambda folder: read_mmax(folder / "x.tar" / "c" / "en"),
        share=200,
    )


def text_readers() -> Iterator[Subject]:
    """All of them."""
    for group in (shared_task, beside, bitexts, settings):
        yield from group()
