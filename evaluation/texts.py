"""The texts of a comparison: source, reference, candidates and documents as plain lists.

Metrics take `Texts`. Files are read here, at the edge, and lengths and languages are checked here;
word links are added by `evaluation.links`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.shared_task import read_doc_ids
from crosspro.data_prep.words.language import language_problems

if TYPE_CHECKING:
    from crosspro.evaluation.links import LinkedWords

_LANGUAGE = re.compile(r"[a-z]{2}")


@dataclass(frozen=True)
class Texts:
    """Parallel lines; `source` or `reference` may be empty where no metric needs them."""

    source: Sequence[str]
    reference: Sequence[str]
    candidates: Mapping[str, Sequence[str]]
    documents: Sequence[str] | None = None
    """The document of each line; a document is a run of equal names."""
    languages: tuple[str, str] = ("", "")
    """Those of source and translations, where they are known."""
    links: LinkedWords | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def size(self) -> int:
        return len(next(filter(None, (self.reference, self.source)), ()))

    @property
    def linked(self) -> LinkedWords:
        if self.links is None:
            raise ValueError("texts without word links: call evaluation.links.link_texts first")
        return self.links

    @cached_property
    def document_of_line(self) -> list[int] | None:
        """The number of each line's document, from 0."""
        if self.documents is None or not self.documents:
            return None
        numbers = [0]
        for before, name in pairwise(self.documents):
            numbers.append(numbers[-1] + (name != before))
        return numbers

    def require(self, metric: str, *names: str) -> None:
        """Raise where a metric needs a text or a language that is not there."""
        for name in names:
            number = ("source_language", "target_language").index(name) if "_" in name else None
            if not (getattr(self, name) if number is None else self.languages[number]):
                expected = "a text" if number is None else "a language such as fr"
                raise input_error(metric, name.replace("_", "-"), expected, "none")


def make_texts(
    source: Sequence[str],
    reference: Sequence[str],
    candidates: Mapping[str, Sequence[str]],
    documents: Sequence[str] | None = None,
    languages: tuple[str, str] = ("", ""),
    *,
    paths: Mapping[str, Path] | None = None,
    any_language: bool = False,
) -> Texts:
    """Texts whose lengths and languages are checked; errors name the paths, if they have any.

    A text that looks like another language gives a warning. A long one, where this is hardly by
    chance, is refused unless `any_language`.
    """
    paths = paths or {}
    parallel = {"source": source, "reference": reference, "documents": documents or ()}
    parallel |= {_key(name): lines for name, lines in candidates.items()}
    place_of = {key: str(paths.get(key, key)) for key in parallel}
    if not candidates:
        raise input_error("candidates", "texts", "at least one", "none")
    first = next((key for key, lines in parallel.items() if lines), _key(next(iter(candidates))))
    size = len(parallel[first])
    if not size:
        raise input_error(place_of[first], "lines", "at least one", "none")
    for key, lines in parallel.items():
        optional = (key == "documents" and documents is None) or key in ("source", "reference")
        if len(lines) != size and not (optional and key not in paths and not lines):
            expected = f"{size} lines as in {place_of[first]}"
            at = min(len(lines), size) + 1
            raise input_error(place_of[key], "lines", expected, str(len(lines)), at)
    warnings: list[str] = []
    if not any_language:
        problems = language_problems(
            (place_of[key], languages[key != "source"], lines)
            for key, lines in parallel.items()
            if key != "documents"
        )
        warnings = list(map(str, problems))
    return Texts(source, reference, candidates, documents, languages, warnings=tuple(warnings))


def _key(name: str) -> str:
    return f"candidate {name}"


@dataclass(frozen=True)
class TextFiles:
    """The files of a comparison, from a command line or found in a folder."""

    source: Path | None
    reference: Path | None
    candidates: Mapping[str, Path]
    doc_ids: Path | None = None
    links: Path | None = None
    candidate_links: Mapping[str, Path] = field(default_factory=dict)


