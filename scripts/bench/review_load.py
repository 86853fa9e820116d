"""The review server under load, and killed: how long a save takes, and whether any is lost.

Run: python -m crosspro.scripts.bench.review_load [--annotators 50] [--verdicts 20000] [--kills 30]

Annotators, each with a connection of its own: they read a page, think (`--pause`: seconds, on
average; 0 for annotators who never rest), and save (`--no-pages`: they only save). A save is
acknowledged when its answer has arrived.
Then the server is killed (SIGKILL) at random moments and started again, while they go on. At the
end every acknowledged verdict must be in the store, and no verdict twice.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np

from crosspro.evaluation.protest.verdict_rows import all_verdicts
from crosspro.evaluation.protest.verdicts import Item, VerdictStore
from crosspro.evaluation.review.item_files import items_text
from crosspro.evaluation.review.items import (
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
)
from crosspro.evaluation.review.work import code_of
from crosspro.scripts.review_server.links import open_key

SOURCE = "It is said that the old machine was built so that it could run without anybody"
TARGET = "On dit que la vieille machine a été construite pour qu' elle puisse tourner seule"


@dataclass
class Load:
    """What the annotators have done: seconds of each save, and what was acknowledged."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: dict[tuple[str, str], str] = field(default_factory=dict)
    refused: int = 0
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
        line = ["protest", "review", "serve", "--items", "items.jsonl", "--store", "v.sqlite"]
        line += ["--port", str(self.port), "--overlap", "0"]
        for name in self.names:
            line += ["--judge", name]
        command = [sys.executable, "-m", "crosspro.scripts.main", *line]
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
        os.kill(self.process.pid, signal.SIGKILL)
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
    pages: bool,
    pause: float,
    load: Load,
) -> None:
    """One annotator, who does not give up when the server is gone for a while."""
    link = server.links[name]
    form = open_key(server.folder / "v.sqlite").form(link.rpartition("/")[2])
    connection = Connection(server.port)
    begun = False
    for key in keys:
        value = random.choice(("right", "wrong", "unclear"))
        said = {"form": form, "seen": 0, "pronoun": value, "remark": f"by {name}"}
        body = urlencode(said).encode("ascii")
        while True:
            try:
                if not begun:
                    await connection.ask("POST", f"{link}/begin", urlencode(said).encode("ascii"))
                    begun = True
                if pages:
                    await connection.ask("GET", f"{link}/work")
                if pause:
                    await asyncio.sleep(random.expovariate(1 / pause))
                started = time.perf_counter()
                status, _ = await connection.ask("POST", f"{link}/q/{code_of(key)}", body)
                if status == 303:
                    load.seconds.append(time.perf_counter() - started)
                    load.acknowledged[name, key[0]] = value
                    break
                if status == 409:  # the save before the crash was stored, but not acknowledged
                    load.refused += 1
                    break
                await asyncio.sleep(0.05)
            except (OSError, asyncio.IncompleteReadError):
                connection.close()
                await asyncio.sleep(0.02)
    connection.close()


async def kill_at_times(server: ServerProcess, times: list[float], load: Load) -> None:
    """Kill the server after each of some spans of time, and start it again."""
    for seconds in times:
        await asyncio.sleep(seconds)
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
            (one.annotator, one.item.token, one.pronoun)
            for one, _ in all_verdicts(store.connection)
        ]
    known = {(name, token): value for name, token, value in stored}
    lost = sum(known.get(key) != value for key, value in load.acknowledged.items())
    return len(stored), lost, len(stored) - len(known)


async def run(server: ServerProcess, pages: bool, pause: float, kills: int, spread: float) -> Load:
    """All annotators at once, perhaps with a server that is killed now and then."""
    load = Load()
    work = [
        asyncio.create_task(annotate(server, name, keys, pages, pause, load))
        for name, keys in plan_of(server.folder).items()
    ]
    killer = None
    if kills:
        times = [random.uniform(0.05, spread) for _ in range(kills)]
        killer = asyncio.create_task(kill_at_times(server, times, load))
        await killer
    await asyncio.gather(*work)
    return load


def measured(
    annotators: int, verdicts: int, pages: bool, pause: float, kills: int, spread: float = 2.0
) -> Load:
    """A campaign from its beginning to its end, with what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "items.jsonl").write_text(items_text(make_items(verdicts)), "utf-8")
        server = ServerProcess(folder, [f"annotator {n}" for n in range(annotators)])
        server.start()
        before = server.cpu_seconds()
        started = time.perf_counter()
        load = asyncio.run(run(server, pages, pause, kills, spread))
        took = time.perf_counter() - started
        cpu = server.cpu_seconds() - (0 if kills else before)
        server.kill()
        stored, lost, doubled = lost_and_doubled(folder, load)
        milliseconds = 1000 * np.array(load.seconds)
        p50, p99 = np.percentile(milliseconds, [50, 99])
        hit = sum(at < verdicts for at in load.killed_at)
        print(
            f"{annotators} annotators, {stored:,} verdicts stored, "
            f"{len(load.acknowledged):,} acknowledged, {lost} lost, {doubled} doubled, "
            f"{hit} kills while people judged; {took:.0f} s, {cpu:.0f} CPU s of the server"
        )
        longest = milliseconds.max()
        print(
            f"a save: median {p50:.0f} ms, 99th percentile {p99:.0f} ms, longest {longest:.0f} ms"
        )
    return load


def main() -> None:
    """Print both measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--verdicts", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--no-pages", action="store_true", help="save only, read no pages")
    parser.add_argument("--killed-verdicts", type=int, default=12_000)
    chosen = parser.parse_args()
    random.seed(1)
    pages = not chosen.no_pages
    if chosen.verdicts:
        measured(chosen.annotators, chosen.verdicts, pages, chosen.pause, 0)
    if chosen.kills:
        measured(chosen.annotators, chosen.killed_verdicts, False, 0, chosen.kills)


if __name__ == "__main__":
    main()
