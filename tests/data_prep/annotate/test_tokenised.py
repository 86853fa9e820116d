"""A bitext is tokenised as it is read, and lies on the disk."""

from __future__ import annotations

from itertools import islice

from crosspro.data_prep.annotate.tokenise import SAMPLE, tokenise_lines, tokenised_bitext
from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.core.stored import SentenceFile
from crosspro.data_prep.core.task import load_task


def segments(number):
    for line in range(1, number + 1):
        document = None if line % 3 else f"d{line // 10}"
        yield Segment(
            f"It's {line}, \ufeff", "C'est bon." if line % 7 else "\ufeff", document, line
        )


def test_it_is_what_it_would_be_in_memory(tmp_path):
    task, texts, lines = load_task("en-fr"), list(segments(2500)), []
    bitext = tokenised_bitext(task, iter(texts), tmp_path, None, lambda s: lines.append(s.line))
    assert len(bitext) == 2500
    assert list(bitext.source) == list(
        map(tuple, tokenise_lines([one.source for one in texts], "en"))
    )
    assert bitext.target[0] == ("C'", "est", "bon", ".")
    assert bitext.target[6] == ()
    assert list(bitext.documents) == [one.document for one in texts]
    assert [one.document for one in bitext] == list(bitext.documents)
    assert lines == [1000, 2000]
    assert list(tmp_path.iterdir()) == []


def test_no_more_is_read_ahead_than_tells_whether_it_is_tokenised(tmp_path, monkeypatch):
    ahead, read, kept = [], [], []

    def noted(self, item, append=SentenceFile.append):
        kept.append(item)
        ahead.append(len(read) - len(kept) // 2)
        append(self, item)

    monkeypatch.setattr(SentenceFile, "append", noted)
    texts = (read.append(one.line) or one for one in islice(segments(10**9), 3 * SAMPLE))
    tokenised_bitext(load_task("en-fr"), texts, tmp_path)
    assert max(ahead) <= SAMPLE
