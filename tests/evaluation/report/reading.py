"""Reads a page back: its data as the script would, what it loads, and its numbers in tables."""

from __future__ import annotations

import json
from html.parser import HTMLParser


def page_data(page):
    """The embedded data, cut out as a browser would: at the first end of a script."""
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


class Elements(HTMLParser):
    """What a page has: addresses that it would load, buttons with their filters, tags."""

    def __init__(self, page):
        super().__init__()
        self.loaded = []
        self.buttons = []
        self.tags = []
        self._filters = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loaded += [value for name, value in attrs if name in ("src", "href", "action")]
        if "count" in (dict(attrs).get("class") or "").split():
            self._filters = {
                key.removeprefix("data-"): value for key, value in attrs if key.startswith("data-")
            }

    def handle_data(self, data):
        if self._filters is not None:
            self.buttons.append((self._filters, int(data.replace(",", ""))))
            self._filters = None


def matching(data, filters):
    """How many examples a button's filters leave, counted as the page's script does."""
    count = 0
    for example in data["examples"]:
        rendering = example["candidates"][int(filters["candidate"])]
        values = {
            "verdict": str(rendering["verdict"]),
            "group": str(example["group"]),
            "reference": rendering["reference"],
            "word": rendering["word"],
        }
        count += all(values.get(key, value) == value for key, value in filters.items())
    return count


def check_page(page):
    """What holds for every page: it loads nothing, and its numbers are those of its examples."""
    elements = Elements(page)
    assert elements.loaded == []
    assert "url(" not in page
    data = page_data(page)
    for filters, number in elements.buttons:
        assert matching(data, filters) == number, filters
    return data, elements
