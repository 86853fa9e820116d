"""Try trained models on sentence pairs in a browser."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import CrossproError, counted, how_to_install
from crosspro.scripts.common import App, one_run, tell

app = App()


@app.command(epilog="Example: crosspro serve en-fr --port 8000")
def serve(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...", help="Bundled models, runs or archives; else all bundled models."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this machine can then come in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8080,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name under which the page may be opened."),
    ] = None,
) -> None:
    """Try trained models on sentence pairs in a browser.

    Type a sentence and its translation, with REPLACE where a pronoun is missing, and see which
    pronouns a model finds probable, and which words they stand for. The text is read as by
    crosspro predict --text.

    The page is for this machine alone unless --host says otherwise; nothing that is typed is
    stored. Ctrl-C ends it.
    """
    from crosspro.prediction.pair_prediction import load_predictor
    from crosspro.prediction.registry import bundled_models
    from crosspro.scripts.servers.guard import listen

    try:
        from crosspro.scripts.servers.prediction.app import serve as answer
    except ModuleNotFoundError as error:
        install = how_to_install("review")
        raise CrossproError(f"serve: {error.name} is not installed: {install}") from error

    names = runs or [Path(name) for name in bundled_models()]
    if not names:
        raise typer.BadParameter("expected a RUN, found no bundled models")
    with listen(host, port) as listening:
        predictors = {str(name): load_predictor(one_run(name), str(name)) for name in names}
        tell(f"{counted(len(predictors), 'model')}: {', '.join(predictors)}")
        with contextlib.suppress(KeyboardInterrupt):
            answer(predictors, listening, allow_host or ())
        tell("stopped")
