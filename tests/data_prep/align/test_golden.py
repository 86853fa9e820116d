"""The links of the aligner are the golden ones."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from itertools import islice

import pytest

from crosspro.data_prep.align.align import align, learn, link_by_prior
from crosspro.data_prep.formats.links import format_links
from tests.conftest import GOLDEN, SHARED_DATA


def bitext(name, language, number):
    path = SHARED_DATA / "bitext" / "en-fr" / "train" / f"{name}.{language}.xz"
    if not path.is_file():
        pytest.skip("the parallel text is not here")
    words = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [words.findall(line) for line in islice(lines, number)]


def digest(aligned):
    lines = "".join(format_links(links) + "\n" for links in aligned)
    return hashlib.sha256(lines.encode("ascii")).hexdigest()


@pytest.mark.slow
def test_links_are_the_golden_ones(en_fr):
    golden = json.loads((GOLDEN / "align" / "links.json").read_text("utf-8"))
    source, target = (
        bitext("ted_train30k", language, 4000) + bitext("europarl", language, 2000)
        for language in ("en", "fr")
    )
    long = [[word for line in side[:12] for word in line] for side in (source, target)]
    unequal = [word for line in target[1:4] for word in line][:30]
    source[5000:5000] = [long[0], source[0][:1], []]
    target[5000:5000] = [long[1], unequal, target[0]]
    pairs = list(zip(source, target, strict=True))
    assert digest(align(pairs, en_fr.symmetrisation)) == golden["task"]
    prior = learn(pairs[:3000]).prior()
    assert digest(link_by_prior(pairs[3000:], prior, en_fr.symmetrisation)) == golden["only_link"]
