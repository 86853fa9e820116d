"""The aligner on disk: pieces of any size give the same links, and a new run goes on."""

from __future__ import annotations

import fcntl
import hashlib
import json
import lzma
import re
from collections.abc import Collection
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from crosspro.data_prep.align.backends import (
    AlignerSettings,
    align_both_directions,
    align_corpus,
    default_settings,
)
from crosspro.data_prep.align.model import Direction
from crosspro.data_prep.align.prior import State, load_prior, remove_folder, save_prior
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.links import format_links
from tests.conftest import GOLDEN, SHARED_DATA
from tests.data_prep.align.corpora import made_up_text
from tests.scripts.run import crosspro

CHOSEN = AlignerSettings(form="word", max_length=12, back_off="ibm1")
SOURCE, TARGET = made_up_text(60)


class StoppedError(Exception):
    """Raised where a process is stopped."""


@pytest.fixture
def reads(monkeypatch):
    """How often the text is read."""
    calls = []
    real = Direction.read

    def read(self, hmm, team, report):
        calls.append(hmm)
        real(self, hmm, team, report)

    monkeypatch.setattr(Direction, "read", read)
    return calls


def stop_after(number):
    """Progress that stops the run after so many steps of both directions."""
    steps = 0

    def progress(name, done, total):
        nonlocal steps
        steps += done > 0
        if steps > number:
            raise StoppedError

    return progress


def interrupted(folder, number, settings=CHOSEN, text=(SOURCE, TARGET)):
    with pytest.raises(StoppedError):
        align_both_directions(*text, settings, None, False, 1, stop_after(number), folder)


@pytest.mark.parametrize("steps", [1, 3, 6, 8, 12, 16, 20])
def test_a_new_run_goes_on_after_the_last_pass(tmp_path, reads, steps):
    expected = list(align_corpus(SOURCE, TARGET, CHOSEN, jobs=1))
    whole = len(reads)
    interrupted(tmp_path / "state", steps)
    before = len(reads) - whole
    assert align_corpus(SOURCE, TARGET, CHOSEN, jobs=1, folder=tmp_path / "state") == expected
    assert len(reads) - whole in (whole, whole + 1)  # the pass that was stopped is made again
    assert before > 0
    assert align_corpus(SOURCE, TARGET, CHOSEN, jobs=1, folder=tmp_path / "state") == expected
    assert len(reads) - whole in (whole, whole + 1)
    remove_folder(tmp_path / "state")
    assert not tmp_path.exists()  # it was empty


@pytest.mark.parametrize("jobs", [2, 3, 5])
def test_a_new_run_may_have_more_processes(monkeypatch, tmp_path, jobs):
    """Files of the state are the same, too, where a run of another number of processes goes on."""
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BLOCK_CELLS", 2**10)
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BATCH_CELLS", 2**9)
    files = []
    for name, processes in (("one", 1), ("other", jobs)):
        interrupted(tmp_path / name, 40)
        assert (tmp_path / name / "forward.npz").is_file()
        align_corpus(SOURCE, TARGET, CHOSEN, jobs=processes, folder=tmp_path / name)
        files.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert files[0] == files[1]
    align_corpus(SOURCE, TARGET, CHOSEN, jobs=jobs, folder=tmp_path / "whole")
    assert files[0] == {p.name: p.read_bytes() for p in (tmp_path / "whole").iterdir()}