def load_texts(
    files: TextFiles, languages: tuple[str, str] = ("", ""), *, any_language: bool = False
) -> Texts:
    """Read parallel files; languages that are not stated are the ends of file names (X.fr)."""
    paths = {"source": files.source, "reference": files.reference, "documents": files.doc_ids}
    paths |= {_key(name): path for name, path in files.candidates.items()}
    translations = (files.reference, *files.candidates.values())
    languages = (
        languages[0] or language_of(files.source),
        languages[1] or next(filter(None, map(language_of, translations)), ""),
    )
    existing = {key: path for key, path in paths.items() if path is not None}
    lines = {
        key: list(read_doc_ids(path) if key == "documents" else read_text_lines(path))
        for key, path in existing.items()
    }
    return make_texts(
        lines.get("source", []),
        lines.get("reference", []),
        {name: lines[_key(name)] for name in files.candidates},
        lines.get("documents"),
        languages,
        paths=existing,
        any_language=any_language,
    )


def language_of(path: Path | None) -> str:
    """The language that the name of a file ends in, if it does."""
    stem, _, suffix = plain_name(path).rpartition(".") if path else ("", "", "")
    return suffix if stem and _LANGUAGE.fullmatch(suffix) else ""


def plain_name(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".xz")


def system_name(path: Path) -> str:
    """The name of a system by its file: without compression, and without `txt` or the language."""
    name = plain_name(path)
    stem, _, suffix = name.rpartition(".")
    return stem if stem and (suffix == "txt" or _LANGUAGE.fullmatch(suffix)) else name


def system_names(paths: Sequence[Path]) -> list[str]:
    """A name for each file, with as much of the path as tells the files apart."""
    for depth in range(max(len(path.parts) for path in paths)):
        folders = ["/".join(path.parts[-1 - depth : -1]) for path in paths]
        for name_of in (system_name, plain_name):
            names = [
                f"{folder}/{name_of(path)}" if folder else name_of(path)
                for folder, path in zip(folders, paths, strict=True)
            ]
            if len(set(names)) == len(names):
                return names
    twice = next(path for path in paths if paths.count(path) > 1)
    raise input_error(twice, "candidate", "each file once", "it twice")


_ROLES = {
    "source": re.compile(r"(.*[.-])?(source|src)([.-].*)?", re.IGNORECASE),
    "reference": re.compile(r"(.*[.-])?(reference|ref)([.-].*)?", re.IGNORECASE),
    "doc_ids": re.compile(r"(.*\.)?doc-ids"),
}
_LINKS = ".links"
OUTPUTS = "outputs"


def find_files(folder: Path) -> TextFiles:
    """The files of a folder by their names.

    source.en (or X.src), reference.fr (X.ref), outputs/NAME.fr, doc-ids; word links in X.links
    beside X.fr. All may end in .gz or .xz.
    """
    if not folder.is_dir():
        raise input_error(folder, "folder", "a folder with source, reference and outputs", "none")
    here, outputs = _files_of(folder), _files_of(folder / OUTPUTS)
    texts: dict[str, Path | None] = {}
    for role, pattern in _ROLES.items():
        paths = [p for p in here if pattern.fullmatch(plain_name(p)) and not _is_links(p)]
        if len(paths) > 1:
            names = ", ".join(path.name for path in paths)
            raise input_error(folder, role, "one such file", names)
        texts[role] = paths[0] if paths else None
    translations = [path for path in outputs if not _is_links(path)]
    if not translations:
        raise input_error(folder / OUTPUTS, "candidates", "at least one file", "none")
    candidates = dict(zip(system_names(translations), translations, strict=True))
    linked = {name: _links_beside(path, outputs) for name, path in candidates.items()}
    reference = texts["reference"]
    return TextFiles(
        texts["source"],
        reference,
        candidates,
        texts["doc_ids"],
        None if reference is None else _links_beside(reference, here),
        {name: path for name, path in linked.items() if path is not None},
    )


def _files_of(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    files = (path for path in folder.iterdir() if path.is_file())
    return sorted(path for path in files if not path.name.startswith((".", "README")))


def _is_links(path: Path) -> bool:
    return plain_name(path).endswith(_LINKS)


def _links_beside(text: Path, files: Sequence[Path]) -> Path | None:
    names = {f"{plain_name(text)}{_LINKS}", f"{system_name(text)}{_LINKS}"}
    return next((path for path in files if plain_name(path) in names), None)


def as_lines(name: str, lines: object) -> list[str]:
    """Lines from a caller of the Python API: a list of strings, or the path of a file."""
    if isinstance(lines, str | Path):
        return list(read_text_lines(Path(lines)))
    if not isinstance(lines, Sequence) or not all(isinstance(line, str) for line in lines):
        raise input_error(name, "lines", "a list of strings, or a path", quoted(repr(lines)))
    return list(lines)
