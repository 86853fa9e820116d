"""A text of seven sentences with an occurrence of each case, and how such texts are made."""

from __future__ import annotations

from crosspro.evaluation.links import link_texts, parse_links, read_links
from crosspro.evaluation.pronouns import load_lists
from crosspro.evaluation.texts import TextFiles, load_texts, make_texts

LISTS = load_lists("en-fr")


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


def linked_files(source, reference, candidate, links, candidate_links, lenient=False):
    """The text of files with their links."""
    texts = load_texts(TextFiles(source, reference, {"mt": candidate}))
    return link_texts(
        texts,
        read_links(links, texts.source, texts.reference, lenient=lenient),
        {"mt": read_links(candidate_links, texts.source, texts.candidates["mt"], lenient=lenient)},
    )
