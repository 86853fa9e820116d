"""The case of the review server: how long a save takes under load, and whether any is lost.

Annotators, each a thread with a connection of its own. A save takes from the sending of its form
to the answer, with which it is acknowledged; a page, to its last byte. At the end every
acknowledged verdict must be in the store, and no verdict twice. CPU seconds are the server's.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np

from crosspro.evaluation.human import items
from crosspro.evaluation.human.verdicts import Item, VerdictStore, all_verdicts
from crosspro.evaluation.human.work import code_of
from crosspro.evaluation.leaderboard.speed import Measured, SpeedRow
from crosspro.scripts.bench.measure import CROSSPRO
from crosspro.scripts.bench.table import BenchOptions
from crosspro.scripts.servers.review.links import open_key

_SOURCE = "It is said that the machine was built so that it could run without us"
_TARGET = "On dit que la machine a été construite pour qu' elle tourne sans nous"


@dataclass(frozen=True)
class Manner:
    """How annotators work: whether they read pages, and think for so many seconds on average; how
    often their server is killed."""

    title: str
    pages: bool = False
    pause: float = 0.0
    kills: int = 0


_ANNOTATORS = 50
_MANNERS = (
    Manner("saves, no pause"),
    Manner("pages and saves, no pause", True),
    Manner("pages, thinking, saves", True, 1.0),
    Manner("saves while the server is killed", kills=5),
)


@dataclass
class Load:
    """What the annotators have done: seconds of saves and pages, and what was acknowledged.

    `killed_at` says how many saves were acknowledged when the server was killed.
    """

    seconds: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    acknowledged: dict[tuple[str, str], str] = field(default_factory=dict)
    killed_at: list[int] = field(default_factory=list)


def make_items(questions: int) -> items.ReviewSet:
    """So many questions, in documents of twenty lines."""
    source, target = tuple(_SOURCE.split()), tuple(_TARGET.split())
    lines, asked = [], []
    for number in range(questions):
        output = items.ReviewCandidate((*target, str(number)), tuple((n, n) for n in range(13)))
        lines.append(items.ReviewLine(f"d{number // 20}", source, (target,), {"s": output}))
        item = Item(f"t{number}", "s", f"{number:012x}", "elle", "", False)
        marks = items.MarkedWords(number, (10,), ((10,),), (10,))
        asked.append(items.ReviewItem(item, "it", marks))
    return items.ReviewSet("load", "load", tuple(lines), tuple(asked))


class ServerProcess:
    """A server in a process of its own."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = folder
        self.names = names
        self.port = 0
        self.links: dict[str, str] = {}

    def start(self) -> None:
        """Start it, or start it again at the same port."""
        options = ("--items", "items.jsonl", "--verdicts", "v.sqlite", "--overlap", "0")
        judges = (word for name in self.names for word in ("--judge", name))
        self.process = subprocess.Popen(
            [*CROSSPRO, "protest", "review", "serve", *options, "--port", str(self.port), *judges],
            cwd=self.folder, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        assert self.process.stdout is not None  # noqa: S101 - it is a pipe
        for _ in range(len(self.names) + 1):
            name, _, link = self.process.stdout.readline().strip().partition(": ")
            if not link:
                raise SystemExit("the server did not start")
            self.links[name] = urlsplit(link).path.rstrip("/")
            self.port = urlsplit(link).port or 0

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait()

    def cpu_seconds(self) -> float:
        """What it has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Connection:
    """Requests on one connection that stays open, which is opened again after `close`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.stream: Any = None

    def ask(self, address: str, said: Mapping[str, str] | None = None) -> int:
        """The status of an answer, when its last byte is there."""
        if self.stream is None:
            with socket.create_connection(("127.0.0.1", self.port)) as opened:
                self.stream = opened.makefile("rwb")
        body, host = urlencode(said or {}), f"127.0.0.1:{self.port}"
        head = [f"{'POST' if said else 'GET'} {address} HTTP/1.1", f"host: {host}"]
        if said:
            head += [f"origin: http://{host}", "sec-fetch-site: same-origin"]
            head += ["content-type: application/x-www-form-urlencoded"]
            head += [f"content-length: {len(body)}"]
        self.stream.write("\r\n".join([*head, "", body]).encode("ascii"))
        self.stream.flush()
        answer = iter(self.stream.readline, b"\r\n")
        if not (first := next(answer)):
            raise ConnectionError
        lengths = [line for line in answer if line.lower().startswith(b"content-length:")]
        self.stream.read(int(lengths[0].partition(b":")[2]) if lengths else 0)
        return int(first.split()[1])

    def close(self) -> None:
        """Forget a connection that has broken."""
        with suppress(OSError, AttributeError):
            self.stream.close()
        self.stream = None


def _annotate(
    server: ServerProcess, name: str, keys: list[tuple[str, str]], manner: Manner, load: Load
) -> None:
    """One annotator, who does not give up when the server is gone for a while."""
    chance, link = random.Random(name), server.links[name]
    form = open_key(server.folder / "v.sqlite").form(link.rpartition("/")[2])
    connection = Connection(server.port)
    begun = False
    for key in keys:
        value = chance.choice(("right", "wrong", "unclear"))
        said = {"form": form, "seen": "0", "pronoun": value, "remark": f"by {name}"}
        while (name, key[0]) not in load.acknowledged:
            try:
                begun = begun or bool(connection.ask(f"{link}/begin", said))
                started = time.perf_counter()
                if manner.pages and connection.ask(f"{link}/work") == 200:
                    load.pages.append(time.perf_counter() - started)
                if manner.pause:
                    time.sleep(chance.expovariate(1 / manner.pause))
                started = time.perf_counter()
                status = connection.ask(f"{link}/q/{code_of(key)}", said)
            except OSError:
                connection.close()
                time.sleep(0.02)
                continue
            if status == 303:
                load.seconds.append(time.perf_counter() - started)
                load.acknowledged[name, key[0]] = value
            elif status == 429:  # too soon after another by the same annotator
                time.sleep(0.05)
            else:
                raise SystemExit(f"a save was answered with {status}")
    connection.close()


def _kill_now_and_then(server: ServerProcess, counts: list[int], load: Load) -> None:
    """Kill the server a moment after each of some numbers of acknowledged saves; start it again."""
    chance = random.Random(len(counts))
    for count in counts:
        while len(load.acknowledged) < count:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.05))
        load.killed_at.append(len(load.acknowledged))
        server.kill()
        server.start()


