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
        self._button = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.loaded += [value for name, value in attrs if name in ("src", "href", "action")]
        if found.get("class") == "count":
            self._button = {
                key.removeprefix("data-"): value for key, value in attrs if key.startswith("data-")
            }

    def handle_data(self, data):
        if self._button is not None:
            self.buttons.append((self._button, int(data.replace(",", ""))))
            self._button = None


def matching(data, filters):
    """How many examples a button's filters leave, counted as the page's script does."""
    count = 0
    for _, _, group, _, _, candidates in data["examples"]:
        verdict, reference, word, *_ = candidates[int(filters["candidate"])]
        found = {
            "verdict": str(verdict),
            "group": str(group),
            "reference": data["words"][reference],
            "word": data["words"][word],
        }
        count += all(found.get(key, value) == value for key, value in filters.items())
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
