"""A text of seven sentences with an occurrence of each case, and how such texts are made."""

from __future__ import annotations

from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.links import link_texts, parse_links
from crosspro.evaluation.metrics.apt.cases import CASES
from crosspro.evaluation.pronouns import load_lists
from crosspro.evaluation.texts import TextFiles, load_texts, make_texts

LISTS = load_lists("en-fr")


def case_counts(occurrences):
    cases = [occurrence.case for occurrence in occurrences]
    return [cases.count(case) for case in CASES]


def linked_texts(source, reference, candidates, documents=None, languages=("en", "fr")):
    """Texts with links; reference and candidates are pairs of lines and links."""
    texts = make_texts(
        source,
        reference[0],
        {name: lines for name, (lines, _) in candidates.items()},
        documents,
        languages,
    )
    return link_texts(
        texts,
        parse_links(reference[1], source, reference[0], "links"),
        {
            name: parse_links(links, source, lines, f"links of {name}")
            for name, (lines, links) in candidates.items()
        },
    )


# One sentence for each case, and a seventh with words that are no pronouns.
SOURCE = ["it x"] * 7
REFERENCE = (
    ["C' x", "il x", "il x", "elle x", "elle x", "x x", "lui x"],
    ["0-0", "0-0", "0-0", "0-0", "", "", "0-0"],
)
CANDIDATE = (
    ["ce x", "ce x", "elle x", "x x", "elle x", "x x", "lui x"],
    ["0-0", "0-0", "0-0", "", "0-0", "", "0-0"],
)


def case_texts(**candidates):
    """The seven sentences with one candidate, or with others."""
    return linked_texts(SOURCE, REFERENCE, candidates or {"cand": CANDIDATE})


def linked_files(source, reference, candidate, links, candidate_links):
    """The text of files with their links; those to words that are not there are dropped."""
    texts = load_texts(TextFiles(source, reference, {"mt": candidate}))

    def links_of(path, target):
        pairs = zip(read_text_lines(path), texts.source, target, strict=False)
        return [
            [
                (s, t)
                for s, t in (map(int, link.split("-")) for link in line.split())
                if s < len(left.split()) and t < len(right.split())
            ]
            for line, left, right in pairs
        ]

    candidates = {"mt": links_of(candidate_links, texts.candidates["mt"])}
    return link_texts(texts, links_of(links, texts.reference), candidates)
