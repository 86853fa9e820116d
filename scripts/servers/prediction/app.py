"""The web application: the page, its JSON interface, what goes wrong as JSON, and its server."""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from crosspro.data_prep.core.errors import CrossproError, InputError, printable
from crosspro.scripts.servers.guard import Application, Guard, run_server
from crosspro.scripts.servers.prediction.api import (
    ExampleAnswer,
    ExplanationAnswer,
    ExplanationRequest,
    PredictionAnswer,
    PredictionRequest,
    ProblemsAnswer,
    SystemsAnswer,
)
from crosspro.scripts.servers.prediction.desk import Desk
from crosspro.version import __version__

MOST_BYTES = 256 * 1024
BODY_SECONDS = 10.0
MOST_WAITING = 8
WAITING_SECONDS = 60.0

_PAGE = Path(__file__).resolve().parent / "page"
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
    "/script.js": ("script.js", "text/javascript; charset=utf-8"),
}
_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemsAnswer, "description": text}
    for status, text in (
        (403, "A request from another page, or under another name"),
        (413, "Too long"),
        (422, "Something is wrong with what was asked"),
        (429, "Too many requests from an address"),
        (503, "Others are being answered"),
    )
}
_SUMMARY = """Systems of crosspro that predict pronouns of a translation.

Wrong requests are answered with `{"problems": [{"message": …}, …]}`, all faults at once.
"""


class BusyError(Exception):
    """No answer now; the request may come again."""


class Turns:
    """Answers one request at a time: systems and annotators are not made for several threads."""

    def __init__(self, seconds: float = WAITING_SECONDS, most_waiting: int = MOST_WAITING) -> None:
        self._seconds = seconds
        self._working = Lock()
        self._places = BoundedSemaphore(1 + most_waiting)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Raises `BusyError` if too many wait already, or after too long a wait."""
        if not self._places.acquire(blocking=False):
            raise BusyError("others are being answered; ask again in a moment")
        try:
            if not self._working.acquire(timeout=self._seconds):
                raise BusyError(f"no turn within {self._seconds:g} seconds; ask again in a moment")
            try:
                yield
            finally:
                self._working.release()
        finally:
            self._places.release()


def make_app(desk: Desk, turns: Turns | None = None) -> FastAPI:
    """The application; who may ask is the guard's affair. Answers are made in a pool of threads."""
    turns = turns or Turns()
    app = FastAPI(
        title="crosspro serve",
        version=__version__,
        description=_SUMMARY,
        docs_url=None,  # its scripts would come from elsewhere
        redoc_url=None,
    )
    for path, (name, kind) in _FILES.items():
        app.add_api_route(path, _file((_PAGE / name).read_bytes(), kind), include_in_schema=False)

    @app.get("/api/systems", responses=_REFUSALS)
    def systems() -> SystemsAnswer:
        """The tasks, their systems, and examples to start from."""
        return desk.described()

    @app.get("/api/examples/{task}/{name}", responses=_REFUSALS, response_model_exclude_none=True)
    def example(task: str, name: str) -> ExampleAnswer:
        """An example: five-column lines, or text."""
        return desk.example(task, name)

    @app.post("/api/predict", responses=_REFUSALS)
    def predict(request: PredictionRequest) -> PredictionAnswer:
        """The probabilities of all classes by each system, for each gap of a sentence."""
        with turns.turn():
            return desk.predict(request)

    @app.post("/api/explain", responses=_REFUSALS)
    def explain(request: ExplanationRequest) -> ExplanationAnswer:
        """Why each system chose the class of a gap, and the antecedents it points at."""
        with turns.turn():
            return desk.explain(request)

    app.add_exception_handler(CrossproError, _wrong)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(BusyError, _busy)
    app.add_exception_handler(Exception, _broken)
    return app


def _file(content: bytes, kind: str) -> Any:
    def answer() -> Response:
        return Response(content, headers={"content-type": kind})

    return answer


def _problems(status: int, *problems: dict[str, Any], headers: Any = None) -> JSONResponse:
    return JSONResponse({"problems": list(problems)}, status, headers)


def _wrong(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, InputError):
        return _problems(422, {"message": printable(str(error), lines=True)})
    return _problems(
        422,
        *(
            {
                "message": str(problem),
                "where": problem.path,
                "line": problem.line,
                "field": problem.field,
                "expected": problem.expected,
                "found": printable(problem.found),
            }
            for problem in error.problems
        ),
    )


def _invalid(_: Request, error: Exception) -> JSONResponse:
    """What FastAPI finds wrong with the form of a request; the input itself is not repeated."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = []
    for one in found:
        field = ".".join(str(part) for part in one["loc"] if part != "body")[:200]
        text = str(one["msg"]).removeprefix("Value error, ")
        where = printable(field)
        message = f"request: {where}: {text}" if where else f"request: {text}"
        problems.append({"message": message, "where": "request", "field": where})
    return _problems(422, *problems)


def _http(_: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = {404: "there is nothing here", 405: "expected another method"}.get(status, "refused")
    return _problems(status, {"message": text})


def _busy(_: Request, error: Exception) -> JSONResponse:
    return _problems(503, {"message": str(error)}, headers={"retry-after": "2"})


def _broken(_: Request, error: Exception) -> JSONResponse:
    return _problems(500, {"message": "something went wrong here; the server's terminal says what"})


def guarded(app: Application, names: Collection[str] = ()) -> Guard:
    """The application behind its guard: it takes JSON of a limited size."""
    return Guard(
        app,
        names,
        largest_body=MOST_BYTES,
        body_seconds=BODY_SECONDS,
        content_type="application/json",
    )


def address(listening: socket.socket) -> str:
    """What to type into a browser."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only compared
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def serve(desk: Desk, listening: socket.socket, names: Collection[str]) -> None:
    """Answer until the process is interrupted."""
    run_server(guarded(make_app(desk), names), listening)