def test_what_is_kept_is_the_same_after_a_restart(tmp_path):
    whole = align_both_directions(SOURCE, TARGET, CHOSEN, None, True, 1).prior
    interrupted(tmp_path / "state", 7)
    again = align_both_directions(
        SOURCE, TARGET, CHOSEN, None, True, 1, folder=tmp_path / "state"
    ).prior
    for name, prior in (("one", whole), ("two", again)):
        save_prior(tmp_path / name, prior)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_damaged_state_is_made_again(tmp_path):
    expected = list(align_corpus(SOURCE, TARGET, CHOSEN))
    state = tmp_path / "state"
    interrupted(state, 9)
    names = sorted(path.name for path in state.iterdir() if path.name != "lock")
    assert {"cells", "keys", "pairs", "words", "text.npz", "forward.npz"} <= set(names)
    for name in names:
        content = bytearray((state / name).read_bytes())
        content[len(content) // 2] ^= 1
        (state / name).write_bytes(content)
        assert align_corpus(SOURCE, TARGET, CHOSEN, jobs=1, folder=state) == expected, name
        (state / "forward.links.npz").unlink()
        (state / name).write_bytes(b"")
        assert align_corpus(SOURCE, TARGET, CHOSEN, jobs=1, folder=state) == expected, name
        (state / "forward.links.npz").unlink()


def test_the_state_of_something_else_is_not_used(tmp_path):
    state = tmp_path / "state"
    interrupted(state, 9)
    other = replace(CHOSEN, null=0.1)
    assert align_corpus(SOURCE, TARGET, other, folder=state) == align_corpus(SOURCE, TARGET, other)
    text = [*SOURCE[:-1], SOURCE[-1][:-1]], TARGET
    assert align_corpus(*text, CHOSEN, folder=state) == align_corpus(*text, CHOSEN)
    prior = align_both_directions(*text, replace(CHOSEN, iterations=1), None, True).prior
    expected = align_corpus(SOURCE, TARGET, CHOSEN, prior)
    assert align_corpus(SOURCE, TARGET, CHOSEN, prior, folder=state) == expected


def test_a_folder_in_use_is_left_alone(tmp_path):
    state = tmp_path / "state"
    interrupted(state, 9)
    files = {path.name: path.read_bytes() for path in state.iterdir()}
    with (state / "lock").open("wb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        found = align_corpus(SOURCE, TARGET, CHOSEN, folder=state)
        assert found == align_corpus(SOURCE, TARGET, CHOSEN)
        remove_folder(state)
    assert files == {path.name: path.read_bytes() for path in state.iterdir()}
    assert list(tmp_path.iterdir()) == [state]


def test_text_that_is_refused_leaves_no_state(tmp_path):
    with pytest.raises(InputError, match="at most 10"):
        align_corpus(SOURCE, TARGET, replace(CHOSEN, most_words=10), folder=tmp_path / "x" / "y")
    assert not list(tmp_path.iterdir())


def test_the_command_goes_on_and_removes_its_state(tmp_path):
    for name, text in (("s", SOURCE), ("t", TARGET)):
        lines = "".join(" ".join(line) + "\n" for line in text)
        (tmp_path / name).write_text(lines, "utf-8")
    command = ["align", "--source", tmp_path / "s", "--target", tmp_path / "t", "--form", "word"]
    assert crosspro(*command, "-o", tmp_path / "whole").code == 0
    cache = tmp_path / "links.cache"
    settings = AlignerSettings(form="word")
    interrupted(cache / "alignment", 4, settings)
    (cache / "other").write_text("of another step", "utf-8")
    assert crosspro(*command, "-o", tmp_path / "links").code == 0
    assert (tmp_path / "links").read_bytes() == (tmp_path / "whole").read_bytes()
    assert [path.name for path in cache.iterdir()] == ["other"]
    assert not (tmp_path / "whole.cache").exists()
    # False counts that are said to be those of the last pass: only who goes on is deceived.
    interrupted(cache / "alignment", 1, settings)
    with np.load(cache / "alignment" / "text.npz") as saved:
        key = json.loads(saved["about"].tobytes())["key"]
    state = State(cache / "alignment", key)
    for name in ("forward", "backward"):
        tally = state.counts("forward")[1]
        false = replace(tally, pairs=np.zeros_like(tally.pairs), unlinked=tally.unlinked + 1)
        state.save_counts(name, settings.iterations, false)
    assert crosspro(*command, "-o", tmp_path / "links").code == 0
    assert (tmp_path / "links").read_bytes() != (tmp_path / "whole").read_bytes()


def test_the_size_of_pieces_changes_nothing(monkeypatch, tmp_path):
    def run():
        found = align_both_directions(SOURCE, TARGET, CHOSEN, None, True)
        save_prior(tmp_path / "prior.npz", found.prior)
        known = align_corpus(TARGET, SOURCE, CHOSEN, load_prior(tmp_path / "prior.npz"))
        return list(found.directed), (tmp_path / "prior.npz").read_bytes(), list(known)

    whole = run()
    for name in ("text._PAIRS_AT_ONCE", "text._SEGMENTS_AT_ONCE", "blocks._KEYS_AT_ONCE"):
        monkeypatch.setattr(f"crosspro.data_prep.align.{name}", 7)
    assert run() == whole


class ReadOnce(Collection[list[str]]):
    """A text that can be gone over once only."""

    def __init__(self, sentences):
        self.sentences, self.read = sentences, 0

    def __len__(self):
        return len(self.sentences)

    def __contains__(self, words):
        return words in self.sentences

    def __iter__(self):
        self.read += 1
        assert self.read == 1
        return iter(self.sentences)


def test_the_text_is_read_once_and_links_are_made_when_asked_for():
    found = align_corpus(ReadOnce(SOURCE), ReadOnce(TARGET), CHOSEN)
    whole = list(align_corpus(SOURCE, TARGET, CHOSEN))
    assert found == whole
    assert found != whole[1:]
    assert (found[-1], found[3:5], len(found)) == (whole[-1], whole[3:5], len(whole))
    with pytest.raises(IndexError):
        found[len(whole)]


def bitext(name, language, number):
    path = SHARED_DATA / "bitext" / "en-fr" / "train" / f"{name}.{language}.xz"
    if not path.is_file():
        pytest.skip("the parallel text is not here")
    words = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [words.findall(line) for line in islice(lines, number)]


def digest(found):
    lines = "".join(format_links(one) + "\n" for one in found)
    return hashlib.sha256(lines.encode("ascii")).hexdigest()


@pytest.mark.slow
def test_links_are_those_of_the_aligner_in_memory(monkeypatch, tmp_path, en_fr):
    """Digests of links that were made when everything was still held in memory."""
    golden = json.loads((GOLDEN / "align" / "links.json").read_text("utf-8"))
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BLOCK_CELLS", 2**19)
    source, target = (
        bitext("ted_train30k", language, 4000) + bitext("europarl", language, 2000)
        for language in ("en", "fr")
    )
    long = [[word for line in side[:12] for word in line] for side in (source, target)]
    unequal = [word for line in target[1:4] for word in line][:30]
    source[5000:5000] = [long[0], source[0][:1], []]
    target[5000:5000] = [long[1], unequal, target[0]]
    task = default_settings(en_fr)
    assert digest(align_corpus(source, target, task)) == golden["task"]
    first = align_both_directions(source[:3000], target[:3000], AlignerSettings(), None, True)
    assert digest(first.links("grow-diag-final-and")) == golden["kept"]
    save_prior(tmp_path / "prior.npz", first.prior)
    prior = load_prior(tmp_path / "prior.npz")
    found = align_corpus(source[3000:], target[3000:], replace(task, iterations=0), prior)
    assert digest(found) == golden["only_link"]
