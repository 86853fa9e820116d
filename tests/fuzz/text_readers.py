"""Readers of text: shared-task files and what lies beside them, bitexts, annotation, settings."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Iterator
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
from crosspro.prediction.proofread.formats import write_mended
from tests.conftest import GOLDEN
from tests.data_prep.bitext.compiled import compile_catalogue
from tests.data_prep.formats.conllu_sample import SAMPLE, write_conllu
from tests.fuzz.reader import Files, Reader, files_of, round_trip
from tests.prediction.proofread.samples import (
    SAMPLES,
    Sample,
    assert_placed,
    edited,
    rows,
    spliced,
    words_of,
)

EN_FR = load_task("en-fr")
INFLECTED = "elle\telle\tThe car is red and it runs .\tla voiture est rouge et REPLACE_5 .\t5-5\n"
TASK_WORDS = "ce, elle, OTHER, REPLACE_0, REPLACE_7, 0-0, ce|PRON, fooREPLACE_1"
YAML_WORDS = "- , ? , |, >, !!set, !!binary, *x, &x , ---, ..., <<: "


def _lines(examples: Any) -> bytes:
    return "".join(format_example(one) + "\n" for one in examples).encode()


def _good(found: list[Any]) -> list[Any]:
    """What a scan found, unless that are problems."""
    problems = [one for one in found if isinstance(one, Problem)]
    if problems:
        raise InputError(problems)
    return found


def shared_task(workshop: Path) -> Iterator[Reader]:
    """Five-column files, strict and lenient, with documents and other layers."""
    for name in ("en-fr", "de-en", "en-fr-2015"):
        task = load_task(name)

        def read(path: Path, task: Any = task) -> Any:
            return list(read_examples(path, task))

        data = _lines(demo_examples(task, "dev", 1)[:3])
        contents = [data, data[: data.index(b"\n") + 1]]
        if task.target == "inflected":
            contents = [INFLECTED.encode() * 2]
        files = [{"x.data": content} for content in contents]
        read_again = round_trip(read, write_examples, "x.data")
        yield Reader(f"shared_task.{name}", read_again, *files, words=TASK_WORDS)

    def lenient(folder: Path) -> Any:
        return _good(list(scan(folder / "x.data", EN_FR, folder / "x.doc-ids", lenient=True)))

    examples = demo_examples(EN_FR, "dev", 1)[:3]
    files = {"x.data": _lines(examples), "x.doc-ids": b"a\na\nb\n"}
    yield Reader("shared_task.lenient", lenient, files)
    parse = "".join(
        "".join(
            f"{at}\t{word}\t{word}\tNOUN\t_\t_\t{at - 1}\tdep\t_\t_\n"
            for at, word in enumerate(one.source, start=1)
        )
        + "\n"
        for one in examples[:2]
    )
    layers: Files = {
        "x.data": _lines(examples[:2]),
        "x.doc-ids": b"d\nd\n",
        "x.source.conllu": parse.encode(),
        "x.chains.tsv": f"{HEADER}\nd\tc1\tsource\t0\t0\t1\nd\tc1\ttarget\t1\t0\t0\n".encode(),
    }
    yield Reader("layers", lambda folder: list(read_layered(folder / "x.data", EN_FR)), layers)


def layers(workshop: Path) -> Iterator[Reader]:
    """Documents, links, chains, CoNLL-U, annotation of somebody else."""
    ids = {"x.doc-ids": b"talk 1\tAnn\tcur\ntalk 1\n\ntalk 2\n"}

    def write_ids(path: Path, ids: list[str]) -> None:
        write_text(path, "".join(f"{one}\n" for one in ids))

    read_ids = round_trip(lambda path: list(read_doc_ids(path)), write_ids, "x.doc-ids")
    yield Reader("doc_ids", read_ids, ids)
    links = [{"x.links": text} for text in (b"0-0 1-1 2-10\n\n3-2 3-3\n999-0\n", b"0-0\n" * 5)]
    linked = round_trip(lambda path: list(read_links(path)), write_links, "x.links")
    yield Reader("links", linked, *links, words="0-0, 1-, -1, 0-0-0")
    words = [["a"] * 5, ["b"] * 3]

    def inside(folder: Path) -> Any:
        return _good(list(scan_links(folder / "x.links", words, words, lenient=True)))

    yield Reader("links.lenient", inside, {"x.links": b"0-0 4-4 5-5\n2-2 9-9\n\n"})
    chains = f"{HEADER}\nd\tc1\tsource\t0\t0\t1\nd\tc1\ttarget\t0\t2\t2\n\tc 2\tsource\t3\t1\t1\n"

    def rows(path: Path) -> Any:
        return [(one.document, one.sentence, one.mention) for one in read_chains(path)]

    def chains_again(folder: Path) -> Any:
        found = rows(folder / "x.chains.tsv")
        write_chains(folder / "copy", read_chains(folder / "x.chains.tsv"))
        assert rows(folder / "copy") == found, "chains are not what their writer makes of them"
        return found

    yield Reader("chains", chains_again, {"x.chains.tsv": chains.encode()})

    def sentences(path: Path) -> Any:
        return [(s.words, s.comments, s.contractions) for s in read_conllu(path)]

    def conllu(folder: Path) -> Any:
        found = sentences(folder / "x.conllu")
        write_conllu(folder / "copy", read_conllu(folder / "x.conllu"))
        again = sentences(folder / "copy")
        assert again == [one for one in found if one[0]], "CoNLL-U changes when it is written"
        return found

    parsed = (GOLDEN / "annotate" / "parsed.es.conllu").read_bytes().partition(b"\n\n")[0]
    files = [{"x.conllu": SAMPLE.encode()}, {"x.conllu": parsed + b"\n\n"}]
    yield Reader("conllu", conllu, *files, words="1-2, 1.1, 0, _, # newdoc id = x, root")
    text = [["Il", "parle", "du", "chien", "."], ["Oui"], ["Non"]]
    lines = "\n".join(" ".join(f"{word}|{word.lower()}|X" for word in line) for line in text)
    for kind, content in ((ConlluFile, SAMPLE), (TokensFile, f"{lines}\n")):

        def annotated(folder: Path, kind: Any = kind) -> Any:
            reader = kind(str(folder / "x"), "fr", "treetagger-fr")
            found = reader.annotate(text)
            reader.finish()
            return found

        yield Reader(f"annotation.{kind.__name__}", annotated, {"x": content.encode()})


def lexicons(workshop: Path) -> Iterator[Reader]:
    """Our lexicon and those that it is made from."""
    lexicon = f"{LEXICON_HEADER}\nmaison\tNOUN\tFem\tSing\t12\nchien\tNOUN\tMasc\t_\t_\n"
    again = round_trip(lambda path: list(read_lexicon(path)), write_lexicon, "x.tsv")
    yield Reader("lexicon", again, {"x.tsv": lexicon.encode()})
    tables: dict[Callable[[Path], Any], str] = {
        read_lefff: "maisons\tnc\tmaison\tfp\nmangés\tv\tmanger\tKmp\n",
        read_lexique: "ortho\tphon\tlemme\tcgram\tgenre\tnombre\tf\tl\tfilms\tlivres\tinfover\n"
        "chien\tSj5\tchien\tNOM\tm\ts\t1\t1\t2,5\t3.5\t\n",
        read_german_nouns: "lemma,pos,genus,genus 1,nominativ singular,nominativ plural\n"
        'Haus,"Substantiv",n,,Haus,"Häuser"\nHau,Substantiv,m,,Hau,\n',
    }
    for read, content in tables.items():
        yield Reader(
            f"lexicon.{read.__name__}",
            lambda folder, read=read: list(read(folder / "x")),
            {"x": content.encode()},
        )


def bitexts(workshop: Path) -> Iterator[Reader]:
    """Parallel text in all formats."""
    plain = {"x.en": b"It rains .\n\nYes .\n", "x.fr": "Il pleut .\n\nOuí .\n".encode()}
    messages = {
        "": "Content-Type: text/plain; charset=UTF-8\nLanguage: fr\n",
        "It rains.": "Il pleut.",
        "ctx\4Yes": "Oui",
        "one\0many": "un\0plusieurs",
    }
    xml = "<doc docid='1'>, </doc>, <seg id='1'>, </seg>, <title>, <!--, <![CDATA["
    tmx = "<tu>, </tu>, <tuv xml:lang='fr'>, <seg>, <bpt i='1'>, <?x?>"
    po = "msgid, msgstr, msgid_plural, msgctxt, msgstr[1], #~, #, fuzzy, #|"

    def bitext(name: str, *originals: Files, words: str = "", **options: Any) -> Reader:
        first, *others = originals[0]

        def read(folder: Path) -> Any:
            second = folder / others[0] if others else None
            languages = {"source_language": "en", "target_language": "fr"}
            return list(read_bitext(folder / first, second, **languages, **options))

        return Reader(f"bitext.{name}", read, *originals, words=words)

    def golden(*names: str) -> Files:
        return {name: (GOLDEN / "bitext" / name).read_bytes() for name in names}

    yield bitext("plain", plain)
    yield bitext("blank_lines", plain, blank_line_documents=True, missing="drop")
    yield bitext("iwslt", golden("talks.en.xml", "talks.fr.xml"), words=xml)
    yield bitext("train_tags", golden("train.tags.en-fr.en", "train.tags.en-fr.fr"), words=xml)
    yield bitext("tmx", golden("memory.tmx"), words=tmx)
    yield bitext("po", golden("game.fr.po"), words=po)
    yield bitext("mo", *({"x.mo": compile_catalogue(messages, order)} for order in "<>"))
    for suffix, compress in (("gz", gzip.compress), ("xz", lzma.compress)):
        name = f"x.{suffix}"
        yield Reader(
            f"text.{suffix}",
            lambda folder, name=name: list(read_text_lines(folder / name)),
            {name: compress(plain["x.en"])},
            {name: compress(b"a\n" * 999)},
        )


def translations(workshop: Path) -> Iterator[Reader]:
    """What can be proofread: every character has its place, and only what is mended changes."""
    subtitles = "00:00:01.000 --> 00:00:02.000, -->, <i>, {\\an8}, WEBVTT, NOTE, 7"
    xliff = (
        "<file>, <trans-unit id='1'>, <target>, <segment>, <mrk mtype='seg' mid='1'>, <x/>, &amp;"
    )
    words = {
        "harbour": subtitles,
        "garden": f"{subtitles}, &amp;, STYLE, <v Ann>",
        "editor": 'msgid "x", msgstr "x", msgstr[1] "y", msgid_plural "", #~, #, fuzzy, \\x4, \\"',
        "manual": f"{xliff}, <![CDATA[, <source>",
        "museum": f"{xliff}, </unit>, <!ENTITY x 'y'>",
    }

    def translation(sample: Sample) -> Reader:
        def read(folder: Path) -> Any:
            text = sample.read(folder)
            assert_placed(text)
            path = folder / sample.files[-1]
            raw = path.read_bytes()
            for words in ([], words_of(text)[:2] + words_of(text)[-2:]):
                edits, expected = edited(text, [(word, "sie") for word in dict.fromkeys(words)])
                write_mended(text, edits, folder / "mended")
                mended = (folder / "mended").read_bytes()
                assert mended == spliced(raw, text.target, edits), "more changes than is mended"
            try:
                path.write_bytes(mended)
                again = [segment.target.text for segment in sample.read(folder).segments]
                assert again == expected, "what is mended reads otherwise"
            finally:
                path.write_bytes(raw)
            return rows(text)

        files = sample.contents()
        return Reader(
            f"translation.{sample.name}", read, files, words=words.get(sample.name, ""), share=0.5
        )

    yield from map(translation, SAMPLES)


def settings(workshop: Path) -> Iterator[Reader]:
    """YAML of tasks and other YAML, the table and the manifest of downloads."""

    def task(folder: Path) -> Any:
        found = load_task(folder / "task.yaml")
        again = task_from_mapping(task_to_mapping(found), "again")
        assert again == found, "a task is not what its mapping makes of it"
        return found

    folder = CONF_DIR / "task"
    names = ("en-fr", "es-en", "en-fr-2015")
    tasks = [{"task.yaml": (folder / f"{name}.yaml").read_bytes()} for name in names]
    yield Reader("yaml.task", task, *tasks, words=YAML_WORDS, share=0.2)
    small = yaml.safe_dump({"a": [1, 2.5, None], "b": {"c": "d", "e": True}, "f": "2001-01-01"})
    anchors = b"a: &x [1, 2]\nb: *x\nc: {d: {e: !!str 1}}\n"
    files = [{"x.yaml": small.encode()}, {"x.yaml": anchors}]
    yield Reader("yaml", lambda folder: read_yaml(folder / "x.yaml"), *files, words=YAML_WORDS)
    table = {"urls.tsv": (workshop / "urls.tsv").read_bytes()}
    yield Reader("downloads.table", lambda folder: official_files(folder / "urls.tsv"), table)
    entry = {"url": "http://x", "size": 3, "sha256": "0" * 64, "etag": None, "modified": "now"}
    manifest = json.dumps({"a.gz": entry, "b": {**entry, "size": 9}}, indent=2).encode()
    yield Reader("downloads.manifest", read_manifest, {"manifest.json": manifest})


def mmax(workshop: Path) -> Iterator[Reader]:
    """MMAX projects, as a folder and in an archive."""
    project = GOLDEN / "protest" / "en"
    files = {f"en/{name}": content for name, content in files_of(project).items()}
    words = "word_1..word_3, word_1,word_9, <markable id='x'/>, <word id='word_1'>x</word>"
    yield Reader("mmax", lambda folder: read_mmax(folder / "en"), files, words=words)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"c/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    packed = {"x.tar": out.getvalue()}
    yield Reader("mmax.tar", lambda folder: read_mmax(folder / "x.tar" / "c" / "en"), packed)


GROUPS = (shared_task, layers, lexicons, bitexts, translations, settings, mmax)
