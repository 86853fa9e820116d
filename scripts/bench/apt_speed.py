"""Time of `crosspro apt` and `crosspro autoprf` on a text of 50,000 segments, start-up included.

Run: python -m crosspro.scripts.bench.apt_speed [SOURCE REFERENCE CANDIDATE
     LINKS_REFERENCE LINKS_CANDIDATE]
Given files are repeated ten times; without them a text with the proportions of news is made up.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from crosspro.data_prep.core.files.textfile import read_lines
from crosspro.scripts.bench.measure import measure

SEGMENTS = 50_000
TIMES = 10
NAMES = ("source", "reference", "candidate", "links", "candidate-links")


def main() -> None:
    """Print the time of both metrics, in their own and in legacy mode."""
    given = [Path(name) for name in sys.argv[1:]]
    if given and (len(given) != len(NAMES) or sys.argv[1].startswith("-")):
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = _repeated(folder, given) if given else _made_up(folder)
        lines = files["source"].read_bytes().count(b"\n")
        print(f"{lines:,} segments, {files['source'].stat().st_size / 1e6:.1f} MB of source")
        options = [item for key in NAMES for item in (f"--{key}", str(files[key]))]
        crosspro = [sys.executable, "-m", "crosspro.scripts.main"]
        for metric in ("apt", "autoprf"):
            command = [*crosspro, metric, *options, "--pronouns", "en-fr", "--lenient"]
            print(f"{metric}: {measure(command)}")
        print(f"apt --legacy: {measure([*crosspro, 'apt', *options, '--legacy'])}")
        stems = _stems(folder, files)
        print(f"autoprf --legacy: {measure([*crosspro, 'autoprf', '--legacy', *stems])}")


def _repeated(folder: Path, given: list[Path]) -> dict[str, Path]:
    """The files ten times over; a blank line at the end of a link file is left out."""
    found = {}
    segments = 0
    for name, path in zip(NAMES, given, strict=True):
        lines = list(read_lines(path))
        segments = segments or len(lines)
        found[name] = folder / name
        found[name].write_bytes(b"".join(lines[:segments]) * TIMES)
    return found


def _made_up(folder: Path) -> dict[str, Path]:
    generator = random.Random(1)
    words = [f"w{number:x}" for number in range(20_000)]
    pronouns = {"it": ["il", "elle", "c'", "cela", "le"], "they": ["ils", "elles", "on", "les"]}
    texts: dict[str, list[str]] = {name: [] for name in NAMES}
    for _ in range(SEGMENTS):
        size = generator.randint(5, 45)
        source = generator.choices(words, k=size)
        sides = [list(source), list(source)]
        if generator.random() < 0.3:
            place, pronoun = generator.randrange(size), generator.choice(list(pronouns))
            source[place] = pronoun
            for side in sides:
                side[place] = generator.choice(pronouns[pronoun])
        texts["source"].append(" ".join(source))
        for name, side in zip(("reference", "candidate"), sides, strict=True):
            texts[name].append(" ".join(side))
            links = (f"{n}-{n}" for n in range(size) if generator.random() < 0.95)
            texts[f"links-{name}"].append(" ".join(links))
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return {name: folder / name for name in NAMES}


def _stems(folder: Path, files: dict[str, Path]) -> list[str]:
    """The files under the names that the Java tool expects."""
    for stem, side in (("ref", "reference"), ("cand", "candidate")):
        for suffix, name in (("en", "source"), ("fr", side), ("en-fr.alig", f"links-{side}")):
            (folder / f"{stem}.{suffix}").write_bytes(files[name].read_bytes())
    (folder / "docs").write_text("0\n", "utf-8")
    return [str(folder / name) for name in ("ref", "cand", "docs")]


if __name__ == "__main__":
    main()
