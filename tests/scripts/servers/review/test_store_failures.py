"""A store that is damaged, locked, read-only or on a full disk: one clear message, nothing lost."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.human import store as campaign_store
from crosspro.evaluation.human.items import items_text
from crosspro.evaluation.human.store import CampaignFile
from crosspro.evaluation.human.verdicts import VerdictStore
from tests.evaluation.human.sets import make_set
from tests.scripts.run import crosspro

NOBODY = 65534
FIELDS = {"pronoun": "wrong", "antecedent": "right", "word": "0"}


def stored(served):
    with VerdictStore(served.store, served.site.campaign.items.digest) as store:
        return len(store.verdicts())


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(campaign_store, "PAGE_PATIENCE", 0.05)


def test_a_full_disk_is_told_and_what_is_stored_stays(served, capsys):
    served.begin("Anna")
    served.answer("Anna")
    before = stored(served)
    file = served.site.campaign.file
    # Its own connection may not make the file any larger, as on a full disk.
    file.submit(lambda database: database.execute("PRAGMA max_page_count = 1")).result()
    statuses = set()
    for _ in range(9):
        answer = served.answer("Anna", remark="x" * 2000)
        statuses.add(answer.status_code)
        if answer.status_code != 303:
            break
    assert statuses <= {303, 507}
    assert answer.status_code == 507
    assert "disk is full; nothing was stored" in answer.text
    assert "a full disk (database or disk is full)" in capsys.readouterr().err
    after = stored(served)
    file.submit(lambda database: database.execute("PRAGMA max_page_count = 100000")).result()
    assert served.answer("Anna").status_code == 303
    assert stored(served) > after >= before


def test_a_full_disk_for_files_that_come_and_go(served, monkeypatch, capsys):
    def full(*arguments, **named):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    answer = served.get("/backup.sqlite")
    assert answer.status_code == 507
    assert "No space left on device" in capsys.readouterr().err
    assert served.get("/").status_code == 200


def test_a_store_that_somebody_else_has_locked(impatient, serve):
    served = serve()
    served.begin("Anna")
    address, hidden = served.next("Anna")
    other = sqlite3.connect(served.store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answer = served.post(address, "Anna", **hidden, **FIELDS)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "10"
    assert "Another program uses the store; nothing was stored" in answer.text
    assert served.post(address, **FIELDS).status_code == 503  # a decision, too
    assert served.post("/annotators", name="Chris", action="add").status_code == 503
    assert served.get("/work", "Anna").status_code == 200  # reading goes on
    assert stored(served) == 0
    other.execute("ROLLBACK")
    other.close()
    assert served.post(address, "Anna", **hidden, **FIELDS).status_code == 303


@pytest.fixture
def closed_folder(serve):
    """A store that may only be read, also where the tests run as root."""
    folder = Path(tempfile.mkdtemp())
    items = make_set(2)
    CampaignFile(folder / "v.sqlite", items.digest).close()
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    yield folder / "v.sqlite", items
    if root:
        os.seteuid(0)
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def test_a_store_that_may_only_be_read(closed_folder):
    store, items = closed_folder
    with pytest.raises(InputError, match=r"v\.sqlite: store: expected .* found Permission denied"):
        CampaignFile(store, items.digest)


def test_a_store_that_becomes_read_only_while_it_is_served(served, capsys):
    served.begin("Anna")
    served.site.campaign.file.submit(
        lambda database: database.execute("PRAGMA query_only = ON")
    ).result()  # SQLite says what it says of a file that may only be read
    answer = served.answer("Anna")
    assert answer.status_code == 500
    assert "cannot use its store or its disk; nothing was stored" in answer.text
    assert "one that may only be read" in capsys.readouterr().err


def damaged(store: Path, number: int) -> None:
    chance = Random(number)
    content = bytearray(store.read_bytes())
    for _ in range(chance.choice((1, 5, 100))):
        start = chance.randrange(len(content))
        size = chance.choice((1, 16, 4096))
        content[start : start + size] = chance.randbytes(len(content[start : start + size]))
    if number % 5 == 0:
        del content[chance.randrange(len(content)) :]
    store.write_bytes(content)


def test_a_damaged_store_is_told_in_one_message(serve, tmp_path):
    served = serve()
    for name in ("Anna", "Ben"):
        served.begin(name)
        for _ in range(12):
            served.answer(name, remark="é" * 50, tag="gender")
    served.site.campaign.file.close()
    whole = served.store.read_bytes()
    told = 0
    for number in range(30):
        served.store.write_bytes(whole)
        damaged(served.store, number)
        try:
            again = serve()
        except CrossproError as error:
            assert str(served.store) in str(error)
            told += 1
            continue
        for name in ("Anna", "Ben"):
            for address in ("/", "/work", "/list"):
                assert again.get(address, name).status_code in (200, 404, 500)
        for address in ("/", "/browse", "/conflicts", "/data", "/verdicts.jsonl", "/archive.zip"):
            assert again.get(address).status_code in (200, 404, 500)
    assert told > 5


def test_damage_that_comes_while_a_store_is_served_is_a_page(served, capsys):
    served.begin("Anna")
    with served.site.campaign.file.writing() as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute("DROP VIEW last_verdict")
    assert served.get("/browse").status_code == 500
    assert "cannot use its store" in served.get("/conflicts").text
    assert capsys.readouterr().err.count("a damaged one (no such table: last_verdict)") == 1


def test_one_server_for_each_store(served, tmp_path):
    (tmp_path / "link.sqlite").symlink_to(served.store)
    for name in ("v.sqlite", "link.sqlite"):
        with pytest.raises(InputError, match=r"no other server uses .* found one that process \d+"):
            CampaignFile(tmp_path / name, served.site.campaign.items.digest)
    served.site.campaign.file.close()
    CampaignFile(tmp_path / "link.sqlite", served.site.campaign.items.digest).close()


def test_a_second_server_is_refused_until_the_first_is_gone(served, tmp_path):
    served.site.campaign.file.close()
    (tmp_path / "items.jsonl").write_text(items_text(served.site.campaign.items), "utf-8")
    line = ("protest", "review", "serve", "--items", tmp_path / "items.jsonl", "--port", 0)
    line += ("--verdicts", served.store, "--judge", "Anna")
    command = [sys.executable, "-m", "crosspro.scripts.main", *map(str, line)]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline().startswith("researcher: ")
        refused = crosspro(*line)
        assert refused.code == 2
        assert f"found one that process {first.pid} serves".encode() in refused.stderr
        assert b"Traceback" not in refused.stderr
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()
    CampaignFile(served.store, served.site.campaign.items.digest).close()  # no lock is left behind


def test_a_failed_start_leaves_no_lock_and_no_half_key(tmp_path, serve):
    from crosspro.scripts.servers.review.server import open_campaign
    from tests.scripts.servers.review.conftest import SETTINGS

    items = make_set(2)
    for _ in range(2):
        with pytest.raises(CrossproError, match="nobody may be called"):
            open_campaign(tmp_path / "v.sqlite", items, None, SETTINGS, ["researcher"])
    CampaignFile(tmp_path / "v.sqlite", items.digest).close()


def test_a_doubled_undo_takes_back_one_answer(served):
    served.begin("Anna")
    for _ in range(3):
        served.answer("Anna")
    page = served.get("/work", "Anna").text
    last = page.partition('name="last" value="')[2].partition('"')[0]
    places = [served.post("/undo", "Anna", last=last).headers["location"] for _ in range(3)]
    assert len(set(places)) == 1
    assert places[0].endswith("say=undone")
    assert served.get("/list", "Anna").text.count('"right">right') == 2
    served.answer("Anna")
    stale = served.post("/undo", "Anna", last=last)
    assert stale.headers["location"].endswith("say=later")
    assert served.post("/undo", "Anna").status_code == 422
    assert served.get("/list", "Anna").text.count('"right">right') == 3


def test_an_import_tells_what_it_conflicts_with(served):
    served.begin("Anna")
    served.answer("Anna", pronoun="right")
    history = served.get("/verdicts.jsonl").text
    time = history.partition('"time": "')[2].partition('"')[0]
    form = {"form": served.site.links.form(served.site.links.management)}

    def imported(text):
        upload = {"file": ("x.jsonl", text.encode(), "text/plain")}
        address = served.base() + "/import"
        return served.client.post(address, data=form, files=upload, follow_redirects=False)

    older = history.replace('"pronoun": "right"', '"pronoun": "wrong"')
    page = imported(older.replace(time, "2020-01-01T00:00:00.000+00:00"))
    assert page.status_code == 200
    assert "the store&#39;s counts, which is not older" in page.text
    with VerdictStore(served.store, served.site.campaign.items.digest) as store:
        assert {one.pronoun for one in store.verdicts()} == {"right"}
    assert imported(history).status_code == 303
    page = imported(older.replace(time, "2120-01-01T00:00:00.000+00:00"))
    assert "the file&#39;s counts, which is newer" in page.text
    page = imported("{\n" * 3000)
    assert page.status_code == 422
    assert "… and 980 more problems" in page.text
    assert "2,000 more lines were not read" in page.text
