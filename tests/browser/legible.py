"""What in a page is hard to read, for eyes or for a screen reader."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

_HEADINGS = "() => [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(e => +e.tagName[1])"

# Text is to differ in lightness from what is behind it by a factor of 4.5 (WCAG 2, AA).
_FAINT = """() => {
  const parsed = (text) => text.match(/[\\d.]+/g).map(Number);
  const share = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = (color) => [0.2126, 0.7152, 0.0722]
    .reduce((sum, weight, i) => sum + weight * share(color[i] / 255), 0.05);
  const over = (front, alpha, back) => back.map((one, i) => alpha * front[i] + (1 - alpha) * one);
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    if (!text || !element.checkVisibility()) continue;
    if (element.closest('.hidden, .unseen, .skip, option, noscript, :disabled')) continue;
    const around = [];
    for (let one = element; one; one = one.parentElement) around.unshift(getComputedStyle(one));
    let back = [255, 255, 255], opacity = 1;
    for (const style of around) {
      const [red, green, blue, alpha = 1] = parsed(style.backgroundColor);
      opacity *= Number(style.opacity);
      back = over([red, green, blue], alpha * opacity, back);
    }
    const front = over(parsed(around.at(-1).color), opacity, back);
    const [low, high] = [light(front), light(back)].sort((a, b) => a - b);
    const shown = element.outerHTML.slice(0, 90);
    if (high / low < 4.5) found.push(`${(high / low).toFixed(2)}: ${shown}`);
  }
  return found;
}"""


def hard_to_read(page: Any) -> list[str]:
    """Headings that are out of order, tables with nameless columns, faint text."""
    faults = []
    levels = page.evaluate(_HEADINGS)
    if levels.count(1) != 1 or any(after > before + 1 for before, after in pairwise(levels)):
        faults.append(f"headings of levels {levels}")
    nameless = [
        cell for cell in page.locator("th").all() if not (cell.text_content() or "").strip()
    ]
    faults += ["a column without a name"] * len(nameless)
    return faults + page.evaluate(_FAINT)
