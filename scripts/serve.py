"""Try trained systems on sentence pairs in a browser."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import CrossproError, counted, how_to_install
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.pipeline.pairs.pair_links import (
    PairAligner,
    aligner_with_prior,
)
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.prediction.model_archive import box_models
from crosspro.prediction.pair_prediction import model_aligner
from crosspro.scripts.common import App, Prior, one_run
from crosspro.scripts.servers.guard import listen

_PACKAGES = ("fastapi", "uvicorn")

app = App()


@app.command(epilog="Example: crosspro serve --port 8000")
def serve(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", help="Runs or archives; without any, all bundled models."),
    ] = None,
    examples: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Five-column files to start from (repeatable); else the demo's."
        ),
    ] = None,
    prior: Prior = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this machine can then come in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8080,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name under which the page may be opened."),
    ] = None,
) -> None:
    """Try trained systems on sentence pairs in a browser.

    Type a sentence and its translation, click the pronoun to hide it or write REPLACE where it is
    missing, and see what each system finds probable, and why. The text is tokenised, aligned and
    lemmatised as by crosspro prepare; links of a single pair are made from --prior,
    and without them from what the model brings, or from the short texts of the package. Runs may be
    of several tasks; without any, all models that come with the package are on the page.

    The page is for this machine alone unless --host says otherwise; nothing that is typed is
    stored. It has a JSON interface, described at /openapi.json. Ctrl-C ends it.
    """
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        packages = ", ".join(missing)
        raise CrossproError(
            f"serve: expected {packages}, found nothing: {how_to_install('review')}"
        )
    from crosspro.scripts.servers.prediction.app import address
    from crosspro.scripts.servers.prediction.app import serve as answer
    from crosspro.scripts.servers.prediction.desk import Desk, load_named, tasks_of
    from crosspro.scripts.servers.prediction.offered import offered_examples

    box = {} if runs else box_models()
    if not (runs or box):
        raise typer.BadParameter("expected a RUN, found no bundled models")
    paths = [*box.values()] or [one_run(path) for path in runs or ()]
    listening = listen(host, port)
    with listening:
        systems = load_named(paths, [*box])
        tasks = tasks_of(systems)
        aligners: dict[str, Callable[[Task], PairAligner]] = {
            name: partial(
                model_aligner,
                runs=[
                    path
                    for path, system in zip(paths, systems.values(), strict=True)
                    if system.task.name == name
                ],
            )
            for name in tasks
        }
        if prior is not None:
            aligners = dict.fromkeys(tasks, partial(aligner_with_prior, path=prior))
        pipelines = {
            name: PairPipeline(task, "auto", "auto", aligners[name]) for name, task in tasks.items()
        }
        if prior and len({(t.source_language, t.target_language) for t in tasks.values()}) > 1:
            raise typer.BadParameter("--prior needs runs of one language pair")
        desk = Desk(systems, pipelines, offered_examples(list(tasks.values()), examples or ()))
        _say(
            f"{counted(len(systems), 'system')} of {', '.join(tasks)}; loading what annotates text"
        )
        desk.warm()
        for name, lacks in desk.untyped.items():
            _say(f"warning: {name}: text cannot be typed, only five-column lines: {lacks}")
        print(address(listening), flush=True)
        with contextlib.suppress(KeyboardInterrupt):  # which not every way of starting lets through
            answer(desk, listening, allow_host or ())
        _say("stopped")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