def _plan_of(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Who judges what, as the server has planned it."""
    with VerdictStore(folder / "v.sqlite", "load") as store:
        rows = store.connection.execute(
            "SELECT name, token, digest FROM assignment JOIN annotator ON id = annotator "
            "ORDER BY annotator, place"
        ).fetchall()
    plan: dict[str, list[tuple[str, str]]] = {}
    for name, token, digest in rows:
        plan.setdefault(name, []).append((token, digest))
    return plan


def lost_and_doubled(folder: Path, load: Load) -> tuple[int, int, int]:
    """How many verdicts there are; acknowledged ones that are not there; those there twice."""
    with VerdictStore(folder / "v.sqlite", "load") as store:
        stored = [
            (verdict.annotator, verdict.item.token, verdict.pronoun)
            for verdict in all_verdicts(store.connection)
        ]
    known = {(name, token): value for name, token, value in stored}
    lost = sum(known.get(key) != value for key, value in load.acknowledged.items())
    return len(stored), lost, len(stored) - len(known)


def _run(server: ServerProcess, manner: Manner) -> Load:
    """All annotators at once, perhaps with a server that is killed now and then."""
    load, plan, chance = Load(), _plan_of(server.folder), random.Random(manner.kills)
    most = int(0.95 * sum(map(len, plan.values())))  # people still judge a moment later
    counts = sorted(chance.randrange(most) for _ in range(manner.kills))
    with ThreadPoolExecutor(len(plan) + 1) as pool:
        work = [pool.submit(_annotate, server, *own, manner, load) for own in plan.items()]
        work.append(pool.submit(_kill_now_and_then, server, counts, load))
    for one in work:
        one.result()
    return load


def measured(annotators: int, verdicts: int, manner: Manner) -> tuple[Load, SpeedRow]:
    """A campaign from its beginning to its end, with what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "items.jsonl").write_text(items.items_text(make_items(verdicts)), "utf-8")
        server = ServerProcess(folder, [f"annotator {n}" for n in range(annotators)])
        server.start()
        before, started = server.cpu_seconds(), time.perf_counter()
        try:
            load = _run(server, manner)
            took, cpu = time.perf_counter() - started, server.cpu_seconds() - before
        finally:
            server.kill()
        stored, lost, doubled = lost_and_doubled(folder, load)
    acknowledged = len(load.acknowledged)
    figures = {"acknowledged": float(acknowledged), "lost": float(lost), "doubled": float(doubled)}
    figures |= {"kills": float(sum(at < verdicts for at in load.killed_at))} if manner.kills else {}
    for what, seconds in (("save", load.seconds), ("page", load.pages)):
        if seconds:
            middle, high = np.percentile(1000 * np.array(seconds), [50, 99]).tolist()
            figures |= {f"{what} ms": middle, f"99% of {what}s ms": high}
    ours = Measured(took, None if manner.kills else cpu)
    return load, SpeedRow(_title(annotators, manner), ours, stored, "verdicts", figures=figures)


def review(given: BenchOptions, verdicts: int) -> Iterator[SpeedRow]:
    """Once: saves alone, pages before them, thinking (a second on average), and killed servers.

    The server is killed (SIGKILL) at random moments and started again.
    """
    for manner in _MANNERS:
        if given.wants(_title(_ANNOTATORS, manner)):
            yield measured(_ANNOTATORS, verdicts, manner)[1]


def _title(annotators: int, manner: Manner) -> str:
    return f"review, {annotators} annotators, {manner.title}"
