"""The web application: the page, its JSON interface, and what goes wrong as JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from crosspro.data_prep.core.errors import CrossproError, InputError, printable
from crosspro.scripts.servers.prediction.desk import Desk
from crosspro.scripts.servers.prediction.requests import ExplanationRequest, PredictionRequest
from crosspro.scripts.servers.prediction.responses import (
    ExampleAnswer,
    ExplanationAnswer,
    PredictionAnswer,
    ProblemsAnswer,
    SystemsAnswer,
)
from crosspro.scripts.servers.prediction.turn import BusyError, ClientLeftError, Turns
from crosspro.version import __version__

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
        (503, "Others are being answered, or it takes too long"),
    )
}
_SUMMARY = """Systems of crosspro that predict pronouns of a translation.

Wrong requests are answered with `{"problems": [{"message": …}, …]}`, all faults at once.
"""


def make_app(desk: Desk, turns: Turns | None = None) -> FastAPI:
    """The application; who may ask is the guard's affair."""
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

    def systems() -> dict[str, Any]:
        """The tasks, their systems, and examples to start from."""
        return desk.described()

    def example(task: str, name: str) -> dict[str, Any]:
        """An example: five-column lines, or text."""
        return desk.example(task, name)

    async def predict(request: PredictionRequest, http: Request) -> dict[str, Any]:
        """The probabilities of all classes by each system, for each gap of a sentence."""
        return await turns.answer(partial(desk.predict, request.asked()), _left(http))

    async def explain(request: ExplanationRequest, http: Request) -> dict[str, Any]:
        """Why each system chose the class of a gap, and the antecedents it points at."""
        work = partial(desk.explain, request.asked(), request.gap, request.rows)
        return await turns.answer(work, _left(http))

    for method, path, function, answered in (
        ("GET", "/api/systems", systems, SystemsAnswer),
        ("GET", "/api/examples/{task}/{name}", example, ExampleAnswer),
        ("POST", "/api/predict", predict, PredictionAnswer),
        ("POST", "/api/explain", explain, ExplanationAnswer),
    ):
        app.add_api_route(
            path,
            function,
            methods=[method],
            response_model=None,  # answers are what they are described as: a test checks it
            responses={200: {"model": answered}, **_REFUSALS},
        )
    app.add_exception_handler(CrossproError, _wrong)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(BusyError, _busy)
    app.add_exception_handler(ClientLeftError, _unheard)
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
                "message": str(one),
                "where": one.path,
                "line": one.line,
                "field": one.field,
                "expected": one.expected,
                "found": printable(one.found),
            }
            for one in error.problems
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


def _left(request: Request) -> Callable[[], Awaitable[None]]:
    """A wait for the client to leave; the body has been read."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return left


def _busy(_: Request, error: Exception) -> JSONResponse:
    return _problems(503, {"message": str(error)}, headers={"retry-after": "2"})


def _unheard(_: Request, error: Exception) -> Response:
    """Nobody reads this; 499 is what web servers write into their logs."""
    return Response(status_code=499)


def _broken(_: Request, error: Exception) -> JSONResponse:
    return _problems(500, {"message": "something went wrong here; the server's terminal says what"})
