"""The case of the review server: how long a save takes under load, and whether any is lost.

Annotators, each with a connection of its own, all in one process that is no server. A save takes
from the sending of its form to the arrival of the answer, with which it is acknowledged; a page,
from its request to its last byte. At the end every acknowledged verdict must be in the store, and
no verdict twice. The 99th percentile belongs to the machine as well. CPU seconds are the server's.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np

from crosspro.evaluation.human.items import (
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    items_text,
)
from crosspro.evaluation.human.verdicts import Item, VerdictStore, all_verdicts
from crosspro.evaluation.human.work import code_of
from crosspro.evaluation.leaderboard.speed import Measured, SpeedRow
from crosspro.scripts.bench.measure import CROSSPRO
from crosspro.scripts.bench.table import BenchOptions
from crosspro.scripts.servers.review.links import open_key

_ANNOTATORS = 50
SOURCE = "It is said that the old machine was built so that it could run without anybody"
TARGET = "On dit que la vieille machine a été construite pour qu' elle puisse tourner seule"


@dataclass(frozen=True)
class Manner:
    """How annotators work: whether they read pages, and think for so many seconds on average."""

    title: str
    pages: bool = False
    pause: float = 0.0


@dataclass
class Load:
    """What the annotators have done: seconds of saves and pages, and what was acknowledged."""

    seconds: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    acknowledged: dict[tuple[str, str], str] = field(default_factory=dict)
    killed_at: list[int] = field(default_factory=list)
    """How many saves were acknowledged when the server was killed."""


def make_items(questions: int) -> ReviewSet:
    """So many questions, in documents of twenty lines."""
    source, target = tuple(SOURCE.split()), tuple(TARGET.split())
    lines, items = [], []
    for number in range(questions):
        candidate = ReviewCandidate((*target, str(number)), tuple((n, n) for n in range(14)))
        lines.append(ReviewLine(f"d{number // 20}", source, (target,), {"s": candidate}))
        marks = MarkedWords(number, (12,), ((12,),), (12,))
        item = Item(f"t{number}", "s", f"{number:012x}", "elle", "", False)
        items.append(ReviewItem(item, "it", marks))
    return ReviewSet("load", "load", tuple(lines), tuple(items))


class ServerProcess:
    """A server in a process of its own."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = folder
        self.names = names
        self.port = 0
        self.links: dict[str, str] = {}

    def start(self) -> None:
        """Start it, or start it again at the same port."""
        line = ["protest", "review", "serve", "--items", "items.jsonl", "--verdicts", "v.sqlite"]
        line += ["--port", str(self.port), "--overlap", "0"]
        for name in self.names:
            line += ["--judge", name]
        command = [*CROSSPRO, *line]
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, text=True, bufsize=1
        )
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
    """Requests on one connection that stays open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, address: str, body: bytes = b"") -> tuple[int, bytes]:
        """The status and the content of an answer."""
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        head = f"{method} {address} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\n"
        if method == "POST":
            head += f"origin: http://127.0.0.1:{self.port}\r\nsec-fetch-site: same-origin\r\n"
            head += "content-type: application/x-www-form-urlencoded\r\n"
            head += f"content-length: {len(body)}\r\n"
        writer.write(head.encode("ascii") + b"\r\n" + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in answer.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return int(answer.split()[1]), await reader.readexactly(length)

    def close(self) -> None:
        """Forget a connection that has broken."""
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


async def annotate(
    server: ServerProcess,
    name: str,
    keys: list[tuple[str, str]],
    manner: Manner,
    load: Load,
) -> None:
    """One annotator, who does not give up when the server is gone for a while."""
    chance = random.Random(name)
    link = server.links[name]
    form = open_key(server.folder / "v.sqlite").form(link.rpartition("/")[2])
    connection = Connection(server.port)
    begun = False
    for key in keys:
        value = chance.choice(("right", "wrong", "unclear"))
        said = {"form": form, "seen": 0, "pronoun": value, "remark": f"by {name}"}
        body = urlencode(said).encode("ascii")
        while True:
            try:
                if not begun:
                    await connection.ask("POST", f"{link}/begin", urlencode(said).encode("ascii"))
                    begun = True
                if manner.pages:
                    started = time.perf_counter()
                    status, _ = await connection.ask("GET", f"{link}/work")
                    if status == 200:
                        load.pages.append(time.perf_counter() - started)
                if manner.pause:
                    await asyncio.sleep(chance.expovariate(1 / manner.pause))
                started = time.perf_counter()
                status, _ = await connection.ask("POST", f"{link}/q/{code_of(key)}", body)
                if status == 303:
                    load.seconds.append(time.perf_counter() - started)
                    load.acknowledged[name, key[0]] = value
                    break
                if status != 429:  # too soon after another by the same annotator
                    raise SystemExit(f"a save was answered with {status}")
                await asyncio.sleep(0.05)
            except (OSError, asyncio.IncompleteReadError):
                connection.close()
                await asyncio.sleep(0.02)
    connection.close()


async def kill_now_and_then(
    server: ServerProcess, counts: list[int], chance: random.Random, load: Load
) -> None:
    """Kill the server a moment after each of some numbers of acknowledged saves; start it again."""
    for count in counts:
        while len(load.acknowledged) < count:
            await asyncio.sleep(0.001)
        await asyncio.sleep(chance.uniform(0, 0.05))
        load.killed_at.append(len(load.acknowledged))
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)


def plan_of(folder: Path) -> dict[str, list[tuple[str, str]]]:
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


async def run(server: ServerProcess, manner: Manner, kills: int) -> Load:
    """All annotators at once, perhaps with a server that is killed now and then."""
    load = Load()
    plan = plan_of(server.folder)
    work = [
        asyncio.create_task(annotate(server, name, keys, manner, load))
        for name, keys in plan.items()
    ]
    chance = random.Random(kills)
    most = int(0.95 * sum(map(len, plan.values())))  # people still judge a moment later
    counts = sorted(chance.randrange(most) for _ in range(kills))
    await asyncio.gather(kill_now_and_then(server, counts, chance, load), *work)
    return load


def measured(
    annotators: int, verdicts: int, manner: Manner, kills: int = 0
) -> tuple[Load, SpeedRow]:
    """A campaign from its beginning to its end, with what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "items.jsonl").write_text(items_text(make_items(verdicts)), "utf-8")
        server = ServerProcess(folder, [f"annotator {n}" for n in range(annotators)])
        server.start()
        before = server.cpu_seconds()
        started = time.perf_counter()
        try:
            load = asyncio.run(run(server, manner, kills))
            took = time.perf_counter() - started
            cpu = server.cpu_seconds() - before
        finally:
            server.kill()
        stored, lost, doubled = lost_and_doubled(folder, load)
    figures = {
        "acknowledged": float(len(load.acknowledged)),
        "lost": float(lost),
        "doubled": float(doubled),
        "kills": float(sum(at < verdicts for at in load.killed_at)),
    }
    for what, seconds in (("save", load.seconds), ("page", load.pages)):
        if seconds:
            middle, high = np.percentile(1000 * np.array(seconds), [50, 99]).tolist()
            figures |= {f"{what} ms": middle, f"99% of {what}s ms": high}
    title = f"review, {annotators} annotators, {manner.title}"
    ours = Measured(took, None if kills else cpu)
    return load, SpeedRow(title, ours, stored, "verdicts", figures=figures)


def review(given: BenchOptions, verdicts: int) -> Iterator[SpeedRow]:
    """Once: saves alone, pages before them, thinking (a second on average), and killed servers.

    The server is killed (SIGKILL) at random moments and started again.
    """
    for manner, killed in (
        (Manner("saves, no pause"), 0),
        (Manner("pages and saves, no pause", True), 0),
        (Manner("pages, thinking, saves", True, 1.0), 0),
        (Manner("saves while the server is killed"), 5),
    ):
        yield measured(_ANNOTATORS, verdicts, manner, killed)[1]
