"""A real browser and a real server; tests skip where there is no browser.

`SCREENSHOTS=docs/images pytest tests/browser` also writes the pictures of the documentation; all
pages in all sizes and colours go into any other folder.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def chromium():
    """A browser that is on this machine; none is downloaded.

    While it is open, an event loop runs in this thread, which tests of other modules may not want.
    """
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright (extra `dev`)")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs a browser: the program chromium")
    api.expect.set_options(timeout=30_000)  # as long as for everything else: slow machines, too
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def pictures() -> Path | None:
    """Where pictures of pages go, if somewhere."""
    folder = os.environ.get("SCREENSHOTS")
    return None if folder is None else ROOT / folder
